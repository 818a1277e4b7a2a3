/* Settings of a jail: read strictly, layered so that a project only tightens. */
#include <string.h>

#include "common/mem.h"
#include "jail/glob.h"
#include "jail/spec.h"
#include "tests/unit/jail_bed.h"

static const struct spec_place place = { .cwd = "/w/p",
    .home = "/home/u" };

static int
parse(const char *text, struct spec *s, struct err *e)
{
	spec_init(s);
	return spec_parse(text, strlen(text), &place, s, e);
}

START_TEST(everything_it_knows_is_read)
{
	struct spec s;
	struct err e = { 0 };

	ck_assert_msg(parse("{ // mine\n"
	    "\"filesystem\": {\"denyRead\": [\"~/.ssh/**\", \"**/.env\"],"
	    "\"allowRead\": [], \"allowWrite\": [\".\", \"../q/./r/\"],"
	    "\"denyWrite\": [\"/a//b\"], \"allowGitConfig\": true},"
	    "\"network\": {\"allowedDomains\": [\"x.test\"],"
	    "\"deniedDomains\": [], \"allowUnixSockets\": [\"s\"],"
	    "\"allowLocalBinding\": true, \"deniedResolvedAddresses\": []},"
	    "\"credentials\": {\"envVars\": [{\"name\": \"T\","
	    "\"mode\": \"deny\"}]}, \"environment\": {\"pass\": [\"A_*\"]},"
	    "\"limits\": {\"processes\": 7, \"memory\": 4096},"
	    "\"allowNestedUserNamespaces\": true}", &s, &e) == 0, "%s", e.text);
	ck_assert_str_eq(s.list[SPEC_DENY_READ].v[0], "/home/u/.ssh");
	ck_assert_str_eq(s.list[SPEC_DENY_READ].v[1], "/w/p/**/.env");
	ck_assert_str_eq(s.list[SPEC_ALLOW_WRITE].v[0], "/w/p");
	ck_assert_str_eq(s.list[SPEC_ALLOW_WRITE].v[1], "/w/q/r");
	ck_assert_str_eq(s.list[SPEC_DENY_WRITE].v[0], "/a/b");
	ck_assert_str_eq(s.list[SPEC_ALLOW_SOCKETS].v[0], "/w/p/s");
	ck_assert_str_eq(s.list[SPEC_ENV_DENY].v[0], "T");
	ck_assert_str_eq(s.list[SPEC_ENV_PASS].v[0], "A_*");
	ck_assert(s.git_config && s.nested && s.given[SPEC_ALLOW_READ]);
	ck_assert_int_eq(s.processes, 7);
	ck_assert_int_eq(s.memory, 4096);
	spec_clear(&s);
}
END_TEST

START_TEST(nothing_said_is_nothing_allowed)
{
	struct spec s;
	struct err e = { 0 };

	ck_assert_int_eq(parse("{}", &s, &e), 0);
	for (int i = 0; i < SPEC_LISTS; i++)
		ck_assert_uint_eq(s.list[i].n, 0);
	ck_assert(!s.git_config && !s.nested);
	ck_assert_int_eq(s.processes, SPEC_PROCESSES);
	spec_clear(&s);
}
END_TEST

static const struct { const char *text, *want; } bad[] = {
	{ "", "line 1, column 1" },
	{ " \n", "line 2, column 1" },
	{ "{\"network\":", "line 1, column 12" },
	{ "[]", "must be an object" },
	{ "null", "must be an object" },
	{ "{}{}", "line 1, column 3" },
	{ "{\"filesystem\": {},\n  \"filesystm\": {}}",
	  "line 2, column 3: '/filesystm' is an unknown key" },
	{ "{\"filesystem\":\n {\"denyRead\": [],\n  \"denyRaed\": []}}",
	  "line 3, column 3: '/filesystem/denyRaed' is an unknown key" },
	{ "{\"denyRead\": []}", "'/denyRead' is an unknown key" },
	{ "{\"filesystem\": {\"denyread\": []}}", "is an unknown key" },
	{ "{\"filesystem\": {\"filesystem\": {}}}", "is an unknown key" },
	{ "{\"filesystem\": []}", "must be an object" },
	{ "{\"filesystem\": {\"denyRead\": \"~\"}}", "must be a list" },
	{ "{\"filesystem\": {\"denyRead\": [1]}}",
	  "line 1, column 30: '/filesystem/denyRead/0'" },
	{ "{\"filesystem\": {\"denyRead\": [\"a\", \"\"]}}",
	  "'/filesystem/denyRead/1'" },
	{ "{\"filesystem\": {\"allowWrite\": [\"*.c\"]}}",
	  "must be a plain path" },
	{ "{\"filesystem\": {\"denyRead\": [\"$HOME/.ssh\"]}}",
	  "'/filesystem/denyRead/0' has a variable" },
	{ "{\"filesystem\": {\"denyRead\": [\"/a\", \"/h/${USER}/x\"]}}",
	  "'/filesystem/denyRead/1' has a variable" },
	{ "{\"filesystem\": {\"denyRead\": [\"~root/.ssh\"]}}",
	  "begins with somebody's home" },
	{ "{\"filesystem\": {\"denyWrite\": [\"{x}/y.{key,pem}\"]}}",
	  "has alternatives in braces" },
	{ "{\"filesystem\": {\"allowGitConfig\": 1}}", "true or false" },
	{ "{\"filesystem\": {\"denyRead\": [], \"denyRead\": []}}", "twice" },
	{ "{\"credentials\": {\"envVars\": [{\"name\": \"A\"}]}}", "missing" },
	{ "{\"credentials\": {\"envVars\": [{\"name\": \"A\","
	  "\"mode\": \"mask\"}]}}", "not in this version" },
	{ "{\"credentials\": {\"envVars\": {}}}", "list of objects" },
	{ "{\"limits\": {\"processes\": 0}}", "whole number" },
	{ "{\"limits\": {\"memory\": -1}}", "whole number" },
	{ "{\"limits\": {\"memory\": 1.5}}", "whole number" },
	{ "{\"a\\u001b[31m~/x\": 1}", "'/a^[[31m~0~1x' is an unknown key" },
};

START_TEST(a_mistake_is_an_error_with_its_place)
{
	struct err e = { 0 };
	struct spec s;

	ck_assert_int_eq(parse(bad[_i].text, &s, &e), -1);
	ck_assert_msg(strstr(e.text, bad[_i].want) != NULL, "'%s' has no '%s'",
	    e.text, bad[_i].want);
	for (int i = 0; i < SPEC_LISTS; i++)
		ck_assert_uint_eq(s.list[i].n, 0);
}
END_TEST

START_TEST(a_directory_named_like_a_pattern_is_said)
{
	const struct spec_place odd = { .cwd = "/w/a*b",
	    .home = "/home/u" };
	const struct spec_place set = { .cwd = "/w/[id]",
	    .home = "/home/u" };
	static const char one[] = "{\"filesystem\":{\"denyRead\":[\"x\"]}}";
	static const char two[] = "{\"filesystem\":{\"denyRead\":[\"*.x\"]}}";
	struct err e = { 0 };
	struct spec s;

	spec_init(&s);
	ck_assert_int_eq(spec_parse(one, strlen(one), &odd, &s, &e), -1);
	ck_assert_int_eq(spec_parse(one, strlen(one), &set, &s, &e), 0);
	ck_assert_str_eq(s.list[SPEC_DENY_READ].v[0], "/w/[id]/x");
	spec_clear(&s);
	spec_init(&s);
	ck_assert_int_eq(spec_parse(two, strlen(two), &set, &s, &e), 0);
	ck_assert(glob_match(s.list[SPEC_DENY_READ].v[0], "/w/[id]/a.x"));
	ck_assert(!glob_match(s.list[SPEC_DENY_READ].v[0], "/w/i/a.x"));
	spec_clear(&s);
}
END_TEST

/* Either may be meant, and what is not denied is not seen. */
START_TEST(a_denial_with_brackets_means_the_name_and_the_set)
{
	static const char text[] = "{\"filesystem\":{\"denyRead\":[\"[ab].k\"],"
	    "\"denyWrite\":[\"{x}\",\"./$y\",\"./~z\",\"//a/b\",\"d[1]/**\"],"
	    "\"allowWrite\":[\"[c]\"]}}";
	const struct list *l;
	struct err e = { 0 };
	struct spec s;

	ck_assert_msg(parse(text, &s, &e) == 0, "%s", e.text);
	l = &s.list[SPEC_DENY_READ];
	ck_assert_uint_eq(l->n, 2);
	ck_assert_str_eq(l->v[0], "/w/p/[ab].k");
	ck_assert(!glob_is(l->v[0]) && glob_is(l->v[1]));
	ck_assert(glob_match(l->v[1], "/w/p/a.k"));
	ck_assert(!glob_match(l->v[1], "/w/p/x/a.k"));

	auto_free char *base = glob_base(l->v[1]);

	ck_assert_str_eq(base, "/w/p");
	l = &s.list[SPEC_DENY_WRITE];
	ck_assert_uint_eq(l->n, 5);
	ck_assert_str_eq(l->v[0], "/w/p/{x}");
	ck_assert_str_eq(l->v[1], "/w/p/$y");
	ck_assert_str_eq(l->v[2], "/w/p/~z");
	ck_assert_str_eq(l->v[3], "/a/b");
	ck_assert_str_eq(l->v[4], "/w/p/d[1]");
	ck_assert_uint_eq(s.list[SPEC_ALLOW_WRITE].n, 1);
	spec_clear(&s);
}
END_TEST

#define FS(x)	"{\"filesystem\":{" x "}}"
static const struct { const char *user, *project, *want; } layers[] = {
	{ FS("\"allowWrite\":[\".\"]"), FS("\"allowWrite\":[\"src\"]"), NULL },
	{ FS("\"allowWrite\":[\"src\"]"), FS("\"allowWrite\":[\".\"]"),
	  "filesystem.allowWrite: '/w/p' is more" },
	{ "{}", FS("\"allowWrite\":[\"/w/p\"]"), "filesystem.allowWrite" },
	{ FS("\"denyRead\":[\"~\"]"), FS("\"allowRead\":[\"~/.ssh\"]"),
	  "filesystem.allowRead" },
	{ FS("\"denyRead\":[\"~\"]"), FS("\"allowRead\":[\"/\"]"),
	  "filesystem.allowRead" },
	{ FS("\"denyRead\":[\"~\"],\"allowRead\":[\"~/a\"]"),
	  FS("\"allowRead\":[\"~/a/b\"]"), NULL },
	{ FS("\"denyRead\":[\"~\",\"~/a/b\"],\"allowRead\":[\"~/a\"]"),
	  FS("\"allowRead\":[\"~/a/b/c\"]"), "filesystem.allowRead" },
	{ FS("\"denyRead\":[\"~\"]"), FS("\"allowRead\":[\"*.x\"]"),
	  "filesystem.allowRead" },
	{ FS("\"denyRead\":[\"*.x\"]"), FS("\"allowRead\":[\"a.x\"]"),
	  "filesystem.allowRead" },
	{ "{}", FS("\"allowRead\":[\"~/a\"],\"denyRead\":[\"~\"]"), NULL },
	{ "{}", FS("\"allowGitConfig\":true"), "allowGitConfig" },
	{ "{}", "{\"allowNestedUserNamespaces\":true}", "allowNested" },
	{ "{\"network\":{\"allowedDomains\":[\"*.a.test\"]}}",
	  "{\"network\":{\"allowedDomains\":[\"b.a.test\"]}}",
	  "network.allowedDomains" },
	{ "{}", "{\"environment\":{\"pass\":[\"AWS_KEY\"]}}", "pass" },
	{ "{}", "{\"network\":{\"allowUnixSockets\":[\"/run/x\"]}}",
	  "allowUnixSockets" },
};

START_TEST(a_project_can_only_tighten)
{
	struct spec user, project;
	struct err e = { 0 };

	ck_assert_int_eq(parse(layers[_i].user, &user, &e), 0);
	ck_assert_int_eq(parse(layers[_i].project, &project, &e), 0);
	ck_assert_int_eq(spec_tighten(&user, &project, &e),
	    layers[_i].want == NULL ? 0 : -1);
	if (layers[_i].want != NULL)
		ck_assert_msg(strstr(e.text, layers[_i].want) != NULL, "%s",
		    e.text);
	spec_clear(&user);
	spec_clear(&project);
}
END_TEST

START_TEST(layers_add_denials_and_take_the_smaller_limit)
{
	struct spec user, project;
	struct err e = { 0 };

	ck_assert_int_eq(parse("{\"filesystem\":{\"denyRead\":[\"/a\"],"
	    "\"allowWrite\":[\".\"],\"denyWrite\":[\"d\"]},"
	    "\"limits\":{\"processes\":50,\"memory\":9}}", &user, &e), 0);
	ck_assert_int_eq(parse("{\"filesystem\":{\"denyRead\":[\"/b\",\"/a\"],"
	    "\"allowWrite\":[\"s\"]},\"limits\":{\"processes\":60,"
	    "\"memory\":8}}", &project, &e), 0);
	ck_assert_int_eq(spec_tighten(&user, &project, &e), 0);
	ck_assert_uint_eq(user.list[SPEC_DENY_READ].n, 2);
	ck_assert_uint_eq(user.list[SPEC_DENY_WRITE].n, 1);
	ck_assert_uint_eq(user.list[SPEC_ALLOW_WRITE].n, 1);
	ck_assert_str_eq(user.list[SPEC_ALLOW_WRITE].v[0], "/w/p/s");
	ck_assert_int_eq(user.processes, 50);
	ck_assert_int_eq(user.memory, 8);
	spec_clear(&user);
	spec_clear(&project);
}
END_TEST

START_TEST(the_first_file_that_exists_is_the_users)
{
	struct bed b;
	struct err e = { 0 };
	struct spec s;

	bed_open(&b);
	ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), 0);
	ck_assert_uint_eq(s.list[SPEC_ALLOW_WRITE].n, 0);
	spec_clear(&s);
	put(b.home, ".srt-settings.json", FS("\"allowWrite\":[\"/srt\"]"));
	ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), 0);
	ck_assert_str_eq(s.list[SPEC_ALLOW_WRITE].v[0], "/srt");
	spec_clear(&s);
	put(b.home, ".config/sandbox/jail.json",
	    FS("\"allowWrite\":[\"/own\"]"));
	ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), 0);
	ck_assert_str_eq(s.list[SPEC_ALLOW_WRITE].v[0], "/own");
	spec_clear(&s);
	put(b.home, ".config/sandbox/jail.json", "");
	ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), -1);
	bed_close(&b);
}
END_TEST

START_TEST(a_projects_file_alone_may_write_the_project)
{
	struct bed b;
	struct err e = { 0 };
	struct spec s;

	bed_open(&b);
	put(b.cwd, ".sandbox/jail.json", FS("\"allowWrite\":[\".\"]"));
	ck_assert_msg(spec_load(NULL, &b.place, &s, &e) == 0, "%s", e.text);
	ck_assert_str_eq(s.list[SPEC_ALLOW_WRITE].v[0], b.cwd);
	spec_clear(&s);
	put(b.cwd, ".sandbox/jail.json", "{}");
	ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), 0);
	ck_assert_uint_eq(s.list[SPEC_ALLOW_WRITE].n, 0);
	spec_clear(&s);
	put(b.cwd, ".sandbox/jail.json", FS("\"allowWrite\":[\"~\"]"));
	ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), -1);
	ck_assert(strstr(e.text, "'.sandbox/jail.json'") != NULL);
	put(b.cwd, ".sandbox/jail.json", "{");
	ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), -1);
	bed_close(&b);
}
END_TEST

/* A cloned project must not even ask for our keys. */
START_TEST(a_project_cannot_open_what_is_closed)
{
	static const char *const asks[] = {
		FS("\"allowRead\":[\"~/keys\"]"),
		FS("\"allowRead\":[\"~/keys/a/b\"]"),
	};
	char *dirs[] = { NULL };
	const struct list closed = { dirs, 1 };
	struct bed b;
	struct err e = { 0 };
	struct spec s;

	bed_open(&b);
	dirs[0] = xasprintf("%s/keys", b.home);
	b.place.closed = &closed;
	for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
		put(b.cwd, ".sandbox/jail.json", asks[i]);
		ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), -1);
		ck_assert_msg(strstr(e.text, "allowRead") != NULL, "%s",
		    e.text);
	}
	put(b.cwd, ".sandbox/jail.json", FS("\"allowRead\":[\"~/key\"]"));
	ck_assert_int_eq(spec_load(NULL, &b.place, &s, &e), 0);
	spec_clear(&s);
	free(dirs[0]);
	bed_close(&b);
}
END_TEST

START_TEST(a_named_file_must_be_there_and_stands_alone)
{
	auto_free char *missing = NULL, *there = NULL;
	struct bed b;
	struct err e = { 0 };
	struct spec s;

	bed_open(&b);
	missing = xasprintf("%s/none.json", b.dir);
	there = xasprintf("%s/given.json", b.dir);
	ck_assert_int_eq(spec_load(missing, &b.place, &s, &e), -1);
	ck_assert(strstr(e.text, "No such file") != NULL);
	ck_assert_int_eq(spec_load(b.dir, &b.place, &s, &e), -1);
	put(b.dir, "given.json", FS("\"allowWrite\":[\"~\"]"));
	put(b.cwd, ".sandbox/jail.json", "{ broken");
	ck_assert_int_eq(spec_load(there, &b.place, &s, &e), 0);
	ck_assert_str_eq(s.list[SPEC_ALLOW_WRITE].v[0], b.home);
	spec_clear(&s);
	bed_close(&b);
}
END_TEST

static const struct { const char *text, *want; } paths[] = {
	{ ".", "/w/p" }, { "", "/w/p" }, { "~", "/home/u" },
	{ "~/x/../y", "/home/u/y" }, { "~x", "/w/p/~x" }, { "/", "/" },
	{ "/..", "/" }, { "../../../..", "/" }, { "a//b/./c/", "/w/p/a/b/c" },
	{ "...", "/w/p/..." },
};

START_TEST(paths_become_absolute_and_normal)
{
	auto_free char *got = path_normal(paths[_i].text, place.cwd,
	    place.home);

	ck_assert_str_eq(got, paths[_i].want);
}
END_TEST

UNIT_MAIN("jail/spec",
	tcase_add_test(tc, everything_it_knows_is_read);
	tcase_add_test(tc, nothing_said_is_nothing_allowed);
	tcase_add_loop_test(tc, a_mistake_is_an_error_with_its_place, 0,
	    (int)ARRAY_LEN(bad));
	tcase_add_test(tc, a_directory_named_like_a_pattern_is_said);
	tcase_add_test(tc, a_denial_with_brackets_means_the_name_and_the_set);
	tcase_add_test(tc, a_project_cannot_open_what_is_closed);
	tcase_add_loop_test(tc, a_project_can_only_tighten, 0,
	    (int)ARRAY_LEN(layers));
	tcase_add_test(tc, layers_add_denials_and_take_the_smaller_limit);
	tcase_add_test(tc, the_first_file_that_exists_is_the_users);
	tcase_add_test(tc, a_projects_file_alone_may_write_the_project);
	tcase_add_test(tc, a_named_file_must_be_there_and_stands_alone);
	tcase_add_loop_test(tc, paths_become_absolute_and_normal, 0,
	    (int)ARRAY_LEN(paths));
)
