/* Files that agents changed and the log's end, one event a line. */
#include "approver/line_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approver/changed.h"
#include "approver/fold.h"
#include "approver/logtail.h"
#include "approver/tty.h"
#include "common/mem.h"

#include "common/banned.h"

#define LISTED		20	/* of either, the newest */
#define FOUND_AMONG	1000
#define DIFF_SHOWN	(12 * 1024 * 1024)
#define CHAIN_MAX	(64 * 1024)

/* --- numbers that are never used again ----------------------------------- */

static struct file_number *
number_of(struct line *l, const struct changed_row *r)
{
	struct file_number *f;

	for (size_t i = 0; i < l->n_files; i++)
		if (l->files[i].place == r->place &&
		    strcmp(l->files[i].id, r->id) == 0)
			return &l->files[i];
	if (l->n_files == ITEMS_MAX)
		return NULL;
	l->files = xrealloc(l->files, l->n_files + 1, sizeof *l->files);
	f = &l->files[l->n_files++];
	*f = (struct file_number){ .place = r->place };
	memcpy(f->id, r->id, sizeof f->id);
	return f;
}

/* "N rest" */
static struct file_number *
numbered(const struct line *l, const char *text, const char **ret_rest)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || errno != 0 || n == 0 ||
	    n > l->n_files || (*end != '\0' && *end != ' '))
		return NULL;
	*ret_rest = end + strspn(end, " ");
	return &l->files[n - 1];
}

/* --- telling ------------------------------------------------------------- */

static void
tell_block(const struct str *text)
{
	auto_str struct str out = { 0 };

	str_init(&out, 2 * text->max);
	fold(text->s, text->len, tty_columns(STDOUT_FILENO), &out);
	fputs(out.s, stdout);
	fflush(stdout);
}

static void
list_files(struct line *l, const struct changed *c)
{
	size_t n = c->n < LISTED ? c->n : LISTED;

	if (n == 0)
		line_say(0, "agents changed no file yet");
	/* The newest is nearest to where one types. */
	for (size_t i = n; i-- > 0;) {
		const struct file_number *f = number_of(l, &c->row[i]);
		auto_free char *text = f == NULL ? NULL : xasprintf("file %zu "
		    "%s", (size_t)(f - l->files) + 1, c->row[i].line);

		line_say(0, text == NULL ? "no number is left for files: "
		    "leave this watch (q) and start another one" : text);
	}
	if (c->n > n)
		line_say(0, "older ones: `sandbox changes`");
}

static void
restore(const struct line *l, const struct changed_row *r)
{
	auto_str struct str said = { 0 };
	struct err e;

	str_init(&said, 32768);
	if (changed_restore(l->on->desks[r->place].home, r, &said, &e) == -1)
		line_say_err(0, &e);
	else
		line_say(0, said.s);
}

static void
show_file(struct line *l, const struct changed *c,
    const struct file_number *f, const char *undo)
{
	const struct changed_row *r = changed_find(c, f->place, f->id);
	auto_str struct str text = { 0 };
	struct err e;

	if (r == NULL) {
		line_say(0, "that change is too far back for here: `sandbox "
		    "changes`, `sandbox restore`");
		return;
	}
	if (undo != NULL && strcmp(undo, "yes") == 0) {
		restore(l, r);
		return;
	}
	str_init(&text, DIFF_SHOWN);
	if (changed_text(c, r, &text, &e) == -1)
		line_say_err(0, &e);
	else
		tell_block(&text);
	if (undo != NULL)
		line_say(0, "as before this change? what is there now is kept. "
		    "`u N yes` does it");
}

/* --- what is typed ------------------------------------------------------- */

static void
files(struct line *l, const char *text, bool undo)
{
	const struct home **homes = watched_homes(l->on);
	const struct file_number *f = NULL;
	const char *rest = "";
	struct changed c = { 0 };
	struct err e;

	if (text[0] != '\0' && (f = numbered(l, text, &rest)) == NULL)
		line_say(0, "no such file: f lists them");
	else if (!undo && rest[0] != '\0')
		line_say(0, "not understood; ? helps");
	else if (changed_read(homes, l->on->n, FOUND_AMONG, &c, &e) == -1)
		line_say_err(0, &e);
	else if (f == NULL)
		list_files(l, &c);
	else
		show_file(l, &c, f, undo ? rest : NULL);
	changed_clear(&c);
	free(homes);
}

void
line_do_files(struct line *l, struct item *it, const char *text)
{
	(void)it;
	files(l, text, false);
}

void
line_do_undo(struct line *l, struct item *it, const char *text)
{
	(void)it;
	if (text[0] == '\0')
		line_say(0, "which file? f lists them");
	else
		files(l, text, true);
}

void
line_do_log(struct line *l, struct item *it, const char *text)
{
	const struct home **homes = watched_homes(l->on);
	auto_str struct str chain = { 0 };
	struct logtail t = { 0 };
	struct err e;

	(void)it;
	(void)text;
	str_init(&chain, CHAIN_MAX);
	if (logtail_read(homes, l->on->n, LISTED, &t, &e) == -1)
		line_say_err(0, &e);
	for (size_t i = t.n; i-- > 0;)
		line_say(0, t.row[i].line);
	logtail_verify(homes, l->on->n, &chain);
	tell_block(&chain);
	logtail_clear(&t);
	free(homes);
}
