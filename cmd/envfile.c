#include "cmd/envfile.h"

#include <string.h>

#include "cmd/install.h"
#include "common/mem.h"

#include "common/banned.h"

#define ENVFILE_MAX	(1024 * 1024)

/* Ends with a star: every name that begins so. */
static const char *const bad[] = {
	"LD_*", "BASH_FUNC_*", "BASH_ENV", "ENV", "PATH", "SHELL", "SHELLOPTS",
	"BASHOPTS", "PS4", "ZDOTDIR", "GLIBC_TUNABLES"
};

static bool
name_is_bad(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		size_t n = strlen(bad[i]);

		if (bad[i][n - 1] == '*' ? len >= n - 1 &&
		    strncmp(name, bad[i], n - 1) == 0 :
		    len == n && strncmp(name, bad[i], n) == 0)
			return true;
	}
	return false;
}

/* `export NAME = value` and all its lesser forms; "" when it is none. */
static size_t
name_in(const char **line)
{
	static const char blank[] = " \t\r\f\v";
	const char *p = *line + strspn(*line, blank);

	if (str_starts(p, "export") && strchr(blank, p[6]) != NULL &&
	    p[6] != '\0')
		p += 6 + strspn(p + 6, blank);
	*line = p;
	return strcspn(p, "=: \t\r\n#'\"");
}

int
envfile_check(const char *root, const char *relative, struct err *e)
{
	struct target t;
	int rc = 0;

	if (target_read(root, relative, ENVFILE_MAX, &t, e) == -1)
		return -1;
	/* A NUL or a lone CR ends a line for some reader. */
	for (size_t i = 0; i < t.text.len; i++)
		if (t.text.s[i] == '\0' || t.text.s[i] == '\r')
			t.text.s[i] = '\n';
	for (const char *p = t.text.s; rc == 0 && *p != '\0';
	    p += strcspn(p, "\n"), p += *p != '\0') {
		const char *name = p;
		size_t n = name_in(&name);

		if (name_is_bad(name, n))
			rc = err_set(e, ERR_PERMITTED, "'%s' sets %.*s, which "
			    "changes what every hook's shell does", relative,
			    (int)(n < 60 ? n : 60), name);
	}
	target_clear(&t);
	return rc;
}
