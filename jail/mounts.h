/*
 * jail/mounts.h - carry out a plan: the file system a jailed command sees.
 *
 * Called once, by the first process of fresh user, mount and pid namespaces,
 * with all capabilities in them.  Afterwards "/" is a read-only copy of the
 * host's tree with the plan's exceptions, a fresh /proc of our pid namespace
 * and a minimal /dev; nothing of the old tree can be reached.
 *
 * Every source is opened without following links and cloned from the old tree
 * while nothing is in the way; every target is opened the same way in the new
 * one.  What changed since the scan so that a link or nothing stands there
 * now, is an error: nothing runs.
 */
#ifndef JAIL_MOUNTS_H
#define JAIL_MOUNTS_H

#include <stdbool.h>

#include "jail/plan.h"

/* `nested`: leave /proc bare, so that a jail inside can mount its own. */
int	mounts_build(const struct plan *, bool nested, struct err *);

/* For dev.c: clone what lies at `path` below `rootfd`; a detached mount. */
int	mounts_clone(int rootfd, const char *path, unsigned long long attrs,
	    struct err *);
/* Open a path below rootfd for mounting on, following nothing. */
int	mounts_at(int rootfd, const char *path, struct err *);
/* Put a detached mount on a path of the new tree. */
int	mounts_put(int mountfd, const char *path, struct err *);
/* A fresh tmpfs, detached. */
int	mounts_tmpfs(const char *mode, unsigned long long attrs, struct err *);

/* Part of mounts_build: /dev, with its nodes taken from below oldroot. */
int	dev_build(int oldroot, struct err *);

#endif
