/* Other paths to what is mounted twice. */
#include <stdio.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/mountinfo.h"
#include "tests/unit/unit.h"

static const char *const lines[] = {
	"21 1 8:1 / / rw - ext4 /dev/sda1 rw",
	"22 21 8:2 / /home rw shared:1 - ext4 /dev/sda2 rw",
	"23 21 8:2 /u/secret /mnt/s rw - ext4 /dev/sda2 rw",
	"24 21 8:2 /u /srv/a\\040b rw - ext4 /dev/sda2 rw",
	"25 21 8:1 /etc/keys/deep /mnt/deep rw - ext4 /dev/sda1 rw",
	"26 21 0:5 / /home/u/over rw - tmpfs tmpfs rw",
	"27 21 0:9 net:[1] /run/netns/x rw - nsfs nsfs rw",
	"28 21 8:2", "", "x",
};

static const struct { const char *path, *want; } rows[] = {
	{ "/home/u/secret", "/mnt/s=/home/u/secret "
	  "/srv/a b/secret=/home/u/secret " },
	{ "/home/u/secret/k", "/mnt/s/k=/home/u/secret/k "
	  "/srv/a b/secret/k=/home/u/secret/k " },
	{ "/home/u", "/mnt/s=/home/u/secret /srv/a b=/home/u " },
	{ "/mnt/s", "/home/u/secret=/mnt/s /srv/a b/secret=/mnt/s " },
	{ "/etc/keys", "/mnt/deep=/etc/keys/deep " },
	{ "/etc/keys/deep/k", "/mnt/deep/k=/etc/keys/deep/k " },
	{ "/etc/keyschain", "" },
	{ "/home/u/over/x", "" },
	{ "/home/v", "" },
	{ "/etc", "/mnt/deep=/etc/keys/deep " },
};

START_TEST(a_path_has_one_through_each_mount_that_shows_it)
{
	struct mountinfo m = { 0 };
	struct list got = { 0 };
	struct str s;

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		mountinfo_parse(&m, lines[i]);
	ck_assert_uint_eq(m.n, 6);
	mountinfo_aliases(&m, rows[_i].path, &got);
	str_init(&s, 4096);
	for (size_t i = 0; i + 1 < got.n; i += 2)
		str_addf(&s, "%s=%s ", got.v[i], got.v[i + 1]);
	ck_assert_str_eq(s.s, rows[_i].want);
	str_clear(&s);
	list_clear(&got);
	mountinfo_clear(&m);
}
END_TEST

START_TEST(this_process_has_mounts)
{
	struct mountinfo m;

	mountinfo_read(&m);
	ck_assert_uint_gt(m.n, 0);
	mountinfo_clear(&m);
}
END_TEST

UNIT_MAIN("jail/mountinfo",
	tcase_add_loop_test(tc, a_path_has_one_through_each_mount_that_shows_it,
	    0, (int)ARRAY_LEN(rows));
	tcase_add_test(tc, this_process_has_mounts);
)
