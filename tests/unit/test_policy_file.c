/* policy.json: what it takes, what it refuses and where; the accepted copy. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"
#include "tests/unit/policy_unit.h"

static const struct policy_place place = {
	.project = "proj", .root = "/p", .home = "/home/u"
};

/* The message for a text that must be refused. */
static void
refused(const char *text, const char *want)
{
	struct policy *p = NULL;
	struct err e = { 0 };

	ck_assert_msg(policy_parse(text, strlen(text), "policy.json", &place,
	    &p, &e) == -1, "taken: %s", text);
	ck_assert_msg(strstr(e.text, want) != NULL, "'%s' says '%s', not '%s'",
	    text, e.text, want);
	ck_assert_ptr_null(p);
}

START_TEST(errors_name_their_place)
{
	refused("{\n  \"version\": 1,\n  \"rulez\": []\n}",
	    "policy.json:3:3: unknown key 'rulez'");
	refused("{}", "the key 'version' is missing");
	refused("{\"version\":2}", "policy.json:1:2: must be 1");
	refused("[]", "must be an object");
	refused("{\"version\":1,}", "policy.json");
	refused("{\"version\":1,\"preset\":\"lax\"}", "must be \"strict\"");
	refused("{\"version\":1,\"mode\":\"off\"}", "\"enforce\" or");
	refused("{\"version\":1,\"mode\":1}", "\"enforce\" or");
	refused("{\"version\":1,\"contain\":true}", "\"off\" or \"auto\"");
	refused("{\"version\":1,\"auto_allow\":1}", "true or false");
	refused("{\"version\":1,\"preset\":5}", "must be \"strict\"");
	refused("{\"version\":1,\"triggers\":{\"network\":\"maybe\"}}",
	    "1:26: must be one of");
	refused("{\"version\":1,\"triggers\":{\"connector\":\"allow\"}}",
	    "unknown key 'connector'");
	refused("{\"version\":1,\"triggers\":[]}", "must be an object");
	refused("{\"version\":1,\"a/b\":1}", "unknown key 'a/b'");
	refused("{\"version\":1,\"network\":{\"allow\":\"x\"}}",
	    "must be a list");
	refused("{\"version\":1,\"network\":{\"allow\":[\"\"]}}",
	    "must be a text");
	refused("{\"version\":1,\"network\":{\"allow\":[1]}}",
	    "must be a text");
	refused("{\"version\":1,\"network\":{\"registries\":[\"*.a\"]}}",
	    "a registry is one host");
	refused("{\"version\":1,\"paths\":{\"secret\":5}}", "must be a list");
	refused("{\"version\":1,\"paths\":{\"x\":[]}}", "unknown key");
}
END_TEST

START_TEST(limits_are_sane)
{
	const struct policy_limits *l;
	struct policy *p;
	const char *text = "{\"version\":1,\"limits\":{\"wait_s\":7,"
	    "\"wait_alone_s\":1,\"request_ttl_s\":9,\"pending_max\":3000}}";

	refused("{\"version\":1,\"limits\":{\"wait_s\":100,"
	    "\"request_ttl_s\":100}}", "1:14: wait_s (100) must be less");
	refused("{\"version\":1,\"limits\":{\"wait_s\":10,"
	    "\"wait_alone_s\":11}}", "wait_alone_s (11)");
	refused("{\"version\":1,\"limits\":{\"wait_s\":0}}",
	    "a whole number from 1 to 86000");
	refused("{\"version\":1,\"limits\":{\"wait_s\":1.5}}", "whole number");
	refused("{\"version\":1,\"limits\":{\"wait_s\":\"1\"}}",
	    "whole number");
	refused("{\"version\":1,\"limits\":{\"output_bytes\":9999999}}",
	    "from 500 to");
	refused("{\"version\":1,\"limits\":{\"x\":1}}", "unknown key 'x'");
	ck_assert_int_eq(policy_parse(text, strlen(text), "p", &place, &p,
	    NULL), 0);
	l = policy_limits(p);
	ck_assert_int_eq(l->wait_s, 7);
	ck_assert_int_eq(l->request_ttl_s, 9);
	ck_assert_int_eq(l->pending_max, 3000);
	ck_assert_int_eq(l->output_bytes, 40000);
	policy_free(p);
}
END_TEST

START_TEST(rules_are_checked)
{
	refused("{\"version\":1,\"rules\":{}}", "must be a list");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\"}]}",
	    "the key 'match' is missing");
	refused("{\"version\":1,\"rules\":[{\"id\":\"A\"}]}",
	    "must be 1 to 47 of");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":{},"
	    "\"verdict\":\"deny\"}]}", "must not be empty");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"args\":[\"a\"]},\"verdict\":\"deny\"}]}",
	    "args need a program");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"effect\":\"evil\"},\"verdict\":\"deny\"}]}", "no effect");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"regex\":\"x\"},\"verdict\":\"deny\"}]}",
	    "unknown key 'regex'");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"tool\":\"x\"},\"verdict\":\"deny\",\"tier\":\"huge\"}]}",
	    "must be one of \"critical\"");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"tool\":\"x\"},\"verdict\":\"deny\"},{\"id\":\"x\",\"match\":"
	    "{\"tool\":\"x\"},\"verdict\":\"deny\"}]}", "used twice");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"path\":1},\"verdict\":\"deny\"}]}", "must be a text");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"tool\":\"x\"},\"verdict\":\"deny\",\"examples\":"
	    "{\"yes\":[]}}]}", "unknown key 'yes'");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"tool\":\"x\"},\"verdict\":\"deny\",\"examples\":"
	    "{\"not\":[1]}}]}", "list of commands");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"tool\":\"x\"},\"verdict\":\"deny\",\"examples\":"
	    "{\"not\":1}}]}", "list of commands");
	refused("{\"version\":1,\"rules\":[{\"id\":\"x\",\"match\":"
	    "{\"tool\":\"x\"},\"verdict\":\"deny\",\"examples\":[]}]}",
	    "must be an object");
}
END_TEST

#define MAKE_TEST(examples)						\
	"{\"version\":1,\"rules\":[{\"id\":\"make-test\",\"match\":{"	\
	"\"program\":\"make\",\"args\":[\"test\"]},"			\
	"\"verdict\":\"allow\",\"examples\":" examples "}]}"

START_TEST(examples_run)
{
	static const char good[] = MAKE_TEST("{\"match\":[\"make test\"],"
	    "\"not\":[\"make test install\",\"make\",\"make test > x\","
	    "\"make $x\"]}");
	struct bench b;

	refused(MAKE_TEST("{\"match\":[\"make tests\"]}"),
	    "the rule 'make-test' does not decide \"make tests\"");
	refused(MAKE_TEST("{\"not\":[\"make test\"]}"),
	    "the rule 'make-test' decides \"make test\"");
	refused(MAKE_TEST("{\"match\":[\"make test; rm -rf x\"]}"),
	    "does not decide");
	bench_open(&b, good);
	ck_action(&b, "make test", ACTION_ALLOW);
	ck_action(&b, "make test && git status", ACTION_ALLOW);
	ck_action(&b, "make test; make install", ACTION_ESCALATE);
	ck_action(&b, "sudo make test", ACTION_ESCALATE);
	ck_action(&b, "nice make test", ACTION_ALLOW);
	bench_close(&b);
}
END_TEST

START_TEST(comments_and_all_keys)
{
	static const char text[] =
	    "// what we allow\n{ \"version\": 1, /* x */ \"mode\": \"observe\","
	    " \"preset\": \"strict\", \"auto_allow\": true,"
	    " \"contain\": \"auto\","
	    " \"triggers\": { \"shell_write\": \"observe\" },"
	    " \"network\": { \"allow\": [\"a.example\"], \"deny\": [] },"
	    " \"paths\": { \"secret\": [\"/x/*\"], \"protect\": [\"y\"] },"
	    " \"limits\": {} }";
	struct digest d;
	struct bench b;

	bench_open(&b, text);
	ck_assert_int_eq(policy_mode(b.policy), MODE_OBSERVE);
	ck_assert(policy_auto_allow(b.policy));
	digest_of(text, strlen(text), NULL, &d);
	ck_assert(digest_eq(&d, policy_digest(b.policy)));
	ck_action(&b, "touch a", ACTION_OBSERVE);
	ck_action(&b, "cat /etc/hosts", ACTION_ESCALATE);
	bench_close(&b);
}
END_TEST

/* --- the accepted copy --- */

struct view {
	char			 dir[40];
	int			 fd;
	unsigned char		 seed[SIGN_SEED];
	struct key_entry	 key;
	struct keyring		 ring;
	struct policy_place	 place;
};

static void
view_open(struct view *v)
{
	snprintf(v->dir, sizeof(v->dir), "/tmp/policy_file.XXXXXX");
	ck_assert_int_eq(digest_setup(NULL), 0);
	ck_assert_ptr_nonnull(mkdtemp(v->dir));
	v->fd = open(v->dir, O_RDONLY | O_DIRECTORY);
	memset(v->seed, 7, sizeof(v->seed));
	sign_public(v->seed, v->key.pub);
	v->ring = (struct keyring){ &v->key, 1 };
	v->place = place;
	v->place.approvers = &v->ring;
}

static void
view_close(struct view *v)
{
	unlinkat(v->fd, "policy.accepted", 0);
	close(v->fd);
	rmdir(v->dir);
}

static void
view_put(struct view *v, const char *bytes, size_t len)
{
	unlinkat(v->fd, "policy.accepted", 0);
	ck_assert_int_eq(fs_write_new(v->fd, "policy.accepted", bytes, len,
	    false, NULL), 0);
}

START_TEST(absent_is_strict)
{
	struct policy *p;
	struct view v;

	view_open(&v);
	ck_assert_int_eq(policy_load(v.fd, &v.place, &p, NULL), 0);
	ck_assert(!policy_auto_allow(p));
	ck_assert_int_eq(policy_mode(p), MODE_ENFORCE);
	policy_free(p);
	view_close(&v);
}
END_TEST

START_TEST(sealed_text_is_loaded)
{
	static const char text[] = "{\"version\":1,\"auto_allow\":true}\n";
	struct policy *p;
	struct str s;
	struct view v;

	view_open(&v);
	str_init(&s, 4096);
	policy_seal(text, strlen(text), "proj", v.seed, &s);
	view_put(&v, s.s, s.len);
	ck_assert_int_eq(policy_load(v.fd, &v.place, &p, NULL), 0);
	ck_assert(policy_auto_allow(p));
	policy_free(p);
	str_clear(&s);
	view_close(&v);
}
END_TEST

/* Every byte of the header and the text is covered. */
START_TEST(a_flipped_byte_is_refused)
{
	static const char text[] = "{\"version\":1}\n";
	struct str s;
	struct view v;

	view_open(&v);
	str_init(&s, 4096);
	policy_seal(text, strlen(text), "proj", v.seed, &s);
	for (size_t i = 0; i < s.len; i++) {
		struct policy *p = NULL;
		struct err e = { 0 };

		s.s[i] ^= 1;
		view_put(&v, s.s, s.len);
		ck_assert_msg(policy_load(v.fd, &v.place, &p, &e) == -1,
		    "byte %zu", i);
		ck_assert_ptr_nonnull(strstr(e.text, "the accepted policy"));
		s.s[i] ^= 1;
	}
	str_clear(&s);
	view_close(&v);
}
END_TEST

static void
load_fails(struct view *v, const char *want)
{
	struct policy *p = NULL;
	struct err e = { 0 };

	ck_assert_int_eq(policy_load(v->fd, &v->place, &p, &e), -1);
	ck_assert_msg(strstr(e.text, want) != NULL, "'%s' lacks '%s'", e.text,
	    want);
}

START_TEST(other_seals_are_refused)
{
	static const char text[] = "{\"version\":1}";
	unsigned char other[SIGN_SEED] = { 9 };
	struct str s;
	struct view v;

	view_open(&v);
	str_init(&s, 4096);
	policy_seal(text, strlen(text), "proj", other, &s);
	view_put(&v, s.s, s.len);
	load_fails(&v, "no approver signed it");
	str_reset(&s);
	policy_seal(text, strlen(text), "else", v.seed, &s);
	view_put(&v, s.s, s.len);
	load_fails(&v, "another project");
	str_reset(&s);
	policy_seal("{}", 2, "proj", v.seed, &s);
	view_put(&v, s.s, s.len);
	load_fails(&v, "'version' is missing");
	view_put(&v, "", 0);
	load_fails(&v, "no header");
	view_put(&v, "a\0b\n", 4);
	load_fails(&v, "NUL");
	view_put(&v, "sandbox-policy-v1 a b\n", 22);
	load_fails(&v, "no header");
	view_put(&v, "sandbox-policy-v1 a b c d e\n", 28);
	load_fails(&v, "no header");
	unlinkat(v.fd, "policy.accepted", 0);
	ck_assert_int_eq(symlinkat("/dev/null", v.fd, "policy.accepted"), 0);
	load_fails(&v, "the accepted policy");
	str_clear(&s);
	view_close(&v);
}
END_TEST

UNIT_MAIN("policy files",
    tcase_add_test(tc, errors_name_their_place);
    tcase_add_test(tc, limits_are_sane);
    tcase_add_test(tc, rules_are_checked);
    tcase_add_test(tc, examples_run);
    tcase_add_test(tc, comments_and_all_keys);
    tcase_add_test(tc, absent_is_strict);
    tcase_add_test(tc, sealed_text_is_loaded);
    tcase_add_test(tc, a_flipped_byte_is_refused);
    tcase_add_test(tc, other_seals_are_refused);
)
