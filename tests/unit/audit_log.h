/*
 * tests/unit/audit_log.h - a throw-away private directory with a log in it,
 * for tests of the audit room.
 */
#ifndef TESTS_AUDIT_LOG_H
#define TESTS_AUDIT_LOG_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit.h"
#include "audit/checkpoint.h"
#include "audit/statement.h"
#include "audit/verify.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/json.h"

#define PROJECT	"0123456789abcdef0123456789abcdef"

struct testlog {
	char		 dir[512];
	int		 fd;
	struct audit	*a;
	struct clock	 clock;
	unsigned char	 seed[SIGN_SEED];	/* the approver's */
	struct keyring	 ring;
	char		 genesis[DIGEST_HEX + 1];
	uint64_t	 seq;			/* of the last record */
};

/* Where logs are made; NULL: in TMPDIR. */
static const char *testlog_base;

static inline void
testlog_fail(const char *what, const struct err *e)
{
	fprintf(stderr, "%s: %s\n", what, e->text);
	abort();
}

/* A directory without a log. */
static inline void
testlog_dir(struct testlog *t)
{
	struct err e = { 0 };
	char line[128], hex[65];
	unsigned char pub[SIGN_PUB];

	memset(t, 0, sizeof *t);
	if (digest_setup(&e) == -1 || clock_now(&t->clock, &e) == -1)
		testlog_fail("setup", &e);
	if (testlog_base == NULL)
		testlog_base = getenv("TMPDIR");
	snprintf(t->dir, sizeof t->dir, "%s/audit.XXXXXX",
	    testlog_base == NULL ? "/tmp" : testlog_base);
	if (mkdtemp(t->dir) == NULL)
		abort();
	t->fd = fs_open_dir_follow(t->dir, &e);
	memset(t->seed, 7, sizeof t->seed);
	sign_public(t->seed, pub);
	hex_put(pub, sizeof pub, hex);
	snprintf(line, sizeof line, "ed25519 %s tester\n", hex);
	if (keyring_parse(line, strlen(line), &t->ring, &e) == -1)
		testlog_fail("keyring", &e);
}

static inline void
testlog_new_in(struct testlog *t, const char *project)
{
	struct err e = { 0 };
	struct digest d;

	testlog_dir(t);

	const struct audit_birth b = { project, "/home/u/proj", t->seed,
	    &t->clock };

	if (audit_genesis(t->fd, &b, &d, &e) == -1)
		testlog_fail("genesis", &e);
	digest_hex(&d, t->genesis);
	if (audit_open(t->fd, project, &t->a, &e) == -1)
		testlog_fail("open", &e);
}

static inline void
testlog_new(struct testlog *t)
{
	testlog_new_in(t, PROJECT);
}

static inline void
testlog_empty(int dirfd)
{
	struct fs_names l;

	if (fs_list(dirfd, NULL, 64, &l, NULL, NULL) == -1)
		return;
	for (size_t i = 0; i < l.n; i++)
		unlinkat(dirfd, l.names[i], 0);
	fs_names_clear(&l);
}

static inline void
testlog_end(struct testlog *t)
{
	int dir = openat(t->fd, "audit", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	audit_free(t->a);
	if (dir != -1) {
		testlog_empty(dir);
		close(dir);
	}
	unlinkat(t->fd, "audit", AT_REMOVEDIR);
	testlog_empty(t->fd);
	close(t->fd);
	rmdir(t->dir);
	keyring_clear(&t->ring);
}

/* An "allow" record; -1 and the reason on failure. */
static inline int
testlog_allow(struct testlog *t, const char *summary, struct err *e)
{
	cJSON *f = json_object();
	struct event ev = { .kind = "allow", .session = "s1",
		.agent = "claude", .fields = f };
	int r;

	json_add_str(f, "tool", "Bash");
	json_add_str(f, "summary", summary);
	r = audit_append(t->a, &ev, &t->clock, &t->seq, e);
	json_free(f);
	return r;
}

/* Whole file into a fresh buffer. */
static inline char *
testlog_read(struct testlog *t, const char *name, size_t *ret_len)
{
	struct err e = { 0 };
	struct str s;
	int fd = openat(t->fd, name, O_RDONLY | O_CLOEXEC);

	str_init(&s, 1 << 28);
	if (fd == -1 || io_read_all(fd, 1 << 28, &s, &e) == -1)
		testlog_fail(name, &e);
	close(fd);
	*ret_len = s.len;
	return str_take(&s);
}

static inline void
testlog_write(struct testlog *t, const char *name, const void *p, size_t len)
{
	struct err e = { 0 };
	int fd = openat(t->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600);

	if (fd == -1 || io_write_all(fd, p, len, &e) == -1)
		testlog_fail(name, &e);
	close(fd);
}

static inline void
testlog_verify_as(struct testlog *t, const struct verify_options *mode,
    struct verify_report *ret)
{
	struct verify_options o = *mode;
	struct err e = { 0 };

	o.project = PROJECT;
	o.genesis = t->genesis;
	o.approvers = o.believed = &t->ring;
	if (audit_verify(t->fd, &o, ret, &e) == -1)
		testlog_fail("verify", &e);
}

static inline void
testlog_verify(struct testlog *t, bool full, struct verify_report *ret)
{
	testlog_verify_as(t, &(struct verify_options){ .full = full }, ret);
}

static inline void
testlog_verify_fast(struct testlog *t, struct verify_report *ret)
{
	testlog_verify_as(t, &(struct verify_options){ .fast = true }, ret);
}

/* A checkpoint by the approver; -1 and the reason on failure. */
static inline int
testlog_checkpoint(struct testlog *t, struct str *ret, struct err *e)
{
	const struct checkpoint_order o = { .project = PROJECT,
		.genesis = t->genesis, .believed = &t->ring,
		.seed = t->seed, .clock = &t->clock };
	struct str s;
	int rc;

	str_init(&s, NOTE_MAX);
	rc = audit_checkpoint(t->fd, &o, ret == NULL ? &s : ret, e);
	str_clear(&s);
	return rc;
}

/* Statements for one request: the approval (or denial) and its result. */
static inline void
testlog_approval(const struct testlog *t, enum decision d, const char *id,
    const unsigned char run_seed[SIGN_SEED], struct str *ret_stmt,
    char ret_sig[SIGN_SIG_HEX + 1])
{
	struct approval a = { .decision = d, .cwd_dev = 5, .cwd_ino = 77,
		.expires_wall_ms = 1, .has_run_key = run_seed != NULL };

	snprintf(a.project, sizeof a.project, "%s", PROJECT);
	snprintf(a.id, sizeof a.id, "%s", id);
	snprintf(a.tier, sizeof a.tier, "high");
	digest_of(id, strlen(id), NULL, &a.digest);
	if (run_seed != NULL)
		sign_public(run_seed, a.run_key);
	sign_public(t->seed, a.approver);
	approval_encode(&a, ret_stmt);
	sign_make(t->seed, ret_stmt->s, ret_stmt->len, ret_sig);
}

static inline void
testlog_result(const char *id, const unsigned char run_seed[SIGN_SEED],
    struct str *ret_stmt, char ret_sig[SIGN_SIG_HEX + 1])
{
	struct result r = { .start_ms = 1, .end_ms = 2 };

	snprintf(r.project, sizeof r.project, "%s", PROJECT);
	snprintf(r.id, sizeof r.id, "%s", id);
	snprintf(r.outcome, sizeof r.outcome, "exit:0");
	digest_of(id, strlen(id), NULL, &r.digest);
	result_encode(&r, ret_stmt);
	sign_make(run_seed, ret_stmt->s, ret_stmt->len, ret_sig);
}

static inline int
testlog_signed(struct testlog *t, const char *kind, const char *id,
    const char *stmt, const char *sig, int64_t approval_seq, struct err *e)
{
	cJSON *f = json_object();
	struct event ev = { .kind = kind, .session = "s1", .agent = "claude",
		.id = id, .fields = f };
	int r;

	json_add_str(f, "stmt", stmt);
	json_add_str(f, "stmt_sig", sig);
	if (approval_seq >= 0)
		json_add_int(f, "approval_seq", approval_seq);
	r = audit_append(t->a, &ev, &t->clock, &t->seq, e);
	json_free(f);
	return r;
}

/* Records until there are n: allowed calls, approvals with results, denials. */
static inline void
testlog_fill(struct testlog *t, uint64_t n)
{
	struct err e = { 0 };

	while (t->seq + 1 < n) {
		unsigned char run[SIGN_SEED] = { 9 };
		struct str stmt;
		char sig[SIGN_SIG_HEX + 1], id[ID_MAX + 1], text[40];
		bool deny = t->seq % 10 == 7;

		snprintf(text, sizeof text, "make step-%d", (int)t->seq);
		if (testlog_allow(t, text, &e) == -1)
			testlog_fail("allow", &e);
		if (t->seq % 5 != 3 || t->seq + 3 > n)
			continue;
		id_make((int64_t)t->seq, 4711, id);
		str_init(&stmt, 4096);
		testlog_approval(t, deny ? DECISION_DENY : DECISION_RUN, id,
		    deny ? NULL : run, &stmt, sig);
		if (testlog_signed(t, deny ? "deny" : "approval", id, stmt.s,
		    sig, -1, &e) == -1)
			testlog_fail("approval", &e);
		str_reset(&stmt);
		testlog_result(id, run, &stmt, sig);
		if (!deny && testlog_signed(t, "tool.result", id, stmt.s, sig,
		    (int64_t)t->seq, &e) == -1)
			testlog_fail("result", &e);
		str_clear(&stmt);
	}
}

#endif
