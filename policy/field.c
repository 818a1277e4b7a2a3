/* policy/field.c - blanks, homes and addresses where a path belongs. */
#include <ctype.h>
#include <string.h>

#include "common/str.h"
#include "policy/field.h"
#include "common/banned.h"

/* The length of the blank that stands at p, as Unicode has them; 0: none. */
static size_t
blank(const char *p)
{
	static const char *const wide[] = {
		"\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xa8",
		"\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f",
		"\xe3\x80\x80", "\xef\xbb\xbf"
	};

	if (*p == ' ' || (*p >= '\t' && *p <= '\r'))
		return 1;
	/* U+2000 to U+200a */
	if (str_starts(p, "\xe2\x80") && (unsigned char)p[2] >= 0x80 &&
	    (unsigned char)p[2] <= 0x8a)
		return 3;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (str_starts(p, wide[i]))
			return strlen(wide[i]);
	return 0;
}

/* The part of text between the blanks at its ends. */
static const char *
trim(const char *text, size_t *ret_len)
{
	size_t n;
	const char *end;

	while ((n = blank(text)) > 0)
		text += n;
	end = text;
	for (const char *p = text; *p != '\0'; p += n > 0 ? n : 1) {
		n = blank(p);
		if (n == 0)
			end = p + 1;
	}
	*ret_len = (size_t)(end - text);
	return text;
}

/* `file://`, `https://` and their like: the length, or 0. */
static size_t
scheme(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || strchr("+-.", p[n]) != NULL) {
		if (p[n] == '\0')
			return 0;
		n++;
	}
	return n > 0 && str_starts(p + n, "://") ? n + 3 : 0;
}

/* `~name` and nothing but a name: somebody's home, or a file's odd name. */
static bool
is_someones(const char *p, size_t len)
{
	size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n > 0 && (n >= len || p[n] == '/');
}

int
field_path_read(struct facts *f, const char *text, struct field_path *ret)
{
	const char *home = f->policy->place.home;
	struct field_path p = { 0 };
	size_t len, skip, n = 0;
	const char *from = trim(text, &len);
	char *out = arena_get(f->arena, strlen(home) + len + 2);

	if (out == NULL)
		return -1;
	skip = scheme(from);
	p.odd = skip > 0;
	if (from[0] == '~' && len > 0) {
		p.odd = is_someones(from + 1, len - 1);
		if (len == 1 || from[1] == '/') {
			n = strlen(home);
			memcpy(out, home, n);
			skip = 1;
		}
	}
	memcpy(out + n, from + skip, len - skip);
	out[n + len - skip] = '\0';
	if (strcmp(out, text) != 0 && out[0] != '\0')
		p.other = out;
	*ret = p;
	return 0;
}
