#include "common/id.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "common/banned.h"

#define RANDOM_HEX	16
#define TIME_HEX	12
#define TIME_AT		(RANDOM_HEX + 1)
#define PID_AT		(TIME_AT + TIME_HEX + 1)

static const char hex[] = "0123456789abcdef";

void
id_make(int64_t boot_ms, pid_t pid, char ret[static ID_MAX + 1])
{
	unsigned char r[RANDOM_HEX / 2];

	randombytes_buf(r, sizeof r);
	sodium_bin2hex(ret, RANDOM_HEX + 1, r, sizeof r);
	snprintf(ret + RANDOM_HEX, ID_MAX + 1 - RANDOM_HEX, "-%012llx-%x",
	    (unsigned long long)boot_ms & 0xffffffffffffULL, (unsigned)pid);
}

bool
id_ok(const char *s)
{
	size_t n = strlen(s), pid;

	if (n < PID_AT + 1 || n > ID_MAX)
		return false;
	pid = strspn(s + PID_AT, hex);
	return strspn(s, hex) == RANDOM_HEX && s[RANDOM_HEX] == '-' &&
	    strspn(s + TIME_AT, hex) == TIME_HEX && s[PID_AT - 1] == '-' &&
	    pid > 0 && pid <= 8 && s[PID_AT + pid] == '\0';
}

int
id_compare(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	int c = strncmp(x + TIME_AT, y + TIME_AT, TIME_HEX);

	return c != 0 ? c : strcmp(x, y);
}

bool
id_prefix_ok(const char *s)
{
	size_t n = strlen(s);

	return n > 0 && n <= ID_MAX && strspn(s, "0123456789abcdef-") == n;
}
