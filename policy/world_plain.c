/* policy/world_plain.c - the world of examples: no links, no helpers. */
#include <string.h>

#include "policy/policy.h"
#include "common/banned.h"

static int
plain_resolve(void *arg, const char *path, char *ret)
{
	size_t len = 0;

	(void)arg;
	while (*path != '\0') {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (len > 0 && ret[--len] != '/')
				;
		} else if (n > 0 && !(n == 1 && path[0] == '.')) {
			if (len + n + 2 > WORLD_PATH)
				return -1;
			ret[len++] = '/';
			memcpy(ret + len, path, n);
			len += n;
		}
		path += n + (path[n] == '/');
	}
	memcpy(ret + len, len == 0 ? "/" : "", len == 0 ? 2 : 1);
	return 0;
}

static bool
plain_exists(void *arg, const char *path)
{
	(void)arg;
	(void)path;
	return false;
}

static int
plain_helpers(void *arg, const char *dir)
{
	(void)arg;
	(void)dir;
	return 0;
}

static int
plain_other_name(void *arg, const char *path, const char *root)
{
	(void)arg;
	(void)path;
	(void)root;
	return 0;
}

const struct world world_plain = {
	.resolve = plain_resolve, .exists = plain_exists,
	.git_config_helpers = plain_helpers, .git_hooks = plain_helpers,
	.other_name = plain_other_name
};
