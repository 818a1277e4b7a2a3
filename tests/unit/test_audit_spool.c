/*
 * Claims from inside the jail: taken as claims, whatever they say they are.
 */
#include "tests/unit/unit.h"

#include "audit/spool.h"
#include "tests/unit/audit_log.h"

struct bed {
	struct testlog	t;
	int		spool;
};

static void
bed_up(struct bed *b)
{
	testlog_new(&b->t);
	ck_assert_int_eq(mkdirat(b->t.fd, "spool", 0700), 0);
	b->spool = openat(b->t.fd, "spool", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
}

static void
bed_down(struct bed *b)
{
	testlog_empty(b->spool);
	close(b->spool);
	unlinkat(b->t.fd, "spool", AT_REMOVEDIR);
	testlog_end(&b->t);
}

static struct spool_taken
take(struct bed *b)
{
	struct spool_taken got;
	struct err e = { 0 };

	ck_assert_msg(audit_spool_take(b->t.a, b->spool, &b->t.clock, &got,
	    &e) == 0, "%s", e.text);
	return got;
}

static void
put_raw(struct bed *b, const char *text)
{
	char id[ID_MAX + 1], name[ID_MAX + 8];

	id_make(1, 4711, id);
	snprintf(name, sizeof name, "spool/%s", id);
	testlog_write(&b->t, name, text, strlen(text));
}

static int
last(void *arg, const cJSON *record, const char *line, size_t len)
{
	(void)record;
	snprintf(arg, 4096, "%.*s", (int)len, line);
	return 0;
}

START_TEST(a_claim_becomes_a_record_that_says_so)
{
	struct bed b;
	cJSON *f = json_object();
	struct event ev = { .kind = "tool.done", .session = "s1",
		.agent = "claude", .fields = f };
	char line[4096];

	bed_up(&b);
	json_add_str(f, "tool", "Bash");
	json_add_str(f, "summary", "DB_PASSWORD=hunter2 ls");
	ck_assert_int_eq(audit_spool_put(b.spool, &ev, &b.t.clock, NULL), 0);
	json_free(f);
	ck_assert_uint_eq(take(&b).taken, 1);
	ck_assert_uint_eq(take(&b).taken, 0);
	ck_assert_int_eq(audit_walk(b.t.fd, last, line, NULL), 0);
	ck_assert_ptr_nonnull(strstr(line, "\"kind\":\"claim\""));
	ck_assert_ptr_nonnull(strstr(line, "\"claimed\":\"tool.done\""));
	ck_assert_ptr_nonnull(strstr(line, "\\\"tool\\\":\\\"Bash\\\""));
	/* A needle in the raw bytes never finds what a claim says. */
	ck_assert_ptr_null(strstr(line, "\"tool\":"));
	ck_assert_ptr_null(strstr(line, "hunter2"));
	bed_down(&b);
}
END_TEST

#define HEAD	"{\"v\":1,\"kind\":"
#define TAIL	",\"session\":\"s\",\"agent\":\"a\",\"t_wall_ms\":1," \
		"\"fields\":{}}"

static const char *const bad[] = {
	"", "hello", "{}", HEAD "\"approval\"" TAIL, HEAD "\"genesis\"" TAIL,
	HEAD "\"checkpoint\"" TAIL, HEAD "\"claim\"" TAIL,
	HEAD "\"no.such\"" TAIL, HEAD "7" TAIL,
	HEAD "\"allow\",\"more\":1" TAIL, HEAD "\"allow\"" TAIL " x",
};

/* What needs somebody's signature cannot be claimed, nor what is no claim. */
START_TEST(what_is_no_claim_is_taken_away)
{
	struct bed b;
	struct spool_taken got;
	struct verify_report r;

	bed_up(&b);
	put_raw(&b, bad[_i]);
	got = take(&b);
	ck_assert_uint_eq(got.taken, 0);
	ck_assert_uint_eq(got.bad, 1);
	testlog_verify(&b.t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	ck_assert_uint_eq(r.records, 1);
	bed_down(&b);
}
END_TEST

/* Not read through a link, not waited for, and never more than so many. */
START_TEST(a_hostile_folder)
{
	struct bed b;
	struct spool_taken got;
	char id[ID_MAX + 1];

	bed_up(&b);
	id_make(1, 1, id);
	ck_assert_int_eq(symlinkat("../log.key", b.spool, id), 0);
	id_make(2, 2, id);
	ck_assert_int_eq(mkfifoat(b.spool, id, 0600), 0);
	got = take(&b);
	ck_assert_uint_eq(got.bad, 2);
	for (int i = 0; i < SPOOL_AT_ONCE + 5; i++)
		put_raw(&b, HEAD "\"allow\"" TAIL);
	got = take(&b);
	ck_assert_uint_eq(got.taken, SPOOL_AT_ONCE);
	ck_assert_uint_eq(got.left, 5);
	ck_assert_uint_eq(take(&b).taken, 5);
	bed_down(&b);
}
END_TEST

/* The log is closed: what was claimed waits. */
START_TEST(no_log_no_loss)
{
	struct bed b;
	struct spool_taken got;
	struct err e;

	bed_up(&b);
	put_raw(&b, HEAD "\"allow\"" TAIL);
	testlog_write(&b.t, "log.key", "", 0);
	ck_assert_int_eq(audit_spool_take(b.t.a, b.spool, &b.t.clock, &got,
	    &e), -1);
	ck_assert_uint_eq(got.taken, 0);
	bed_down(&b);
}
END_TEST

UNIT_MAIN("audit/spool",
	tcase_add_test(tc, a_claim_becomes_a_record_that_says_so);
	tcase_add_loop_test(tc, what_is_no_claim_is_taken_away, 0,
	    (int)(sizeof bad / sizeof bad[0]));
	tcase_add_test(tc, a_hostile_folder);
	tcase_add_test(tc, no_log_no_loss);
)
