#include "common/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/banned.h"

static void *
check(void *p)
{
	if (p == NULL) {
		static const char text[] = "sandbox: out of memory\n";

		if (write(STDERR_FILENO, text, sizeof text - 1) == -1)
			_exit(8);
		_exit(8);
	}
	return p;
}

void *
xcalloc(size_t n, size_t size)
{
	return check(calloc(n == 0 ? 1 : n, size == 0 ? 1 : size));
}

void *
xrealloc(void *p, size_t n, size_t size)
{
	return check(reallocarray(p, n == 0 ? 1 : n, size == 0 ? 1 : size));
}

char *
xstrdup(const char *s)
{
	return s == NULL ? NULL : check(strdup(s));
}

char *
xstrndup(const char *s, size_t len)
{
	char *p = xcalloc(len + 1, 1);

	memcpy(p, s, len);
	return p;
}

char *
xasprintf(const char *fmt, ...)
{
	char *p = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	return check(n == -1 ? NULL : p);
}

void
mem_free_ptr(void *pointer_to_pointer)
{
	void *p;

	memcpy(&p, pointer_to_pointer, sizeof p);
	free(p);
}

void
mem_close_fd(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

char *
mem_steal(char **p)
{
	char *out = *p;

	*p = NULL;
	return out;
}

int
fd_steal(int *fd)
{
	int out = *fd;

	*fd = -1;
	return out;
}
