/*
 * tests/attack/evidence_bed.h - a log with one decided request, an archive and
 * a proof of it.
 */
#ifndef TESTS_ATTACK_EVIDENCE_BED_H
#define TESTS_ATTACK_EVIDENCE_BED_H

#include "tests/unit/unit.h"

#include "audit/chain.h"
#include "audit/evidence.h"
#include "audit/note.h"
#include "audit/ustar.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"

#define OUTPUT	"all of it went well\n"

struct bed {
	struct testlog	t;
	char		id[ID_MAX + 1];
	struct str	tar, proof, policy;
	unsigned char	pub[SIGN_PUB];
};

static inline int
output(void *arg, const char *id, struct str *ret)
{
	const struct bed *b = arg;

	if (strcmp(id, b->id) != 0)
		return -1;
	str_add(ret, OUTPUT);
	return 0;
}

/* An approval and a result that names its output. */
static inline void
decide(struct bed *b)
{
	static const unsigned char run[SIGN_SEED] = { 9 };
	struct result r = { .start_ms = 1, .end_ms = 2 };
	struct str stmt;
	char sig[SIGN_SIG_HEX + 1];

	id_make(77, 4711, b->id);
	str_init(&stmt, 4096);
	testlog_approval(&b->t, DECISION_RUN, b->id, run, &stmt, sig);
	ck_assert_int_eq(testlog_signed(&b->t, "approval", b->id, stmt.s, sig,
	    -1, NULL), 0);
	snprintf(r.project, sizeof r.project, "%s", PROJECT);
	snprintf(r.id, sizeof r.id, "%s", b->id);
	snprintf(r.outcome, sizeof r.outcome, "exit:0");
	digest_of(b->id, strlen(b->id), NULL, &r.digest);
	digest_of(OUTPUT, strlen(OUTPUT), NULL, &r.output);
	str_reset(&stmt);
	result_encode(&r, &stmt);
	sign_make(run, stmt.s, stmt.len, sig);
	ck_assert_int_eq(testlog_signed(&b->t, "tool.result", b->id, stmt.s,
	    sig, (int64_t)b->t.seq, NULL), 0);
	str_clear(&stmt);
}

static inline void
seal_policy(struct bed *b)
{
	static const char text[] = "{\"version\":1}\n";
	char hex[DIGEST_HEX + 1], pub[SIGN_PUB_HEX + 1];
	char sig[SIGN_SIG_HEX + 1];
	struct digest d;

	digest_of(text, sizeof text - 1, NULL, &d);
	digest_hex(&d, hex);
	hex_put(b->pub, SIGN_PUB, pub);
	str_init(&b->policy, 4096);
	str_addf(&b->policy, "sandbox-policy-v1 %s %s %s", PROJECT, hex, pub);
	sign_make(b->t.seed, b->policy.s, b->policy.len, sig);
	str_addf(&b->policy, " %s\n%s", sig, text);
}

static inline void
bed_up(struct bed *b)
{
	struct evidence_order o = { .project = PROJECT,
		.choice.until_ms = INT64_MAX, .output = output, .arg = b };
	struct err e = { 0 };
	uint64_t left;

	testlog_new(&b->t);
	sign_public(b->t.seed, b->pub);
	testlog_fill(&b->t, 12);
	decide(b);
	testlog_fill(&b->t, 20);
	ck_assert_int_eq(testlog_checkpoint(&b->t, NULL, NULL), 0);
	seal_policy(b);
	o.choice.id = b->id;
	o.policy = b->policy.s;
	o.policy_len = b->policy.len;
	str_init(&b->tar, EVIDENCE_MAX);
	ck_assert_msg(audit_export(b->t.fd, &o, &b->tar, &left, &e) == 0,
	    "%s", e.text);
	str_init(&b->proof, 1 << 20);
	ck_assert_int_eq(audit_proof(b->t.fd, PROJECT, b->id, &b->proof,
	    &e), 0);
}

static inline void
bed_down(struct bed *b)
{
	str_clear(&b->tar);
	str_clear(&b->proof);
	str_clear(&b->policy);
	testlog_end(&b->t);
}

static inline struct evidence
look(const struct str *s, const unsigned char *key)
{
	struct evidence v;

	ck_assert_int_eq(audit_evidence(s->s, s->len, key, &v, NULL), 0);
	return v;
}

#endif
