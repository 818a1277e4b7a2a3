/* policy/places.c - places that are less than they seem. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/places.h"
#include "policy/value.h"
#include "common/banned.h"

bool
place_under(const char *path, const char *dir)
{
	size_t len = dir == NULL ? 0 : strlen(dir);

	return len > 0 && strncmp(path, dir, len) == 0 &&
	    (path[len] == '/' || path[len] == '\0' || len == 1);
}

/* Does the last component, named as far as it can be, end like one of these? */
static bool
ends_like(const char *path, const char *const *ends, size_t n)
{
	const char *last = strrchr(path, '/');

	if (last == NULL || strchr(last, VALUE_ANY) != NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		if (str_ends(last, ends[i]))
			return true;
	return false;
}

bool
place_is_source(const char *path)
{
	static const char *const ends[] = { ".go", ".c", ".h", ".py", ".rs",
		".ts", ".tsx", ".js", ".jsx", ".mjs", ".java", ".cs", ".cpp",
		".hpp", ".cc", ".rb", ".php", ".kt", ".swift", ".md", ".rst",
		".html", ".css", ".vue", ".scala", ".lua" };

	return ends_like(path, ends, ARRAY_LEN(ends));
}

bool
place_is_text(const char *path)
{
	static const char *const ends[] = { ".txt", ".json", ".yml", ".yaml",
		".toml", ".xml", ".svg", ".sh", ".proto", ".graphql", ".log",
		".rej", ".orig" };

	return place_is_source(path) || ends_like(path, ends, ARRAY_LEN(ends));
}

bool
place_is_sink(const char *path, bool written)
{
	static const char *const names[] = {
		"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/zero",
		"/dev/full", "/dev/fd/1", "/dev/fd/2",
		/* Only to read: what it was opened for is judged there. */
		"/dev/stdin", "/dev/random", "/dev/urandom"
	};
	size_t n = ARRAY_LEN(names) - (written ? 3 : 0);

	for (size_t i = 0; i < n; i++)
		if (str_eq(path, names[i]))
			return true;
	return !written && str_starts(path, "/dev/fd/") && path[8] != '\0' &&
	    path[8 + strspn(path + 8, "0123456789")] == '\0';
}

bool
place_is_temp(const struct policy_place *at, const char *path)
{
	static const char *const dirs[] = { "/tmp/", "/var/tmp/",
		"/private/tmp/" };
	static const char *const taken[] = { "ssh-", "tmux-", "systemd-",
		"dbus-", "snap", "gpg-", "pulse-", "vscode-" };

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		const char *name = path + strlen(dirs[i]);

		if (!str_starts(path, dirs[i]))
			continue;
		/* A home or project there makes it a place like any other. */
		if (str_starts(at->root, dirs[i]) ||
		    str_starts(at->home, dirs[i]))
			return false;
		for (size_t k = 0; k < ARRAY_LEN(taken); k++)
			if (str_starts(name, taken[k]))
				return false;
		return value_constant(path) && name[0] != '.' &&
		    name[0] != '\0';
	}
	return false;
}

bool
place_is_plan(const struct policy_place *at, const char *path)
{
	const struct { const char *top, *dir; } plans[] = {
		{ at->home, "/.claude/plans/" },
		{ at->home, "/.local/share/opencode/plans/" },
		{ at->root, "/.opencode/plans/" },
	};

	for (size_t i = 0; i < ARRAY_LEN(plans); i++) {
		size_t n = strlen(plans[i].top), m = strlen(plans[i].dir);
		const char *name = path + n + m;

		if (str_starts(path, plans[i].top) &&
		    str_starts(path + n, plans[i].dir) && name[0] != '.' &&
		    strchr(name, '/') == NULL && str_ends(name, ".md"))
			return value_constant(path);
	}
	return false;
}
