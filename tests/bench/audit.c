/*
 * tests/bench/audit.c [N [DIR]] - what a record costs and how fast a log of N
 * records (20,000) is verified.
 *
 * In DIR (default: TMPDIR) because a sync costs what its disk costs.  The
 * floor beside it is what the cryptography alone needs: two key derivations
 * and a signature per record written, one check per record read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "audit/key.h"
#include "audit/scrub.h"
#include "common/mem.h"
#include "tests/unit/audit_log.h"
#include "tests/bench/clock.h"

static void
print(const char *what, double *us, size_t n)
{
	double sum = 0;

	times_sort(us, n);
	for (size_t i = 0; i < n; i++)
		sum += us[i];
	printf("%-28s median %8.1f us  p99 %8.1f us  mean %8.1f us\n", what,
	    us[n / 2], us[n * 99 / 100], sum / (double)n);
}

static double
append(struct testlog *t, size_t n, double *us)
{
	auto_json cJSON *f = json_object();
	const struct event ev = { .kind = "allow", .session = "s1",
		.agent = "claude", .fields = f };
	struct err e = { 0 };

	json_add_str(f, "tool", "Bash");
	json_add_str(f, "summary", "npm run build -- --watch");
	for (size_t i = 0; i < n; i++) {
		double start = now_us();

		if (audit_append(t->a, &ev, &t->clock, NULL, &e) == -1)
			testlog_fail("append", &e);
		us[i] = now_us() - start;
	}
	print("append (sync every 64)", us, n);
	return us[n / 2];
}

/*
 * What of it the evolving key takes: derive the next one, sign.  A process that
 * writes its first record also derives this one, from the last synced seed.
 */
static double
key_part(size_t n, double *us)
{
	static const unsigned char seed[SIGN_SEED] = { 1 };
	static const char text[600];
	struct chain_key now, next;

	key_make(seed, &now);
	for (size_t i = 0; i < n; i++) {
		struct str line;
		double start;

		str_init(&line, 4096);
		str_addn(&line, text, sizeof text);
		start = now_us();
		key_next(&now, &next);
		key_sign(&now, &line);
		us[i] = now_us() - start;
		now = next;
		str_clear(&line);
	}
	print("of it the evolving key", us, n);
	return us[n / 2];
}

static void
append_synced(struct testlog *t, size_t n, double *us)
{
	struct event ev = { .kind = "session.end" };
	struct err e = { 0 };

	for (size_t i = 0; i < n; i++) {
		double start = now_us();

		if (audit_append(t->a, &ev, &t->clock, NULL, &e) == -1)
			testlog_fail("append", &e);
		us[i] = now_us() - start;
	}
	print("append and sync", us, n);
}

/* A lock, one write, another at its place, unlock. */
static void
write_floor(size_t n, double *us)
{
	char name[512], text[600] = { 0 };
	int fd;

	snprintf(name, sizeof name, "%s/floor.XXXXXX",
	    testlog_base == NULL ? "/tmp" : testlog_base);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd == -1)
		abort();
	unlink(name);
	for (size_t i = 0; i < n; i++) {
		double start = now_us();

		if (flock(fd, LOCK_EX) == -1 ||
		    write(fd, text, sizeof text) == -1 ||
		    pwrite(fd, text, 170, 0) == -1 || flock(fd, LOCK_UN) == -1)
			abort();
		us[i] = now_us() - start;
	}
	close(fd);
	print("floor: lock, write, pwrite", us, n);
}

static void
floors(size_t n, double *us)
{
	unsigned char seed[SIGN_SEED] = { 1 }, text[600] = { 0 };
	struct chain_key key, next;
	char sig[SIGN_SIG_HEX + 1];

	for (size_t i = 0; i < n; i++) {
		double start = now_us();
		struct str s;

		key_make(seed, &key);
		key_next(&key, &next);
		str_init(&s, 4096);
		str_addn(&s, text, sizeof text);
		key_sign(&key, &s);
		str_clear(&s);
		us[i] = now_us() - start;
	}
	print("floor: derive, derive, sign", us, n);
	write_floor(n, us);
	sign_make(seed, text, sizeof text, sig);
	for (size_t i = 0; i < n; i++) {
		double start = now_us();

		if (!sign_ok(key.pub, text, sizeof text, sig))
			abort();
		us[i] = now_us() - start;
	}
	print("floor: check a signature", us, n);
}

static void
verify(struct testlog *t, bool full)
{
	struct verify_report r;
	double start = now_us(), us;

	testlog_verify(t, full, &r);
	us = now_us() - start;
	if (r.exit != VERIFY_EXIT_OK)
		abort();
	printf("verify %-21s %8.1f us per record  (%llu records, %llu "
	    "signatures, %.2f s)\n", full ? "--full" : "(default)",
	    us / (double)r.records, (unsigned long long)r.records,
	    (unsigned long long)r.signatures, us / 1e6);
}

/* What output is like, and what each rule likes least. */
static void
scrub_speed(void)
{
	static const char *const lines[] = {
		"src/main.c:120: warning: unused variable 'token' in function "
		    "next_token(&lexer) at build/step 17\n",
		"token=(token=(token=(token=(", "ya29.ya29.ya29.ya29.",
		"://a:b://a:b://a:b", "-----BEGIN -----BEGIN ",
		"eyJaaaaaaaaaa.eyJaaaaaaaaaa.", "bearer a bearer b ",
		"/aB3/aB3/aB3/aB3/aB3", "?sig=?sig=?sig=", "====////====////",
	};
	struct str in, out;

	str_init(&in, 2 << 20);
	str_init(&out, 16 << 20);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		double start;

		str_reset(&in);
		str_reset(&out);
		while (in.len < 1 << 20)
			str_add(&in, lines[i]);
		start = now_us();
		scrub(in.s, in.len, &out);
		printf("scrub %-34.30s %5.0f ms per MiB\n",
		    i == 0 ? "compiler output" : lines[i],
		    (now_us() - start) / 1e3);
	}
	str_clear(&in);
	str_clear(&out);
}

int
main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
	double *us = xcalloc(n + 1000, sizeof *us);
	struct testlog t;
	double whole;

	if (argc > 2)
		testlog_base = argv[2];
	testlog_new(&t);
	whole = append(&t, n, us);
	printf("append without the evolving key: median %.1f us (design: "
	    "10)\n", whole - key_part(n, us));
	verify(&t, true);
	verify(&t, false);
	append_synced(&t, 200, us);
	floors(1000, us);
	scrub_speed();
	testlog_end(&t);
	free(us);
	return 0;
}
