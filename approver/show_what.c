/* What was asked, line by line, and what a file would lose and gain. */
#include "approver/show_inside.h"

#include <stdlib.h>
#include <string.h>

#include "common/diff.h"
#include "common/mem.h"
#include "common/visible.h"
#include "policy/tools.h"

#include "common/banned.h"

#define DIFF_MAX	(4 * 1024 * 1024)
#define JSON_MAX	(8 * BLOB_MAX)	/* an escape has six bytes */

void
show_line(struct str *ret, const char *label, const char *text)
{
	str_addf(ret, "%-8s ", label);
	visible(text, strlen(text), VISIBLE_LINE, ret);
	str_addc(ret, '\n');
}

/* Every line of a block behind a mark, so that no line can pose as ours. */
static void
block(struct str *ret, const char *mark, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		str_add(ret, mark);
		visible(text, n, VISIBLE_TAB, ret);
		str_addc(ret, '\n');
		text += n + (text[n] == '\n');
	}
}

/* What of an object was not shown may be what counts: as it stands. */
static void
rest(struct str *ret, const struct view *v, const cJSON *object,
    const char *shown)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, object) {
		auto_str struct str text = { 0 };

		if (tool_listed(shown, c->string) || (cJSON_IsString(c) &&
		    strcmp(c->valuestring, v->subject) == 0))
			continue;
		str_init(&text, JSON_MAX);
		json_print(c, &text);
		str_addf(ret, "%-8s ", "input");
		visible(c->string, strlen(c->string), VISIBLE_LINE, ret);
		str_add(ret, ": ");
		visible(text.s, text.len, VISIBLE_LINE, ret);
		str_addc(ret, '\n');
	}
}

static bool
is_risky(enum effect_kind k)
{
	return k != EFFECT_READ && k != EFFECT_EXEC;
}

/* Carets below the words that do something; only where columns are sure. */
static void
underline(struct str *ret, const struct view *v)
{
	size_t n = strlen(v->subject), last = 0;
	auto_free char *marks = NULL;

	for (size_t i = 0; i < n; i++)
		if (v->subject[i] < ' ' || v->subject[i] > '~')
			return;
	marks = xcalloc(n + 1, 1);
	memset(marks, ' ', n);
	for (size_t i = 0; i < v->judgement->n_effects; i++) {
		const struct effect *f = &v->judgement->effects[i];

		if (!is_risky(f->kind) || f->span_at >= n ||
		    f->span_len > n - f->span_at)
			continue;
		memset(marks + f->span_at, '^', f->span_len);
		if (f->span_len > 0 && f->span_at + f->span_len > last)
			last = f->span_at + f->span_len;
	}
	if (last > 0)
		str_addf(ret, "  %.*s\n", (int)last, marks);
}

/* What a file would lose and gain; all of it, where nothing is there yet. */
static void
show_write(struct str *ret, const struct view *v, const char *content)
{
	auto_str struct str old = { 0 }, new = { 0 };
	size_t before;

	str_init(&old, DIFF_MAX);
	str_init(&new, BLOB_MAX);
	if (v->target[0] == '\0' || file_load(v->target, &old, NULL) == -1 ||
	    old.full) {
		block(ret, "+ ", content);
		return;
	}
	str_add(&new, content);
	before = ret->len;
	diff_lines(v->target, &old, &new, ret);
	if (ret->len == before)
		str_add(ret, "         the file has this content already\n");
}

static bool
is_pair(const cJSON *edit)
{
	return json_str(edit, "old_string") != NULL &&
	    json_str(edit, "new_string") != NULL;
}

static void
show_pair(struct str *ret, const struct view *v, const cJSON *edit)
{
	block(ret, "- ", json_str(edit, "old_string"));
	block(ret, "+ ", json_str(edit, "new_string"));
	rest(ret, v, edit, "old_string new_string");
}

/* As it is done: MultiEdit does its list, every other tool its one pair. */
static bool
show_edit(struct str *ret, const struct view *v)
{
	const cJSON *input = v->req->input, *edit;
	const cJSON *list = json_get(input, "edits");

	if (!str_eq(v->req->tool, "MultiEdit")) {
		if (!is_pair(input))
			return false;
		show_line(ret, "file", v->subject);
		show_pair(ret, v, input);
		return true;
	}
	cJSON_ArrayForEach(edit, list)
		if (!is_pair(edit))
			return false;
	show_line(ret, "file", v->subject);
	cJSON_ArrayForEach(edit, list) {
		show_pair(ret, v, edit);
	}
	rest(ret, v, input, "edits");
	return true;
}

static void
show_command(struct str *ret, const struct view *v)
{
	const cJSON *input = v->req->input;

	if (v->edited != NULL)
		str_add(ret, "EDITED by you: this runs, not what was asked\n");
	block(ret, "$ ", v->subject);
	underline(ret, v);
	if (v->edited != NULL)
		block(ret, "asked - ", json_str(input, "command"));
	/* The last three are said in words. */
	rest(ret, v, input, "command description run_in_background timeout");
}

void
show_what(struct str *ret, const struct view *v)
{
	const cJSON *input = v->req->input;
	const char *content = json_str(input, "content");
	auto_str struct str text = { 0 };

	if (v->kind == CALL_SHELL) {
		show_command(ret, v);
		return;
	}
	show_line(ret, "tool", v->req->tool);
	if (v->kind == CALL_WRITE && content != NULL) {
		show_line(ret, "file", v->subject);
		show_write(ret, v, content);
		rest(ret, v, input, "content");
	} else if (v->kind != CALL_EDIT || !show_edit(ret, v)) {
		str_init(&text, JSON_MAX);
		json_print(input, &text);
		block(ret, "  ", text.s);
	}
}
