/* Remembered decisions: which of the lines in the file count. */
#include "tests/unit/remember_bed.h"

START_TEST(only_in_its_session)
{
	struct memory m;
	struct remembered r;
	struct str line;

	memory_open(&m, TEXT);
	r = make(&m, "git push", REMEMBER_COMMAND);
	r.has_session = true;
	digest_of("s1", 2, NULL, &r.session);
	remember_sign(&r, "t", seed);
	str_init(&line, 8192);
	remember_put(&r, &line);
	write_file(line.s, line.len);
	ck_assert_uint_eq(policy_recall(m.b.policy, &m.from), 1);
	for (int i = 0; i < 3; i++) {
		static const char *const session[] = { "s1", "s2", NULL };
		cJSON *input = json_object();
		struct call c = { .tool = "Bash", .input = input, .cwd = "/p",
		    .session = session[i] };

		json_add_str(input, "command", "git push");
		policy_decide(m.b.policy, m.b.world, &c, m.b.j);
		ck_assert_int_eq(m.b.j->verdict.action, i == 0 ?
		    ACTION_ALLOW : ACTION_ESCALATE);
		json_free(input);
	}
	str_clear(&line);
	remembered_clear(&r);
	memory_close(&m);
}
END_TEST

START_TEST(expired_forgotten_or_of_tomorrow)
{
	struct memory m;
	struct recall_from at;

	memory_open(&m, TEXT);
	remember(&m, "git push", REMEMBER_COMMAND);
	at = m.from;
	at.wall_ms = NOW + 999;
	ck_assert_uint_eq(policy_recall(m.b.policy, &at), 1);
	at.wall_ms = NOW + 1000;
	ck_assert_uint_eq(policy_recall(m.b.policy, &at), 0);
	ck_action(&m.b, "git push", ACTION_ESCALATE);
	at.wall_ms = NOW - 1;	/* a clock that was put back */
	ck_assert_uint_eq(policy_recall(m.b.policy, &at), 0);
	ck_assert_uint_eq(policy_recall(m.b.policy, &m.from), 1);
	ck_action(&m.b, "git push", ACTION_ALLOW);

	auto_free char *mark = xasprintf("%s" REMEMBER_GONE,
	    m.b.policy->memory->list[0].id);

	ck_assert_int_eq(fs_write_new(dir, mark, "", 0, false, NULL), 0);
	ck_assert_uint_eq(policy_recall(m.b.policy, &m.from), 0);
	ck_action(&m.b, "git push", ACTION_ESCALATE);
	memory_close(&m);
}
END_TEST

/* Every byte of the line changed, one after the other. */
START_TEST(not_a_byte_may_be_another)
{
	struct memory m;
	struct remembered r;
	struct str line;
	size_t lifted = 0;

	memory_open(&m, TEXT);
	r = make(&m, "git push -q", REMEMBER_COMMAND);
	str_init(&line, 8192);
	remember_put(&r, &line);
	for (size_t i = 0; i < line.len - 1; i++) {
		char was = line.s[i];

		line.s[i] = was == '0' ? '1' : '0';
		write_file(line.s, line.len);
		policy_recall(m.b.policy, &m.from);
		/* The name of who did it is for people, and not signed. */
		if (bench_shell(&m.b, "git push -q") > ACTION_ESCALATE)
			lifted++;
		line.s[i] = was;
	}
	ck_assert_uint_eq(lifted, strlen("alice"));
	str_clear(&line);
	remembered_clear(&r);
	memory_close(&m);
}
END_TEST

START_TEST(damaged_lines_are_counted)
{
	static const char text[] = "{}\n\nnot json\n{\"stmt\":\"x\",\"sig\":"
	    "\"\",\"what\":\"\",\"who\":\"\"}";
	struct remembered_list l;
	struct memory m;

	memory_open(&m, TEXT);
	remember_parse(text, sizeof(text) - 1, "t", &l);
	ck_assert_uint_eq(l.n, 0);
	ck_assert_uint_eq(l.damaged, 4);
	remembered_list_clear(&l);
	write_file(text, sizeof(text) - 1);
	ck_assert_int_eq(fchmodat(dir, REMEMBER_FILE, 0644, 0), 0);
	ck_assert_uint_eq(policy_recall(m.b.policy, &m.from), 0);
	memory_close(&m);
}
END_TEST

START_TEST(another_key_another_project)
{
	struct memory m;
	struct remembered r;
	struct str line;
	unsigned char other[SIGN_SEED] = { 9 };

	memory_open(&m, TEXT);
	str_init(&line, 8192);
	r = make(&m, "git push", REMEMBER_COMMAND);
	remember_sign(&r, "t", other);
	ck_assert_str_eq(remember_defect(&r, &m.from, &ring),
	    "not signed by an approver");
	remember_put(&r, &line);
	write_file(line.s, line.len);
	ck_assert_uint_eq(policy_recall(m.b.policy, &m.from), 1);
	ck_action(&m.b, "git push", ACTION_ESCALATE);
	str_reset(&line);
	remember_sign(&r, "u", seed);
	remember_put(&r, &line);
	write_file(line.s, line.len);
	ck_assert_uint_eq(policy_recall(m.b.policy, &m.from), 0);
	remember_sign(&r, "t", seed);
	ck_assert_ptr_null(remember_defect(&r, &m.from, &ring));
	str_clear(&line);
	remembered_clear(&r);
	memory_close(&m);
}
END_TEST

/* A file full of forgeries costs a bounded number of signatures. */
START_TEST(many_forgeries)
{
	struct memory m;
	struct remembered r;
	struct str file;
	unsigned char other[SIGN_SEED] = { 9 };

	memory_open(&m, TEXT);
	str_init(&file, REMEMBER_BYTES);
	r = make(&m, "git push", REMEMBER_COMMAND);
	remember_sign(&r, "t", other);
	for (int i = 0; i < 100; i++)
		remember_put(&r, &file);
	remember_sign(&r, "t", seed);
	remember_put(&r, &file);
	write_file(file.s, file.len);
	ck_assert_uint_eq(policy_recall(m.b.policy, &m.from), 101);
	ck_action(&m.b, "git push", ACTION_ESCALATE);
	str_clear(&file);
	remembered_clear(&r);
	memory_close(&m);
}
END_TEST

UNIT_MAIN("policy/recall",
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, only_in_its_session);
    tcase_add_test(tc, expired_forgotten_or_of_tomorrow);
    tcase_add_test(tc, not_a_byte_may_be_another);
    tcase_add_test(tc, damaged_lines_are_counted);
    tcase_add_test(tc, another_key_another_project);
    tcase_add_test(tc, many_forgeries);
)
