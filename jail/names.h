/*
 * jail/names.h - names inside writable trees that stay as they are.
 *
 * Files that programs outside the jail read and act on: shells' and editors'
 * start files, agents' settings, git's hooks and configuration.  The table is
 * policy/protect.h's and a few more: what a file tool must not write without a
 * human, a jailed command must not write either.  Git is told apart, because
 * work needs the rest of a repository.
 */
#ifndef JAIL_NAMES_H
#define JAIL_NAMES_H

#include "jail/list.h"
#include "policy/protect.h"

/* The table: components, "/" between them; NULL behind the last one. */
const char	*names_run(size_t i, enum guard *ret);

/*
 * Does the path end in a protected name, and how guarded is it?  `.git` itself
 * and what is in it do not: names_git_part has those.  Among packages
 * nothing is protected: they bring such files along, and nobody opens them
 * there.
 */
enum guard	names_guarded(const char *path, const struct list *places);

/*
 * Is it node_modules, or below, as seen from the writable place it lies in?
 * What somebody works in is no package, wherever it lies.
 */
bool		names_packages(const char *path, const struct list *places);

/*
 * What is an entry of a git directory (`.git`, a bare repository, a
 * submodule's) to others?
 */
enum git_part {
	GIT_PLAIN,	/* data */
	GIT_CONFIG,	/* "config", "config.worktree" */
	GIT_HOOKS,	/* the folder of hooks */
	GIT_LEADS,	/* "commondir", "gitdir": where the rest lies */
};
enum git_part	names_git_part(const char *name);

#endif
