/* What was asked, line by line, and what a file would lose and gain. */
#include "approver/show_inside.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/diff.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define BODY_LINES	60	/* of a file's content; the rest is counted */
#define ALL_LINES	SIZE_MAX
#define DIFF_MAX	(4 * 1024 * 1024)

void
show_line(struct str *ret, const char *label, const char *text)
{
	str_addf(ret, "%-8s ", label);
	visible(text, strlen(text), VISIBLE_LINE, ret);
	str_addc(ret, '\n');
}

/* Every line of a block behind a mark, so that no line can pose as ours. */
static void
block(struct str *ret, const char *mark, const char *text, size_t max)
{
	size_t shown = 0, left = 0;

	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		if (shown < max) {
			str_add(ret, mark);
			visible(text, n, VISIBLE_TAB, ret);
			str_addc(ret, '\n');
			shown++;
		} else {
			left++;
		}
		text += n + (text[n] == '\n');
	}
	if (left > 0)
		str_addf(ret, "%s[%zu more lines: sandbox show --json]\n",
		    mark, left);
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
	auto_str struct str old = { 0 }, new = { 0 }, diff = { 0 };
	const char *p;
	size_t lines = 0;

	str_init(&old, DIFF_MAX);
	str_init(&new, BLOB_MAX);
	str_init(&diff, 8 * (DIFF_MAX + BLOB_MAX));
	if (v->target[0] == '\0' || file_load(v->target, &old, NULL) == -1 ||
	    old.full) {
		block(ret, "+ ", content, BODY_LINES);
		return;
	}
	str_add(&new, content);
	diff_lines(v->target, &old, &new, &diff);
	if (diff.len == 0)
		str_add(ret, "         the file has this content already\n");
	for (p = diff.s; *p != '\0' && lines < BODY_LINES; lines++)
		p += strcspn(p, "\n") + (p[strcspn(p, "\n")] == '\n');
	str_addn(ret, diff.s, (size_t)(p - diff.s));
	for (lines = 0; *p != '\0'; lines++)
		p += strcspn(p, "\n") + (p[strcspn(p, "\n")] == '\n');
	if (lines > 0)
		str_addf(ret, "+ [%zu more lines: sandbox show --json]\n",
		    lines);
}

void
show_what(struct str *ret, const struct view *v)
{
	const cJSON *input = v->req->input, *edit;
	const char *content = json_str(input, "content");

	if (v->kind == CALL_SHELL) {
		if (v->edited != NULL)
			str_add(ret, "EDITED by you: this runs, not what was "
			    "asked\n");
		block(ret, "$ ", v->subject, ALL_LINES);
		underline(ret, v);
		if (v->edited != NULL)
			block(ret, "asked - ", json_str(input, "command"),
			    ALL_LINES);
		return;
	}
	show_line(ret, "tool", v->req->tool);
	if (v->kind == CALL_WRITE && content != NULL) {
		show_line(ret, "file", v->subject);
		show_write(ret, v, content);
	} else if (v->kind == CALL_EDIT) {
		show_line(ret, "file", v->subject);
		edit = json_get(input, "edits");
		edit = cJSON_IsArray(edit) ? edit->child : input;
		for (; edit != NULL; edit = edit == input ? NULL : edit->next) {
			const char *old = json_str(edit, "old_string");
			const char *new = json_str(edit, "new_string");

			block(ret, "- ", old == NULL ? "" : old, BODY_LINES);
			block(ret, "+ ", new == NULL ? "" : new, BODY_LINES);
		}
	} else {
		auto_str struct str text = { 0 };

		str_init(&text, BLOB_MAX);
		json_print(input, &text);
		block(ret, "  ", text.s, ALL_LINES);
	}
}
