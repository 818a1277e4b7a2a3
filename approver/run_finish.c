/* What came of it: signed, recorded, kept, answered; in this order. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clip.h"
#include "approver/run.h"
#include "approver/runner.h"
#include "audit/statement.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

/* ANSWER_MAX with room for JSON escapes of the worst text. */
#define UNITS_MAX	150000

struct signed_result {
	struct str	stmt;
	char		sig[SIGN_SIG_HEX + 1];
};

static void
sign(const struct run *r, const char *output, size_t len,
    struct signed_result *ret)
{
	struct result res = {
		.digest = r->approval.digest,
		.start_ms = r->start_ms,
		.end_ms = r->end_ms,
	};

	memcpy(res.project, r->approval.project, sizeof res.project);
	memcpy(res.id, r->approval.id, sizeof res.id);
	memcpy(res.outcome, r->outcome, sizeof res.outcome);
	digest_of(output, len, NULL, &res.output);
	str_init(&ret->stmt, 4096);
	result_encode(&res, &ret->stmt);
	sign_make(r->seed, ret->stmt.s, ret->stmt.len, ret->sig);
}

static int
record(const struct run *r, const struct signed_result *s, const char *why,
    struct err *e)
{
	auto_json cJSON *fields = json_object();
	const struct event ev = {
		.kind = "tool.result",
		.session = r->job.req.session,
		.agent = r->job.req.agent,
		.id = r->job.req.id,
		.fields = fields,
	};
	struct clock now;

	json_add_str(fields, "stmt", s->stmt.s);
	json_add_str(fields, "stmt_sig", s->sig);
	json_add_int(fields, "approval_seq", (int64_t)r->job.approval_seq);
	json_add_str(fields, "outcome", r->outcome);
	if (why != NULL)
		json_add_str(fields, "why", why);
	if (clock_now(&now, e) == -1)
		return -1;
	return audit_append(r->audit, &ev, &now, NULL, e);
}

/* For followers and for "same call ran before". */
static int
keep_result(const struct run *r, const struct signed_result *s,
    const char *why, struct err *e)
{
	auto_json cJSON *j = json_object();
	auto_str struct str text = { 0 };
	char key[DIGEST_HEX + 1];

	/* What ran was another call: it is no precedent for this one. */
	key[0] = '\0';
	if (r->job.edited == NULL)
		digest_hex(&r->job.req.call_key, key);
	json_add_int(j, "v", 1);
	json_add_str(j, "stmt", s->stmt.s);
	json_add_str(j, "sig", s->sig);
	json_add_str(j, "call_key", key);
	json_add_str(j, "why", why == NULL ? "" : why);
	str_init(&text, RUN_RESULT_MAX);
	json_print(j, &text);
	return fs_replace(claim_run_dir(r->claim), RUN_RESULT_NAME, text.s,
	    text.len, 0600, e);
}

/*
 * The one file below .sandbox that an agent may read.  It may have put
 * anything there beforehand; then there is no file, and the answer has no
 * path.
 */
static char *
publish_output(const struct run *r, const struct str *text)
{
	auto_close int out = fs_make_private(r->home.sandbox, "out", NULL);
	auto_free char *name = xasprintf("%s.txt", r->job.req.id);

	if (text->len == 0 || out == -1 ||
	    fs_replace(out, name, text->s, text->len, 0600, NULL) == -1)
		return xstrdup("");
	return xasprintf(".sandbox/out/%s", name);
}

static void
start_answer(const struct run *r, enum outcome outcome, struct answer *a)
{
	answer_init(a);
	memcpy(a->id, r->job.req.id, strlen(r->job.req.id) + 1);
	memcpy(a->project, r->home.project, sizeof a->project);
	a->outcome = outcome;
}

/* An answer whose strings are all there; `s` may be NULL. */
static void
fill_answer(const struct run *r, const struct signed_result *s,
    const char *output, const char *out_path, struct answer *a)
{
	bool done = s != NULL;

	a->approval = xstrdup(done ? r->job.approval : "");
	a->approval_sig = xstrdup(done ? r->job.approval_sig : "");
	a->result = xstrdup(done ? s->stmt.s : "");
	a->result_sig = xstrdup(done ? s->sig : "");
	a->output = xstrdup(output);
	a->out_path = xstrdup(out_path);
	a->text = xstrdup("");
	a->edited = xstrdup(done && r->job.edited != NULL ? r->job.edited : "");
}

static size_t
answer_units(const struct run *r)
{
	int units = r->job.output_units;

	return units < 0 || units > UNITS_MAX ? UNITS_MAX : (size_t)units;
}

/* The output so far, as the answer carries it. */
struct said {
	struct str	 frames;	/* for run/<id>/output */
	struct str	 text;		/* clipped */
	char		*path;		/* where the whole text is, or "" */
	bool		 truncated;
};

static void
said_clear(struct said *s)
{
	str_clear(&s->frames);
	str_clear(&s->text);
	free(s->path);
}

static void
collect(struct run *r, struct said *ret)
{
	int dir = claim_run_dir(r->claim);
	auto_close int fd = fs_open_own(dir, SPOOL_NAME, NULL, NULL);
	auto_str struct str all = { 0 };
	uint64_t gap = 0;
	bool cut;

	str_init(&all, RUN_OUTPUT_MAX);
	str_init(&ret->frames, RUN_OUTPUT_MAX);
	str_init(&ret->text, ANSWER_MAX);
	if (fd == -1 ||
	    spool_text(fd, &all, &ret->frames, &gap, NULL) == -1)
		str_add(&all, "[the output could not be read]\n");
	ret->path = publish_output(r, &all);
	cut = clip(all.s, all.len, answer_units(r),
	    ret->path[0] == '\0' ? NULL : ret->path, &ret->text);
	ret->truncated = cut || gap > 0;
}

int
run_answer_early(struct run *r, struct err *e)
{
	struct said said;
	struct signed_result s;
	struct answer a;
	struct clock now;
	int got;

	if (clock_now(&now, e) == -1)
		return -1;
	start_answer(r, OUTCOME_DONE, &a);
	collect(r, &said);
	a.truncated = said.truncated;
	snprintf(r->outcome, sizeof r->outcome, "running");
	r->end_ms = now.wall_ms;
	sign(r, said.text.s, said.text.len, &s);
	fill_answer(r, &s, said.text.s, said.path, &a);
	got = claim_answer(r->claim, &a, e);
	r->answered = got == 0;
	said_clear(&said);
	answer_clear(&a);
	str_clear(&s.stmt);
	return got;
}

int
run_finish(struct run *r, struct err *e)
{
	int dir = claim_run_dir(r->claim), got;
	struct said said;
	struct signed_result s;
	struct answer a;

	spool_finish(&r->spool, NULL);	/* at worst there is only the head */
	start_answer(r, OUTCOME_DONE, &a);
	collect(r, &said);
	a.truncated = said.truncated;
	sign(r, said.text.s, said.text.len, &s);
	fill_answer(r, &s, said.text.s, said.path, &a);
	got = record(r, &s, NULL, e);
	if (got == 0 && !r->answered)
		got = claim_answer(r->claim, &a, e);
	if (got == 0 && fs_replace(dir, RUN_OUTPUT_NAME, said.frames.s,
	    said.frames.len, 0600, NULL) == 0)
		unlinkat(dir, SPOOL_NAME, 0);
	if (got == 0)
		got = keep_result(r, &s, NULL, e);
	said_clear(&said);
	answer_clear(&a);
	str_clear(&s.stmt);
	return got;
}

int
run_refuse(struct run *r, const char *why, struct err *e)
{
	struct signed_result s;
	struct answer a;
	struct clock now;
	int got;

	if (clock_now(&now, e) == -1)
		return -1;
	snprintf(r->outcome, sizeof r->outcome, "not_started");
	r->start_ms = r->end_ms = now.wall_ms;
	sign(r, "", 0, &s);
	start_answer(r, OUTCOME_NOT_STARTED, &a);
	fill_answer(r, NULL, "", "", &a);
	got = record(r, &s, why, e);
	if (got == 0)
		got = claim_answer(r->claim, &a, e);
	if (got == 0)
		got = keep_result(r, &s, why, e);
	answer_clear(&a);
	str_clear(&s.stmt);
	return got;
}
