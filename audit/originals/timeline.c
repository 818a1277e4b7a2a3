#include "audit/originals/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/originals/originals.h"
#include "common/id.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

/* --- reading ------------------------------------------------------------- */

static char *
take_text(const cJSON *record, const char *name)
{
	const char *text = json_str(record, name);

	return xstrdup(text == NULL ? "" : text);
}

static bool
take_digest(const cJSON *record, const char *name, struct digest *ret)
{
	const char *hex = json_str(record, name);

	return hex != NULL && digest_parse(hex, ret) == 0;
}

static enum deed_kind
kind_of(const cJSON *record)
{
	const char *what = json_str(record, "what");

	return str_eq(what, "baseline") ? DEED_BASELINE :
	    str_eq(what, "run") ? DEED_RUN :
	    str_eq(what, "restore") ? DEED_RESTORE : DEED_CALL;
}

static void
begin(struct timeline *t, const cJSON *r, const struct digest *before)
{
	const char *seq = json_str(r, "seq");

	if (t->n == t->cap) {
		t->cap = t->cap == 0 ? 64 : t->cap * 2;
		t->d = xrealloc(t->d, t->cap, sizeof *t->d);
	}
	t->d[t->n++] = (struct deed){
		.kind = kind_of(r), .before = *before,
		.seq = seq == NULL ? 0 : strtoull(seq, NULL, 10),
		.wall_ms = json_int(r, "t_wall_ms", 0),
		.session = take_text(r, "session"),
		.agent = take_text(r, "agent"), .tool = take_text(r, "tool"),
		.summary = take_text(r, "summary"), .id = take_text(r, "id"),
		.call = take_text(r, "tool_use_id"),
	};
	t->d[t->n - 1].has_wanted = take_digest(r, WANTED_FIELD,
	    &t->d[t->n - 1].wanted);
}

/* The newest one it can belong to. */
static void
complete(struct timeline *t, const cJSON *r, const struct digest *before)
{
	auto_free char *call = take_text(r, "tool_use_id");
	auto_free char *id = take_text(r, "id");

	for (size_t i = t->n; i-- > 0; ) {
		struct deed *d = &t->d[i];

		if (d->done_ms != 0 || !digest_eq(&d->before, before) ||
		    strcmp(d->call, call) != 0 ||
		    (d->kind == DEED_RUN && strcmp(d->id, id) != 0))
			continue;
		d->done_ms = json_int(r, "t_wall_ms", 0);
		d->has_after = take_digest(r, CHANGED_FIELD, &d->after);
		return;
	}
}

static int
take_record(void *arg, const cJSON *r, const char *line, size_t len)
{
	static const char *const ends[] = { "tool.done", "hook.missed",
		"file.changed", "file.restored" };
	const char *kind = json_str(r, "kind");
	struct timeline *t = arg;
	struct digest before;

	(void)line;
	(void)len;
	if (!take_digest(r, ORIGINALS_FIELD, &before))
		return 0;
	if (str_eq(kind, "file.forgotten")) {
		t->forgotten = (uint64_t)json_int(r, "upto", 0);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_eq(kind, ends[i])) {
			complete(t, r, &before);
			return 0;
		}
	begin(t, r, &before);
	return 0;
}

int
timeline_read(int privfd, struct timeline *ret, struct err *e)
{
	struct timeline t = { 0 };

	if (audit_walk_with(privfd, ",\"" ORIGINALS_FIELD "\":\"",
	    take_record, &t, e) == -1) {
		timeline_clear(&t);
		return -1;
	}
	*ret = t;
	return 0;
}

void
timeline_clear(struct timeline *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct deed *d = &t->d[i];

		free(d->session);
		free(d->agent);
		free(d->tool);
		free(d->summary);
		free(d->id);
		free(d->call);
	}
	free(t->d);
	*t = (struct timeline){ 0 };
}

/* --- names --------------------------------------------------------------- */

int
timeline_find(const struct timeline *t, const char *name,
    const struct deed **ret, struct err *e)
{
	const struct deed *found = NULL;
	char *end;
	uint64_t seq = strtoull(name, &end, 10);
	bool number = *name != '\0' && *end == '\0' && strlen(name) < 13;

	for (size_t i = 0; i < t->n; i++) {
		const struct deed *d = &t->d[i];

		if (d->kind == DEED_BASELINE)
			continue;
		if (number && d->seq == seq) {
			*ret = d;
			return 0;
		}
		if (!id_prefix_ok(name) || d->id[0] == '\0' ||
		    !str_starts(d->id, name))
			continue;
		if (found != NULL && strcmp(found->id, d->id) != 0)
			return err_set(e, ERR_NO_ID,
			    "several requests begin with '%s'", name);
		if (found == NULL)
			found = d;
	}
	if (found == NULL)
		return err_set(e, ERR_NO_ID, "no change is called '%s'; "
		    "`sandbox changes` lists them", name);
	*ret = found;
	return 0;
}

int
timeline_session(const struct timeline *t, const char *name,
    const char **ret, struct err *e)
{
	const char *found = NULL;
	bool last = strcmp(name, "last") == 0;

	for (size_t i = t->n; i-- > 0; ) {
		const char *s = t->d[i].session;

		if (*s == '\0' || t->d[i].kind == DEED_RESTORE ||
		    (last ? strcmp(s, SESSION_DOCTOR) == 0 :
		    !str_starts(s, name)))
			continue;
		if (strcmp(s, name) == 0 || (last && found == NULL)) {
			*ret = s;
			return 0;
		}
		if (found != NULL && strcmp(found, s) != 0)
			return err_set(e, ERR_NO_ID,
			    "several sessions begin with '%s'", name);
		found = s;
	}
	if (found == NULL)
		return err_set(e, ERR_NO_ID, "nothing was kept for a session "
		    "'%s'", name);
	*ret = found;
	return 0;
}

int64_t
timeline_session_began(const struct timeline *t, const char *session)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->d[i].session, session) == 0)
			return t->d[i].wall_ms;
	return 0;
}

const struct deed *
timeline_baseline(const struct timeline *t, const char *session)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->d[i].kind == DEED_BASELINE &&
		    strcmp(t->d[i].session, session) == 0)
			return &t->d[i];
	return NULL;
}

/* --- lists --------------------------------------------------------------- */

void
deed_lists_clear(struct deed_lists *l)
{
	file_list_clear(&l->was);
	file_list_clear(&l->now);
}

int
deed_read(struct store *s, const struct deed *d, struct deed_lists *ret,
    struct err *e)
{
	struct deed_lists l = { 0 };

	if (file_list_get(s, &d->before, &l.was, e) == -1 ||
	    (d->has_after && file_list_get(s, &d->after, &l.now, e) == -1)) {
		deed_lists_clear(&l);
		return err_add(e, "change %" PRIu64, d->seq);
	}
	*ret = l;
	return 0;
}

void
deed_before(const struct deed_lists *l, struct file_list *ret)
{
	struct file_state st = { 0 };

	for (size_t i = 0; i < l->was.n; i++) {
		file_state_copy(&l->was.e[i].st, &st);
		file_list_add(ret, l->was.e[i].path, &st);
	}
	st = (struct file_state){ 0 };
	for (size_t i = 0; i < l->now.n; i++)
		if (file_list_find(&l->was, l->now.e[i].path) == NULL)
			file_list_add(ret, l->now.e[i].path, &st);
}
