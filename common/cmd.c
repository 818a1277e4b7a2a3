#include "common/cmd.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define HELP_COLUMN	26

struct scan {
	const struct opt	*opts;
	size_t			 n;
	int			 argc;
	char			**argv;
	int			 next;		/* argv not looked at yet */
	uint64_t		 seen;		/* bit per option */
};

/* What a person typed may hold anything; an error text may not. */
static int
complain(struct err *e, const char *word, const char *what)
{
	auto_free char *shown = visible_line(word);

	return err_set(e, ERR_USAGE, "option '%s' %s", shown, what);
}

static int
take_count(const char *text, int *ret)
{
	size_t len = strlen(text);
	long long v;

	if (len == 0 || len > 10 || strspn(text, "0123456789") != len)
		return -1;
	v = strtoll(text, NULL, 10);
	if (v > INT_MAX)
		return -1;
	*ret = (int)v;
	return 0;
}

/* Store `value` (NULL: none was attached; the next word may be it). */
static int
take(struct scan *s, size_t i, const char *word, const char *value,
    struct err *e)
{
	const struct opt *o = &s->opts[i];

	if ((s->seen & (1ULL << i)) != 0)
		return complain(e, word, "was given twice");
	s->seen |= 1ULL << i;
	if (o->kind == OPT_FLAG) {
		if (value != NULL)
			return complain(e, word, "takes no value");
		*(bool *)o->dest = true;
		return 0;
	}
	if (value == NULL && s->next < s->argc)
		value = s->argv[s->next++];
	if (value == NULL)
		return complain(e, word, "needs a value");
	if (o->kind == OPT_COUNT && take_count(value, o->dest) == -1)
		return complain(e, word, "needs a whole number");
	if (o->kind == OPT_TEXT)
		*(const char **)o->dest = value;
	return 0;
}

static int
take_long(struct scan *s, const char *word, struct err *e)
{
	const char *name = word + 2, *eq = strchr(name, '=');
	size_t len = eq == NULL ? strlen(name) : (size_t)(eq - name);

	for (size_t i = 0; i < s->n; i++)
		if (s->opts[i].name != NULL &&
		    strlen(s->opts[i].name) == len &&
		    memcmp(s->opts[i].name, name, len) == 0)
			return take(s, i, word, eq == NULL ? NULL : eq + 1, e);
	return complain(e, word, "is unknown");
}

/* -j, -jq, -mTEXT, -m TEXT */
static int
take_letters(struct scan *s, const char *word, struct err *e)
{
	for (const char *p = word + 1; *p != '\0'; p++) {
		size_t i = 0;
		bool rest;

		while (i < s->n && s->opts[i].letter != *p)
			i++;
		if (i == s->n)
			return complain(e, word, "is unknown");
		rest = s->opts[i].kind != OPT_FLAG;
		if (take(s, i, word, rest && p[1] != '\0' ? p + 1 : NULL,
		    e) == -1)
			return -1;
		if (rest)
			break;
	}
	return 0;
}

static int
parse(struct scan s, int *argc, char **argv, bool front, struct err *e)
{
	const size_t n = s.n;
	bool ended = false;
	int left = 0;

	if (n > 64)
		BUG("too many options");
	while (s.next < s.argc) {
		char *word = argv[s.next++];
		int r = 0;

		if (ended || word[0] != '-' || word[1] == '\0') {
			argv[left++] = word;
			ended |= front;
		} else if (str_eq(word, "--")) {
			ended = true;
		} else if (str_eq(word, "--help")) {
			return 1;
		} else if (word[1] == '-') {
			r = take_long(&s, word, e);
		} else {
			r = take_letters(&s, word, e);
		}
		if (r == -1)
			return -1;
	}
	argv[left] = NULL;
	*argc = left;
	return 0;
}

int
opt_parse(const struct opt *opts, size_t n, int *argc, char **argv,
    struct err *e)
{
	return parse((struct scan){ opts, n, *argc, argv, 1, 0 }, argc, argv,
	    false, e);
}

int
opt_parse_front(const struct opt *opts, size_t n, int *argc, char **argv,
    struct err *e)
{
	return parse((struct scan){ opts, n, *argc, argv, 1, 0 }, argc, argv,
	    true, e);
}

void
opt_help(const char *program, const char *name, const char *synopsis,
    const char *about, const struct opt *opts, size_t n)
{
	printf("usage: %s %s%s%s\n\n%s\n", program, name,
	    synopsis[0] == '\0' ? "" : " ", synopsis, about);
	if (n > 0)
		printf("\n");
	for (size_t i = 0; i < n; i++) {
		const struct opt *o = &opts[i];
		char left[64], letter[3] = "  ";

		if (o->letter != 0)
			snprintf(letter, sizeof letter, "-%c", o->letter);
		snprintf(left, sizeof left, "%s%s%s%s%s%s", letter,
		    o->name == NULL ? "" : o->letter == 0 ? "  " : ", ",
		    o->name == NULL ? "" : "--",
		    o->name == NULL ? "" : o->name,
		    o->arg == NULL ? "" : " ", o->arg == NULL ? "" : o->arg);
		printf("  %-*s %s\n", HELP_COLUMN, left, o->help);
	}
}
