/*
 * The corpora of tests/policy/, judged in a real tree and scored.  What has to
 * hold is in tests/policy/README.md.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "common/digest.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"
#include "policy/judge.h"
#include "tests/unit/unit.h"

static const char policy[] = "{\"version\":1,\"preset\":\"default\","
    "\"contain\":\"off\",\"network\":{\"allow\":[\"packages.example.org\","
    "\"packages.example.net\"]}}";

static char top[64], root[80], home[80];

static void
make(const char *path, const char *text)
{
	char name[160];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", top, path);
	if (text == NULL) {
		ck_assert_int_eq(mkdir(name, 0700), 0);
		return;
	}
	f = fopen(name, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void
setup(void)
{
	/* Not below /tmp: there the project's neighbours are scratch files. */
	snprintf(top, sizeof(top), "/var/tmp/corpus.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(root, sizeof(root), "%s/proj", top);
	snprintf(home, sizeof(home), "%s/home", top);
	make("proj", NULL);
	make("home", NULL);
	make("proj/src", NULL);
	make("proj/.sandbox", NULL);
	make("proj/.sandbox/policy.json", "");
	make("proj/f.txt", "a\n");
	make("proj/.git", NULL);
	make("proj/.git/HEAD", "ref: refs/heads/main\n");
	make("proj/.git/config", "[core]\n\tbare = false\n");
	ck_assert_int_eq(digest_setup(NULL), 0);
}

static int
drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void
teardown(void)
{
	nftw(top, drop, 8, FTW_DEPTH | FTW_PHYS);
}

/* @ROOT@ and @HOME@ become what they are here. */
static void
place(const char *text, struct str *ret)
{
	for (; *text != '\0'; text++)
		if (strncmp(text, "@ROOT@", 6) == 0) {
			str_add(ret, root);
			text += 5;
		} else if (strncmp(text, "@HOME@", 6) == 0) {
			str_add(ret, home);
			text += 5;
		} else {
			str_addc(ret, *text);
		}
}

static void
place_raw(cJSON *line)
{
	const char *b64 = json_str(line, "raw_b64");
	auto_str struct str out = { 0 };
	size_t len, room = strlen(b64) + 1;
	auto_free char *text = xcalloc(1, room);
	auto_free char *again = NULL;

	ck_assert_int_eq(sodium_base642bin((unsigned char *)text, room, b64,
	    strlen(b64), NULL, &len, NULL, sodium_base64_VARIANT_ORIGINAL), 0);
	str_init(&out, 4 << 20);
	for (size_t i = 0; i < len;) {
		size_t n = strlen(text + i);

		place(text + i, &out);
		i += n + 1;
		if (i <= len)
			str_addc(&out, '\0');
	}
	room = sodium_base64_ENCODED_LEN(out.len,
	    sodium_base64_VARIANT_ORIGINAL);
	again = xcalloc(1, room);
	sodium_bin2base64(again, room, (const unsigned char *)out.s, out.len,
	    sodium_base64_VARIANT_ORIGINAL);
	cJSON_ReplaceItemInObject(line, "raw_b64", cJSON_CreateString(again));
}

/* `ln [-s] FROM TO` */
static void
prepare(const char *how)
{
	char from[200], to[200];

	if (how == NULL)
		return;
	if (sscanf(how, "ln -s %199s %199s", from, to) == 2)
		ck_assert_int_eq(symlink(from, to), 0);
	else if (sscanf(how, "ln %199s %199s", from, to) == 2)
		ck_assert_int_eq(link(from, to), 0);
	else
		ck_abort_msg("setup '%s'", how);
}

struct score {
	int	right, all, odd;
};

static bool
is_right(const char *want, const char *got)
{
	if (strcmp(want, "allow") == 0)
		return strcmp(got, "allow") == 0 || strcmp(got, "observe") == 0;
	if (strcmp(want, "escalate") == 0)
		return strcmp(got, "escalate") == 0 || strcmp(got, "deny") == 0;
	return strcmp(got, "deny") == 0;
}

static void
judge_one(struct judge *j, const char *text, struct score *scores)
{
	static const char *const wants[] = { "allow", "escalate", "deny" };
	auto_str struct str in = { 0 }, out = { 0 };
	auto_json cJSON *line = NULL, *answer = NULL;
	const char *want, *got;

	str_init(&in, 4 << 20);
	str_init(&out, 1 << 20);
	place(text, &in);
	line = cJSON_Parse(in.s);
	ck_assert_msg(line != NULL, "%s", text);
	prepare(json_str(line, "setup"));
	if (json_str(line, "raw_b64") != NULL) {
		place_raw(line);
		str_reset(&in);
		json_print(line, &in);
	}
	judge_line(j, in.s, in.len, &out);
	answer = cJSON_Parse(out.s);
	ck_assert_msg(answer != NULL, "%s", text);
	got = json_str(answer, "decision");
	want = json_str(line, "expect");
	if (strcmp(want, "policy") == 0) {
		scores[0].odd += strcmp(got, "deny") == 0;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(wants); i++) {
		if (strcmp(wants[i], want) != 0)
			continue;
		scores[i].all++;
		scores[i].right += is_right(want, got);
		if (!is_right(want, got))
			printf("# %s, not %s: %s\n", got, want, text);
	}
}

static void
score(const char *name)
{
	struct judge_args args = { .root = root, .home = home, .text = policy,
	    .len = strlen(policy), .jail = true };
	const char *src = getenv("SRC");
	struct score s[3] = { { 0 } };
	auto_free char *text = NULL;
	struct judge *j = NULL;
	char path[512];
	size_t room = 0;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/policy/%s.jsonl",
	    src != NULL ? src : ".", name);
	f = fopen(path, "re");
	ck_assert_msg(f != NULL, "no %s", path);
	ck_assert_int_eq(judge_open(&args, &j, NULL), 0);
	while ((n = getline(&text, &room, f)) > 0) {
		text[strcspn(text, "\n")] = '\0';
		judge_one(j, text, s);
	}
	fclose(f);
	judge_close(j);
	printf("# %s: allow %d/%d escalate %d/%d deny %d/%d\n", name,
	    s[0].right, s[0].all, s[1].right, s[1].all, s[2].right, s[2].all);
	ck_assert_int_ge(s[0].right * 1000, s[0].all * 980);
	ck_assert_int_ge(s[1].right * 1000, s[1].all * 995);
	ck_assert_int_eq(s[2].right, s[2].all);
	ck_assert_int_eq(s[0].odd, 0);
	ck_assert_int_gt(s[0].all + s[1].all + s[2].all, 0);
}

START_TEST(commands) { score("commands"); } END_TEST
START_TEST(tools) { score("tools"); } END_TEST
START_TEST(protocol) { score("protocol"); } END_TEST

UNIT_MAIN("policy: corpora",
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, commands);
    tcase_add_test(tc, tools);
    tcase_add_test(tc, protocol);
)
