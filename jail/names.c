#include "jail/names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define RUNS_MAX	128

/* The table without git's own parts, measured once: every file of a tree is
 * asked about. */
struct run {
	const char	*text;
	size_t		 len;
	int		 last;		/* its last character, small */
	enum guard	 guard;
};

/*
 * Beside policy's: a file tool asks about none of these, but a command that
 * nobody reads has no reason to write them.  They start programs when somebody
 * logs out, opens the project, installs, or asks for the state of things.
 */
static const char *const more[] = {
	".zlogout", ".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath",
	".jj/repo/config.toml", ".jj/workspace-config.toml", ".devcontainer",
	".devcontainer.json", ".yarnrc.yml", ".helix", ".vim", ".emacs",
	".emacs.d", ".config/emacs", ".config/tmux", ".config/zsh",
	".bashrc.d", ".hgrc", ".config/hg", ".config/jj", ".config/direnv",
	".xprofile", ".xsession", ".xsessionrc", ".xinitrc",
};

const char *
names_run(size_t i, enum guard *ret)
{
	size_t policys = 0;
	const char *run;

	while ((run = protect_run(policys, ret)) != NULL && policys < i)
		policys++;
	if (run != NULL)
		return run;
	*ret = GUARD_ASK;
	return i - policys < ARRAY_LEN(more) ? more[i - policys] : NULL;
}

static void
run_add(struct run runs[static RUNS_MAX], size_t *n, const char *text,
    enum guard guard)
{
	size_t len = strlen(text);

	if (*n == RUNS_MAX)
		BUG("more protected names than were thought of");
	runs[(*n)++] = (struct run){ text, len,
	    tolower((unsigned char)text[len - 1]), guard };
}

static size_t
runs_get(struct run runs[static RUNS_MAX])
{
	enum guard guard;
	const char *text;
	size_t n = 0;

	for (size_t i = 0; (text = names_run(i, &guard)) != NULL; i++)
		if (!str_eq(text, ".git") && !str_starts(text, ".git/"))
			run_add(runs, &n, text, guard);
	return n;
}

/* Does path end in this run of components?  Case is no way around. */
static bool
ends_in(const char *path, size_t len, const struct run *r)
{
	return len > r->len && path[len - r->len - 1] == '/' &&
	    strcasecmp(path + len - r->len, r->text) == 0;
}

bool
names_packages(const char *path, const struct list *places)
{
	static const char name[] = "/node_modules";
	size_t from = 0;

	for (size_t i = 0; i < places->n; i++) {
		size_t n = strlen(places->v[i]);

		if (n > from && n > 1 && path_in(path, places->v[i]))
			from = n;
	}
	while ((path = strstr(path + from, name)) != NULL) {
		from = sizeof name - 1;
		if (path[from] == '/' || path[from] == '\0')
			return true;
	}
	return false;
}

enum guard
names_guarded(const char *path, const struct list *places)
{
	static struct run runs[RUNS_MAX];
	static size_t n;
	size_t len = strlen(path);
	int last;

	if (n == 0)
		n = runs_get(runs);
	if (len == 0)
		return GUARD_NONE;
	last = tolower((unsigned char)path[len - 1]);
	for (size_t i = 0; i < n; i++)
		if (runs[i].last == last && ends_in(path, len, &runs[i]))
			return names_packages(path, places) ? GUARD_NONE :
			    runs[i].guard;
	return GUARD_NONE;
}

enum git_part
names_git_part(const char *name)
{
	static const struct { const char *name; enum git_part part; } t[] = {
		{ "config", GIT_CONFIG }, { "config.worktree", GIT_CONFIG },
		{ "hooks", GIT_HOOKS }, { "commondir", GIT_LEADS },
		{ "gitdir", GIT_LEADS },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		if (strcasecmp(t[i].name, name) == 0)
			return t[i].part;
	return GIT_PLAIN;
}
