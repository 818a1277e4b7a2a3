/* The human's key: what is in the file, what opens it, what does not. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "approver/key.h"
#include "common/digest.h"
#include "common/fs.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

static char top[] = "/tmp/sandbox-key.XXXXXX";

static int
fresh(void)
{
	struct err e;
	int fd;

	ck_assert_int_eq(digest_setup(&e), 0);
	memcpy(top, "/tmp/sandbox-key.XXXXXX", sizeof top);
	ck_assert_ptr_nonnull(mkdtemp(top));
	setenv("XDG_DATA_HOME", top, 1);
	fd = key_dir_open(true, &e);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void
gone(int fd)
{
	unlinkat(fd, KEY_FILE, 0);
	close(fd);
	char *a = xasprintf("%s/sandbox/keys", top);
	char *b = xasprintf("%s/sandbox", top);

	ck_assert_int_eq(rmdir(a), 0);
	ck_assert_int_eq(rmdir(b), 0);
	ck_assert_int_eq(rmdir(top), 0);
	free(a);
	free(b);
}

static struct str
pass(const char *text)
{
	struct str s;

	str_init(&s, KEY_PASS_MAX);
	str_add(&s, text);
	return s;
}

START_TEST(open_key_round_trip)
{
	int dir = fresh();
	struct key *a, *b;
	struct err e;
	struct stat st;
	unsigned char seed[SIGN_SEED];

	ck_assert_int_eq(key_new(dir, "alice", NULL, &a, &e), 0);
	memcpy(seed, key_seed(a), sizeof seed);
	ck_assert_int_eq(fstatat(dir, KEY_FILE, &st, 0), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(key_load(dir, &b, &e), 0);
	ck_assert_str_eq(key_owner(b), "alice");
	ck_assert(!key_is_locked_kind(b));
	ck_assert_ptr_null(key_seed(b));
	ck_assert_int_eq(key_unlock(b, NULL, &e), 0);
	ck_assert_mem_eq(key_seed(b), seed, SIGN_SEED);
	key_lock(b);
	ck_assert_ptr_null(key_seed(b));
	key_free(a);
	key_free(b);
	gone(dir);
}
END_TEST

START_TEST(never_overwritten)
{
	int dir = fresh();
	struct key *a, *b = NULL;
	struct err e;

	ck_assert_int_eq(key_new(dir, "alice", NULL, &a, &e), 0);
	ck_assert_int_eq(key_new(dir, "mallory", NULL, &b, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	ck_assert_ptr_null(b);
	key_free(a);
	ck_assert_int_eq(key_load(dir, &a, &e), 0);
	ck_assert_str_eq(key_owner(a), "alice");
	key_free(a);
	gone(dir);
}
END_TEST

START_TEST(locked_key_needs_its_passphrase)
{
	int dir = fresh();
	struct str right = pass("correct horse"), wrong = pass("wrong");
	struct key *a, *b;
	struct err e;

	ck_assert_int_eq(key_new(dir, "bob", &right, &a, &e), 0);
	ck_assert_int_eq(key_load(dir, &b, &e), 0);
	ck_assert(key_is_locked_kind(b));
	ck_assert_int_eq(key_unlock(b, &wrong, &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	ck_assert_ptr_null(key_seed(b));
	ck_assert_int_eq(key_unlock(b, &right, &e), 0);
	ck_assert_mem_eq(key_seed(a), key_seed(b), SIGN_SEED);
	/* Open it, lock it again under another one. */
	ck_assert_int_eq(key_rewrite(dir, b, &wrong, &e), 0);
	key_free(b);
	ck_assert_int_eq(key_load(dir, &b, &e), 0);
	ck_assert_int_eq(key_unlock(b, &right, &e), -1);
	ck_assert_int_eq(key_unlock(b, &wrong, &e), 0);
	ck_assert_mem_eq(key_seed(a), key_seed(b), SIGN_SEED);
	key_free(a);
	key_free(b);
	str_clear(&right);
	str_clear(&wrong);
	gone(dir);
}
END_TEST

START_TEST(passphrase_from_a_descriptor)
{
	int dir = fresh(), p[2];
	struct str right = pass("from a pipe");
	struct key *a;
	struct err e;

	ck_assert_int_eq(key_new(dir, "bob", &right, &a, &e), 0);
	key_lock(a);
	ck_assert_int_eq(pipe(p), 0);
	ck_assert_int_eq(write(p[1], "from a pipe\nsecond\n", 19), 19);
	ck_assert_int_eq(key_unlock_ask(a, p[0], &e), 0);
	key_lock(a);
	/* One line per question: the second one is another passphrase. */
	ck_assert_int_eq(key_unlock_ask(a, p[0], &e), -1);
	ck_assert_int_eq(e.code, ERR_PERMITTED);
	key_free(a);
	str_clear(&right);
	gone(dir);
}
END_TEST

START_TEST(a_file_others_can_read_is_refused)
{
	int dir = fresh();
	struct key *a;
	struct err e;

	ck_assert_int_eq(key_new(dir, "alice", NULL, &a, &e), 0);
	key_free(a);
	ck_assert_int_eq(fchmodat(dir, KEY_FILE, 0640, 0), 0);
	ck_assert_int_eq(key_load(dir, &a, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	gone(dir);
}
END_TEST

/* No byte of the file may change unnoticed. */
START_TEST(a_changed_file_is_refused)
{
	int dir = fresh(), fd;
	struct str right = pass("x"), text;
	struct key *a;
	struct err e;
	size_t taken = 0;

	ck_assert_int_eq(key_new(dir, "alice", NULL, &a, &e), 0);
	key_free(a);
	str_init(&text, 4096);
	ck_assert_int_eq(fs_read_own(dir, KEY_FILE, 4096, &text, &e), 0);
	for (size_t i = 0; i + 1 < text.len; i++) {
		char *hit = strstr(text.s, "alice");

		/* The name is only a name; salt and nonce are not used. */
		if (i >= (size_t)(hit - text.s) &&
		    i < (size_t)(hit - text.s) + 5)
			continue;
		if (i > (size_t)(strstr(text.s, "\"salt") - text.s) &&
		    i < (size_t)(strstr(text.s, "\"box") - text.s))
			continue;
		fd = openat(dir, KEY_FILE, O_RDWR);
		text.s[i] ^= 1;
		ck_assert_int_eq(pwrite(fd, text.s, text.len, 0),
		    (ssize_t)text.len);
		text.s[i] ^= 1;
		close(fd);
		if (key_load(dir, &a, &e) == -1)
			continue;
		taken += key_unlock(a, &right, &e) == 0 ? 1 : 0;
		key_free(a);
	}
	/* ops and mem of an open key are not used: two digits may differ. */
	ck_assert_uint_le(taken, 2);
	str_clear(&text);
	str_clear(&right);
	gone(dir);
}
END_TEST

START_TEST(a_child_does_not_inherit_the_seed)
{
	int dir = fresh(), status;
	struct key *a;
	struct err e;
	pid_t pid;

	ck_assert_int_eq(key_new(dir, "alice", NULL, &a, &e), 0);
	pid = fork();
	if (pid == 0) {
		const unsigned char *s = key_seed(a);
		unsigned char any = 0;

		for (size_t i = 0; i < SIGN_SEED; i++)
			any |= s[i];
		_exit(any);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	key_free(a);
	gone(dir);
}
END_TEST

START_TEST(names)
{
	ck_assert(key_name_ok("a.b_c@d-1"));
	ck_assert(!key_name_ok(""));
	ck_assert(!key_name_ok("a b"));
	ck_assert(!key_name_ok("a\n"));
	ck_assert(!key_name_ok("0123456789012345678901234567890123456789"
	    "0123456789012345678901234"));
}
END_TEST

UNIT_MAIN("approver/key",
	tcase_add_test(tc, open_key_round_trip);
	tcase_add_test(tc, never_overwritten);
	tcase_add_test(tc, locked_key_needs_its_passphrase);
	tcase_add_test(tc, passphrase_from_a_descriptor);
	tcase_add_test(tc, a_file_others_can_read_is_refused);
	tcase_add_test(tc, a_changed_file_is_refused);
	tcase_add_test(tc, a_child_does_not_inherit_the_seed);
	tcase_add_test(tc, names);)
