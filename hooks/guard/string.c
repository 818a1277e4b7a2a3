/*
 * The few functions of <string.h> that the guard and the compiler call: plain
 * loops, because a libc's choose themselves at start-up by what the processor
 * can do.
 */
#include <string.h>

#include "common/banned.h"

/* Or the loop in memcpy becomes a call of memcpy. */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

void *
memcpy(void *restrict to, const void *restrict from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	while (n-- > 0)
		*d++ = *s++;
	return to;
}

void *
memset(void *to, int c, size_t n)
{
	unsigned char *d = to;

	while (n-- > 0)
		*d++ = (unsigned char)c;
	return to;
}

int
memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n > 0; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

void *
memchr(const void *p, int c, size_t n)
{
	const unsigned char *s = p;

	for (; n > 0; n--, s++)
		if (*s == (unsigned char)c)
			return (void *)(size_t)s;
	return NULL;
}

void *
memrchr(const void *p, int c, size_t n)
{
	const unsigned char *s = p;

	while (n-- > 0)
		if (s[n] == (unsigned char)c)
			return (void *)(size_t)(s + n);
	return NULL;
}

size_t
strlen(const char *s)
{
	size_t n = 0;

	while (s[n] != '\0')
		n++;
	return n;
}

int
strncmp(const char *a, const char *b, size_t n)
{
	for (; n > 0; n--, a++, b++)
		if (*a != *b || *a == '\0')
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int
strcmp(const char *a, const char *b)
{
	return strncmp(a, b, (size_t)-1);
}

char *
strchr(const char *s, int c)
{
	return memchr(s, c, strlen(s) + 1);
}

size_t
strspn(const char *s, const char *set)
{
	size_t n = 0;

	while (s[n] != '\0' && strchr(set, s[n]) != NULL)
		n++;
	return n;
}

char *
strstr(const char *s, const char *word)
{
	size_t n = strlen(word);

	for (; *s != '\0'; s++)
		if (strncmp(s, word, n) == 0)
			return (char *)(size_t)s;
	return n == 0 ? (char *)(size_t)s : NULL;
}
