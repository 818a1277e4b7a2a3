/* The machine's and the user's files over a project's policy. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/layers.h"
#include "tests/unit/policy_unit.h"

static char path[64];

static void
put(const char *text)
{
	FILE *f;

	unlink(path);
	f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ck_assert_int_eq(chmod(path, 0600), 0);
}

static void
setup(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/policy_layers.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ne(fd, -1);
	close(fd);
}

static void
teardown(void)
{
	unlink(path);
}

static int
lay(struct bench *b, enum layer how)
{
	struct err e = { 0 };

	return layer_add(b->policy, path, getuid(), how, &e);
}

static const char project[] = "{\"version\":1,\"rules\":["
    "{\"id\":\"push\",\"match\":{\"program\":\"git\",\"args\":[\"push\"]},"
    "\"verdict\":\"allow\"},"
    "{\"id\":\"ls\",\"match\":{\"program\":\"make\"},\"verdict\":\"allow\"}]}";

START_TEST(the_site_decides)
{
	struct bench b;

	bench_open(&b, project);
	ck_action(&b, "git push", ACTION_ALLOW);
	ck_action(&b, "cat x.conf", ACTION_ALLOW);
	put("{\"version\":1,\"triggers\":{\"shell_write\":\"escalate\"},"
	    "\"network\":{\"allow\":[\"a.example\"],\"deny\":[\"b.example\"],"
	    "\"registries\":[\"r.example\"]},"
	    "\"paths\":{\"secret\":[\"*.conf\"],\"protect\":[\"infra/**\"]},"
	    "\"rules\":[{\"id\":\"s1\",\"match\":{\"program\":\"git\"},"
	    "\"verdict\":\"deny\"},{\"id\":\"s2\",\"match\":{\"program\":"
	    "\"make\"},\"verdict\":\"escalate\"},{\"id\":\"s3\",\"match\":"
	    "{\"program\":\"reboot\"},\"verdict\":\"allow\"}]}");
	ck_assert_int_eq(lay(&b, LAYER_MAY_ALLOW), 0);
	ck_action(&b, "git push", ACTION_DENY);		/* its deny stays */
	ck_action(&b, "make", ACTION_ALLOW);		/* the project's word */
	ck_action(&b, "reboot", ACTION_ALLOW);
	ck_action(&b, "cat x.conf", ACTION_ESCALATE);
	ck_action(&b, "echo x > infra/a", ACTION_ESCALATE);
	ck_action(&b, "echo x > a", ACTION_ESCALATE);
	ck_action(&b, "curl http://a.example", ACTION_ALLOW);
	ck_action(&b, "curl http://r.example", ACTION_ALLOW);
	ck_action(&b, "echo x > .sandbox/policy.json", ACTION_DENY);
	bench_close(&b);
}
END_TEST

START_TEST(the_user_only_tightens)
{
	struct bench b;

	bench_open(&b, project);
	put("{\"version\":1,\"preset\":\"relaxed\",\"auto_allow\":true,"
	    "\"network\":{\"allow\":[\"a.example\"],"
	    "\"registries\":[\"r.example\"]},"
	    "\"rules\":[{\"id\":\"u1\",\"match\":{\"program\":\"git\"},"
	    "\"verdict\":\"escalate\"},{\"id\":\"u2\",\"match\":{\"program\":"
	    "\"reboot\"},\"verdict\":\"allow\"}]}");
	ck_assert_int_eq(lay(&b, LAYER_TIGHTENS), 0);
	ck_action(&b, "git push", ACTION_ESCALATE);
	ck_action(&b, "reboot", ACTION_ESCALATE);
	ck_action(&b, "rm -rf src", ACTION_ESCALATE);
	ck_action(&b, "curl http://a.example", ACTION_ESCALATE);
	ck_action(&b, "curl http://r.example", ACTION_ESCALATE);
	ck_assert(!policy_auto_allow(b.policy));
	bench_close(&b);
}
END_TEST

START_TEST(bad_layers_close)
{
	struct err e = { 0 };
	struct bench b;

	bench_open(&b, project);
	unlink(path);
	ck_assert_int_eq(lay(&b, LAYER_MAY_ALLOW), 0);	/* there is none */
	put("{\"version\":1,\"rulez\":[]}");
	ck_assert_int_eq(lay(&b, LAYER_MAY_ALLOW), -1);
	put("{\"version\":1}");
	ck_assert_int_eq(layer_add(b.policy, path, getuid() + 1,
	    LAYER_MAY_ALLOW, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "only its owner"));
	ck_assert_int_eq(chmod(path, 0620), 0);
	ck_assert_int_eq(lay(&b, LAYER_MAY_ALLOW), -1);
	unlink(path);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	ck_assert_int_eq(lay(&b, LAYER_MAY_ALLOW), -1);
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(lay(&b, LAYER_MAY_ALLOW), -1);
	ck_action(&b, "git push", ACTION_ALLOW);	/* and nothing changed */
	bench_close(&b);
}
END_TEST

UNIT_MAIN("policy/layers",
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, the_site_decides);
    tcase_add_test(tc, the_user_only_tightens);
    tcase_add_test(tc, bad_layers_close);
)
