/* Sockets of the host, under whatever name they are reached. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "jail/scan.h"
#include "tests/unit/jail_bed.h"

static struct bed bed;
static struct spec spec;
static struct scene scene;
static struct err e;
static char *variables[2];

static void
setup(void)
{
	bed_open(&bed);
	variables[0] = NULL;
	spec_init(&spec);
	list_add(&spec.list[SPEC_ALLOW_WRITE], xstrdup(bed.cwd));
}

static void
teardown(void)
{
	scene_clear(&scene);
	spec_clear(&spec);
	bed_close(&bed);
}

static void
look(void)
{
	static const struct list none;
	const struct scan_place place = { .cwd = bed.cwd, .home = bed.home,
	    .closed = &none, .environ = variables };

	ck_assert_msg(scan(&spec, &place, &scene, &e) == 0, "%s", e.text);
}

static unsigned
mark_of(const char *path)
{
	for (size_t i = 0; i < scene.marks.n; i++)
		if (strcmp(scene.marks.v[i].path, path) == 0)
			return scene.marks.v[i].why;
	return 0;
}

/* Bound under one name, which is all that the kernel lists. */
static int
bind_at(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	return fd;
}

#define ck_socket(below, name, want) do {				\
	auto_free char *path_ = xasprintf("%s/%s", below, name);	\
	ck_assert_uint_eq(mark_of(path_), want);			\
} while (0)

START_TEST(sockets_in_writable_places_are_marked)
{
	auto_free char *path = xasprintf("%s/s", bed.cwd);
	int fd = bind_at(path);

	look();
	ck_socket(bed.cwd, "s", MARK_SOCKET);
	close(fd);
}
END_TEST

START_TEST(a_socket_is_found_under_its_other_names)
{
	auto_free char *out = xasprintf("%s/out", bed.dir);
	auto_free char *a = xasprintf("%s/a", out), *b = xasprintf("%s/b", out);
	auto_free char *c = xasprintf("%s/.ssh/cm-c", bed.home);
	int fd;

	put(bed.dir, "out", NULL);
	put(bed.home, ".ssh/x", "x");
	put(bed.dir, "out/file", "x");
	fd = bind_at(a);
	ck_assert_int_eq(link(a, c), 0);
	ck_assert_int_eq(rename(a, b), 0);
	look();
	ck_socket(out, "b", MARK_SOCKET);
	ck_socket(out, "file", 0);
	ck_socket(bed.home, ".ssh/cm-c", MARK_SOCKET);
	close(fd);
}
END_TEST

START_TEST(a_socket_with_a_relative_name_is_found)
{
	auto_free char *far = xasprintf("%s/far", bed.dir);
	char here[4096];
	int fd;

	put(bed.dir, "far", NULL);
	ck_assert_ptr_nonnull(getcwd(here, sizeof here));
	ck_assert_int_eq(chdir(far), 0);
	fd = bind_at("d");
	look();
	ck_assert_int_eq(chdir(here), 0);
	ck_socket(far, "d", MARK_SOCKET);
	close(fd);
}
END_TEST

static const char *const says[] = {
	"SSH_AUTH_SOCK=%s/n/s", "DOCKER_HOST=unix://%s/n/s",
	"DBUS_SESSION_BUS_ADDRESS=unix:path=%s/n/s,guid=1", "TMUX=%s/n/s,1,0",
};

START_TEST(a_socket_that_a_variable_names_is_found)
{
	auto_free char *at_first = xasprintf("%s/x", bed.dir);
	auto_free char *there_now = xasprintf("%s/n/s", bed.dir);
	auto_free char *before = xstrndup(says[_i], strcspn(says[_i], "%"));
	auto_free char *value = xasprintf("%s%s/n/s%s", before, bed.dir,
	    strstr(says[_i], "/n/s") + 4);
	int fd;

	put(bed.dir, "n", NULL);
	fd = bind_at(at_first);
	ck_assert_int_eq(rename(at_first, there_now), 0);
	variables[0] = value;
	look();
	ck_assert_uint_eq(mark_of(there_now), MARK_SOCKET);
	close(fd);
}
END_TEST

UNIT_MAIN("jail/sockets",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, sockets_in_writable_places_are_marked);
	tcase_add_test(tc, a_socket_is_found_under_its_other_names);
	tcase_add_test(tc, a_socket_with_a_relative_name_is_found);
	tcase_add_loop_test(tc, a_socket_that_a_variable_names_is_found, 0,
	    (int)ARRAY_LEN(says));
)
