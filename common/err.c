#include "common/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/banned.h"

/*
 * A text that was cut may end inside a UTF-8 sequence; drop the broken tail so
 * that an error can be put into JSON as it is.
 */
static void
trim_utf8(char *text)
{
	size_t n = strlen(text), k = n;

	while (k > 0 && ((unsigned char)text[k - 1] & 0xc0) == 0x80)
		k--;
	if (k == 0)
		return;
	unsigned char lead = (unsigned char)text[k - 1];
	size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 :
	    lead >= 0xc0 ? 2 : 1;

	if (n - (k - 1) < want)
		text[k - 1] = '\0';
}

int
err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -1;
	e->code = (int)code;
	e->sys = 0;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	trim_utf8(e->text);
	return -1;
}

int
err_sys(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;
	size_t n;

	if (e == NULL)
		return -1;
	e->code = ERR_SYSTEM;
	e->sys = saved;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof e->text - n, ": %s", strerror(saved));
	trim_utf8(e->text);
	errno = saved;
	return -1;
}

int
err_add(struct err *e, const char *fmt, ...)
{
	char old[ERR_TEXT];
	va_list ap;
	size_t n;

	if (e == NULL)
		return -1;
	memcpy(old, e->text, sizeof old);
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof e->text - n, ": %s", old);
	trim_utf8(e->text);
	return -1;
}

int
err_exit(const struct err *e)
{
	return e->code == ERR_FORMAT ? (int)ERR_SYSTEM : e->code;
}

void
err_bug(const char *file, int line, const char *why)
{
	fprintf(stderr, "sandbox: internal error at %s:%d: %s\n", file, line,
	    why);
	abort();
}
