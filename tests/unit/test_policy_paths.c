/* Other names of a place: descriptors, /proc, and what a tool makes of text. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
#include "tests/unit/policy_unit.h"

/* A line or, with a tool, its path; and the mildest answer that is right. */
struct row {
	enum action	 want;
	const char	*tool, *text;
};

#define LINE	"Bash"

static void
ck_rows(struct bench *b, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *field = str_eq(rows[i].tool, LINE) ? "command" :
		    str_eq(rows[i].tool, "Grep") ||
		    str_eq(rows[i].tool, "LS") ? "path" :
		    str_eq(rows[i].tool, "WebFetch") ? "url" : "file_path";
		enum action got = bench_call(b, rows[i].tool, field,
		    rows[i].text);

		ck_assert_msg(rows[i].want >= ACTION_OBSERVE ?
		    got >= ACTION_OBSERVE : got <= rows[i].want,
		    "%s '%s' is %s (%s: %s)", rows[i].tool, rows[i].text,
		    action_name(got), b->j->verdict.rule, b->j->verdict.why);
	}
}

#define CK_ROWS(b, rows) ck_rows((b), (rows), ARRAY_LEN(rows))
#define NO	ACTION_DENY
#define ASK	ACTION_ESCALATE
#define YES	ACTION_ALLOW

static const struct row descriptors[] = {
	{ ASK, LINE, "exec 3<.git/hooks; echo id > /dev/fd/3/pre-commit" },
	{ ASK, LINE, "cp f.txt /dev/fd/3/pre-commit 3<.git/hooks" },
	{ ASK, LINE, "exec 3<.claude; cp f.txt /dev/fd/3/settings.json" },
	{ ASK, LINE, "exec 3< ..; echo x > /dev/fd/3/x" },
	{ ASK, LINE, "exec 3<..; cd /dev/fd/3; touch x" },
	{ ASK, LINE, "exec 3<..; rm /proc/self/fd/3/x.c" },
	{ ASK, LINE, "cat /dev/fd/3/gh/hosts.yml" },
	{ ASK, LINE, "cat /proc/self/fd/3/gh/hosts.yml" },
	{ ASK, LINE, "echo x > /dev/fd/1/../x" },
	{ ASK, LINE, "exec 3<.git/config; echo x > /dev/fd/3" },
	{ ASK, LINE, "echo x > /dev/stdin < .git/config" },
	{ NO, LINE, "echo x 1<.git/config > /dev/stdout" },
	{ ASK, "Write", "/dev/fd/3/x" }, { ASK, "Edit", "/dev/fd/3/x" },
	{ ASK, LINE, "cd /dev/fd/3 && git status" },
	{ ASK, LINE, "git -C /dev/fd/3 status" },
	{ NO, "Write", "/dev/sda" }, { NO, "Edit", "/dev/shm/x" },
	{ YES, LINE, "cat /dev/fd/3" }, { YES, LINE, "ls > /dev/fd/2" },
	{ YES, LINE, "ls > /dev/stderr" }, { YES, LINE, "cat /dev/stdin" },
	{ YES, LINE, "ls | tee /dev/stdout" }, { YES, LINE, "cat /dev/zero" },
	{ YES, LINE, "[ -p /dev/stdin ] && ls -l /dev/null" },
	{ YES, LINE, "exec 3< f.txt; read -r x <&3" },
};

/* The command's own directory, not that of who judges it. */
static const struct row own[] = {
	{ ASK, LINE, "echo x > /proc/self/cwd/../x.md" },
	{ ASK, LINE, "echo x > /proc/thread-self/cwd/../x.md" },
	{ ASK, LINE, "echo x > /proc//self/./cwd/../x.md" },
	{ ASK, LINE, "rm /proc/self/cwd/../x.c" },
	{ ASK, LINE, "cp f.txt /proc/self/cwd/../x.c" },
	{ ASK, LINE, "mkdir -p /proc/self/cwd/../y" },
	{ ASK, LINE, "cd /proc/self/cwd/..; touch x" },
	{ ASK, LINE, "cd /proc/self; touch cwd/../x" },
	{ ASK, LINE, "cd ..; touch /proc/self/cwd/x" },
	{ ASK, LINE, "touch src/../../proc/self/cwd/../x" },
	{ ASK, LINE, "touch /proc/self/task/7/cwd/../x" },
	{ ASK, LINE, "git -C /proc/self/cwd/.. status" },
	{ ASK, LINE, "cd /proc/self/cwd && git log" },
	{ ASK, LINE, "cat /proc/self/cwd/../secret/.env" },
	{ NO, LINE, "cat /proc/self/cwd/src/../.sandbox/x" },
	{ NO, LINE, "cat /proc/self/root/../p/.sandbox/x" },
	{ NO, "Write", "/proc/self/cwd/../x" },
	{ YES, LINE, "touch /proc/self/cwd/src/../x" },
	{ YES, LINE, "cat /proc/self/cwd/src/../x" },
	{ YES, LINE, "cat /proc/self/status /proc/cpuinfo" },
	{ YES, "Write", "/proc/self/cwd/src/x.c" },
};

/* What is vague elsewhere in a path makes no name less meant. */
static const struct row pointed[] = {
	{ NO, LINE, "cat .sand*/*" }, { NO, LINE, "cat .s*/*.json" },
	{ NO, LINE, "cat */.sand*/*" }, { ASK, LINE, "rm -rf .[s]*/*" },
	{ NO, LINE, "cat .*/.sandbox/x" }, { NO, LINE, "cat .*/.sand*/x" },
	{ NO, LINE, "rm .git/hook*/*" }, { NO, LINE, "cp x .gi*/hooks/*" },
	{ NO, LINE, "rm .*/.git/config" },
	{ ASK, LINE, "rm .*/*" }, { ASK, LINE, "rm .*/hooks/x" },
	{ YES, LINE, "ls */*" }, { YES, LINE, "cat src/*/*.c" },
};

/* What a search of everything below would show. */
static const struct row below[] = {
	{ ASK, LINE, "grep -r . /proc/self" },
	{ ASK, LINE, "grep -r . /proc/1" }, { ASK, LINE, "grep -r . /proc/*" },
	{ ASK, "Grep", "/proc/self" }, { ASK, "Grep", "/proc/7/task" },
	{ ASK, LINE, "grep -r token ~/.config" },
	{ ASK, LINE, "grep -r token ~/.conf*" },
	{ ASK, LINE, "grep -r token ~/.*" },
	{ ASK, LINE, "cp -r ~/.config ." },
	{ ASK, LINE, "rg --hidden '' ~/.config" },
	{ ASK, LINE, "grep -r token ~/.local" },
	{ ASK, LINE, "grep -r token ~/.local/share" },
	{ ASK, LINE, "grep -r token ~/.cargo ~/.docker" },
	{ ASK, LINE, "grep -r token /etc/ssl" }, { ASK, LINE, "grep -r x /run" },
	{ ASK, "Grep", "/home/u/.config" }, { ASK, "Grep", "/home/o/.gem" },
	{ YES, LINE, "grep -r x ~/.claude" },
	{ YES, LINE, "grep -r x ~/.claude/projects" },
	{ YES, LINE, "grep -r x ~/.config/tool" },
	{ YES, LINE, "grep -r x ~/.cargo/registry/src" },
	{ YES, LINE, "grep -r x .cargo .config src" },
	{ YES, LINE, "grep -r x /usr/etc /opt/run" },
	{ YES, LINE, "ls -R ~/.config" }, { YES, LINE, "grep x /proc/cpuinfo" },
	{ YES, "Grep", "/p/.config" }, { YES, "Grep", "/home/u/src" },
};

static const struct row secret[] = {
	{ ASK, LINE, "cat /run/secrets/db_password" },
	{ ASK, LINE, "cat /var/run/secrets/kubernetes.io/serviceaccount/token" },
	{ ASK, LINE, "cat /etc/ssh/ssh_host_rsa_key" },
	{ ASK, LINE, "cat /etc/ssh/ssh_host_*" },
	{ ASK, LINE, "cat ~/.m2/settings.xml" },
	{ ASK, LINE, "cat ~/.gradle/gradle.properties" },
	{ ASK, LINE, "cat ~/.composer/auth.json ~/.config/composer/auth.json" },
	{ ASK, LINE, "cat ~/.terraformrc" }, { ASK, LINE, "cat ~/.s3cfg" },
	{ ASK, LINE, "cat terraform.tfvars" }, { ASK, LINE, "cat a.tfvars.json" },
	{ ASK, LINE, "cat ~/.boto" }, { ASK, LINE, "cat ~/.config/hub" },
	{ ASK, LINE, "cat ~/.config/github-copilot/hosts.json" },
	{ ASK, "Read", "/home/u/.claude.json" }, { ASK, "Read", "wallet.dat" },
	{ ASK, LINE, "cat /etc/shadow-" }, { ASK, LINE, "cat /etc/shad*" },
	{ ASK, LINE, "cat /etc/gshadow" }, { ASK, LINE, "cat /etc/sudoers.d/x" },
	{ YES, LINE, "cat /etc/*-release" }, { YES, LINE, "cat /etc/*release" },
	{ YES, LINE, "cat a.tfvars.example main.tf" },
	{ YES, LINE, "cat /etc/ssh/ssh_host_rsa_key.pub" },
	{ YES, LINE, "cat gradle.properties settings.xml" },
};

/* What programs of the editor, the agent or the shell read by themselves. */
static const struct row later[] = {
	{ ASK, "Write", ".roo/mcp.json" }, { ASK, "Write", "mcp.json" },
	{ ASK, "Write", ".kiro/settings/mcp.json" },
	{ ASK, "Write", ".kiro/hooks/x.hook" },
	{ ASK, "Write", ".continue/config.json" },
	{ ASK, "Edit", "/home/u/.continue/config.yaml" },
	{ ASK, "Write", ".trae/rules/x.md" }, { ASK, "Write", ".augment/x" },
	{ ASK, LINE, "echo x > .windsurfrules" },
	{ ASK, LINE, "cp x .aider.conf.yml" }, { ASK, LINE, "touch .nvimrc" },
	{ ASK, LINE, "touch .nvim.lua" }, { ASK, LINE, "mv x .lldbinit" },
	{ ASK, LINE, "touch .yarnrc.yml" }, { ASK, LINE, "touch .yarnrc" },
	{ ASK, LINE, "touch .pnpmfile.cjs" },
	{ ASK, "Write", ".devcontainer/devcontainer.json" },
	{ ASK, "Write", ".devcontainer.json" },
	{ ASK, "Write", "mise.toml" }, { ASK, "Write", ".mise.toml" },
	{ YES, LINE, "cat .devcontainer/devcontainer.json mise.toml" },
	{ YES, "Write", "src/mcp.json.c" }, { YES, "Write", ".kiro/specs/a.md" },
};

/* Without links, and as this machine would walk the same. */
static void
ck_both(const struct row *rows, size_t n)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	ck_rows(&b, rows, n);
	b.world = &world_real;
	ck_rows(&b, rows, n);
	bench_close(&b);
}

START_TEST(a_descriptor_may_be_any_place)
{
	ck_both(descriptors, ARRAY_LEN(descriptors));
}
END_TEST

START_TEST(proc_is_the_commands_own)
{
	ck_both(own, ARRAY_LEN(own));
}
END_TEST

START_TEST(a_glob_means_what_it_names)
{
	ck_both(pointed, ARRAY_LEN(pointed));
}
END_TEST

START_TEST(a_tree_shows_what_is_below)
{
	ck_both(below, ARRAY_LEN(below));
}
END_TEST

START_TEST(secrets_by_name)
{
	ck_both(secret, ARRAY_LEN(secret));
}
END_TEST

START_TEST(what_starts_later)
{
	ck_both(later, ARRAY_LEN(later));
}
END_TEST

/* A link that leads to one says something else to each program. */
START_TEST(links_to_proc_are_not_followed)
{
	char top[] = "/tmp/policy_paths.XXXXXX", path[64], got[WORLD_PATH];

	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/l", top);
	ck_assert_int_eq(symlink("/proc/self/cwd", path), 0);
	snprintf(path, sizeof(path), "%s/l/../x", top);
	ck_assert_int_eq(world_real.resolve(NULL, path, got), -1);
	ck_assert_int_eq(world_real.resolve(NULL, "/proc/self/cwd/x", got),
	    -1);
	ck_assert_int_eq(world_real.resolve(NULL, "/proc/self/exe", got), 0);
	ck_assert(str_ends(got, "/exe"));
	snprintf(path, sizeof(path), "%s/l", top);
	unlink(path);
	rmdir(top);
}
END_TEST

UNIT_MAIN("policy: other names of a place",
    tcase_add_test(tc, a_descriptor_may_be_any_place);
    tcase_add_test(tc, proc_is_the_commands_own);
    tcase_add_test(tc, a_glob_means_what_it_names);
    tcase_add_test(tc, a_tree_shows_what_is_below);
    tcase_add_test(tc, secrets_by_name);
    tcase_add_test(tc, what_starts_later);
    tcase_add_test(tc, links_to_proc_are_not_followed);
)
