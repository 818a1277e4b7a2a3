/* Self-protection: no rule, preset, trigger or spelling opens it. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "policy/protect.h"
#include "policy/value.h"
#include "tests/unit/policy_unit.h"

/* Everything a file can say to lift it. */
static const char lifting[] =
    "{\"version\":1,\"preset\":\"relaxed\",\"triggers\":{"
    "\"shell_write\":\"allow\",\"shell_delete\":\"allow\","
    "\"shell_outside\":\"allow\",\"write_outside\":\"allow\","
    "\"persist\":\"allow\",\"unknown_command\":\"allow\","
    "\"system\":\"allow\",\"secret_read\":\"allow\","
    "\"read_outside\":\"allow\",\"network\":\"allow\"},"
    "\"rules\":["
    "{\"id\":\"a\",\"match\":{\"path\":\"**\"},\"verdict\":\"allow\"},"
    "{\"id\":\"b\",\"match\":{\"path\":\"/**\"},\"verdict\":\"allow\"},"
    "{\"id\":\"c\",\"match\":{\"effect\":\"connector\"},\"verdict\":\"allow\"},"
    "{\"id\":\"d\",\"match\":{\"tool\":\"Bash\"},\"verdict\":\"allow\"},"
    "{\"id\":\"e\",\"match\":{\"tool\":\"Write\"},\"verdict\":\"allow\"},"
    "{\"id\":\"f\",\"match\":{\"program\":\"rm\",\"args\":[\"...\"]},"
    "\"verdict\":\"allow\"}]}";

static const char *const denied[] = {
	"rm -rf .sandbox", "rm -rf \".sandbox\"", "rm -rf .san'd'box",
	"rm -rf \\.sandbox", "rm -rf $'.sandbox'", "rm -rf .s*",
	"rm -rf .[s]andbox", "rm -rf .{sandbox,x}", "rm -rf .//.sandbox//",
	"rm -rf src/../.sandbox", "rm -rf /p/.sandbox", "rm -rf .SANDBOX",
	"rm -rf $PWD/.sandbox", "d=.sandbox; rm -rf $d",
	"a=.san b=dbox; rm -rf \"$a$b\"", "cd .sandbox && rm policy.json",
	"cd src && rm -rf ../.sandbox", "cd / && rm -rf p/.sandbox",
	"rm -rf \"$(printf .sandbox)\"", "rm -rf ${x:-.sandbox}",
	"set -- .sandbox; rm -rf \"$1\"", "for d in .sandbox; do rm $d; done",
	"cat .sandbox/policy.json", "cat < .sandbox/policy.json", "ls .sandbox",
	"echo x > .sandbox/x", "echo x >> .sandbox/x", "ls 2> .sandbox/x",
	"exec 3> .sandbox/x", "cp x .sandbox/y", "cp -t .sandbox x",
	"cp --target-directory=.sandbox x", "mv .sandbox x", "mv x .sandbox",
	"ln -s .sandbox x", "tee .sandbox/x", "find .sandbox -delete",
	"find . -name .sandbox -exec rm -rf {} +", "touch .sandbox/x",
	"sed -i s/a/b/ .sandbox/policy.json", "dd of=.sandbox/x",
	"tar xf x -C .sandbox", "git checkout -- .sandbox/policy.json",
	"python3 -c 'open(\".sandbox/x\",\"w\")'",
	"python3 - <<E\nopen('.sandbox/x')\nE", "bash -c 'rm -rf .sandbox'",
	"sudo rm -rf .sandbox", "nosuchprogram .sandbox/x",
	"./script .sandbox/x", "rm -rf /proc/self/cwd/.sandbox",
	"rm -rf /proc/self/root/p/.sandbox", "cat ../other/.sandbox/policy.json",
	"cat ~/.local/state/sandbox/k/log.key",
	"cat ~/.local/share/sandbox/keys/approver.key",
	"echo x > /usr/local/libexec/sandbox/pretooluse",
	"cp /bin/true /usr/local/bin/sandbox", "echo x > /etc/sandbox/policy.json",
	"cp x .git/hooks/pre-commit", "echo x >> .git/config",
	"cd .git/hooks && echo id > x", "echo '{}' > .claude/settings.json",
	"echo '{}' > .claude/settings.local.json", "rm ~/.claude/settings.json",
	"mv x sub/.git/hooks/x", "echo x > ~/.codex/config.toml",
	"sandbox approve x", "/usr/local/bin/sandbox approve x",
	"sandbox policy accept", "sandbox init", "sandbox key", "sandbox",
	"s''andbox approve x", "command sandbox approve x", "sandbox -C . approve x",
	"pretooluse --client x", "/usr/local/libexec/sandbox/sandbox-runner",
	"build/release/sandbox approve x",
	"sudo sandbox approve x", "sudo -u root /usr/bin/sandbox approve x",
	"doas sandbox -C . approve x", "su -c 'sandbox approve x'",
	"$(which sandbox) approve x", "`command -v sandbox` approve x",
	"\"$(readlink -f $(which sandbox))\" approve x",
	"x='sandbox approve y'; $x", "x='sandbox -C /p'; $x approve y",
	"x=/usr/bin/sandbox\\ approve; $x y",
	"ssh localhost sandbox approve x", "ssh localhost 'cd p;sandbox approve x'",
	"sudo sh -c 'sandbox approve x'", "sudo su -c 'sandbox approve x'",
	"busybox sh -c 'cd p && sandbox approve x'",
	"sudo python3 -c 'os.system(\"sandbox approve x\")'",
	"script -qc 'sandbox approve x' /dev/null",
	"alias s='sandbox approve x'", "parallel sandbox approve ::: x",
	"unbuffer sandbox approve x", "docker run i sandbox approve x",
	"python3 -c \"import os; os.system('sandbox approve x')\"",
	"python3 -c \"run(['sandbox', 'approve', 'x'])\"",
	"node -e 'execSync(\"/usr/bin/sandbox approve x\")'",
	"python3 - <<E\nos.system('sandbox approve x')\nE",
};

START_TEST(every_spelling_is_denied)
{
	struct bench b;

	bench_open(&b, lifting);
	for (size_t i = 0; i < ARRAY_LEN(denied); i++)
		ck_action(&b, denied[i], ACTION_DENY);
	bench_close(&b);
}
END_TEST

START_TEST(file_tools_are_denied)
{
	static const char *const paths[] = {
		"/p/.sandbox/policy.json", ".sandbox/x", "/p/./.sandbox/x",
		"/p//.sandbox///x", "/p/src/../.sandbox/x",
		"/p/.SANDBOX/../.sandbox/x", "/proc/self/cwd/.sandbox/x",
		"/home/u/.local/state/sandbox/k/view/policy.accepted",
	};
	static const char *const writes[] = {
		"/p/.claude/settings.json", "/p/.git/hooks/pre-commit",
		"/p/.git/config", "/home/u/.claude/settings.json",
		"/usr/local/libexec/sandbox/pretooluse",
	};
	struct bench b;

	bench_open(&b, lifting);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		ck_assert_int_eq(bench_call(&b, "Write", "file_path",
		    paths[i]), ACTION_DENY);
		ck_assert_str_eq(b.j->verdict.rule, "self-protection");
		ck_assert_int_eq(bench_call(&b, "Read", "file_path",
		    paths[i]), ACTION_DENY);
		ck_assert_int_eq(bench_call(&b, "Edit", "file_path",
		    paths[i]), ACTION_DENY);
	}
	for (size_t i = 0; i < ARRAY_LEN(writes); i++)
		ck_assert_int_eq(bench_call(&b, "write_file", "file_path",
		    writes[i]), ACTION_DENY);
	ck_assert_int_eq(bench_call(&b, "LS", "path", "/p/.sandbox"),
	    ACTION_DENY);
	ck_assert_int_eq(bench_call(&b, "Glob", "pattern", ".sandbox/*"),
	    ACTION_DENY);
	bench_close(&b);
}
END_TEST

START_TEST(what_is_open_stays_open)
{
	static const char *const fine[] = {
		"cat .sandbox/out/0a1b.txt", "sandbox status", "sandbox log",
		"sandbox show abc", "sandbox --version", "sandbox pending",
		"cat .git/config", "ls .claude", "echo .sandbox",
		"grep -n '.sandbox' README.md", "echo sandbox approve x",
		"grep -rn 'sandbox approve' docs", "x=sandbox; $x status",
		"sed -n '/sandbox approve/p' README.md",
	};
	/* Words about it are none of it. */
	static const char *const asked[] = {
		"sudo sandbox status", "ssh localhost ls sandbox approve.txt",
		"$(cat sandbox) approve x", "x='echo sandbox approve'; $x",
		"python3 -c 'print(\"sandbox approval\")'",
		"git push origin sandbox approve", "sudo cp sandbox approved",
		"sudo git commit -m 'sandbox approve x'",
	};
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < ARRAY_LEN(fine); i++)
		ck_assert_msg(bench_shell(&b, fine[i]) >= ACTION_OBSERVE,
		    "'%s': %s", fine[i], b.j->verdict.why);
	for (size_t i = 0; i < ARRAY_LEN(asked); i++)
		ck_action(&b, asked[i], ACTION_ESCALATE);
	ck_action(&b, "rm .sandbox/out/0a1b.txt", ACTION_DENY);
	ck_action(&b, "cat .sandbox/out/x/y.txt", ACTION_DENY);
	ck_action(&b, "cat .sandbox/out/../policy.json", ACTION_DENY);
	ck_action(&b, "cat .sandbox/out/*", ACTION_DENY);
	bench_close(&b);
}
END_TEST

/* Unknown spellings are asked, never let through. */
START_TEST(dynamic_spellings_are_asked)
{
	static const char *const lines[] = {
		"rm -rf .$(echo xobdnas | rev)", "rm -rf \"$X\"", "rm -rf .*",
		"rm -rf .[a-z]*", "rm -rf /p", "rm -rf .", "mv /p /q",
		"mv .* /tmp/", "chown -R nobody .", "rm -rf ~", "rm -rf /",
		"find . -delete", "cp -r /tmp/evil/. .",
	};
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		ck_assert_msg(bench_shell(&b, lines[i]) <= ACTION_ESCALATE,
		    "%s", lines[i]);
	/* An ending means them all, not the one of ours that has it. */
	ck_action(&b, "git add *.json", ACTION_ESCALATE);
	ck_action(&b, "rm opencode*.json", ACTION_DENY);
	ck_action(&b, "rm .claude/*.json", ACTION_DENY);
	bench_close(&b);
}
END_TEST

/* Links of a real file system lead where they lead. */
START_TEST(links_are_followed)
{
	char top[] = "/tmp/policy_protect.XXXXXX", path[128], line[256];
	struct bench b;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(top));
	bench_open(&b, "{\"version\":1}");
	policy_free(b.policy);
	b.place.root = top;
	b.cwd = top;
	b.world = &world_real;
	ck_assert_int_eq(policy_parse("{\"version\":1}", 13, "p", &b.place,
	    &b.policy, NULL), 0);
	snprintf(path, sizeof(path), "%s/.sandbox", top);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/.sandbox/policy.json", top);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
	snprintf(line, sizeof(line), "%s/hard", top);
	ck_assert_int_eq(link(path, line), 0);
	snprintf(path, sizeof(path), "%s/soft", top);
	ck_assert_int_eq(symlink(".sandbox", path), 0);
	snprintf(path, sizeof(path), "%s/out", top);
	ck_assert_int_eq(symlink("/etc", path), 0);
	snprintf(path, sizeof(path), "%s/dangling", top);
	ck_assert_int_eq(symlink("/etc/not-there", path), 0);

	ck_action(&b, "rm -rf soft/", ACTION_DENY);
	ck_action(&b, "cat soft/policy.json", ACTION_DENY);
	ck_action(&b, "echo x > hard", ACTION_DENY);
	ck_action(&b, "echo x > out/hosts", ACTION_ESCALATE);
	ck_action(&b, "cat out/shadow", ACTION_ESCALATE);
	ck_action(&b, "echo x > dangling", ACTION_ESCALATE);
	ck_action(&b, "cd out && echo x > hosts", ACTION_ESCALATE);
	/* link/.. is the parent of where the link leads */
	ck_action(&b, "echo x > out/../y", ACTION_ESCALATE);
	snprintf(path, sizeof(path), "%s/dangling", top);
	ck_assert_int_eq(bench_call(&b, "Write", "file_path", path),
	    ACTION_DENY);
	snprintf(path, sizeof(path), "%s/new/file", top);
	ck_assert_int_eq(bench_call(&b, "Write", "file_path", path),
	    ACTION_ALLOW);
	bench_close(&b);
	snprintf(line, sizeof(line), "rm -r %s", top);
	for (size_t i = 0; i < 5; i++) {
		static const char *const names[] = { "hard", "soft", "out",
			"dangling", ".sandbox/policy.json" };

		snprintf(path, sizeof(path), "%s/%s", top, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/.sandbox", top);
	rmdir(path);
	rmdir(top);
}
END_TEST

START_TEST(secrets_and_their_templates)
{
	static const char *const secret[] = {
		".env", ".env.local", "config/.env", "prod.env",
		"/home/u/.ssh/id_rsa", "/home/u/.aws/credentials",
		"/home/u/.config/gh/hosts.yml", "/etc/shadow",
		"/proc/1/environ", "/proc/self/mem", "server.pem", "x.p12",
		"secrets.yaml", "/root/x", "/home/other/.ssh/id_rsa",
	};
	static const char *const open[] = {
		".env.example", "/home/u/.ssh/id_rsa.pub", "src/keys.c",
		"/etc/os-release", "/proc/cpuinfo", "environment.c",
	};
	struct bench b;

	bench_open(&b, "{\"version\":1,\"paths\":{\"secret\":[\"cfg/*.tok\"],"
	    "\"protect\":[\"infra/**\"]}}");
	for (size_t i = 0; i < ARRAY_LEN(secret); i++)
		ck_assert_msg(bench_call(&b, "Read", "file_path", secret[i])
		    == ACTION_ESCALATE, "%s", secret[i]);
	for (size_t i = 0; i < ARRAY_LEN(open); i++)
		ck_assert_msg(bench_call(&b, "Read", "file_path", open[i])
		    >= ACTION_OBSERVE, "%s", open[i]);
	ck_action(&b, "cat cfg/a.tok", ACTION_ESCALATE);
	ck_action(&b, "cat cfg/a.txt", ACTION_ALLOW);
	ck_assert_int_eq(bench_call(&b, "Write", "file_path", "infra/a/b"),
	    ACTION_ESCALATE);
	ck_action(&b, "cat infra/a", ACTION_ALLOW);
	bench_close(&b);
}
END_TEST

START_TEST(values_meet)
{
	ck_assert(value_meets("abc", "ABC"));
	ck_assert(!value_meets("abc", "abd"));
	ck_assert(value_meets(".s\002", ".sandbox"));
	ck_assert(!value_meets("\002", ".sandbox"));
	ck_assert(!value_meets("\003sandbox", ".sandbox"));
	ck_assert(value_meets("\001", ".sandbox/x"));
	ck_assert(!value_meets("a\002b", "a/b"));
	ck_assert(value_meets("a\001b", "a/b"));
	ck_assert(value_meets("a\002", "\002b"));
	ck_assert(value_meets("a\003c", "abc"));
	ck_assert(!value_meets("a\003c", "a/c"));
	ck_assert(value_meets("", ""));
	ck_assert(value_meets("\002", ""));
	ck_assert(!value_meets("", "a"));
}
END_TEST

/* What lies where programs are looked for is what their names start. */
START_TEST(names_of_programs)
{
	static const char *const asked[] = {
		"cp x .venv/bin/git", "cp git venv/bin/", "mv x bin/ls",
		"echo x > node_modules/.bin/rg", "ln -s ../x .venv/bin/cat",
		"cp x .venv/bin/*", "cat x > sub/sbin/grep", "tee bin/jq",
	};
	static const char *const fine[] = {
		"cp x bin/deploy", "echo x > bin/test", "cp x src/git",
		"touch bin/setup.sh", "cp x bin/make", "mkdir -p bin",
		"cat bin/git", "cp x src/bin/main.rs",
	};
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
		ck_action(&b, asked[i], ACTION_ESCALATE);
		ck_assert_str_eq(b.j->verdict.rule, "persist");
	}
	for (size_t i = 0; i < ARRAY_LEN(fine); i++)
		ck_assert_msg(bench_shell(&b, fine[i]) > ACTION_ESCALATE,
		    "%s", fine[i]);
	ck_assert_int_eq(bench_call(&b, "Write", "file_path",
	    "/p/.venv/bin/git"), ACTION_ESCALATE);
	bench_close(&b);
}
END_TEST

UNIT_MAIN("policy self-protection",
    tcase_add_test(tc, names_of_programs);
    tcase_add_test(tc, every_spelling_is_denied);
    tcase_add_test(tc, file_tools_are_denied);
    tcase_add_test(tc, what_is_open_stays_open);
    tcase_add_test(tc, dynamic_spellings_are_asked);
    tcase_add_test(tc, links_are_followed);
    tcase_add_test(tc, secrets_and_their_templates);
    tcase_add_test(tc, values_meet);
)
