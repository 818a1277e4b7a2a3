/* common/clock, id, proc: times, names, processes. */
#include "common/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/id.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

#include "common/banned.h"

/* --- clock, id --- */

START_TEST(clock_tells)
{
	struct clock a, b;
	struct err e;
	char text[21];

	ck_assert_int_eq(clock_now(&a, &e), 0);
	ck_assert_int_eq(clock_now(&b, &e), 0);
	ck_assert_str_eq(a.boot_id, b.boot_id);
	ck_assert_uint_eq(strlen(a.boot_id), 36);
	ck_assert(b.boot_ms >= a.boot_ms && clock_boot_ms() >= b.boot_ms);
	ck_assert(a.wall_ms > 1700000000000);
	clock_format(1700000000999, text);
	ck_assert_str_eq(text, "2023-11-14T22:13:20Z");
	clock_format(0, text);
	ck_assert_str_eq(text, "1970-01-01T00:00:00Z");
	clock_format(INT64_MAX, text);		/* a year of nine digits */
	ck_assert_str_eq(text, "?");
}
END_TEST

START_TEST(id_has_its_shape)
{
	char a[ID_MAX + 1], b[ID_MAX + 1];

	id_make(0x123456789abc, 0x7fffffff, a);
	ck_assert(id_ok(a));
	ck_assert_str_eq(a + 16, "-123456789abc-7fffffff");
	ck_assert_uint_eq(strlen(a), ID_MAX);
	id_make(0x123456789abc, 1, b);
	ck_assert(id_ok(b));
	ck_assert_str_eq(b + 16, "-123456789abc-1");
	ck_assert_int_ne(memcmp(a, b, 16), 0);
}
END_TEST

static const char *const bad_ids[] = {
	"", "-", ".", "..", "0123456789abcdef-0123456789ab-",
	"0123456789abcdef-0123456789ab", "0123456789abcdef-0123456789ab-1/",
	"0123456789ABCDEF-0123456789ab-1", "0123456789abcdef-0123456789ab-g",
	"0123456789abcdef_0123456789ab-1", "0123456789abcdef-0123456789ab_1",
	"0123456789abcde-0123456789ab-11", "0123456789abcdef-0123456789a-1f",
	"0123456789abcdef0-0123456789ab-1", "0123456789abcdef-0123456789abc-1",
	"0123456789abcdef-0123456789ab-123456789",
	"0123456789abcdef-0123456789ab-1-a", "../../../../etc/passwd00000000-",
	"0123456789abcdef-0123456789ab-1\n",
};

START_TEST(id_refuses_other_shapes)
{
	ck_assert_msg(!id_ok(bad_ids[_i]), "%s", bad_ids[_i]);
}
END_TEST

START_TEST(id_prefixes)
{
	ck_assert(id_prefix_ok("0") && id_prefix_ok("41c9-"));
	ck_assert(!id_prefix_ok("") && !id_prefix_ok("X") &&
	    !id_prefix_ok("../1") && !id_prefix_ok("41C9"));
	ck_assert(id_prefix_ok("00000000000000000000000000000000000000"));
	ck_assert(!id_prefix_ok("000000000000000000000000000000000000000"));
}
END_TEST

START_TEST(id_orders_by_time)
{
	const char *ids[] = {
		"0000000000000000-000000000003-1",
		"ffffffffffffffff-000000000001-1",
		"bbbbbbbbbbbbbbbb-000000000002-1",
		"aaaaaaaaaaaaaaaa-000000000002-1",
	};

	qsort(ids, ARRAY_LEN(ids), sizeof ids[0], id_compare);
	ck_assert_int_eq(ids[0][0], 'f');
	ck_assert_int_eq(ids[1][0], 'a');
	ck_assert_int_eq(ids[2][0], 'b');
	ck_assert_int_eq(ids[3][0], '0');
}
END_TEST

/* --- proc --- */

START_TEST(proc_knows_itself)
{
	struct proc_id me, up[64];
	struct err e;
	pid_t parent;
	int n;

	ck_assert_int_eq(proc_read(getpid(), &me, &parent, &e), 0);
	ck_assert_int_eq(parent, getppid());
	ck_assert(proc_alive(&me));
	me.start++;
	ck_assert(!proc_alive(&me));
	n = proc_ancestors(up, ARRAY_LEN(up), &e);
	ck_assert_int_ge(n, 1);
	ck_assert_int_eq(up[0].pid, getppid());
	ck_assert(proc_alive(&up[0]));
	ck_assert_int_eq(proc_ancestors(up, 1, &e), 1);
	ck_assert_int_eq(proc_read(-1, &me, NULL, &e), -1);
	ck_assert_int_eq(e.sys, ENOENT);
}
END_TEST

/* A process may call itself anything, also what looks like its own stat. */
START_TEST(proc_is_not_fooled_by_a_name)
{
	struct proc_id before, after;
	FILE *f = fopen("/proc/self/comm", "w");

	ck_assert_int_eq(proc_read(getpid(), &before, NULL, NULL), 0);
	ck_assert_ptr_nonnull(f);
	fputs(") R 1 1 1 (x", f);
	fclose(f);
	pid_t parent;
	ck_assert_int_eq(proc_read(getpid(), &after, &parent, NULL), 0);
	ck_assert_int_eq(parent, getppid());
	ck_assert(before.start == after.start);
}
END_TEST

START_TEST(proc_sees_an_end)
{
	struct proc_id child;
	int p[2];
	pid_t pid;

	ck_assert_int_eq(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		char c;

		close(p[1]);
		_exit(read(p[0], &c, 1) == 0 ? 0 : 1);
	}
	ck_assert_int_eq(proc_read(pid, &child, NULL, NULL), 0);
	ck_assert(proc_alive(&child));
	close(p[0]);
	close(p[1]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(!proc_alive(&child));
}
END_TEST

UNIT_MAIN("common/proc",
	tcase_add_test(tc, clock_tells);
	tcase_add_test(tc, id_has_its_shape);
	tcase_add_loop_test(tc, id_refuses_other_shapes, 0,
	    (int)ARRAY_LEN(bad_ids));
	tcase_add_test(tc, id_prefixes);
	tcase_add_test(tc, id_orders_by_time);
	tcase_add_test(tc, proc_knows_itself);
	tcase_add_test(tc, proc_is_not_fooled_by_a_name);
	tcase_add_test(tc, proc_sees_an_end);
)
