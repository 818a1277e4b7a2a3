#include "jail/names.h"

#include <string.h>
#include <strings.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/protect.h"

#include "common/banned.h"

/* Does path end in this run of components?  Case is no way around. */
static bool
ends_in(const char *path, size_t len, const char *run)
{
	size_t n = strlen(run);

	return len > n && path[len - n - 1] == '/' &&
	    strcasecmp(path + len - n, run) == 0;
}

bool
names_guarded(const char *path)
{
	size_t len = strlen(path);
	enum guard guard;
	const char *run;

	if (strstr(path, "/node_modules/") != NULL)
		return false;
	for (size_t i = 0; (run = protect_run(i, &guard)) != NULL; i++)
		if (!str_eq(run, ".git") && !str_starts(run, ".git/") &&
		    ends_in(path, len, run))
			return true;
	return false;
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
