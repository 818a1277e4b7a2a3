#include "approver/logtail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define TAIL_BYTES	(512 * 1024)	/* of a log, whatever its length */
#define TEXT_MAX	(512 * 1024)

/* --- rows ---------------------------------------------------------------- */

static void
put(struct str *ret, const char *label, const cJSON *record, const char *name)
{
	const char *text = json_str(record, name);

	if (text == NULL || *text == '\0')
		return;
	str_add(ret, label);
	visible(text, strlen(text), VISIBLE_LINE, ret);
}

static void
put_words(struct str *ret, const cJSON *r)
{
	const char *id = json_str(r, "id");

	put(ret, "  ", r, "kind");
	if (id != NULL) {
		str_add(ret, "  ");
		visible(id, strnlen(id, 8), VISIBLE_LINE, ret);
	}
	put(ret, "  ", r, "decision");
	put(ret, "/", r, "tier");
	put(ret, "  ", r, "tool");
	put(ret, "  ", r, "outcome");
	put(ret, "  ", r, "summary");
	put(ret, "  rule ", r, "rule");
	put(ret, "  by ", r, "approver");
}

void
log_line(const cJSON *r, struct str *ret)
{
	char when[21];

	clock_format(json_int(r, "t_wall_ms", 0), when);
	str_addf(ret, "%s ", when);
	put(ret, " ", r, "seq");
	put_words(ret, r);
}

/* In a list there is less room, and it is a person's own time. */
static void
row_line(const cJSON *r, const char *seq, struct str *ret)
{
	char when[CLOCK_NEAR];

	clock_near(json_int(r, "t_wall_ms", 0), when);
	seq += strspn(seq, "0");
	str_addf(ret, "%6.12s  %5s", *seq == '\0' ? "0" : seq, when);
	put_words(ret, r);
}

struct gather {
	struct logtail	*to;
	unsigned	 place;
};

static int
take(void *arg, const cJSON *record, const char *text, size_t len)
{
	auto_str struct str shown = { 0 };
	const char *seq = json_str(record, "seq");
	const char *session = json_str(record, "session");
	struct gather *g = arg;
	struct log_row *r;

	str_init(&shown, TEXT_MAX);
	row_line(record, seq == NULL ? "" : seq, &shown);
	g->to->row = xrealloc(g->to->row, g->to->n + 1, sizeof *g->to->row);
	r = &g->to->row[g->to->n++];
	*r = (struct log_row){ .place = g->place,
		.wall_ms = json_int(record, "t_wall_ms", 0),
		.line = xstrdup(shown.s), .json = xstrndup(text, len) };
	snprintf(r->id, sizeof r->id, "%s", seq == NULL ? "" : seq);
	snprintf(r->session, sizeof r->session, "%s", session == NULL ? "" :
	    session);
	digest_of(text, len, NULL, &r->digest);
	return 0;
}

static int
newer(const void *a, const void *b)
{
	const struct log_row *x = a, *y = b;

	if (x->place == y->place)
		return -strcmp(x->id, y->id);	/* of one length */
	return x->wall_ms != y->wall_ms ? (x->wall_ms < y->wall_ms ? 1 : -1) :
	    x->place < y->place ? -1 : 1;
}

static void
row_clear(struct log_row *r)
{
	free(r->line);
	free(r->json);
}

int
logtail_read(const struct home *const *homes, size_t n, size_t max,
    struct logtail *ret, struct err *e)
{
	struct logtail t = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct gather g = { &t, (unsigned)i };

		if (audit_walk_end(homes[i]->priv, TAIL_BYTES, take, &g,
		    e) == -1) {
			logtail_clear(&t);
			return -1;
		}
	}
	if (t.n > 1)
		qsort(t.row, t.n, sizeof *t.row, newer);
	while (t.n > max)
		row_clear(&t.row[--t.n]);
	*ret = t;
	return 0;
}

void
logtail_clear(struct logtail *t)
{
	for (size_t i = 0; i < t->n; i++)
		row_clear(&t->row[i]);
	free(t->row);
	*t = (struct logtail){ 0 };
}

const struct log_row *
logtail_find(const struct logtail *t, unsigned place, const char *id)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i].place == place && strcmp(t->row[i].id, id) == 0)
			return &t->row[i];
	return NULL;
}

/* What binds a record to the others, and says nothing of what it is about. */
static bool
is_binding(const char *name)
{
	static const char *const names[] = { "v", "seq", "prev", "next",
		"t_wall_ms", "t_boot_ms", "boot_id", "pid", "project", "hash",
		"sig", "stmt_sig", "call_hmac" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void
put_field(const cJSON *field, struct str *ret)
{
	auto_str struct str value = { 0 };
	const char *text = field->valuestring;

	str_init(&value, TEXT_MAX);
	if (!cJSON_IsString(field)) {
		json_print(field, &value);
		text = value.s;
	}
	visible(field->string, strlen(field->string), VISIBLE_LINE, ret);
	for (size_t n = strlen(field->string); n < 14; n++)
		str_addc(ret, ' ');
	str_addc(ret, ' ');
	visible(text, strlen(text), VISIBLE_LINE, ret);
	str_addc(ret, '\n');
}

void
logtail_text(const struct log_row *row, struct str *ret)
{
	auto_json cJSON *record = NULL;
	char when[21];

	if (json_parse(row->json, strlen(row->json), JSON_DEPTH, &record,
	    NULL) == -1)
		return;
	clock_format(row->wall_ms, when);
	str_addf(ret, "%-14s %s\n", "at", when);
	for (int binding = 0; binding < 2; binding++)
		for (const cJSON *f = record->child; f != NULL; f = f->next)
			if (is_binding(f->string) == (binding == 1))
				put_field(f, ret);
}

/* --- the chain ----------------------------------------------------------- */

static void
put_finding(const struct finding *f, struct str *ret)
{
	str_add(ret, "  ");
	visible(f->file, strlen(f->file), VISIBLE_LINE, ret);
	str_addf(ret, " line %" PRIu64 ", record %" PRIu64 ": %s\n", f->line,
	    f->seq, verify_kind_name(f->kind));
}

static bool
verify_one(const struct home *home, struct str *ret)
{
	/* Whoever the log itself names, not whom a file names by now. */
	const struct keyring nobody = { 0 };
	struct keyring today = { 0 };
	struct verify_options o = { .project = home->project,
		.genesis = home->genesis, .approvers = &nobody,
		.believed = &today };
	struct verify_report r = { 0 };
	struct err e;
	bool read, ok;

	read = home_approvers(home, &today, &e) == 0 &&
	    audit_verify(home->priv, &o, &r, &e) == 0;
	keyring_clear(&today);
	if (!read) {
		str_add(ret, "chain CANNOT BE READ: ");
		visible(e.text, strlen(e.text), VISIBLE_LINE, ret);
		str_addc(ret, '\n');
		return false;
	}
	ok = r.exit == VERIFY_EXIT_OK;
	str_addf(ret, "chain %s: %" PRIu64 " records, %" PRIu64 " under a "
	    "checkpoint\n", ok ? "ok" : r.exit == VERIFY_EXIT_TORN ?
	    "ok but for a torn last line" : "IS NOT WHAT WAS WRITTEN",
	    r.records, r.covered);
	for (size_t i = 0; i < r.n_findings; i++)
		put_finding(&r.findings[i], ret);
	return ok;
}

bool
logtail_verify(const struct home *const *homes, size_t n, struct str *ret)
{
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		if (n > 1) {
			visible(homes[i]->root_path,
			    strlen(homes[i]->root_path), VISIBLE_LINE, ret);
			str_add(ret, ": ");
		}
		ok = verify_one(homes[i], ret) && ok;
	}
	return ok;
}
