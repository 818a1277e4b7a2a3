#include "cmd/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/originals/entry.h"
#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define AGO_MAX	100000000	/* of any unit */

/* Without ".", "..", "//"; lexically. */
static char *
plain(const char *path)
{
	auto_free char *out = xcalloc(1, strlen(path) + 2);
	size_t len = 0;

	while (*path != '\0') {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (len > 0 && out[--len] != '/')
				;
		} else if (n > 0 && !(n == 1 && path[0] == '.')) {
			out[len++] = '/';
			memcpy(out + len, path, n);
			len += n;
		}
		path += n + (path[n] == '/');
	}
	out[len] = '\0';
	return mem_steal(&out);
}

/* With the folder's links followed, if it is there; the last part is not. */
static char *
real_folder(const char *path)
{
	auto_free char *copy = xstrdup(path);
	char *slash = strrchr(copy, '/');
	auto_free char *real = NULL;

	if (slash == NULL || slash == copy)
		return xstrdup(path);
	*slash = '\0';
	real = realpath(copy, NULL);
	return real == NULL ? xstrdup(path) :
	    xasprintf("%s/%s", real, slash + 1);
}

static char *
below(const struct cmd_ctx *ctx, const struct home *home,
    const char *path, struct err *e)
{
	auto_free char *base = realpath(ctx->dir, NULL);
	auto_free char *full = NULL, *flat = NULL, *real = NULL;
	size_t n = strlen(home->root_path);

	if (base == NULL) {
		err_sys(e, "cannot find '%s'", ctx->dir);
		return NULL;
	}
	full = path[0] == '/' ? xstrdup(path) : xasprintf("%s/%s", base, path);
	flat = plain(full);
	/* A link that was put below the project is not followed, but said. */
	real = strncmp(flat, home->root_path, n) == 0 && flat[n] == '/' ?
	    xstrdup(flat) : real_folder(flat);
	if (strncmp(real, home->root_path, n) != 0 || real[n] != '/' ||
	    !file_path_ok(real + n + 1)) {
		err_set(e, ERR_USAGE, "'%s' is not in this project", path);
		return NULL;
	}
	return xstrdup(real + n + 1);
}

char **
files_all(const struct cmd_ctx *ctx, const struct home *home, int argc,
    char **argv, struct err *e)
{
	char **all = xcalloc((size_t)argc + 1, sizeof *all);

	for (int i = 0; i < argc; i++) {
		all[i] = below(ctx, home, argv[i], e);
		if (all[i] == NULL) {
			files_free(all, i);
			return NULL;
		}
	}
	return all;
}

void
files_free(char **all, int argc)
{
	for (int i = 0; all != NULL && i < argc; i++)
		free(all[i]);
	free(all);
}

bool
files_no_name(const char *name)
{
	return name != NULL && *name == '\0';
}

bool
files_time(const char *text, int64_t now_ms, int64_t *ret_ms)
{
	static const struct { char unit; int64_t ms; } units[] = {
		{ 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 },
	};
	struct tm tm = { 0 };
	char *end;
	long n;

	end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (end != NULL && *end == '\0') {
		/* The end of that second: what `changes` showed is in it. */
		*ret_ms = (int64_t)timegm(&tm) * 1000 + 999;
		return true;
	}
	n = strtol(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || n > AGO_MAX || *end == '\0' ||
	    end[1] != '\0')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (*end == units[i].unit) {
			*ret_ms = now_ms - n * units[i].ms;
			return true;
		}
	return false;
}
