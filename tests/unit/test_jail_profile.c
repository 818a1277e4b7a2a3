/* Settings that have a name: what they hide, and where they hold. */
#include <string.h>

#include "jail/profile.h"
#include "jail/scan.h"
#include "tests/unit/jail_bed.h"

static struct bed bed;
static struct spec spec;
static struct scene scene;
static struct err e;

static void
setup(void)
{
	bed_open(&bed);
	spec_init(&spec);
}

static void
teardown(void)
{
	scene_clear(&scene);
	spec_clear(&spec);
	bed_close(&bed);
}

static void
look(const char *name)
{
	static const struct list none;
	const struct scan_place place = { .cwd = bed.place.cwd,
	    .home = bed.home, .closed = &none };

	ck_assert_msg(profile_load(name, &bed.place, true, &spec, &e) == 0,
	    "%s", e.text);
	ck_assert_msg(scan(&spec, &place, &scene, &e) == 0, "%s", e.text);
}

static bool
hidden(const char *below, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", below, name);

	for (size_t i = 0; i < scene.marks.n; i++)
		if ((scene.marks.v[i].why & (MARK_DENY_READ | MARK_READ)) ==
		    MARK_DENY_READ && path_in(path, scene.marks.v[i].path))
			return true;
	return false;
}

static const char *const of_projects[] = {
	".env", "a/.env.local", "a/b/id_rsa", ".git-credentials",
	".aws/credentials", "config/master.key", "x.tfstate",
	"service-account-1.json", "k/secrets.yml", "a/.netrc",
};
static const char *const stay[] = {
	".env.example", "t/cert.pem", "t/test.key", "credentials.py", "a.json",
	".npmrc",
};
static const char *const of_homes[] = {
	".ssh/id_rsa", ".aws/credentials", ".config/github-copilot/apps.json",
	".config/glab-cli/config.yml", ".config/git/credentials",
	".config/BraveSoftware/x", ".config/microsoft-edge/x",
	"snap/firefox/x", ".local/share/opencode/auth.json",
	".config/containers/auth.json", ".config/sops/age/keys.txt",
	".databrickscfg", ".kaggle/kaggle.json", ".cache/huggingface/token",
	".terraformrc", ".s3cfg", ".boto", ".local/share/kwalletd/x",
	".pki/nssdb/key4.db", ".bitcoin/wallet.dat", ".Xauthority",
	".cargo/credentials.toml", ".claude.json",
};

static void
fill(const char *project, const char *home)
{
	for (size_t i = 0; i < ARRAY_LEN(of_projects); i++)
		put(project, of_projects[i], "secret");
	for (size_t i = 0; i < ARRAY_LEN(stay); i++)
		put(project, stay[i], "x");
	for (size_t i = 0; i < ARRAY_LEN(of_homes); i++)
		put(home, of_homes[i], "secret");
}

static void
check(const char *project, const char *home)
{
	for (size_t i = 0; i < ARRAY_LEN(of_projects); i++)
		ck_assert_msg(hidden(project, of_projects[i]), "%s",
		    of_projects[i]);
	for (size_t i = 0; i < ARRAY_LEN(stay); i++)
		ck_assert_msg(!hidden(project, stay[i]), "%s", stay[i]);
	for (size_t i = 0; i < ARRAY_LEN(of_homes); i++)
		ck_assert_msg(hidden(home, of_homes[i]), "%s", of_homes[i]);
}

START_TEST(secrets_of_project_and_home_are_hidden)
{
	fill(bed.cwd, bed.home);
	look("project");
	check(bed.cwd, bed.home);
}
END_TEST

/* ssh, git and our own programs ask the password database, not HOME. */
START_TEST(secrets_of_the_accounts_own_home_are_hidden_too)
{
	auto_free char *account = xasprintf("%s/u", bed.dir);

	put(bed.dir, "u", NULL);
	fill(bed.cwd, account);
	bed.place.account = account;
	look("project");
	check(bed.cwd, account);
}
END_TEST

static const char *const odd[] = {
	"app[1]", "what?", "st*r", "back\\slash", "a b", "nl\nx", "[a",
};

START_TEST(a_directory_of_any_name_hides_its_secrets)
{
	auto_free char *project = xasprintf("%s/%s", bed.dir, odd[_i]);
	auto_free char *home = xasprintf("%s/h%s", bed.dir, odd[_i]);

	ck_assert_int_eq(mkdir(project, 0700), 0);
	ck_assert_int_eq(mkdir(home, 0700), 0);
	fill(project, home);
	bed.place.cwd = project;
	bed.place.home = home;
	look("project");
	check(project, home);
	ck_assert_uint_eq(scene.roots.n, 1);
	ck_assert_str_eq(scene.roots.v[0], project);
}
END_TEST

/* A pattern for it would have all of the machine looked at. */
START_TEST(a_home_that_is_the_root_has_plain_names)
{
	bed.place.home = "/";
	ck_assert_int_eq(profile_load("project", &bed.place, true, &spec, &e),
	    0);
	ck_assert(list_has(&spec.list[SPEC_DENY_READ], "/.ssh"));
}
END_TEST

/* From home or "/" everything below would be writable. */
START_TEST(what_is_no_project_is_not_opened_as_one)
{
	static const char *const writing[] = { "project", "build" };

	for (size_t i = 0; i < ARRAY_LEN(writing); i++) {
		ck_assert_int_eq(profile_load(writing[i], &bed.place, false,
		    &spec, &e), -1);
		ck_assert_msg(strstr(e.text, "not in a project") != NULL,
		    "%s", e.text);
	}
	ck_assert_int_eq(profile_load("read-only", &bed.place, false, &spec,
	    &e), 0);
	ck_assert_uint_eq(spec.list[SPEC_ALLOW_WRITE].n, 0);
}
END_TEST

UNIT_MAIN("jail/profile",
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, secrets_of_project_and_home_are_hidden);
	tcase_add_test(tc, secrets_of_the_accounts_own_home_are_hidden_too);
	tcase_add_loop_test(tc, a_directory_of_any_name_hides_its_secrets, 0,
	    (int)ARRAY_LEN(odd));
	tcase_add_test(tc, a_home_that_is_the_root_has_plain_names);
	tcase_add_test(tc, what_is_no_project_is_not_opened_as_one);
)
