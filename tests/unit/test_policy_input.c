/* Fields of a call: what clients make of them, and what could change a run. */
#include <stdio.h>

#include "common/mem.h"
#include "tests/unit/policy_unit.h"

struct row {
	enum action	 want;		/* or graver; OBSERVE: or milder */
	const char	*tool, *input;	/* JSON, with ' for " */
};

#define NO	ACTION_DENY
#define ASK	ACTION_ESCALATE
#define YES	ACTION_OBSERVE

static const struct row paths[] = {
	{ NO, "Write", "{'file_path':'~/x'}" },
	{ NO, "Write", "{'file_path':'~'}" },
	{ NO, "Edit", "{'file_path':'~/.bashrc'}" },
	{ NO, "Write", "{'file_path':' /etc/x'}" },
	{ NO, "Write", "{'file_path':'\\t/etc/x'}" },
	{ NO, "Write", "{'file_path':'\\n/etc/x \\n'}" },
	{ NO, "Write", "{'file_path':'\\u00a0/etc/x'}" },
	{ NO, "Write", "{'file_path':'\\u3000~/x'}" },
	{ NO, "Write", "{'file_path':' ../x'}" },
	{ NO, "Write", "{'file_path':' .git/config'}" },
	{ NO, "Write", "{'file_path':'.sandbox '}" },
	{ NO, "Read", "{'file_path':'.sandbox/policy.json\\t'}" },
	{ NO, "Write", "{'file_path':'file:///etc/x'}" },
	{ NO, "LS", "{'path':' .sandbox'}" },
	{ ASK, "Write", "{'file_path':'file:///p/src/x'}" },
	{ ASK, "Write", "{'file_path':'~root/x'}" },
	{ ASK, "Write", "{'file_path':'~u'}" },
	{ ASK, "Read", "{'file_path':'.env '}" },
	{ ASK, "Read", "{'file_path':'\\u2003.env'}" },
	{ ASK, "Read", "{'file_path':'~/.ssh/id_rsa'}" },
	{ ASK, "Grep", "{'pattern':'x','path':'~'}" },
	{ ASK, "Grep", "{'pattern':'x','path':' ~/'}" },
	{ ASK, "Grep", "{'pattern':'x','path':'~/.config'}" },
	{ YES, "Write", "{'file_path':'src/a b.c'}" },
	{ YES, "Write", "{'file_path':'src/~/x'}" },
	{ YES, "Write", "{'file_path':'~$report.docx'}" },
	{ ASK, "Write", "{'file_path':'~j.doe/notes.txt'}" },
	{ ASK, "Read", "{'file_path':'~J/x'}" },
	{ ASK, "Write", "{'file_path':' ~J.Doe '}" },
	{ YES, "Write", "{'file_path':' src/x.c '}" },
	{ YES, "Read", "{'file_path':'~/.claude/notes.md'}" },
	{ YES, "Read", "{'file_path':'https.c'}" },
};

static const struct row globs[] = {
	{ NO, "Grep", "{'pattern':'x','glob':'.sandbox/**'}" },
	{ NO, "Grep", "{'pattern':'x','glob':'**/.sandbox/policy.json'}" },
	{ NO, "Grep", "{'pattern':'x','glob':'*.c,.sandbox/*'}" },
	{ NO, "Grep", "{'pattern':'x','glob':'{src,.sandbox}/**'}" },
	{ NO, "Grep", "{'pattern':'x','glob':'.sand*/**'}" },
	{ NO, "search_file_content", "{'pattern':'x','include':'.sandbox'}" },
	{ ASK, "Grep", "{'pattern':'x','glob':'.env*'}" },
	{ YES, "Grep", "{'pattern':'x','glob':'!.sandbox/**'}" },
	{ YES, "Grep", "{'pattern':'x','glob':'!.sandbox/** *.c'}" },
	{ YES, "Grep", "{'pattern':'x','glob':'**/*.json'}" },
	{ YES, "Grep", "{'pattern':'x','glob':'*'}" },
};

static const struct row shells[] = {
	{ NO, "exec_command", "{'cmd':'ls','workdir':'.sandbox'}" },
	{ NO, "exec_command", "{'cmd':'ls','workdir':'/p/.sandbox/'}" },
	{ NO, "run_shell_command", "{'command':'ls','directory':' .sandbox'}" },
	{ ASK, "exec_command", "{'cmd':'ls','workdir':'~/x'}" },
	{ ASK, "exec_command", "{'cmd':'ls','workdir':['/p']}" },
	{ ASK, "Shell", "{'command':'touch x','working_directory':'/etc'}" },
	{ ASK, "exec_command", "{'cmd':'ls','shell':'/tmp/evil'}" },
	{ ASK, "exec_command", "{'cmd':'ls','shell':'bash -c id'}" },
	{ ASK, "exec_command", "{'cmd':'ls','shell':['bash']}" },
	{ ASK, "Bash", "{'command':'ls','env':{'LD_PRELOAD':'x'}}" },
	{ ASK, "Bash", "{'command':'ls','cmd':'rm -rf src'}" },
	{ ASK, "Bash", "{'command':'ls','stdin':'x'}" },
	{ ASK, "shell", "{'command':['rm','-f','config'],'workdir':'.git',"
	    "'cwd':'/p'}" },
	{ ASK, "shell", "{'command':['ls'],'cwd':'/p','workdir':'src'}" },
	{ ASK, "shell", "{'command':['ls'],'workdir':'','directory':'src'}" },
	{ YES, "shell", "{'command':['ls'],'workdir':'src','cwd':'src'}" },
	{ YES, "shell", "{'command':['ls'],'workdir':null,'cwd':'/p'}" },
	{ YES, "Bash", "{'command':'ls','description':'a','timeout':5,"
	    "'run_in_background':true}" },
	{ YES, "Bash", "{'command':'ls','env':{},'new':false,'more':''}" },
	{ YES, "exec_command", "{'cmd':'ls','shell':'bash','workdir':'src',"
	    "'yield_time_ms':1000,'tty':false}" },
	{ YES, "exec_command", "{'cmd':'ls','shell':'/usr/bin/zsh'}" },
	{ YES, "run_shell_command", "{'command':'ls','directory':null}" },
};

static const struct row vectors[] = {
	{ NO, "shell", "{'command':['cat','.sandbox/policy.json']}" },
	{ NO, "local_shell", "{'command':['rm','-rf','.sandbox']}" },
	{ NO, "shell", "{'command':['bash','-lc','cat .sandbox/x','_']}" },
	{ ASK, "shell", "{'command':['rm','-rf','src']}" },
	{ ASK, "shell", "{'command':['sudo','ls']}" },
	{ ASK, "shell", "{'command':['./it\\'s','x']}" },
	{ ASK, "shell", "{'command':['A=b','ls']}" },
	{ ASK, "shell", "{'command':['ksh','-c','rm x']}" },
	{ ASK, "shell", "{'command':[]}" },
	{ ASK, "shell", "{'command':['ls',1]}" },
	{ ASK, "Write", "{'file_path':['ls']}" },
	{ YES, "shell", "{'command':['ls','-la']}" },
	{ YES, "shell", "{'command':['git','status']}" },
	{ YES, "shell", "{'command':['grep','-n','$(id); `id` | x','a.c']}" },
	{ YES, "shell", "{'command':['echo','it\\'s \\' &']}" },
};

static const struct row urls[] = {
	{ ASK, "WebFetch", "{'url':'https://a.example:22/'}" },
	{ ASK, "WebFetch", "{'url':'https://a.example:99999/'}" },
	{ ASK, "WebFetch", "{'url':'http://127.0.0.1:25'}" },
	{ ASK, "WebFetch", "{'url':'http://[::1]:0/'}" },
	{ YES, "WebFetch", "{'url':'https://a.example/x:22'}" },
	{ YES, "WebFetch", "{'url':'https://a.example:443/'}" },
	{ YES, "WebFetch", "{'url':'http://127.0.0.1:8080?x'}" },
	{ YES, "WebFetch", "{'url':'http://[::1]:3000'}" },
};

static cJSON *
input_of(const char *text)
{
	auto_free char *json = xstrdup(text);
	cJSON *tree = NULL;
	char *to = json;

	for (const char *p = json; *p != '\0'; p++)
		if (p[0] == '\\' && p[1] == '\'')
			*to++ = *++p;
		else
			*to++ = *p == '\'' ? '"' : *p;
	*to = '\0';
	ck_assert_msg(json_parse(json, strlen(json), JSON_DEPTH, &tree,
	    NULL) == 0, "%s", json);
	return tree;
}

static void
ck_rows(const struct row *rows, size_t n)
{
	struct bench b;

	bench_open(&b, "{\"version\":1,\"network\":{\"allow\":"
	    "[\"a.example\",\"127.0.0.1\",\"[::1]\"]}}");
	for (size_t i = 0; i < n; i++) {
		auto_json cJSON *input = input_of(rows[i].input);
		struct call c = { .tool = rows[i].tool, .cwd = "/p",
		    .input = input };
		enum action got;

		policy_decide(b.policy, b.world, &c, b.j);
		got = b.j->verdict.action;
		ck_assert_msg(rows[i].want == YES ? got >= YES :
		    got <= rows[i].want, "%s %s is %s (%s: %s)", rows[i].tool,
		    rows[i].input, action_name(got), b.j->verdict.rule,
		    b.j->verdict.why);
	}
	bench_close(&b);
}

START_TEST(paths_as_clients_take_them)
{
	ck_rows(paths, ARRAY_LEN(paths));
}
END_TEST

START_TEST(a_glob_names_ours)
{
	ck_rows(globs, ARRAY_LEN(globs));
}
END_TEST

START_TEST(fields_of_shells)
{
	ck_rows(shells, ARRAY_LEN(shells));
}
END_TEST

START_TEST(words_instead_of_a_line)
{
	ck_rows(vectors, ARRAY_LEN(vectors));
}
END_TEST

START_TEST(ports)
{
	ck_rows(urls, ARRAY_LEN(urls));
}
END_TEST

static void
ck_same_key(const char *tool, const char *a, const char *b, bool same)
{
	auto_json cJSON *x = input_of(a), *y = input_of(b);
	struct call c = { .tool = tool, .cwd = "/p", .input = x };
	struct digest k, l;

	call_key(&c, &k);
	c.input = y;
	call_key(&c, &l);
	ck_assert_msg(digest_eq(&k, &l) == same, "%s %s %s", tool, a, b);
}

/* An answer for one environment is none for another. */
START_TEST(what_is_asked_about_is_in_the_key)
{
	ck_same_key("Bash", "{'command':'a','env':{'A':'b'}}",
	    "{'command':'a'}", false);
	ck_same_key("Shell", "{'command':'a','working_directory':'/p'}",
	    "{'command':'a'}", false);
	ck_same_key("Bash", "{'command':'a','description':'b','timeout':1}",
	    "{'command':'a','description':'c'}", true);
}
END_TEST

START_TEST(words_are_shown_quoted)
{
	auto_json cJSON *input = input_of("{'command':['a b','c']}");
	struct call c = { .tool = "shell", .cwd = "/p", .input = input };
	auto_str struct str s = { 0 };

	str_init(&s, 100);
	call_summary(&c, &s);
	ck_assert_str_eq(s.s, "'a b' 'c'");
	ck_assert_ptr_null(call_subject(&c));
}
END_TEST

UNIT_MAIN("policy: fields of a call",
    tcase_add_test(tc, paths_as_clients_take_them);
    tcase_add_test(tc, a_glob_names_ours);
    tcase_add_test(tc, fields_of_shells);
    tcase_add_test(tc, words_instead_of_a_line);
    tcase_add_test(tc, ports);
    tcase_add_test(tc, what_is_asked_about_is_in_the_key);
    tcase_add_test(tc, words_are_shown_quoted);
)
