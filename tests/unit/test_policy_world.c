/* The machine's answers: where paths lead, what a repository would start. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "policy/policy.h"
#include "tests/unit/unit.h"

static char top[40];

static void
setup(void)
{
	snprintf(top, sizeof(top), "/tmp/policy_world.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void
teardown(void)
{
	ck_assert_int_eq(nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static const char *
at(const char *name)
{
	static char path[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", top, name);
	return path[turn];
}

static void
put(const char *name, const char *text)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(io_write_all(fd, text, strlen(text), NULL), 0);
	close(fd);
}

static void
leads_to(const char *path, const char *want)
{
	char got[WORLD_PATH];

	ck_assert_int_eq(world_real.resolve(NULL, path, got), 0);
	ck_assert_str_eq(got, want);
}

START_TEST(paths_lead_where_the_kernel_goes)
{
	char got[WORLD_PATH], longer[WORLD_PATH + 8];

	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	ck_assert_int_eq(mkdir(at("d/e"), 0700), 0);
	ck_assert_int_eq(symlink("d/e", at("rel")), 0);
	ck_assert_int_eq(symlink("/usr", at("abs")), 0);
	ck_assert_int_eq(symlink("loop", at("loop")), 0);
	ck_assert_int_eq(symlink("gone/x", at("dangling")), 0);
	leads_to("/", "/");
	leads_to("/..", "/");
	leads_to("//usr/./bin/..//", "/usr");
	leads_to(at("d/./e/../x/y"), at("d/x/y"));
	leads_to(at("rel/x"), at("d/e/x"));
	leads_to(at("rel/.."), at("d"));
	leads_to(at("abs/x"), "/usr/x");
	leads_to(at("dangling"), at("gone/x"));
	leads_to(at("not/there/../x"), at("not/x"));
	ck_assert_int_eq(world_real.resolve(NULL, at("loop"), got), -1);
	ck_assert_int_eq(world_real.resolve(NULL, "x", got), -1);
	memset(longer, 'a', sizeof(longer));
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(world_real.resolve(NULL, longer, got), -1);
	longer[300] = '\0';
	ck_assert_int_eq(world_real.resolve(NULL, longer, got), -1);
}
END_TEST

static int
helpers(const char *dir)
{
	return world_real.git_config_helpers(NULL, at(dir));
}

START_TEST(git_configurations)
{
	static const char *const plain[] = {
		"", "# x\n; y\n", "[core]\n\tbare = false\n\tfileMode = true\n",
		"[remote \"origin\"]\n url = git@x:y\n fetch = +a:b\n",
		"[branch \"main\"]\n\tremote = origin\n[user]\nname = x\n",
	};
	static const char *const grave[] = {
		"[core]\nfsmonitor = ./x\n", "[core]\n\tpager = x\n",
		"[alias]\nst = !x\n", "[diff \"a\"]\ntextconv = x\n",
		"[filter \"a\"]\nclean = x\n", "[include]\npath = x\n",
		"[core] pager = x\n", "[core]\nbare = \\\n[x]\n", "pager = x\n",
		"[core.x]\npager=y\n", "[unknown]\nkey = 1\n", "[core\n",
		"[core]\nsshCommand = x\n", "[credential]\nhelper = x\n", "!\n",
	};

	ck_assert_int_eq(mkdir(at("r"), 0700), 0);
	ck_assert_int_eq(mkdir(at("r/s"), 0700), 0);
	ck_assert_int_eq(helpers("r/s"), 0);	/* no repository */
	ck_assert_int_eq(mkdir(at("r/.git"), 0700), 0);
	ck_assert_int_eq(helpers("r/s"), 0);	/* no config */
	for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
		put("r/.git/config", plain[i]);
		ck_assert_msg(helpers("r/s") == 0, "%s", plain[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(grave); i++) {
		put("r/.git/config", grave[i]);
		ck_assert_msg(helpers("r") == 1, "%s", grave[i]);
	}
	put("r/.git/config", "");
	put("r/.git/config.worktree", "[core]\npager = x\n");
	ck_assert_int_eq(helpers("r"), 1);
	unlink(at("r/.git/config.worktree"));
	/* a work tree whose .git is a file, and its common directory */
	ck_assert_int_eq(mkdir(at("w"), 0700), 0);
	ck_assert_int_eq(mkdir(at("r/.git/wt"), 0700), 0);
	put("w/.git", "gitdir: ../r/.git/wt\n");
	put("r/.git/wt/commondir", "..\n");
	ck_assert_int_eq(helpers("w"), 0);
	put("r/.git/config", "[core]\npager = x\n");
	ck_assert_int_eq(helpers("w"), 1);
	put("w/.git", "nonsense\n");
	ck_assert_int_eq(helpers("w"), -1);
	/* a directory that is a repository itself */
	ck_assert_int_eq(mkdir(at("bare"), 0700), 0);
	put("bare/HEAD", "ref: x\n");
	put("bare/config", "[core]\nfsmonitor = x\n");
	ck_assert_int_eq(helpers("bare"), 1);
	ck_assert_int_eq(world_real.git_config_helpers(NULL, "x"), -1);
}
END_TEST

/* Of files that decide about the gate, below them or themselves. */
START_TEST(hard_links_are_found)
{
	static const char *const dirs[] = { "p", "p/.sandbox", "p/.sandbox/t",
		"p/.claude" };

	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++)
		ck_assert_int_eq(mkdir(at(dirs[i]), 0700), 0);
	put("p/.sandbox/t/f", "x");
	put("p/.claude/settings.local.json", "x");
	put("p/.claude/notes", "x");
	put("p/other", "x");
	ck_assert_int_eq(link(at("p/.sandbox/t/f"), at("h")), 0);
	ck_assert_int_eq(link(at("p/.claude/settings.local.json"),
	    at("h1")), 0);
	ck_assert_int_eq(link(at("p/other"), at("h2")), 0);
	ck_assert_int_eq(link(at("p/.claude/notes"), at("h3")), 0);
	ck_assert_int_eq(world_real.other_name(NULL, at("h"), at("p")), 1);
	ck_assert_int_eq(world_real.other_name(NULL, at("h1"), at("p")), 1);
	ck_assert_int_eq(world_real.other_name(NULL, at("h2"), at("p")), 0);
	ck_assert_int_eq(world_real.other_name(NULL, at("h3"), at("p")), 0);
	ck_assert_int_eq(world_real.other_name(NULL, at("no"), at("p")), 0);
	ck_assert_int_eq(world_real.other_name(NULL, at("p"), at("p")), 0);
	ck_assert_int_eq(world_real.other_name(NULL, at("h"), at("no")), 0);
}
END_TEST

UNIT_MAIN("policy/world",
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, paths_lead_where_the_kernel_goes);
    tcase_add_test(tc, git_configurations);
    tcase_add_test(tc, hard_links_are_found);
)
