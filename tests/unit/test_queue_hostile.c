/*
 * What an agent may plant in the shared folder: it is never opened so that we
 * block, never followed, set aside, and counted.
 */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

static const char id[] = "00000000000000aa-000000000001-1";

typedef void plant_fn(int dirfd, const char *name);

static void
put(int dirfd, const char *name, const char *text, size_t len, mode_t mode)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

static void
plant_link(int dirfd, const char *name)
{
	ck_assert_int_eq(symlinkat("/etc/passwd", dirfd, name), 0);
}

static void
plant_dangling(int dirfd, const char *name)
{
	ck_assert_int_eq(symlinkat("nowhere", dirfd, name), 0);
}

static void
plant_fifo(int dirfd, const char *name)
{
	ck_assert_int_eq(mkfifoat(dirfd, name, 0600), 0);
}

static void
plant_dir(int dirfd, const char *name)
{
	ck_assert_int_eq(mkdirat(dirfd, name, 0700), 0);
}

static void
plant_full_dir(int dirfd, const char *name)
{
	char inner[80];

	plant_dir(dirfd, name);
	snprintf(inner, sizeof inner, "%s/x", name);
	put(dirfd, inner, "x", 1, 0600);
}

static void
plant_socket(int dirfd, const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/%s", dirfd,
	    name);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	close(fd);
}

static void
plant_hard_link(int dirfd, const char *name)
{
	put(dirfd, "../other", "{}", 2, 0600);
	ck_assert_int_eq(linkat(dirfd, "../other", dirfd, name, 0), 0);
}

static void
plant_open_mode(int dirfd, const char *name)
{
	put(dirfd, name, "{}", 2, 0644);
}

static void
plant_empty(int dirfd, const char *name)
{
	put(dirfd, name, "", 0, 0600);
}

static void
plant_huge(int dirfd, const char *name)
{
	put(dirfd, name, "{", 1, 0600);
	int fd = openat(dirfd, name, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(ftruncate(fd, (off_t)1 << 32), 0);
	close(fd);
}

static void
plant_nul(int dirfd, const char *name)
{
	put(dirfd, name, "{\"v\":1\0}", 8, 0600);
}

static void
plant_bad_utf8(int dirfd, const char *name)
{
	put(dirfd, name, "{\"v\":\"\xff\"}", 9, 0600);
}

static void
plant_depth(int dirfd, const char *name)
{
	auto_free char *deep = xcalloc(200001, 1);

	memset(deep, '[', 200000);
	put(dirfd, name, deep, 200000, 0600);
}

static void
plant_doubled(int dirfd, const char *name)
{
	put(dirfd, name, "{\"v\":1,\"v\":1}", 13, 0600);
}

static const struct plant {
	const char	*what;
	plant_fn	*plant;
} plants[] = {
	{ "link", plant_link }, { "dangling link", plant_dangling },
	{ "fifo", plant_fifo }, { "directory", plant_dir },
	{ "full directory", plant_full_dir }, { "socket", plant_socket },
	{ "hard link", plant_hard_link }, { "open mode", plant_open_mode },
	{ "empty file", plant_empty }, { "huge file", plant_huge },
	{ "NUL", plant_nul }, { "bad UTF-8", plant_bad_utf8 },
	{ "depth bomb", plant_depth }, { "doubled key", plant_doubled },
};

#define PLANTS	((int)ARRAY_LEN(plants))

static void
count(void *arg, enum sweep_kind kind, const char *name)
{
	int *n = arg;

	(void)name;
	n[kind]++;
}

/* A FIFO opened for reading would hang: the alarm is the test. */
static void
begin(struct bed *b)
{
	alarm(20);
	bed_make(b);
}

/* As a request, in pending/ and claimed/: every reader survives it. */
static void
plant_request(enum queue_dir where, const struct plant *p)
{
	struct trace t;
	struct request r;
	struct entries l;
	enum entry_state st;
	struct claim *c;
	bool waiter;
	int said[16] = { 0 };
	struct bed b;
	const char *honest;

	begin(&b);
	honest = bed_submit(&b, "honest");
	p->plant(b.q->dir[where], id);
	ok(&b, queue_resolve(b.q, "00000000000000aa", (char[ID_MAX + 1]){ 0 },
	    &st, &b.e));
	ok(&b, queue_find_call(b.q, &(struct trace_key){ .session = "s-1" },
	    &b.now, &t, &b.e));
	ok(&b, queue_list(b.q, &b.now, true, &l, &b.e));
	ck_assert_msg(l.aside == 1, "%s: aside %zu", p->what, l.aside);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_str_eq(l.e[0].req.id, honest);
	entries_clear(&l);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 1);

	p->plant(b.q->dir[where], id);
	ck_assert_int_eq(queue_read(b.q, id, &r, &st, &waiter, &b.e), -1);
	ck_assert_msg(b.e.code == ERR_FORMAT, "%s: %s", p->what, b.e.text);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 2);

	p->plant(b.q->dir[where], id);
	ck_assert_int_eq(queue_lock(b.q, id, &b.now, &c, &b.e), -1);
	ok(&b, queue_sweep(b.q, &b.now, count, said, &b.e));
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 3);
	ck_assert_int_eq(said[SWEEP_DAMAGED], where == DIR_PENDING ? 0 : 1);
	ck_assert_uint_eq(bed_count(&b, where), where == DIR_PENDING);
	ck_assert(queue_has(b.q->dir[DIR_PENDING], honest));
	bed_drop(&b);
}

START_TEST(planted_in_pending)
{
	plant_request(DIR_PENDING, &plants[_i]);
}
END_TEST

START_TEST(planted_in_claimed)
{
	plant_request(DIR_CLAIMED, &plants[_i]);
}
END_TEST

/* As the answer an asker waits for. */
START_TEST(planted_in_answered)
{
	char name[ANSWER_NAME], mine[ID_MAX + 1];
	struct answer a;
	struct claim *c;
	struct bed b;
	int said[16] = { 0 };

	begin(&b);
	memcpy(mine, bed_submit(&b, "x"), sizeof mine);
	queue_answer_name(mine, name);
	plants[_i].plant(b.q->dir[DIR_ANSWERED], name);
	ck_assert_int_eq(queue_read_answer(b.q, mine, &a, &b.e), -1);
	ck_assert_msg(b.e.code == ERR_FORMAT, "%s: %s", plants[_i].what,
	    b.e.text);
	ck_assert_uint_eq(bed_count(&b, DIR_ANSWERED), 0);
	ck_assert_int_eq(queue_collect(b.q, mine, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_NO_ID);

	/* In the way of the true one, and with no id to belong to. */
	plants[_i].plant(b.q->dir[DIR_ANSWERED], name);
	plants[_i].plant(b.q->dir[DIR_ANSWERED],
	    "00000000000000bb-000000000001-1-a");
	c = bed_consume(&b, mine);
	bed_answer(&b, mine, OUTCOME_DONE, &a);
	ok(&b, claim_answer(c, &a, &b.e));
	answer_clear(&a);
	claim_close(c);
	ok(&b, queue_sweep(b.q, &b.now, count, said, &b.e));
	ck_assert_int_eq(said[SWEEP_DAMAGED], 1);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 3);
	ok(&b, queue_read_answer(b.q, mine, &a, &b.e));
	ck_assert_str_eq(a.output, "hello\n");
	answer_clear(&a);
	ck_assert_int_eq(queue_collect(b.q, mine, &b.e), 1);
	bed_drop(&b);
}
END_TEST

/* In the way of every rename: the honest file goes through. */
START_TEST(planted_in_the_way)
{
	char name[ANSWER_NAME], mine[ID_MAX + 1];
	struct answer a;
	struct claim *c;
	struct bed b;

	begin(&b);
	memcpy(mine, bed_submit(&b, "x"), sizeof mine);
	queue_answer_name(mine, name);
	plants[_i].plant(b.q->dir[DIR_CLAIMED], mine);
	ok(&b, queue_lock(b.q, mine, &b.now, &c, &b.e));
	ok(&b, claim_take(c, &b.e));
	plants[_i].plant(b.q->dir[DIR_PENDING], mine);
	claim_close(c);			/* back, over the planted one */
	c = bed_consume(&b, mine);
	plants[_i].plant(b.q->dir[DIR_CLOSED], mine);
	plants[_i].plant(b.q->dir[DIR_CLOSED], name);
	bed_answer(&b, mine, OUTCOME_DONE, &a);
	ok(&b, claim_answer(c, &a, &b.e));
	answer_clear(&a);
	claim_close(c);
	ck_assert_int_eq(queue_collect(b.q, mine, &b.e), 1);
	ck_assert_uint_eq(bed_count(&b, DIR_ASIDE), 4);
	ok(&b, queue_read_answer(b.q, mine, &a, &b.e));
	answer_clear(&a);
	bed_drop(&b);
}
END_TEST

/* tmp/ and closed/ are only ever swept by name and age. */
START_TEST(planted_where_nobody_reads)
{
	struct clock late;
	struct entries l;
	struct bed b;

	begin(&b);
	plants[_i].plant(b.q->dir[DIR_TMP], id);
	plants[_i].plant(b.q->dir[DIR_CLOSED], id);
	plants[_i].plant(b.q->dir[DIR_BLOBS],
	    "0000000000000000000000000000000000000000000000000000000000000000");
	ok(&b, queue_sweep(b.q, &b.now, NULL, NULL, &b.e));
	ck_assert_uint_eq(bed_count(&b, DIR_TMP), 1);
	ok(&b, queue_list(b.q, &b.now, true, &l, &b.e));
	ck_assert_uint_eq(l.n, 0);
	ck_assert_uint_eq(l.aside, 1);
	entries_clear(&l);
	late = b.now;
	late.wall_ms += 1000LL * 3600 * 24 * 30;
	late.boot_ms += 1000LL * 3600 * 24 * 30;
	ok(&b, queue_sweep(b.q, &late, NULL, NULL, &b.e));
	ck_assert_uint_eq(bed_count(&b, DIR_TMP), 0);
	ck_assert_uint_eq(bed_count(&b, DIR_CLOSED), 0);
	bed_drop(&b);
}
END_TEST

/* A blob that is not what its name says is not used. */
START_TEST(planted_as_a_blob)
{
	size_t n = 300000;
	auto_free char *big = xcalloc(n + 1, 1);
	char hex[DIGEST_HEX + 1];
	struct request r, seen;
	enum entry_state st;
	struct ticket t;
	struct digest d;
	struct bed b;
	bool waiter;

	begin(&b);
	memset(big, 'x', n);
	digest_of(big, n, NULL, &d);
	digest_hex(&d, hex);
	plants[_i].plant(b.q->dir[DIR_BLOBS], hex);
	bed_request(&r, "x");
	json_add_str(r.input, "content", big);
	ok(&b, queue_submit(b.q, &r, &b.now, &t, &b.e));
	request_clear(&r);
	ok(&b, queue_read(b.q, t.id, &seen, &st, &waiter, &b.e));
	ck_assert_str_eq(json_str(seen.input, "content"), big);
	request_clear(&seen);
	/* And swapped after it was published. */
	ck_assert_int_eq(unlinkat(b.q->dir[DIR_BLOBS], hex, 0), 0);
	plants[_i].plant(b.q->dir[DIR_BLOBS], hex);
	ck_assert_int_eq(queue_read(b.q, t.id, &seen, &st, &waiter, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_FORMAT);
	ticket_close(&t);
	bed_drop(&b);
}
END_TEST

START_TEST(names_that_are_no_ids)
{
	static const char *const names[] = { "x", "README", ".hidden",
		"00000000000000aa-000000000001-1.json", "\x1b[2J",
		"00000000000000AA-000000000001-1", "-a", "lock" };
	static const enum queue_dir where[] = { DIR_TMP, DIR_PENDING,
		DIR_CLAIMED, DIR_ANSWERED, DIR_CLOSED };
	int said[16] = { 0 };
	struct entries l;
	struct bed b;

	begin(&b);
	for (size_t d = 0; d < ARRAY_LEN(where); d++)
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			plants[_i].plant(b.q->dir[where[d]], names[i]);
	ok(&b, queue_list(b.q, &b.now, false, &l, &b.e));
	ck_assert_uint_eq(l.n, 0);
	ck_assert_uint_eq(l.foreign, 3 * ARRAY_LEN(names));
	ck_assert_uint_eq(l.aside, 0);
	entries_clear(&l);
	ok(&b, queue_sweep(b.q, &b.now, count, said, &b.e));
	ck_assert_int_eq(said[SWEEP_DAMAGED],
	    (int)(ARRAY_LEN(where) * ARRAY_LEN(names)));
	for (size_t d = 0; d < ARRAY_LEN(where); d++)
		ck_assert_uint_eq(bed_count(&b, where[d]), 0);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/hostile",
	tcase_add_loop_test(tc, planted_in_pending, 0, PLANTS);
	tcase_add_loop_test(tc, planted_in_claimed, 0, PLANTS);
	tcase_add_loop_test(tc, planted_in_answered, 0, PLANTS);
	tcase_add_loop_test(tc, planted_in_the_way, 0, PLANTS);
	tcase_add_loop_test(tc, planted_where_nobody_reads, 0, PLANTS);
	tcase_add_loop_test(tc, planted_as_a_blob, 0, PLANTS);
	tcase_add_loop_test(tc, names_that_are_no_ids, 0, PLANTS);)
