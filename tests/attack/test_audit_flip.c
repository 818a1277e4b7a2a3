/*
 * "The log is edited": every byte of a log of 50 records, with approvals and
 * results, is changed in turn; each change is found, in its line, as `edited`.
 * Without its last LF the log ends too early for its pin.
 */
#include "tests/unit/unit.h"

#include <dlfcn.h>

#include "tests/unit/audit_log.h"

#define RECORDS	50
#define PARTS	8		/* each within the time a test may take */
#define LOG	"audit/audit.jsonl"

/*
 * Checking a signature is a function of its arguments; remembering the answers
 * makes 30,000 verifications of almost the same log a matter of seconds.
 */
struct memo {
	struct digest	key;
	int		answer;
};

int
crypto_sign_verify_detached(const unsigned char *sig, const unsigned char *m,
    unsigned long long len, const unsigned char *pub)
{
	static struct memo memo[1 << 14];
	static int (*real)(const unsigned char *, const unsigned char *,
	    unsigned long long, const unsigned char *);
	struct digest_state st;
	struct digest d;
	struct memo *at;

	digest_begin(&st, NULL);
	digest_add(&st, sig, SIGN_SIG);
	digest_add(&st, pub, SIGN_PUB);
	digest_add(&st, m, (size_t)len);
	digest_end(&st, &d);
	at = &memo[(d.b[0] << 8 | d.b[1]) & ((1 << 14) - 1)];
	if (digest_eq(&at->key, &d))
		return at->answer;
	if (real == NULL) {
		void *p = dlsym(RTLD_NEXT, "crypto_sign_verify_detached");

		memcpy(&real, &p, sizeof real);
	}
	at->key = d;
	at->answer = real(sig, m, len, pub);
	return at->answer;
}

/* _i: which bytes; the bit that flips goes round. */
START_TEST(every_flipped_byte_is_found)
{
	struct verify_report r;
	struct testlog t;
	size_t len, line = 1;
	char *log;
	int fd;

	testlog_new(&t);
	testlog_fill(&t, RECORDS);
	log = testlog_read(&t, LOG, &len);
	fd = openat(t.fd, LOG, O_WRONLY | O_CLOEXEC);
	for (size_t i = 0; i < len; i++) {
		if (i % PARTS != (size_t)_i) {
			line += log[i] == '\n';
			continue;
		}

		char bad = (char)(log[i] ^ 1 << i / PARTS % 8);
		bool end = i == len - 1;

		ck_assert_int_eq(pwrite(fd, &bad, 1, (off_t)i), 1);
		testlog_verify(&t, true, &r);
		ck_assert_msg(r.n_findings > 0 && r.exit == (end ?
		    VERIFY_EXIT_TRUNCATED : VERIFY_EXIT_TAMPERED) &&
		    r.findings[0].kind == (end ? VERIFY_TRUNCATED :
		    VERIFY_EDITED) && (end || r.findings[0].line == line),
		    "byte %zu of line %zu: exit %d, %zu findings, %s", i, line,
		    (int)r.exit, r.n_findings,
		    verify_kind_name(r.findings[0].kind));
		ck_assert_int_eq(pwrite(fd, &log[i], 1, (off_t)i), 1);
		line += log[i] == '\n';
	}
	testlog_verify(&t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	close(fd);
	free(log);
	testlog_end(&t);
}
END_TEST

UNIT_MAIN("attack/audit/flip",
	tcase_add_loop_test(tc, every_flipped_byte_is_found, 0, PARTS);
)
