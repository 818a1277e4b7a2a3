#include "approver/signals.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "approver/signals_rows.h"
#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define WORDS_MAX	128	/* of one command; the rest is not read */

/* --- words --------------------------------------------------------------- */

struct word {
	const char	*p;
	size_t		 n;
};

struct words {
	struct word	 w[WORDS_MAX];
	size_t		 n;
};

static bool
is_word(const struct word *w, const char *text)
{
	return strlen(text) == w->n && strncasecmp(text, w->p, w->n) == 0;
}

static bool
is_one_of(const struct word *w, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_word(w, list[i]))
			return true;
	return false;
}

/* "*x*" anywhere, "x*" at the beginning, "*x" at the end. */
static bool
fits_star(const struct word *w, const char *p, size_t n)
{
	bool head = n > 1 && p[0] == '*', tail = n > 1 && p[n - 1] == '*';
	size_t len = n - head - tail;

	p += head;
	if (len > w->n)
		return false;
	for (size_t at = 0; at + len <= w->n; at++)
		if (strncasecmp(w->p + at, p, len) == 0 &&
		    (head || at == 0) && (tail || at + len == w->n))
			return true;
	return false;
}

static bool
fits_one(const struct word *w, const char *p, size_t n)
{
	if (memchr(p, '*', n) != NULL)
		return fits_star(w, p, n);
	/* A letter among others behind one dash, as they are: -r is not -R. */
	if (n == 2 && p[0] == '-' && p[1] != '-')
		return w->n >= 2 && w->p[0] == '-' && w->p[1] != '-' &&
		    memchr(w->p, p[1], w->n) != NULL;
	return n == w->n && strncasecmp(p, w->p, n) == 0;
}

/* One pattern word: alternatives. */
static bool
fits(const struct word *w, const char *p, size_t n)
{
	while (n > 0) {
		const char *bar = memchr(p, '|', n);
		size_t one = bar == NULL ? n : (size_t)(bar - p);

		if (fits_one(w, p, one))
			return true;
		one += bar != NULL;
		p += one;
		n -= one;
	}
	return false;
}

/* All of a row's words in order, the first one at w[0] if `first`. */
static bool
row_fits(const struct row *row, const struct word *w, size_t n, bool first)
{
	const char *p = row->words;
	size_t at = 0;

	for (bool begins = true; *p != '\0'; begins = false) {
		size_t len = strcspn(p, " ");
		size_t end = begins && first ? 1 : n;

		while (at < end && !fits(&w[at], p, len))
			at++;
		if (at >= end)
			return false;
		at++;
		p += len + (p[len] == ' ');
	}
	return true;
}

static const struct row *
find_row(const struct row *rows, size_t n_rows, const struct words *l,
    size_t from, bool first)
{
	for (size_t i = 0; i < n_rows && from < l->n; i++)
		if (row_fits(&rows[i], l->w + from, l->n - from, first))
			return &rows[i];
	return NULL;
}

/* --- one simple command -------------------------------------------------- */

static bool
is_assignment(const struct word *w)
{
	const char *eq = memchr(w->p, '=', w->n);

	return eq != NULL && eq != w->p && (isalpha((unsigned char)w->p[0]) ||
	    w->p[0] == '_');
}

/* Where a command may begin: behind what only starts another one. */
static const struct row *
shell_row(const struct words *l)
{
	bool begins = true, anywhere = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct word *w = &l->w[i];
		const struct row *row;

		if (w->n == 2 && memcmp(w->p, "--", 2) == 0) {
			begins = true;
			continue;
		}
		if (!begins && !anywhere)
			continue;
		row = find_row(shell_rows, ARRAY_LEN(shell_rows), l, i, true);
		if (row != NULL)
			return row;
		begins = w->p[0] == '-' || is_assignment(w) ||
		    isdigit((unsigned char)w->p[0]) ||
		    is_one_of(w, wrappers, ARRAY_LEN(wrappers));
		/* `ssh host command`: the host may be anything. */
		anywhere = anywhere || is_word(w, "ssh");
	}
	return NULL;
}

static bool
ends_command(char c)
{
	return c == ';' || c == '|' || c == '&' || c == '\n';
}

static bool
parts_words(char c)
{
	return isspace((unsigned char)c) || strchr("()<>\"'`{}$,", c) != NULL;
}

/* The words up to the end of a simple command; returns where that is. */
static const char *
read_words(const char *p, const char *end, size_t *line, struct words *ret)
{
	ret->n = 0;
	while (p < end && !ends_command(*p)) {
		const char *from = p;

		if (*p == '\\' && p + 1 < end && p[1] == '\n') {
			(*line)++;
			p += 2;
			continue;
		}
		while (p < end && !ends_command(*p) && !parts_words(*p) &&
		    !(*p == '\\' && p + 1 < end && p[1] == '\n'))
			p++;
		if (p == from) {
			p++;
			continue;
		}
		if (ret->n < WORDS_MAX)
			ret->w[ret->n++] = (struct word){ from,
			    (size_t)(p - from) };
	}
	/* /usr/bin/rm is rm. */
	for (size_t i = 0; i < ret->n; i++) {
		struct word *w = &ret->w[i];
		const char *slash = memrchr(w->p, '/', w->n);

		if (slash != NULL && w->p[0] == '/' && i == 0) {
			w->n -= (size_t)(slash + 1 - w->p);
			w->p = slash + 1;
		}
	}
	return p;
}

/* --- texts --------------------------------------------------------------- */

static void
add(struct signals *ret, size_t line, const char *p, const char *end,
    const char *why)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	if (ret->n > 0 && ret->s[ret->n - 1].line == line &&
	    ret->s[ret->n - 1].why == why)
		return;
	if (ret->n == SIGNALS_MAX) {
		ret->more++;
		return;
	}
	ret->s[ret->n++] = (struct signal_line){ line, p,
	    (size_t)((nl == NULL ? end : nl) - p), why };
}

static bool
applies(const struct row *row)
{
	return str_eq(row->why, "applies a plan") ||
	    str_eq(row->why, "destroys what runs");
}

static void
look(const struct words *l, bool sql, struct signals *ret, size_t line,
    struct word at)
{
	const struct row *row = shell_row(l);

	if (row == NULL && sql)
		row = find_row(sql_rows, ARRAY_LEN(sql_rows), l, 0, false);
	if (row == NULL || row->why == NULL)
		return;
	ret->applies = ret->applies || applies(row);
	add(ret, line, at.p, at.p + at.n, row->why);
}

static void
scan(const char *text, size_t len, bool sql, struct signals *ret)
{
	const char *p = text, *end = text + len, *begin = text;
	size_t line = 1;
	struct words l;

	while (p < end) {
		size_t first = line;

		p = read_words(p, end, &line, &l);
		look(&l, sql, ret, first, (struct word){ begin,
		    (size_t)(end - begin) });
		if (p < end && *p == '\n') {
			line++;
			begin = p + 1;
		}
		p += p < end;
	}
}

/* Is a client for SQL called anywhere? */
static bool
calls_sql(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	size_t line = 1;
	struct words l;

	while (p < end) {
		p = read_words(p, end, &line, &l);
		for (size_t i = 0; i < l.n; i++)
			if (is_one_of(&l.w[i], sql_clients,
			    ARRAY_LEN(sql_clients)))
				return true;
		p += p < end;
	}
	return false;
}

void
signals_of_command(const char *command, size_t len, struct signals *ret)
{
	*ret = (struct signals){ 0 };
	scan(command, len, calls_sql(command, len), ret);
}

void
signals_of_file(const char *path, const char *text, size_t len,
    struct signals *ret)
{
	*ret = (struct signals){ 0 };
	scan(text, len, str_ends(path, ".sql") || calls_sql(text, len), ret);
}

void
signals_of_plan(const char *text, size_t len, struct signals *ret)
{
	const char *p = text, *end = text + len;

	*ret = (struct signals){ 0 };
	for (size_t line = 1; p < end; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl == NULL ? end : nl;

		for (size_t i = 0; i < ARRAY_LEN(plan_rows); i++) {
			const struct row *r = &plan_rows[i];

			if (memmem(p, (size_t)(stop - p), r->words,
			    strlen(r->words)) == NULL)
				continue;
			if (r->why != NULL)
				add(ret, line, p, stop, r->why);
			break;
		}
		p = nl == NULL ? end : nl + 1;
	}
}

bool
signals_is_plan(const char *command)
{
	static const struct row plans[] = {
		{ "terraform|tofu|terragrunt plan", "" },
		{ "pulumi preview", "" },
	};
	const char *end = command + strlen(command), *p = command;
	size_t line = 1;
	struct words l;

	while (p < end) {
		p = read_words(p, end, &line, &l);
		for (size_t i = 0; i < l.n; i++)
			if (find_row(plans, ARRAY_LEN(plans), &l, i, true) !=
			    NULL)
				return true;
		p += p < end;
	}
	return false;
}
