/* policy/little_awk.c - awk, jq and chmod: what can do more than read? */
#include <ctype.h>
#include <stdint.h>
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

/*
 * Where a / begins a regular expression the awks do not agree; what is in one
 * is not looked at.  So it counts as one, or as a division, only where all of
 * them say so (POSIX: wherever it can divide, it does), else nothing is safe.
 */
enum { PARENS_MAX = 64 };

struct awk {
	const char	*p;
	char		 last;		/* the last significant character */
	bool		 print;		/* in a print statement */
	unsigned	 open;		/* ( in it */
	bool		 control;	/* just read: if, while, for */
	uint64_t	 controls;	/* which of the open ( are theirs */
	unsigned	 depth;
};

/* Stand-ins for `last`: an operand, and behind what a / has two meanings. */
enum { OPERAND = 'a', UNSURE = 'u' };

static bool
awk_regex(const struct awk *a)
{
	return a->last != OPERAND && a->last != ')' && a->last != ']';
}

/* Does the text end within [...]?  There a / may end the expression or not. */
static bool
ends_in_bracket(const char *p, const char *end)
{
	bool in = false;

	for (; p < end; p++) {
		if (*p == '\\') {
			p++;
		} else if (*p == '[' && (!in || strchr(":.=", p[1]) != NULL)) {
			if (in)
				return true;	/* [[:alpha:]/]: who knows */
			in = true;
			p += p[1] == '^';
			p += p[1] == ']';
		} else if (*p == ']') {
			in = false;
		}
	}
	return in;
}

/* Keywords behind which a / must begin an expression, and doubtful words. */
static char
behind_word(const char *p, size_t n)
{
	static const char *const before[] = {
		"return", "print", "printf", "else", "do", "exit"
	};
	static const char *const doubtful[] = {
		"case", "in", "delete", "default", "switch", "length", "next",
		"func", "function", "if", "while", "for", "break", "continue"
	};

	if (word_is(p, n, before, ARRAY_LEN(before)))
		return '(';
	return word_is(p, n, doubtful, ARRAY_LEN(doubtful)) ? UNSURE : OPERAND;
}

static bool
awk_word(struct awk *a)
{
	static const char *const bad[] = {
		"system", "getline", "close", "fflush", "ENVIRON", "ARGV",
		"ARGC", "PROCINFO", "SYMTAB", "FUNCTAB", "nextfile"
	};
	static const char *const prints[] = { "print", "printf" };
	static const char *const control[] = { "if", "while", "for", "switch" };
	size_t n = word_len(a->p);

	if (word_is(a->p, n, bad, ARRAY_LEN(bad)))
		return false;
	if (word_is(a->p, n, prints, ARRAY_LEN(prints))) {
		a->print = true;
		a->open = 0;
	}
	a->control = word_is(a->p, n, control, ARRAY_LEN(control));
	a->last = behind_word(a->p, n);
	a->p += n;
	return true;
}

static bool
awk_paren(struct awk *a, char c)
{
	if (c == '(') {
		if (a->depth == PARENS_MAX)
			return false;
		a->controls = a->controls << 1 | a->control;
		a->depth++;
		a->open++;
		a->last = c;
		return true;
	}
	a->last = (a->controls & 1) != 0 ? UNSURE : c;
	a->controls >>= 1;
	a->depth -= a->depth > 0;
	a->open -= a->open > 0;
	return true;
}

/* In parentheses, and behind a comma or an operator, it ends no statement. */
static bool
awk_goes_on(const struct awk *a)
{
	return a->print && (a->open > 0 ||
	    strchr(",&|?:=<~!+-*/%^$[u", a->last) != NULL);
}

static bool
awk_mark(struct awk *a)
{
	char c = *a->p;
	bool twice = strchr("|+-", c) != NULL && a->p[1] == c;
	bool fine = true;

	if (c == '\n' && awk_goes_on(a)) {
		a->p++;
		return true;
	}
	if (c == '@' || c == '\\' || (c == '|' && !twice) ||
	    (c == '>' && a->print && a->open == 0))
		return false;
	if (c == ';' || c == '{' || c == '}' || c == '\n') {
		a->print = false;
		a->open = 0;
	}
	if (c == '(' || c == ')')
		fine = awk_paren(a, c);
	else		/* x++ may be divided; "5." is a number */
		a->last = twice && c != '|' ? UNSURE : c == '.' ? OPERAND : c;
	a->p += 1 + twice;
	a->control = false;
	return fine;
}

/* A string or a regular expression. */
static bool
awk_quoted(struct awk *a, char c)
{
	const char *end = skip_string(a->p + 1, c);

	if (end == NULL || (c == '/' && ends_in_bracket(a->p + 1, end - 1)))
		return false;
	a->p = end;
	a->last = OPERAND;
	a->control = false;
	return true;
}

bool
awk_safe(const char *script)
{
	struct awk a = { .p = script };

	while (*a.p != '\0') {
		char c = *a.p;
		bool fine = true;

		if (c == ' ' || c == '\t') {
			a.p++;
		} else if (c == '#') {
			a.p += strcspn(a.p, "\n");
		} else if (c == '/' && a.last == UNSURE) {
			fine = false;
		} else if (c == '"' || (c == '/' && awk_regex(&a))) {
			fine = awk_quoted(&a, c);
		} else if (isalpha((unsigned char)c) || c == '_') {
			fine = awk_word(&a);
		} else if (isdigit((unsigned char)c)) {
			a.p += word_len(a.p);
			a.last = OPERAND;
			a.control = false;
		} else {
			fine = awk_mark(&a);
		}
		if (!fine)
			return false;
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
		"stderr", "load", "load_str", "load_xml", "load_props",
		"load_base64", "strenv", "envsubst", "eval", "system"
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
