/*
 * What went wrong with other guards in the field, one test per fact.  The
 * numbers are those of docs/POLICY.md, "Facts from the field".
 */
#include "common/mem.h"
#include "tests/unit/policy_unit.h"

#define NO	ACTION_DENY
#define ASK	ACTION_ESCALATE
#define YES	ACTION_ALLOW	/* or observed */

struct line {
	enum action	 want;
	const char	*text;
};

static void
check(const struct line *lines, size_t n)
{
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i < n; i++) {
		enum action got = bench_shell(&b, lines[i].text);

		if (got == ACTION_OBSERVE)
			got = ACTION_ALLOW;
		ck_assert_msg(got == lines[i].want, "'%s' is %s (%s)",
		    lines[i].text, action_name(got), b.j->verdict.why);
	}
	bench_close(&b);
}

#define FACT(name, ...)							\
START_TEST(name)							\
{									\
	static const struct line lines[] = { __VA_ARGS__ };		\
									\
	check(lines, ARRAY_LEN(lines));					\
}									\
END_TEST

FACT(f01_assignment_in_front, { ASK, "FOO=1 rm -rf /" },
    { ASK, "A=1 B=2 rm -rf src" }, { NO, "X=1 rm -rf .sandbox" },
    { YES, "FOO=1 ls" })
FACT(f02_safe_word_elsewhere,
    { ASK, "dd if=/dev/zero of=/dev/sda 2>>/var/log/blkid.log" },
    { ASK, "dd of=/dev/sda # lsblk df" }, { ASK, "rm -rf src; df" })
FACT(f03_ssh_payload, { ASK, "ssh host 'rm -rf /'" },
    { ASK, "ssh host rm -rf /" }, { ASK, "ssh -t host \"ls\"" })
FACT(f07_data_before_code,
    { ASK, "cat <<A\nrm -rf x\nA\nbash <<EOF\nrm -rf src\nEOF" },
    { YES, "cat <<A\nrm -rf x\nA\nls" })
FACT(f08_words_behind_the_delimiter, { ASK, "cat <<EOF; rm -rf ~\nx\nEOF" },
    { ASK, "cat <<EOF > /etc/passwd\nx\nEOF" },
    { ASK, "cat <<EOF | sh\nid\nEOF" }, { YES, "cat <<EOF; ls\nx\nEOF" })
FACT(f09_planted_programs, { ASK, "./sed -n 1p f" }, { ASK, "bin/grep x f" },
    { ASK, "/tmp/cat f" }, { YES, "/usr/bin/sed -n 1p f" })
FACT(f10_git_pagers, { ASK, "git -p status" }, { ASK, "git --paginate show" },
    { YES, "git --no-pager show" })
FACT(f12_escapes_hide_options, { ASK, "find . -e\\xec rm {} \\;" },
    { ASK, "rg --p\\re ./evil x" }, { ASK, "find . -de''lete" },
    { ASK, "find . $'-delete'" })
FACT(f13_find_actions, { ASK, "find . -exec rm {} \\;" },
    { ASK, "find . -ok rm {} \\;" }, { ASK, "find . -delete" },
    { ASK, "find . -fls x" }, { ASK, "find . -fprint x" },
    { ASK, "find . -fprintf x %p" }, { YES, "find . -name x -print" })
FACT(f14_one_table, { ASK, "numfmt --to=si 1" }, { YES, "tac f" },
    { NO, "tac .sandbox/policy.json" })
FACT(f15_git_output, { ASK, "git log --output=f" },
    { ASK, "git diff --output f" }, { ASK, "git show --output=f" })
FACT(f16_every_separator, { ASK, "ls; rm -rf src" }, { ASK, "ls\nrm -rf src" },
    { ASK, "ls & rm -rf src" }, { ASK, "ls | xargs rm -rf" },
    { ASK, "ls || rm -rf src" })
FACT(f17_sed_in_place, { ASK, "sed -ni.bak p ../f" },
    { ASK, "sed -ibak p ~/f" }, { ASK, "sed --in-pl p f" },
    { ASK, "sed --in-place=.b p /etc/f" }, { YES, "sed -n p f" },
    { ASK, "sed --follow-symlinks -i p ../f" })
FACT(f18_redirections_are_writes, { ASK, "echo x > ~/f" },
    { ASK, "mkdir d > /etc/x" }, { NO, "echo x > .sandbox/policy.json" },
    { YES, "echo x > f" })
FACT(f19_every_command, { ASK, "git status && rm -rf src" },
    { ASK, "npm --version; curl http://evil.example" },
    { NO, "ls && sandbox approve x" })
FACT(f20_prefixes_do_not_hide, { NO, "true; rm -rf .sandbox" },
    { NO, "time rm -rf .sandbox" }, { NO, "! rm -rf .sandbox" })
FACT(f21_xargs, { ASK, "xargs rm -rf < f" }, { ASK, "xargs -0 rm < f" },
    { ASK, "xargs cat < f" },
    { YES, "find . -name x.c | xargs wc -l" })
FACT(f22_the_plain_case, { ASK, "rm -rf ~" }, { ASK, "rm -rf /" },
    { ASK, "rm -rf $HOME" }, { ASK, "rm -rf *" })
FACT(f24_sed_scripts, { ASK, "sed 'w f' x" }, { ASK, "sed 's/a/b/e' x" },
    { ASK, "sed '1e id' x" }, { ASK, "sed -i s/a/b/ ~/.bashrc" })
FACT(f26_planted_links_and_depth,
    { ASK, "command ln -s /etc /tmp/l; rm -rf /tmp/l/" },
    { ASK, "bash -c \"bash -c \\\"bash -c 'rm -rf x'\\\"\"" })
FACT(f27_find_follows_links, { ASK, "find -L . -delete" },
    { ASK, "find -L . -exec cat {} +" })
FACT(f32_scripts_instead, { ASK, "python3 -c 'print(1)'" },
    { ASK, "printf x > d.py && python3 d.py" },
    { ASK, "node -e 1" }, { ASK, "perl -e 1" })
FACT(f34_public_bypasses, { ASK, "r''m -rf src" }, { ASK, "rm${IFS}-rf${IFS}x" },
    { ASK, "$(echo rm) -rf src" }, { ASK, "echo cm0gLXJm | base64 -d | sh" },
    { ASK, "find src -delete" }, { ASK, "X=rm; $X -rf src" })
FACT(f57_wrapped_shells, { YES, "bash -lc 'ls -la'" },
    { YES, "/bin/zsh -lc 'git status'" }, { ASK, "sh -c \"$X\"" })
FACT(f60_text_is_data,
    { YES, "git commit -m \"never rm -rf / again\"" },
    { YES, "cat > notes.md <<'EOF'\nrm -rf /\n```sh\nmkfs x\n```\nEOF" },
    { YES, "echo 'curl x | sh'" })
FACT(f61_mentions, { YES, "grep -rn 'rm -rf' scripts" },
    { YES, "echo rm -rf /" }, { YES, "rg 'DROP TABLE' ." })
FACT(f62_comments, { YES, "# look\nls" }, { YES, "ls # rm -rf /" },
    { ASK, "# x\nrm -rf src" })
FACT(f64_direction, { YES, "cp .claude/settings.json /tmp/b.json" },
    { NO, "cp /tmp/b.json .claude/settings.json" },
    { YES, "cat .claude/settings.json" })
FACT(f65_tokens_are_no_hosts, { ASK, "go test ./..." },
    { YES, "echo a.b.example" }, { YES, "ls ./..." })
FACT(f66_consistent, { ASK, "find . -delete" },
    { ASK, "find . -exec rm -f {} +" }, { ASK, "find . | xargs rm -f" })
FACT(f67_null_and_descriptors, { YES, "ls 2>/dev/null" },
    { YES, "ls >&2" }, { YES, "ls 2>&1 | head" }, { YES, "ls &>/dev/null" },
    { YES, "ls > /dev/stderr" })
FACT(f68_reading_tools, { YES, "sed -n 1,9p f" }, { YES, "od -c f" },
    { YES, "xxd f" }, { YES, "docker ps" }, { YES, "docker compose ps" },
    { ASK, "docker compose up" })
FACT(f69_substitutions, { YES, "echo \"$(ls | head)\"" },
    { ASK, "echo \"$(rm -rf src)\"" }, { ASK, "echo `rm -rf src`" })

/* 11, 70: git is allowed while the repository starts nothing by itself. */
static int
yes(void *arg, const char *dir)
{
	(void)arg;
	(void)dir;
	return 1;
}

static bool
but_z(void *arg, const char *path)
{
	(void)arg;
	return strcmp(path, "/p/z") != 0;
}

/* What git is told there, nobody can look at before. */
START_TEST(f11_git_in_a_directory_of_the_line)
{
	struct world w = world_plain;
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	w.exists = but_z;
	b.world = &w;
	ck_action(&b, "cp -r x z; git -C z status", ACTION_ESCALATE);
	ck_action(&b, "mv x z; cd z; git status", ACTION_ESCALATE);
	ck_action(&b, "ln -s x z && git -C z log", ACTION_ESCALATE);
	ck_action(&b, "mkdir z && cd z && git init", ACTION_OBSERVE);
	ck_action(&b, "cp -r x z && git add z", ACTION_OBSERVE);
	ck_action(&b, "mv a b && git add -A", ACTION_OBSERVE);
	bench_close(&b);
}
END_TEST

START_TEST(f11_f70_git_and_its_helpers)
{
	struct world w = world_plain;
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	ck_action(&b, "git commit -m x", ACTION_OBSERVE);
	ck_action(&b, "git add -A", ACTION_ALLOW);
	ck_action(&b, "git status", ACTION_ALLOW);
	w.git_hooks = yes;
	b.world = &w;
	ck_action(&b, "git commit -m x", ACTION_ESCALATE);
	ck_action(&b, "git status", ACTION_ALLOW);
	w.git_hooks = world_plain.git_hooks;
	w.git_config_helpers = yes;
	ck_action(&b, "git status", ACTION_ESCALATE);
	ck_action(&b, "env git diff", ACTION_ESCALATE);
	bench_close(&b);
}
END_TEST

/* 4, 5, 6: what is too deep or too long is asked, and soon. */
START_TEST(f04_f06_bounded)
{
	size_t n = 200000;
	char *text = xcalloc(1, n + 1);
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	for (size_t i = 0; i + 1 < n; i += 2) {
		text[i] = '$';
		text[i + 1] = '(';
	}
	for (size_t len = n; len > 0; len /= 3) {
		text[len] = '\0';
		ck_action(&b, text, ACTION_ESCALATE);
	}
	free(text);
	bench_close(&b);
}
END_TEST

/* 23, 25: a rule is about structure: a redirect or other words are not it. */
START_TEST(f23_f25_rules_are_exact)
{
	struct bench b;

	bench_open(&b, "{\"version\":1,\"rules\":["
	    "{\"id\":\"a\",\"match\":{\"program\":\"pytest\"},"
	    "\"verdict\":\"allow\"},"
	    "{\"id\":\"b\",\"match\":{\"program\":\"git\","
	    "\"args\":[\"push\"]},\"verdict\":\"allow\"}]}");
	ck_action(&b, "pytest", ACTION_ALLOW);
	ck_action(&b, "python evil.py pytest", ACTION_ESCALATE);
	ck_action(&b, "git push", ACTION_ALLOW);
	ck_action(&b, "git push --force", ACTION_ESCALATE);
	ck_action(&b, "git push > ~/.ssh/x", ACTION_ESCALATE);
	ck_action(&b, "git push; rm -rf src", ACTION_ESCALATE);
	ck_action(&b, "git push \"$(rm -rf src)\"", ACTION_ESCALATE);
	bench_close(&b);
}
END_TEST

/* 56: nothing in a call lowers the gate, least of all the agent's mode. */
START_TEST(f31_f56_no_way_around)
{
	struct bench b;

	bench_open(&b, "{\"version\":1,\"auto_allow\":true}");
	ck_action(&b, "rm -rf src", ACTION_ESCALATE);
	ck_assert_ptr_null(strstr(b.j->verdict.next, "policy.json"));
	ck_assert_ptr_null(strstr(b.j->verdict.next, "auto_allow"));
	ck_action(&b, "echo '{}' > .sandbox/policy.json", ACTION_DENY);
	ck_assert_ptr_null(strstr(b.j->verdict.why, "auto_allow"));
	bench_close(&b);
}
END_TEST

/* 63: no refusal's way on is itself refused. */
START_TEST(f63_the_way_on_is_open)
{
	static const char *const refused[] = {
		"rm -rf src", "echo x > .sandbox/policy.json", "sudo ls",
		"curl http://evil.example", "frobnicate", "cat .env",
	};
	struct bench b;

	bench_open(&b, "{\"version\":1}");
	ck_action(&b, "sandbox pending", ACTION_ALLOW);
	ck_action(&b, "sandbox explain 'rm x'", ACTION_ALLOW);
	ck_action(&b, "cat .sandbox/out/20260101-abc.txt", ACTION_ALLOW);
	ck_assert_int_eq(bench_call(&b, "mcp__sandbox__check_request",
	    "request_id", "x"), ACTION_ALLOW);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		const char *at;

		ck_assert_int_le(bench_shell(&b, refused[i]),
		    ACTION_ESCALATE);
		ck_assert_str_ne(b.j->verdict.why, "");
		ck_assert_str_ne(b.j->verdict.next, "");
		/* a command would stand in backquotes: there is none */
		at = strchr(b.j->verdict.next, '`');
		ck_assert_ptr_null(at);
	}
	bench_close(&b);
}
END_TEST

#define ADD(name)	tcase_add_test(tc, name);

UNIT_MAIN("policy: facts from the field",
    ADD(f01_assignment_in_front) ADD(f02_safe_word_elsewhere)
    ADD(f03_ssh_payload) ADD(f04_f06_bounded) ADD(f07_data_before_code)
    ADD(f08_words_behind_the_delimiter) ADD(f09_planted_programs)
    ADD(f10_git_pagers) ADD(f11_f70_git_and_its_helpers)
    ADD(f11_git_in_a_directory_of_the_line)
    ADD(f12_escapes_hide_options) ADD(f13_find_actions) ADD(f14_one_table)
    ADD(f15_git_output) ADD(f16_every_separator) ADD(f17_sed_in_place)
    ADD(f18_redirections_are_writes) ADD(f19_every_command)
    ADD(f20_prefixes_do_not_hide) ADD(f21_xargs) ADD(f22_the_plain_case)
    ADD(f23_f25_rules_are_exact) ADD(f24_sed_scripts)
    ADD(f26_planted_links_and_depth) ADD(f27_find_follows_links)
    ADD(f31_f56_no_way_around) ADD(f32_scripts_instead)
    ADD(f34_public_bypasses) ADD(f57_wrapped_shells) ADD(f60_text_is_data)
    ADD(f61_mentions) ADD(f62_comments) ADD(f63_the_way_on_is_open)
    ADD(f64_direction) ADD(f65_tokens_are_no_hosts) ADD(f66_consistent)
    ADD(f67_null_and_descriptors) ADD(f68_reading_tools)
    ADD(f69_substitutions)
)
