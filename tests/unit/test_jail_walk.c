/* Looking at everything below a directory, and at what cannot be. */
#include <dirent.h>
#include <string.h>

#include "common/str.h"
#include "jail/walk.h"
#include "tests/unit/jail_scene.h"

static enum walk_next
count(void *arg, const struct walk_entry *ent)
{
	(void)ent;
	++*(unsigned *)arg;
	return WALK_ON;
}

START_TEST(a_walk_ends_where_its_budget_does)
{
	unsigned seen = 0;
	long budget = 3;

	put(bed.cwd, "a", "x");
	put(bed.cwd, "b/c", "x");
	link_to("b", "l");
	ck_assert_int_eq(walk(bed.cwd, count, &seen, &budget, &e), -1);
	ck_assert(strstr(e.text, "name smaller ones") != NULL);
	budget = 100;
	seen = 0;
	ck_assert_int_eq(walk(bed.cwd, count, &seen, &budget, &e), 0);
	ck_assert_uint_eq(seen, 4);
	ck_assert_int_eq(walk("/nowhere", count, &seen, &budget, &e), 0);
}
END_TEST

static enum walk_next
find_full(void *arg, const struct walk_entry *ent)
{
	struct str *seen = arg;

	if (ent->deepest)
		str_addf(seen, "%s ", ent->name);
	return WALK_ON;
}

/* Its budget is of what is kept at once: it counts again what was left. */
START_TEST(a_walk_that_must_see_all_tells_what_it_has_no_room_for)
{
	const struct walk_entry top = { .path = bed.cwd, .name = bed.cwd,
	    .dirfd = AT_FDCWD, .type = DT_DIR };
	long budget = 3;
	struct str seen;

	for (int i = 0; i < 30; i++) {
		auto_free char *one = xasprintf("%c/%d", 'a' + i % 5, i / 5);
		auto_free char *many = xasprintf("b/full/%d", i);

		put(bed.cwd, one, "x");
		put(bed.cwd, many, "x");
	}
	str_init(&seen, 100);
	ck_assert_int_eq(walk_below(&top, find_full, &seen, &budget, &e), -1);
	budget = 16;
	ck_assert_int_eq(walk_below(&top, find_full, &seen, &budget, &e), 0);
	ck_assert_str_eq(seen.s, "full ");
	ck_assert_int_eq(budget, 16);
	str_clear(&seen);
}
END_TEST

struct refusals {
	unsigned n, opens_at, seen;
};

/* Root, who is refused nothing, becomes somebody else but for this. */
static void
set_mode(const char *path, mode_t mode)
{
	ck_assert_int_eq(seteuid(getuid()), 0);
	ck_assert_int_eq(chmod(path, mode), 0);
	ck_assert_int_eq(seteuid(getuid() == 0 ? 65534 : getuid()), 0);
}

static enum walk_next
refuse(void *arg, const struct walk_entry *ent)
{
	struct refusals *r = arg;

	r->seen += strcmp(ent->name, "x") == 0;
	if (ent->refused == 0)
		return WALK_ON;
	ck_assert_uint_eq(ent->refused, ++r->n);
	if (r->n == r->opens_at)
		set_mode(ent->path, 0755);
	return r->n == 5 ? WALK_SKIP : WALK_ON;
}

START_TEST(a_walk_that_must_see_all_is_asked_about_what_is_closed)
{
	auto_free char *one = at("one");
	struct refusals opened = { 0, 3, 0 }, closed = { 0 }, none = { 0 };
	const struct walk_entry top = { .path = bed.cwd, .name = bed.cwd,
	    .dirfd = AT_FDCWD, .type = DT_DIR };
	long budget = 100;

	put(bed.cwd, "one/x", "x");
	set_mode(bed.dir, 0755);
	set_mode(bed.cwd, 0755);
	set_mode(one, 0);
	ck_assert_int_eq(walk(bed.cwd, refuse, &none, &budget, &e), 0);
	ck_assert_int_eq(walk_below(&top, refuse, &closed, &budget, &e), 0);
	ck_assert_int_eq(walk_below(&top, refuse, &opened, &budget, &e), 0);
	ck_assert(none.n == 0 && closed.n == 5 && opened.n == 3);
	ck_assert(closed.seen == 0 && opened.seen == 1);
	ck_assert_int_eq(seteuid(getuid()), 0);
}
END_TEST

UNIT_MAIN("jail/walk",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_walk_ends_where_its_budget_does);
	tcase_add_test(tc,
	    a_walk_that_must_see_all_tells_what_it_has_no_room_for);
	tcase_add_test(tc,
	    a_walk_that_must_see_all_is_asked_about_what_is_closed);
)
