/* From marks on paths to mounts: which rule wins, what is pinned. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/env.h"
#include "jail/gitconfig.h"
#include "jail/names.h"
#include "jail/plan.h"
#include "tests/unit/unit.h"

struct in {
	const char	*path;
	unsigned	 why;
	bool		 file;
};

/* "kind path [make]" per line. */
static char *
planned(const struct in *in, size_t n)
{
	static const char *const kinds[] = {
		[OP_HIDE] = "hide", [OP_PRIVATE] = "private",
		[OP_READ] = "read", [OP_WRITE] = "write", [OP_DIR] = "dir",
	};
	struct marks m = { 0 };
	struct plan p = { 0 };
	struct err e = { 0 };
	struct str s;

	for (size_t i = 0; i < n; i++)
		if (in[i].path != NULL)
			marks_add(&m, in[i].path, in[i].why, !in[i].file);
	str_init(&s, 4096);
	if (plan_make(&m, &p, &e) == -1)
		str_add(&s, e.text);
	for (size_t i = 0; i < p.n; i++)
		str_addf(&s, "%s %s%s\n", kinds[p.v[i].kind], p.v[i].path,
		    p.v[i].make ? " make" : "");
	plan_clear(&p);
	marks_clear(&m);
	return str_take(&s);
}

static const struct {
	struct in	 in[6];
	const char	*want;
} plans[] = {
	{ { { "/w", MARK_WRITE, 0 } }, "write /w\n" },
	/* denied above, denied below, protected */
	{ { { "/w", MARK_WRITE, 0 }, { "/", MARK_DENY_WRITE, 0 } }, "" },
	{ { { "/w", MARK_WRITE, 0 }, { "/w/d", MARK_DENY_WRITE, 0 },
	    { "/w/d/e", MARK_WRITE, 0 } }, "write /w\nread /w/d\n" },
	{ { { "/w", MARK_WRITE, 0 }, { "/w/a/b/.bashrc", MARK_NAME, 1 } },
	  "write /w\nwrite /w/a\nwrite /w/a/b\nread /w/a/b/.bashrc\n" },
	/* a pipe, which a read-only mount does not keep */
	{ { { "/w", MARK_WRITE, 0 }, { "/w/d", MARK_DENY_WRITE, 0 },
	    { "/w/d/p", MARK_PIPE, 1 }, { "/w/q", MARK_PIPE, 1 } },
	  "write /w\nread /w/d\nhide /w/d/p\n" },
	/* given by the caller: in what is hidden, or protected */
	{ { { "/w", MARK_WRITE, 0 }, { "/w/.s", MARK_NAME | MARK_DENY_READ, 0 },
	    { "/w/.s/bus", MARK_OPEN, 0 },
	    { "/w/.s/bus/kept", MARK_DENY_WRITE, 1 } },
	  "write /w\nhide /w/.s\nwrite /w/.s/bus make\n"
	  "read /w/.s/bus/kept\n" },
	/* closed: a setting opens nothing in it, only what is given does */
	{ { { "/k", MARK_CLOSED | MARK_READ, 0 }, { "/k/a", MARK_READ, 0 },
	    { "/k/b", MARK_WRITE, 0 } }, "hide /k\n" },
	{ { { "/k", MARK_CLOSED, 0 }, { "/k/a", MARK_SHOWN, 0 },
	    { "/k/b", MARK_OPEN, 0 }, { "/k/a/c", MARK_CLOSED, 0 } },
	  "hide /k\nread /k/a make\nhide /k/a/c\nwrite /k/b make\n" },
	{ { { "/k", MARK_DENY_READ, 0 }, { "/k/a", MARK_SHOWN, 0 } },
	  "hide /k\nread /k/a make\n" },
	{ { { "/tmp", MARK_PRIVATE, 0 }, { "/tmp/a", MARK_SHOWN, 0 } },
	  "private /tmp\nread /tmp/a make\n" },
	/* the same directory is pinned once */
	{ { { "/w", MARK_WRITE, 0 }, { "/w/.git/config", MARK_NAME, 1 },
	    { "/w/.git/hooks", MARK_NAME, 0 } },
	  "write /w\nwrite /w/.git\nread /w/.git/config\n"
	  "read /w/.git/hooks\n" },
	/* what lies where nothing is writable needs no mount */
	{ { { "/h/.bashrc", MARK_NAME, 1 } }, "" },
	/* reading: the most specific wins, of equal ones the allowance */
	{ { { "/h", MARK_DENY_READ, 0 } }, "hide /h\n" },
	{ { { "/h", MARK_DENY_READ, 0 }, { "/h/w", MARK_READ | MARK_WRITE,
	    0 } }, "hide /h\nwrite /h/w make\n" },
	{ { { "/h", MARK_DENY_READ, 0 }, { "/h/w", MARK_WRITE, 0 } },
	  "hide /h\n" },
	{ { { "/h", MARK_DENY_READ, 0 }, { "/h/w", MARK_READ, 0 },
	    { "/h/w/s", MARK_DENY_READ, 1 } },
	  "hide /h\nread /h/w make\nhide /h/w/s\n" },
	{ { { "/h", MARK_DENY_READ | MARK_READ, 0 } }, "" },
	{ { { "/", MARK_DENY_READ, 0 } },
	  "cannot deny reading '/': name the directories below it" },
	/* hidden in a writable place: its way is pinned */
	{ { { "/w", MARK_WRITE, 0 }, { "/w/a/.env", MARK_DENY_READ, 1 } },
	  "write /w\nwrite /w/a\nhide /w/a/.env\n" },
	/* a place of one's own, and what stays in it */
	{ { { "/tmp", MARK_PRIVATE, 0 }, { "/tmp/p", MARK_WRITE, 0 },
	    { "/tmp/p/.git/config", MARK_NAME, 1 } },
	  "private /tmp\nwrite /tmp/p make\nwrite /tmp/p/.git\n"
	  "read /tmp/p/.git/config\n" },
	{ { { "/tmp", MARK_PRIVATE, 0 }, { "/tmp/p", MARK_CWD, 0 } },
	  "private /tmp\nread /tmp/p make\n" },
	{ { { "/tmp", MARK_PRIVATE | MARK_CWD, 0 } }, "private /tmp\n" },
	{ { { "/tmp", MARK_PRIVATE | MARK_WRITE, 0 } }, "write /tmp\n" },
	/* a socket is hidden where its place is shown */
	{ { { "/run", MARK_PRIVATE, 0 }, { "/run/d.sock", MARK_SOCKET, 1 } },
	  "private /run\n" },
	{ { { "/run", MARK_PRIVATE | MARK_READ, 0 },
	    { "/run/d.sock", MARK_SOCKET, 1 } }, "hide /run/d.sock\n" },
	{ { { "/run", MARK_PRIVATE, 0 }, { "/run/d", MARK_CWD, 0 },
	    { "/run/d/s", MARK_SOCKET, 1 } },
	  "private /run\nread /run/d make\nhide /run/d/s\n" },
	{ { { "/w", MARK_OPEN, 0 }, { "/w/s", MARK_SOCKET | MARK_OPEN, 1 } },
	  "write /w\nhide /w/s\n" },
	{ { { "/run", MARK_PRIVATE, 0 },
	    { "/run/d.sock", MARK_SOCKET | MARK_ALLOW_SOCKET, 1 } },
	  "private /run\nread /run/d.sock make\n" },
	{ { { "/v/d.sock", MARK_SOCKET, 1 } }, "hide /v/d.sock\n" },
	/* somewhere to stand */
	{ { { "/h", MARK_DENY_READ, 0 }, { "/h/x/y", MARK_CWD, 0 } },
	  "hide /h\ndir /h/x/y make\n" },
	{ { { "/h", MARK_DENY_READ | MARK_CWD, 0 } }, "hide /h\n" },
	/* names that only begin alike */
	{ { { "/a", MARK_WRITE, 0 }, { "/a-b", MARK_DENY_READ, 0 },
	    { "/a/c", MARK_DENY_WRITE, 0 } },
	  "write /a\nhide /a-b\nread /a/c\n" },
};

START_TEST(marks_become_mounts)
{
	auto_free char *got = planned(plans[_i].in, ARRAY_LEN(plans[_i].in));

	ck_assert_str_eq(got, plans[_i].want);
}
END_TEST

static const struct { const char *path; bool want; } names[] = {
	{ "/w/.bashrc", true }, { "/w/a/b/.BASHRC", true },
	{ "/w/x.bashrc", false }, { "/w/.bashrc/x", false },
	{ "/w/.claude", true }, { "/w/.mcp.json", true },
	{ "/w/.envrc", true }, { "/w/.husky", true }, { "/w/.vscode", true },
	{ "/w/.github/hooks", true }, { "/w/.github", false },
	{ "/w/.git", false }, { "/w/.git/config", false },
	{ "/w/.sandbox", true }, { "/w/.gitmodules", true },
	{ "/w/node_modules/p/.vscode", false },
	{ "/w/node_modules", false },
	{ "/w/.zlogout", true }, { "/w/.hg/hgrc", true }, { "/w/.hg", false },
	{ "/w/a/.devcontainer", true }, { "/w/.devcontainer.json", true },
	{ "/w/.hg/sharedpath", true }, { "/w/.hg/store", false },
	{ "/w/.hg/hgrc-not-shared", true }, { "/w/.jj/repo", false },
	{ "/w/.jj/repo/config.toml", true }, { "/w/.helix", true },
	{ "/w/.vim", true }, { "/w/.vim/plugin", false },
	{ "/w/.yarnrc.yml", true }, { "/w/hgrc", false },
	{ "/n/node_modules/p/.vscode", true },
	{ "/n/node_modules/q/.vscode", false },
	{ "/n/node_modules/p/node_modules/q/.vscode", false },
	{ "/w/node_modules2/.vscode", true },
};

START_TEST(protected_names_are_found_anywhere)
{
	char w[] = "/w", p[] = "/n/node_modules/p", *places[] = { w, p };
	const struct list l = { places, ARRAY_LEN(places) };

	ck_assert_int_eq(names_guarded(names[_i].path, &l) != GUARD_NONE,
	    names[_i].want);
}
END_TEST

START_TEST(git_knows_its_parts)
{
	ck_assert_int_eq(names_git_part("config"), GIT_CONFIG);
	ck_assert_int_eq(names_git_part("config.worktree"), GIT_CONFIG);
	ck_assert_int_eq(names_git_part("Hooks"), GIT_HOOKS);
	ck_assert_int_eq(names_git_part("commondir"), GIT_LEADS);
	ck_assert_int_eq(names_git_part("HEAD"), GIT_PLAIN);
}
END_TEST

#define CLEAN								\
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"		\
    "[remote \"origin\"]\n\turl = https://h.test/x.git\n"		\
    "\tfetch = +refs/heads/*:refs/remotes/origin/*\n"			\
    "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
static const struct { const char *in, *out; } configs[] = {
	{ CLEAN, CLEAN }, { "", "" }, { "\n", "\n" },
	{ "[core]\n\tfsmonitor = touch x\n", "[core]\n" },
	{ "[core]\n\tworktree = wt\n\tbare = true\n", "[core]\n\tbare = true\n" },
	{ "[CORE]\n\tFsMonitor = x\n\tBare = false\n",
	  "[CORE]\n\tBare = false\n" },
	{ "[core] fsmonitor = x\n\tbare = true\n", "" },
	{ "[core] ; c\n\tbare = true\n", "" },
	{ "[core \"x\\\"\"]\n\tbare = true\n", "" },
	{ "[core]\n\tbare = true\\\n[alias]\n\tx = !sh\n",
	  "[core]\n[alias]\n" },
	{ "[include]\n\tpath = evil\n", "[include]\n" },
	{ "[user]\n\tname = \"a\n[core]\n\tpager = x\n", "[user]\n[core]\n" },
	{ "[remote \"o\"]\n\turl = ext::sh -c id\n", "[remote \"o\"]\n" },
	{ "[remote \"o\"]\n\turl = --upload-pack=x\n", "[remote \"o\"]\n" },
	{ "[remote \"o\"]\n\tuploadpack = x\n", "[remote \"o\"]\n" },
	{ "bare = true\n", "" }, { "# note\n[core]\n", "[core]\n" },
	{ "[core]\r\n\tbare = true\n", "" },
	{ "[core]\n\tbare\n", "[core]\n" },
	{ "[core]\n\tbare = a\vb\n", "[core]\n" },
	{ "[core]\n\tbare = true", "[core]\n\tbare = true\n" },
	{ "\xef\xbb\xbf[core]\n\tbare = true\n", "" },
	{ "[core.x]\n\tbare = true\n", "" },
	{ "[a-name-that-is-longer-than-any-section-that-git-has-ever-known-"
	  "anywhere]\n\tbare = true\n", "" },
};

START_TEST(of_a_git_configuration_bookkeeping_stays)
{
	auto_str struct str got = { 0 }, left = { 0 };

	str_init(&got, 4096);
	str_init(&left, 4096);
	gitconfig_filter(configs[_i].in, strlen(configs[_i].in), &got,
	    &left);
	ck_assert_str_eq(got.s, configs[_i].out);
}
END_TEST

START_TEST(a_nul_in_a_git_configuration_stays_out)
{
	static const char text[] = "[core]\n\tbare = a\0b\n\tbare = false\n";
	auto_str struct str got = { 0 }, left = { 0 };

	str_init(&got, 4096);
	str_init(&left, 4096);
	ck_assert_uint_eq(gitconfig_filter(text, sizeof text - 1, &got,
	    &left), 1);
	ck_assert_str_eq(got.s, "[core]\n\tbare = false\n");
	ck_assert_str_eq(left.s, "bare");
}
END_TEST

START_TEST(what_was_left_out_is_named_without_values)
{
	static const char text[] = "[core]\n\tfsmonitor = x\n"
	    "[url \"https://secret@host\"]\n\tinsteadof = secret\n"
	    "\tsecret\n\tbare = a \\\n\tsecret\n";
	auto_str struct str got = { 0 }, left = { 0 };

	str_init(&got, 4096);
	str_init(&left, 4096);
	gitconfig_filter(text, sizeof text - 1, &got, &left);
	ck_assert_str_eq(left.s, "fsmonitor, insteadof, ..., bare, ...");
}
END_TEST

static const struct { const char *variable; bool want; } variables[] = {
	{ "PATH=/bin", true }, { "LC_ALL=C", true }, { "HOME=/h", false },
	{ "SSH_AUTH_SOCK=/x", false }, { "AWS_SECRET_ACCESS_KEY=x", false },
	{ "GITHUB_TOKEN=x", false }, { "LD_PRELOAD=x", false },
	{ "DBUS_SESSION_BUS_ADDRESS=x", false }, { "MINE=x", true },
	{ "TEAM_A=x", true }, { "TEAM_TOKEN=x", false }, { "odd", false },
	{ "MY_TOKEN=x", true }, { "GIT_AUTHOR_NAME=x", true },
	{ "TERM=x", false }, { "PATHX=x", false },
};

START_TEST(the_environment_is_an_allow_list)
{
	struct spec spec;
	struct list set = { 0 }, got = { 0 };
	char *copy = xstrdup(variables[_i].variable);
	char *env[] = { copy, NULL };

	spec_init(&spec);
	list_add(&set, xstrdup("HOME=/inside"));
	list_add(&spec.list[SPEC_ENV_PASS], xstrdup("MINE"));
	list_add(&spec.list[SPEC_ENV_PASS], xstrdup("TEAM_*"));
	list_add(&spec.list[SPEC_ENV_PASS], xstrdup("MY_TOKEN"));
	list_add(&spec.list[SPEC_ENV_PASS], xstrdup("TERM"));
	list_add(&spec.list[SPEC_ENV_DENY], xstrdup("TERM"));
	env_make(&spec, env, &set, &got);
	ck_assert_int_eq(list_has(&got, variables[_i].variable),
	    variables[_i].want);
	ck_assert_str_eq(env_get(&got, "HOME"), "/inside");
	ck_assert_ptr_null(env_get(&got, "NONE"));
	list_clear(&got);
	list_clear(&set);
	spec_clear(&spec);
	free(copy);
}
END_TEST

/* Neighbours that share a beginning, and what lies between a path and "/". */
START_TEST(a_table_finds_paths_and_what_is_above_them)
{
	static const struct row { const char *path; } t[] = {
		{ "/" }, { "/a" }, { "/a-b" }, { "/a/b" }, { "/a/b/c" },
		{ "/ab" },
	};
	static const char path[] = "/a/b/x";
	size_t len = sizeof path - 1;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		ck_assert_ptr_eq(path_find(t, ARRAY_LEN(t), sizeof *t,
		    t[i].path, strlen(t[i].path)), &t[i]);
		ck_assert(i == 0 || path_order(&t[i - 1], &t[i]) < 0);
	}
	ck_assert_ptr_null(path_find(t, ARRAY_LEN(t), sizeof *t, path, len));
	ck_assert_ptr_null(path_find(t, 0, sizeof *t, path, len));
	ck_assert_ptr_eq(path_find(t, ARRAY_LEN(t), sizeof *t, path, len = 4),
	    &t[3]);
	ck_assert_uint_eq(len = path_up(path, len), 2);
	ck_assert_uint_eq(len = path_up(path, len), 1);
	ck_assert_uint_eq(path_up(path, len), 0);
	ck_assert_uint_eq(path_from(t, ARRAY_LEN(t), sizeof *t, "/a/", 3), 3);
	ck_assert_uint_eq(path_from(t, ARRAY_LEN(t), sizeof *t, "/b", 2),
	    ARRAY_LEN(t));
}
END_TEST

UNIT_MAIN("jail/plan",
	tcase_add_loop_test(tc, marks_become_mounts, 0, (int)ARRAY_LEN(plans));
	tcase_add_loop_test(tc, protected_names_are_found_anywhere, 0,
	    (int)ARRAY_LEN(names));
	tcase_add_test(tc, git_knows_its_parts);
	tcase_add_loop_test(tc, of_a_git_configuration_bookkeeping_stays, 0,
	    (int)ARRAY_LEN(configs));
	tcase_add_test(tc, a_nul_in_a_git_configuration_stays_out);
	tcase_add_test(tc, what_was_left_out_is_named_without_values);
	tcase_add_loop_test(tc, the_environment_is_an_allow_list, 0,
	    (int)ARRAY_LEN(variables));
	tcase_add_test(tc, a_table_finds_paths_and_what_is_above_them);
)
