#include "cmd/door_version.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/fire.h"
#include "common/mem.h"
#include "policy/places.h"

#include "common/banned.h"

#define ASK_SECONDS	10

static bool
parse_at(const char *p, struct version *ret)
{
	struct version v;

	for (int i = 0; i < 3; i++) {
		size_t n = strspn(p, "0123456789");

		if (n == 0 || n > 8 || (i < 2 && p[n] != '.'))
			return false;
		v.part[i] = (unsigned)strtoul(p, NULL, 10);
		p += n + 1;
	}
	*ret = v;
	return true;
}

bool
version_parse(const char *text, struct version *ret)
{
	for (const char *p = text; *p != '\0'; p++)
		if ((p == text || strchr("0123456789.", p[-1]) == NULL) &&
		    parse_at(p, ret))
			return true;
	return false;
}

int
version_compare(const struct version *a, const struct version *b)
{
	for (int i = 0; i < 3; i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	return 0;
}

static bool
ask_program(char *path, struct version *ret)
{
	static char option[] = "--version";
	char *const argv[] = { path, option, NULL };
	struct fired f;
	struct err e;
	bool got;

	if (fire(path, argv, "", ASK_SECONDS, &f, &e) == -1)
		return false;
	got = f.exit == 0 && version_parse(f.out.s, ret);
	str_clear(&f.out);
	return got;
}

bool
version_ask(const char *program, const char *path, const char *not_in,
    struct version *ret)
{
	auto_free char *copy = xstrdup(path == NULL ? "" : path);
	char *save = NULL;

	for (char *dir = strtok_r(copy, ":", &save); dir != NULL;
	    dir = strtok_r(NULL, ":", &save)) {
		auto_free char *name = xasprintf("%s/%s", dir, program);
		auto_free char *real = dir[0] != '/' ? NULL :
		    realpath(name, NULL);

		if (real == NULL || place_under(real, not_in) ||
		    access(real, X_OK) == -1)
			continue;
		return ask_program(name, ret);
	}
	return false;
}

char *
version_unknown(const char *program, const char *path, const char *measured)
{
	return xasprintf("measured with %s; `%s --version` %s", measured,
	    program, path == NULL ? "is not asked: an agent started this" :
	    "says nothing here");
}
