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

/*
 * A NUL or a lone CR ends a line for some reader, and what is not ASCII may be
 * a line's end or a blank for another (U+2028, a byte order mark); LF alone for
 * the count.
 */
static size_t
line_end(const char *p, size_t len, unsigned *line)
{
	size_t n = 0;

	while (n < len && p[n] != '\n' && p[n] != '\r' && p[n] != '\0' &&
	    (unsigned char)p[n] < 0x80)
		n++;
	if (n == len)
		return n;
	*line += p[n] == '\n';
	return n + 1;
}

int
envfile_check(const char *root, const char *relative, unsigned *ret_line,
    struct err *e)
{
	struct target t;
	unsigned line = 1, next = 1;
	int rc = 0;

	if (ret_line != NULL)
		*ret_line = 0;
	if (target_read(root, relative, ENVFILE_MAX, &t, e) == -1)
		return -1;
	for (size_t at = 0, n; rc == 0 && at < t.text.len; at += n) {
		const char *name = t.text.s + at;
		size_t len;

		line = next;
		n = line_end(name, t.text.len - at, &next);
		len = name_in(&name);
		if (name_is_bad(name, len))
			rc = err_set(e, ERR_PERMITTED, "'%s' sets %.*s, which "
			    "changes what every hook's shell does", relative,
			    (int)(len < 60 ? len : 60), name);
	}
	if (rc == -1 && ret_line != NULL)
		*ret_line = line;
	target_clear(&t);
	return rc;
}
