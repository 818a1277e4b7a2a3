/* policy/little_awk.c - awk, jq and chmod: what can do more than read? */
#include <ctype.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/little.h"
#include "common/banned.h"

/* Behind the closing quote; NULL: none. */
static const char *
skip_string(const char *p, char end)
{
	for (; *p != '\0' && *p != '\n'; p++) {
		if (*p == '\\' && p[1] != '\0')
			p++;
		else if (*p == end)
			return p + 1;
	}
	return NULL;
}

static bool
word_is(const char *p, size_t n, const char *const *words, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++)
		if (strlen(words[i]) == n && memcmp(words[i], p, n) == 0)
			return true;
	return false;
}

static size_t
word_len(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

struct awk {
	const char	*p;
	char		 last;		/* the last significant character */
	bool		 print;		/* in a print statement */
	unsigned	 open;		/* ( in it */
};

/* A / here begins a regular expression unless something can be divided. */
static bool
awk_regex(const struct awk *a)
{
	return a->last == '\0' || strchr("(,{;!~&|=+-*%<>?:\n}", a->last) !=
	    NULL;
}

static bool
awk_word(struct awk *a)
{
	static const char *const bad[] = {
		"system", "getline", "close", "fflush", "ENVIRON", "ARGV",
		"ARGC", "PROCINFO", "SYMTAB", "FUNCTAB", "nextfile"
	};
	size_t n = word_len(a->p);

	if (word_is(a->p, n, bad, ARRAY_LEN(bad)))
		return false;
	if ((n == 5 && memcmp(a->p, "print", 5) == 0) ||
	    (n == 6 && memcmp(a->p, "printf", 6) == 0)) {
		a->print = true;
		a->open = 0;
	}
	a->p += n;
	a->last = 'a';
	/* Behind a word a / divides, or not (`return /x/`): refuse. */
	return a->p[strspn(a->p, " \t")] != '/';
}

static bool
awk_mark(struct awk *a)
{
	char c = *a->p;

	if (c == '@' || c == '\\')
		return false;
	if (c == '|' && a->p[1] != '|')
		return false;
	if (c == '>' && a->print && a->open == 0)
		return false;
	if (c == '(')
		a->open++;
	if (c == ')' && a->open > 0)
		a->open--;
	if (c == ';' || c == '{' || c == '}' || c == '\n') {
		a->print = false;
		a->open = 0;
	}
	a->last = c;
	a->p += c == '|' ? 2 : 1;
	return true;
}

bool
awk_safe(const char *script)
{
	struct awk a = { .p = script };

	while (*a.p != '\0') {
		char c = *a.p;

		if (c == ' ' || c == '\t') {
			a.p++;
		} else if (c == '#') {
			a.p += strcspn(a.p, "\n");
		} else if (c == '"' || (c == '/' && awk_regex(&a))) {
			/* [/] may end a regular expression or not: refuse */
			const char *end = skip_string(a.p + 1, c);

			if (end == NULL || (c == '/' && memchr(a.p, '[',
			    (size_t)(end - a.p)) != NULL && *end == ']'))
				return false;
			a.p = end;
			a.last = 'a';
		} else if (isalpha((unsigned char)c) || c == '_') {
			if (!awk_word(&a))
				return false;
		} else if (isdigit((unsigned char)c)) {
			a.p += word_len(a.p);
			a.last = 'a';
		} else if (!awk_mark(&a)) {
			return false;
		}
	}
	return true;
}

/* In jq a string may hold code: "\(...)".  So strings are looked into. */
bool
jq_safe(const char *script)
{
	static const char *const bad[] = {
		"env", "ENV", "import", "include", "input_filename", "halt",
		"halt_error", "modulemeta", "get_search_list", "debug",
		"stderr", "load"
	};

	for (const char *p = script; *p != '\0';) {
		size_t n = word_len(p);

		if (n == 0) {
			p++;
			continue;
		}
		/* .env and .load are fields, $ENV is not. */
		if (word_is(p, n, bad, ARRAY_LEN(bad)) &&
		    (p == script || p[-1] != '.'))
			return false;
		p += n;
	}
	return true;
}

/* With any other one, or a '*' or '/' in it, a backup may be a name of ours. */
bool
suffix_safe(const char *suffix)
{
	static const char *const usual[] = {
		"", "~", ".bak", ".back", ".backup", ".bk", ".old", ".orig",
		".save", ".sav", ".tmp", ".prev"
	};

	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		if (str_eq(suffix, usual[i]))
			return true;
	return false;
}

bool
mode_safe(const char *mode)
{
	size_t n = strspn(mode, "01234567");

	if (mode[0] != '\0' && mode[n] == '\0')	/* 4755 sets an id */
		return n < 4 || (n == 4 && (mode[0] == '0' ||
		    mode[0] == '1'));
	return mode[0] != '\0' && mode[strspn(mode, "ugoarwxX+-=,")] == '\0';
}
