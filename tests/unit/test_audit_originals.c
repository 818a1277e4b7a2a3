/* Kept before, noted behind, given back. */
#include "tests/unit/unit.h"

#include "audit/originals/capture.h"
#include "tests/unit/originals_kept.h"

/* --- lists --------------------------------------------------------------- */

START_TEST(lists_say_exactly_what_was_there)
{
	static const char *const names[] = { "plain", "new\nline", "quo\"te",
		"\xff\xfe", " ", "a\tb", "\x1b[2J" };
	struct file_list l;

	ck_assert_int_eq(mkdirat(b.rootfd, "d", 0750), 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *path = xasprintf("d/%s", names[i]);

		bed_text(&b, path, names[i]);
		free(path);
	}
	ck_assert_int_eq(symlinkat("to\xff\nnowhere", b.rootfd, "d/l"), 0);
	ck_assert_int_eq(mkfifoat(b.rootfd, "d/fifo", 0600), 0);
	keep("d", true);
	l = kept();
	ck_assert_uint_eq(l.n, ARRAY_LEN(names) + 3);
	ck_assert(!l.cut);
	ck_assert_str_eq(l.e[0].path, "d");
	ck_assert_uint_eq(l.e[0].st.mode, 0750);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *path = xasprintf("d/%s", names[i]);
		const struct file_entry *e = file_list_find(&l, path);

		ck_assert_ptr_nonnull(e);
		ck_assert_uint_eq(e->st.size, strlen(names[i]));
		free(path);
	}
	ck_assert_str_eq(file_list_find(&l, "d/l")->st.link, "to\xff\nnowhere");
	ck_assert_int_eq(file_list_find(&l, "d/fifo")->st.kind, FILE_OTHER);
	file_list_clear(&l);
}
END_TEST

START_TEST(a_list_with_a_bad_line_is_refused)
{
	static const char head[] = "{\"v\":1,\"files\":1,\"cut\":false}\n";
	static const char *const lines[] = {
		"{\"p\":\"../up\",\"t\":\"-\"}", "{\"p\":\"/abs\",\"t\":\"-\"}",
		"{\"p\":\"a//b\",\"t\":\"-\"}", "{\"p\":\"a/./b\",\"t\":\"-\"}",
		"{\"p\":\"\",\"t\":\"-\"}", "{\"p\":\"a\",\"t\":\"x\"}",
		"{\"p\":\"a\",\"t\":\"f\",\"o\":\"12\"}",
		"{\"p\":\"a\",\"t\":\"l\"}", "{\"t\":\"-\"}",
		"{\"p\":\"a\",\"px\":\"61\",\"t\":\"-\"}",
		"{\"px\":\"6100\",\"t\":\"-\"}", "{\"px\":\"6\",\"t\":\"-\"}",
		"{\"p\":\"a\",\"t\":\"-\",\"more\":1}",
		"{\"p\":\"a\",\"t\":\"f\",\"no\":\"because\"}", "[]", "",
		"{\"p\":\"a\",\"t\":\"-\"} x",
	};
	struct store *s;
	struct file_list l = { 0 };
	struct digest d;

	ck_assert_int_eq(store_open(b.log.fd, true, STORE_SHARED, &s, NULL),
	    0);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		char *text = xasprintf("%s%s\n", head, lines[i]);

		ck_assert_int_eq(store_put(s, text, strlen(text), NULL, &d,
		    NULL), 0);
		ck_assert_msg(file_list_get(s, &d, &l, NULL) == -1, "%s",
		    lines[i]);
		free(text);
	}
	store_free(s);
}
END_TEST

START_TEST(a_folder_comes_before_what_is_in_it)
{
	static const char *const paths[] = { "a.c", "a", "a/b", "a-b", "a/b/c",
		"b", "a/b", "a!x" };
	struct file_list l = { 0 };
	struct file_state st = { .mode = 1 };

	for (size_t i = 0; i < ARRAY_LEN(paths); i++, st.mode++)
		file_list_add(&l, paths[i], &st);
	file_list_sort(&l);
	ck_assert_uint_eq(l.n, ARRAY_LEN(paths) - 1);
	ck_assert_str_eq(l.e[0].path, "a");
	ck_assert_str_eq(l.e[1].path, "a/b");
	/* Of two the first. */
	ck_assert_uint_eq(l.e[1].st.mode, 3);
	ck_assert_str_eq(l.e[2].path, "a/b/c");
	ck_assert_ptr_nonnull(file_list_find(&l, "a!x"));
	ck_assert_ptr_null(file_list_find(&l, "a/c"));
	file_list_clear(&l);
}
END_TEST

/* --- limits -------------------------------------------------------------- */

START_TEST(what_is_too_large_is_said)
{
	struct capture c = { .root = b.rootfd,
	    .left = { 1000, 1500, 3, INT64_MAX } };
	struct file_list l = { 0 };
	struct file_state st;

	ck_assert_int_eq(mkdirat(b.rootfd, "d", 0755), 0);
	for (char i = 'a'; i < 'f'; i++) {
		char name[] = { 'd', '/', i, 0 }, text[900];

		memset(text, i, sizeof text);
		bed_put(&b, name, text, sizeof text);
	}
	bed_put(&b, "big", (char[2000]){ 1 }, 2000);
	ck_assert_int_eq(store_open(b.log.fd, true, STORE_SHARED, &c.store,
	    NULL), 0);
	ck_assert_int_eq(capture_path(&c, "big", &st, NULL), 1);
	ck_assert_int_eq(st.lost, LOST_LARGE);
	ck_assert_int_eq(capture_tree(&c, "d", SKIP_NONE, &l, NULL), 0);
	ck_assert(l.cut);
	ck_assert_uint_le(l.n, 4);
	file_list_clear(&l);
	store_free(c.store);
}
END_TEST

START_TEST(nothing_outside_is_looked_at)
{
	struct originals *o = bed_open(&b);
	const struct originals_target t[] = {
		{ "/etc/passwd", "/etc/passwd", false }, { b.root, b.root, true },
		{ b.log.dir, b.log.dir, true },
	};
	char *ours = xasprintf("%s/.sandbox/policy.json", b.root);
	const struct originals_target mine = { ours, ours, false };

	ck_assert_int_eq(originals_before(o, t, ARRAY_LEN(t), hex, NULL, NULL),
	    0);
	ck_assert_str_eq(hex, "");
	ck_assert_int_eq(originals_before(o, &mine, 1, hex, NULL, NULL), 0);
	ck_assert_str_eq(hex, "");
	originals_close(o);
	free(ours);
}
END_TEST

START_TEST(a_link_on_the_way_is_not_followed)
{
	struct capture c = { .root = b.rootfd,
	    .left = { 1000, 1000, 10, INT64_MAX } };
	struct file_state st;

	ck_assert_int_eq(symlinkat("/etc", b.rootfd, "etc"), 0);
	ck_assert_int_eq(store_open(b.log.fd, true, STORE_SHARED, &c.store,
	    NULL), 0);
	ck_assert_int_eq(capture_path(&c, "etc/passwd", &st, NULL), 0);
	ck_assert_int_eq(capture_path(&c, "etc", &st, NULL), 1);
	ck_assert_int_eq(st.kind, FILE_LINK);
	file_state_clear(&st);
	ck_assert_int_eq(capture_path(&c, "../log.key", &st, NULL), 0);
	store_free(c.store);
}
END_TEST

/* --- giving back --------------------------------------------------------- */

START_TEST(an_edited_file_and_its_mode)
{
	bed_text(&b, "f", "old\n");
	ck_assert_int_eq(fchmodat(b.rootfd, "f", 0754, 0), 0);
	keep("f", false);
	bed_text(&b, "f", "new\n");
	ck_assert_int_eq(fchmodat(b.rootfd, "f", 0600, 0), 0);
	ck_assert_int_eq(bed_note(&b, hex), 0);
	restore(0);
	ck_assert(bed_is(&b, "f", "old\n"));
	ck_assert_uint_eq(mode_of("f"), 0754);
}
END_TEST

START_TEST(what_was_made_goes_and_its_folders)
{
	keep("a/b/c", false);
	ck_assert_int_eq(mkdirat(b.rootfd, "a", 0755), 0);
	ck_assert_int_eq(mkdirat(b.rootfd, "a/b", 0755), 0);
	bed_text(&b, "a/b/c", "new");
	ck_assert_int_eq(bed_note(&b, hex), 0);
	restore(0);
	ck_assert(bed_is(&b, "a", NULL));
}
END_TEST

START_TEST(a_folder_with_a_strangers_file_stays)
{
	keep("a/c", false);
	ck_assert_int_eq(mkdirat(b.rootfd, "a", 0755), 0);
	bed_text(&b, "a/c", "new");
	ck_assert_int_eq(bed_note(&b, hex), 0);
	bed_text(&b, "a/human", "mine");
	restore(1);
	ck_assert(bed_is(&b, "a/c", NULL));
	ck_assert(bed_is(&b, "a/human", "mine"));
}
END_TEST

START_TEST(links_come_back_as_links)
{
	bed_text(&b, "t", "target");
	ck_assert_int_eq(symlinkat("t", b.rootfd, "l"), 0);
	keep("l", false);
	ck_assert_int_eq(unlinkat(b.rootfd, "l", 0), 0);
	bed_text(&b, "l", "a file now");
	restore(0);
	ck_assert(link_is("l", "t"));
	ck_assert(bed_is(&b, "t", "target"));
}
END_TEST

START_TEST(a_file_where_a_folder_was_and_back)
{
	ck_assert_int_eq(mkdirat(b.rootfd, "d", 0711), 0);
	bed_text(&b, "d/x", "x");
	bed_text(&b, "f", "f");
	keep("d", true);
	keep("f", false);
	ck_assert_int_eq(unlinkat(b.rootfd, "d/x", 0), 0);
	ck_assert_int_eq(unlinkat(b.rootfd, "d", AT_REMOVEDIR), 0);
	bed_text(&b, "d", "a file");
	ck_assert_int_eq(unlinkat(b.rootfd, "f", 0), 0);
	ck_assert_int_eq(mkdirat(b.rootfd, "f", 0755), 0);
	restore(0);
	ck_assert(bed_is(&b, "d/x", "x"));
	ck_assert_uint_eq(mode_of("d"), 0711);
	ck_assert(bed_is(&b, "f", "f"));
}
END_TEST

START_TEST(folders_nobody_may_write_in)
{
	ck_assert_int_eq(mkdirat(b.rootfd, "d", 0755), 0);
	bed_text(&b, "d/x", "x");
	ck_assert_int_eq(fchmodat(b.rootfd, "d", 0555, 0), 0);
	keep("d", true);
	ck_assert_int_eq(fchmodat(b.rootfd, "d", 0755, 0), 0);
	bed_text(&b, "d/x", "y");
	ck_assert_int_eq(fchmodat(b.rootfd, "d", 0555, 0), 0);
	restore(0);
	ck_assert(bed_is(&b, "d/x", "x"));
	ck_assert_uint_eq(mode_of("d"), 0555);
	ck_assert_int_eq(fchmodat(b.rootfd, "d", 0755, 0), 0);
}
END_TEST

START_TEST(what_cannot_be_kept_is_not_replaced)
{
	bed_text(&b, "f", "old");
	keep("f", false);
	ck_assert_int_eq(unlinkat(b.rootfd, "f", 0), 0);
	ck_assert_int_eq(mkfifoat(b.rootfd, "f", 0600), 0);
	restore(1);
	ck_assert_uint_eq(mode_of("f"), 0600);
	ck_assert(faccessat(b.rootfd, "f", F_OK, 0) == 0);
}
END_TEST

START_TEST(a_second_name_outside_is_not_touched)
{
	char *outside = xasprintf("%s/outside", b.log.dir);
	int fd = open(outside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	bed_text(&b, "f", "old");
	keep("f", false);
	ck_assert_int_eq(write(fd, "secret", 6), 6);
	close(fd);
	ck_assert_int_eq(unlinkat(b.rootfd, "f", 0), 0);
	ck_assert_int_eq(linkat(AT_FDCWD, outside, b.rootfd, "f", 0), 0);
	restore(0);
	ck_assert(bed_is(&b, "f", "old"));
	ck_assert(bed_is(&b, "../outside", "secret"));
	free(outside);
}
END_TEST

START_TEST(a_folder_that_became_a_link_leads_nowhere)
{
	char *outside = xasprintf("%s/elsewhere", b.log.dir);

	ck_assert_int_eq(mkdir(outside, 0755), 0);
	ck_assert_int_eq(mkdirat(b.rootfd, "d", 0755), 0);
	bed_text(&b, "d/x", "old");
	keep("d/x", false);
	ck_assert_int_eq(unlinkat(b.rootfd, "d/x", 0), 0);
	ck_assert_int_eq(unlinkat(b.rootfd, "d", AT_REMOVEDIR), 0);
	ck_assert_int_eq(symlinkat(outside, b.rootfd, "d"), 0);
	restore(1);
	ck_assert(bed_is(&b, "../elsewhere/x", NULL));
	ck_assert(link_is("d", outside));
	free(outside);
}
END_TEST

START_TEST(what_an_interrupted_restore_left_goes)
{
	bed_text(&b, "f", "old");
	keep("f", false);
	bed_text(&b, "f", "new");
	bed_text(&b, ".sandbox-restore.0123456789abcdef", "the only copy?");
	restore(0);
	ck_assert(bed_is(&b, "f", "old"));
	ck_assert(bed_is(&b, ".sandbox-restore.0123456789abcdef", NULL));
	/* It was kept, and is named by no list that goes before the log does. */
}
END_TEST

UNIT_MAIN("audit/originals",
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, lists_say_exactly_what_was_there);
    tcase_add_test(tc, a_list_with_a_bad_line_is_refused);
    tcase_add_test(tc, a_folder_comes_before_what_is_in_it);
    tcase_add_test(tc, what_is_too_large_is_said);
    tcase_add_test(tc, nothing_outside_is_looked_at);
    tcase_add_test(tc, a_link_on_the_way_is_not_followed);
    tcase_add_test(tc, an_edited_file_and_its_mode);
    tcase_add_test(tc, what_was_made_goes_and_its_folders);
    tcase_add_test(tc, a_folder_with_a_strangers_file_stays);
    tcase_add_test(tc, links_come_back_as_links);
    tcase_add_test(tc, a_file_where_a_folder_was_and_back);
    tcase_add_test(tc, folders_nobody_may_write_in);
    tcase_add_test(tc, what_cannot_be_kept_is_not_replaced);
    tcase_add_test(tc, a_second_name_outside_is_not_touched);
    tcase_add_test(tc, a_folder_that_became_a_link_leads_nowhere);
    tcase_add_test(tc, what_an_interrupted_restore_left_goes);
)
