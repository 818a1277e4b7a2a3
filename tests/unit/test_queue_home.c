/* Both sides of a project, and only a matching pair. */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

#include <pwd.h>

#include "common/proc.h"

static void
expect_setup(struct bed *b, int got)
{
	ck_assert_int_eq(got, -1);
	ck_assert_msg(b->e.code == ERR_SETUP, "%d: %s", b->e.code, b->e.text);
	ck_assert_ptr_nonnull(strstr(b->e.text, "sandbox init"));
}

static int
try_open(struct bed *b)
{
	auto_home struct home h = HOME_INIT;

	return home_open(b->root, NULL, b->base, &h, &b->e);
}

START_TEST(created_once_opened_every_way)
{
	auto_home struct home h = HOME_INIT;
	auto_home struct home again = HOME_INIT;
	auto_home struct home by_state = HOME_INIT;
	auto_home struct home found = HOME_INIT;
	char sub[120], genesis[65];
	struct stat st;
	struct bed b;

	bed_make(&b);
	ok(&b, home_open(b.root, NULL, b.base, &h, &b.e));
	ck_assert_str_eq(h.project, b.home.project);
	ck_assert_uint_eq(strlen(h.project), HOME_PROJECT);
	ck_assert_str_eq(h.root_path, b.root);
	ck_assert_ptr_nonnull(strstr(h.priv_path, "/state/sandbox/"));
	ck_assert_str_eq(h.genesis, "");
	ck_assert_int_eq(fstatat(b.home.sandbox, ".gitignore", &st, 0), 0);
	ck_assert_int_eq(fstatat(b.home.sandbox, "out", &st, 0), 0);
	/* init twice is init once */
	ok(&b, home_create(b.root, b.base, &again, &b.e));
	ck_assert_str_eq(again.project, h.project);
	ok(&b, home_open_state(h.priv_path, &by_state, &b.e));
	ck_assert_str_eq(by_state.root_path, h.root_path);
	snprintf(sub, sizeof sub, "%s/a", b.root);
	ck_assert_int_eq(mkdir(sub, 0755), 0);
	ok(&b, home_find(sub, b.base, &found, &b.e));
	ck_assert_str_eq(found.root_path, b.root);
	memset(genesis, 'c', 64);
	genesis[64] = '\0';
	ok(&b, home_set_genesis(&found, genesis, &b.e));
	home_close(&by_state);
	ok(&b, home_open_state(h.priv_path, &by_state, &b.e));
	ck_assert_str_eq(by_state.genesis, genesis);
	ck_assert_str_eq(by_state.project, h.project);
	bed_drop(&b);
}
END_TEST

START_TEST(a_cloned_sandbox_is_not_adopted)
{
	auto_home struct home h = HOME_INIT;
	char clone[120], sub[140];
	struct bed b;

	bed_make(&b);
	snprintf(clone, sizeof clone, "%s/clone", b.dir);
	snprintf(sub, sizeof sub, "%s/.sandbox", clone);
	ck_assert_int_eq(mkdir(clone, 0700), 0);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	expect_setup(&b, home_open(clone, NULL, b.base, &h, &b.e));
	ck_assert_int_eq(home_find(clone, b.base, &h, &b.e), 1);
	ck_assert_int_eq(b.e.code, ERR_SETUP);
	ck_assert_int_eq(home_create(clone, b.base, &h, &b.e), -1);
	ck_assert_int_eq(b.e.code, ERR_SETUP);
	/* Somebody else's private directory does not fit either. */
	expect_setup(&b, home_open(clone, b.home.priv_path, NULL, &h, &b.e));
	bed_drop(&b);
}
END_TEST

START_TEST(a_clone_inside_a_project_is_passed_over)
{
	auto_home struct home h = HOME_INIT;
	char inner[140];
	struct bed b;

	bed_make(&b);
	snprintf(inner, sizeof inner, "%s/vendor", b.root);
	ck_assert_int_eq(mkdir(inner, 0700), 0);
	snprintf(inner, sizeof inner, "%s/vendor/.sandbox", b.root);
	ck_assert_int_eq(mkdir(inner, 0700), 0);
	snprintf(inner, sizeof inner, "%s/vendor", b.root);
	ok(&b, home_find(inner, b.base, &h, &b.e));
	ck_assert_str_eq(h.root_path, b.root);
	bed_drop(&b);
}
END_TEST

START_TEST(a_moved_project_is_refused)
{
	auto_home struct home h = HOME_INIT;
	char to[120];
	struct bed b;

	bed_make(&b);
	snprintf(to, sizeof to, "%s/moved", b.dir);
	ck_assert_int_eq(rename(b.root, to), 0);
	expect_setup(&b, home_open(to, NULL, b.base, &h, &b.e));
	expect_setup(&b, home_open(to, b.home.priv_path, NULL, &h, &b.e));
	expect_setup(&b, home_open_state(b.home.priv_path, &h, &b.e));
	bed_drop(&b);
}
END_TEST

static void
rewrite_record(struct bed *b, const char *text)
{
	ok(b, fs_replace(b->home.priv, "record.json", text, strlen(text),
	    0600, &b->e));
}

START_TEST(a_damaged_record_is_refused)
{
	auto_str struct str good = { 0 };
	auto_free char *bad = NULL;
	struct bed b;

	bed_make(&b);
	str_init(&good, 10000);
	ok(&b, fs_read_own(b.home.priv, "record.json", 10000, &good, &b.e));
	rewrite_record(&b, good.s);
	ok(&b, try_open(&b));
	rewrite_record(&b, "{}");
	expect_setup(&b, try_open(&b));
	rewrite_record(&b, "");
	expect_setup(&b, try_open(&b));
	bad = xasprintf("%.*s,\"more\":1}", (int)good.len - 2, good.s);
	rewrite_record(&b, bad);
	expect_setup(&b, try_open(&b));
	memcpy(strstr(good.s, "\"v\":1") + 4, "2", 1);
	rewrite_record(&b, good.s);
	expect_setup(&b, try_open(&b));
	memcpy(strstr(good.s, "\"v\":2") + 4, "1", 1);
	*(strstr(good.s, "\"project\":\"") + 11) = 'X';
	rewrite_record(&b, good.s);
	expect_setup(&b, try_open(&b));
	unlinkat(b.home.priv, "record.json", 0);
	expect_setup(&b, try_open(&b));
	bed_drop(&b);
}
END_TEST

START_TEST(another_uid_in_the_record_is_refused)
{
	auto_record struct home_record r = { 0 };
	struct bed b;

	bed_make(&b);
	ok(&b, home_record_read(b.home.priv, &r, &b.e));
	r.uid++;
	ok(&b, home_record_write(b.home.priv, &r, &b.e));
	expect_setup(&b, try_open(&b));
	bed_drop(&b);
}
END_TEST

/* Every directory: open to others, replaced by a link, by a file, gone. */
static const char *const sides[] = { "project/.sandbox",
	"project/.sandbox/escalations", "PRIV", "PRIV/view", "PRIV/ledger",
	"PRIV/run", "PRIV/run/clients", "PRIV/audit",
	"project/.sandbox/escalations/tmp",
	"project/.sandbox/escalations/pending",
	"project/.sandbox/escalations/claimed",
	"project/.sandbox/escalations/answered",
	"project/.sandbox/escalations/closed",
	"project/.sandbox/escalations/blobs",
	"project/.sandbox/escalations/aside" };

static int
open_all(struct bed *b)
{
	auto_home struct home h = HOME_INIT;
	struct queue *q;

	if (home_open(b->root, NULL, b->base, &h, &b->e) == -1 ||
	    queue_open(&h, &b->lim, &q, &b->e) == -1)
		return -1;
	queue_free(q);
	return 0;
}

START_TEST(an_odd_directory_is_refused)
{
	const char *side = sides[_i];
	char path[300], moved[310];
	struct bed b;

	bed_make(&b);
	if (strncmp(side, "PRIV", 4) == 0)
		snprintf(path, sizeof path, "%s%s", b.home.priv_path, side + 4);
	else
		snprintf(path, sizeof path, "%s/%s", b.dir, side);
	snprintf(moved, sizeof moved, "%s.was", path);
	ok(&b, open_all(&b));
	ck_assert_int_eq(chmod(path, 0750), 0);
	expect_setup(&b, open_all(&b));
	ck_assert_int_eq(chmod(path, 0700), 0);
	ok(&b, open_all(&b));
	ck_assert_int_eq(rename(path, moved), 0);
	expect_setup(&b, open_all(&b));
	/* The private directory itself may lie behind a link. */
	if (!str_eq(side, "PRIV")) {
		ck_assert_int_eq(symlink(moved, path), 0);
		expect_setup(&b, open_all(&b));
		unlink(path);
	}
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	expect_setup(&b, open_all(&b));
	unlink(path);
	ck_assert_int_eq(rename(moved, path), 0);
	ok(&b, open_all(&b));
	bed_drop(&b);
}
END_TEST

START_TEST(bases)
{
	const struct passwd *pw = getpwuid(geteuid());
	auto_free char *plain = home_base(false);
	auto_free char *user = home_user_dir();
	auto_free char *want = NULL;

	ck_assert_ptr_nonnull(pw);
	want = xasprintf("%s/.local/state", pw->pw_dir);
	ck_assert_str_eq(user, pw->pw_dir);
	ck_assert_str_eq(plain, want);
}
END_TEST

START_TEST(clients_are_noted_and_forgotten)
{
	struct bed b;
	pid_t pid;

	bed_make(&b);
	ck_assert_int_eq(home_under_agent(&b.home, &b.e), 0);
	/* An orphan's parent is init: noting it would shut every human out. */
	ok(&b, home_note_client(&b.home, 1, "claude", &b.e));
	ck_assert_int_eq(home_under_agent(&b.home, &b.e), 0);
	ok(&b, home_note_client(&b.home, getpid(), "claude", &b.e));
	ok(&b, home_note_client(&b.home, getpid(), "claude", &b.e));
	/* We are no ancestor of ourselves; a child of ours is under one. */
	ck_assert_int_eq(home_under_agent(&b.home, &b.e), 0);
	pid = fork();
	if (pid == 0)
		_exit(home_under_agent(&b.home, NULL) == 1 ? 0 : 1);
	int status;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	/* A note of a process that ended is swept. */
	ck_assert_int_eq(home_note_client(&b.home, pid, "gone", &b.e), -1);
	ok(&b, fs_write_new(b.home.clients, "2-1", "x", 1, false, &b.e));
	queue_forget_clients(&b.home);
	ck_assert(!queue_has(b.home.clients, "2-1"));
	pid = fork();
	if (pid == 0)
		_exit(home_under_agent(&b.home, NULL) == 1 ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	bed_drop(&b);
}
END_TEST

START_TEST(the_agent_of_another_project_is_one_here)
{
	struct home there = HOME_INIT;
	struct bed b;
	char root[100];
	int status;
	pid_t pid;

	bed_make(&b);
	snprintf(root, sizeof root, "%s/other", b.dir);
	ck_assert_int_eq(mkdir(root, 0700), 0);
	ok(&b, home_create(root, b.base, &there, &b.e));
	ok(&b, home_note_client(&there, getpid(), "claude", &b.e));
	ck_assert_int_eq(home_under_agent(&b.home, &b.e), 0);
	pid = fork();
	if (pid == 0)
		_exit(home_under_agent(&b.home, NULL) == 1 ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	home_close(&there);
	bed_drop(&b);
}
END_TEST

START_TEST(a_watch_is_seen)
{
	struct bed b;
	int one, two;

	bed_make(&b);
	ck_assert(!home_watch_present(&b.home));
	one = home_watch_hold(&b.home, &b.e);
	ck_assert_int_ne(one, -1);
	ck_assert(home_watch_present(&b.home));
	two = home_watch_hold(&b.home, &b.e);
	ck_assert_int_ne(two, -1);
	close(one);
	ck_assert(home_watch_present(&b.home));
	close(two);
	ck_assert(!home_watch_present(&b.home));
	bed_drop(&b);
}
END_TEST

START_TEST(approvers)
{
	static const char line[] = "ed25519 "
	    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
	    " alice\n";
	struct keyring k;
	struct bed b;

	bed_make(&b);
	ok(&b, home_approvers(&b.home, &k, &b.e));
	ck_assert_uint_eq(k.n, 0);
	ok(&b, fs_write_new(b.home.view, "approvers", line, sizeof line - 1,
	    false, &b.e));
	ok(&b, home_approvers(&b.home, &k, &b.e));
	ck_assert_uint_eq(k.n, 1);
	keyring_clear(&k);
	ck_assert_int_eq(fchmodat(b.home.view, "approvers", 0644, 0), 0);
	ck_assert_int_eq(home_approvers(&b.home, &k, &b.e), -1);
	unlinkat(b.home.view, "approvers", 0);
	ok(&b, fs_write_new(b.home.view, "approvers", "rsa x\n", 6, false,
	    &b.e));
	ck_assert_int_eq(home_approvers(&b.home, &k, &b.e), -1);
	bed_drop(&b);
}
END_TEST

UNIT_MAIN("queue/home",
	tcase_add_test(tc, created_once_opened_every_way);
	tcase_add_test(tc, a_cloned_sandbox_is_not_adopted);
	tcase_add_test(tc, a_clone_inside_a_project_is_passed_over);
	tcase_add_test(tc, a_moved_project_is_refused);
	tcase_add_test(tc, a_damaged_record_is_refused);
	tcase_add_test(tc, another_uid_in_the_record_is_refused);
	tcase_add_loop_test(tc, an_odd_directory_is_refused, 0,
	    (int)ARRAY_LEN(sides));
	tcase_add_test(tc, bases);
	tcase_add_test(tc, clients_are_noted_and_forgotten);
	tcase_add_test(tc, the_agent_of_another_project_is_one_here);
	tcase_add_test(tc, a_watch_is_seen);
	tcase_add_test(tc, approvers);)
