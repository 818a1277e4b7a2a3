/*
 * The small parts: clipping, the environment, scripts, file tools.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clip.h"
#include "approver/environ.h"
#include "approver/executor/executor.h"
#include "approver/scripts.h"
#include "common/fs.h"
#include "common/mem.h"
#include "tests/unit/project.h"
#include "tests/unit/unit.h"

/* --- clip --- */

START_TEST(clip_keeps_what_fits)
{
	struct str out;

	str_init(&out, 10000);
	ck_assert(!clip("short", 5, 5, NULL, &out));
	ck_assert_str_eq(out.s, "short");
	str_clear(&out);
}
END_TEST

START_TEST(clip_cuts_between_characters)
{
	static const char *const one[] = { "x", "\u00e9", "\u3042",
	    "\U0001f600" };
	static const size_t units[] = { 1, 1, 1, 2 };

	for (size_t k = 0; k < 4; k++) {
		struct str in, out;
		size_t n = 0, at = 0, step;
		uint32_t cp;

		str_init(&in, 100000);
		str_init(&out, 100000);
		for (int i = 0; i < 2000; i++)
			str_add(&in, one[k]);
		ck_assert(clip(in.s, in.len, 1000, "there", &out));
		ck_assert(utf8_ok(out.s, out.len));
		for (; at < out.len; at += step) {
			step = utf8_next(out.s + at, out.len - at, &cp);
			n += cp > 0xffff ? 2 : 1;
		}
		ck_assert_uint_le(n, 1000);
		ck_assert_uint_gt(n, 1000 - 160);
		ck_assert_ptr_nonnull(strstr(out.s, "; all of it is in "
		    "there ...]\n"));
		ck_assert(str_starts(out.s, one[k]));
		ck_assert(str_ends(out.s, one[k]));
		ck_assert_uint_ge(units[k], 1);
		str_clear(&in);
		str_clear(&out);
	}
}
END_TEST

/* --- environment --- */

static char e1[] = "PATH=/x", e2[] = "CLAUDECODE=1", e3[] = "LD_PRELOAD=/e",
    e4[] = "HOME=/home/me", e5[] = "LANG=evil", e6[] = "USER=\xff",
    e7[] = "PATHOLOGY=1";
static char *mine[] = { e1, e2, e3, e4, e5, e6, e7, NULL };

static char *
joined(char **env)
{
	struct str s;

	str_init(&s, 10000);
	for (char **p = env; *p != NULL; p++)
		str_addf(&s, "%s;", *p);
	return str_take(&s);
}

static char *
made(const char *lang, const char *tz, const char *lc_name, const char *lc)
{
	struct request req;
	char **env, *out;

	request_init(&req);
	req.lang = xstrdup(lang);
	req.tz = xstrdup(tz);
	req.lc = json_object();
	json_add_str(req.lc, lc_name, lc);
	env = environ_make(mine, &req);
	out = joined(env);
	environ_free(env);
	request_clear(&req);
	return out;
}

START_TEST(environment_is_a_list_of_ours)
{
	char *env = made("de_DE.UTF-8", "Europe/Berlin", "LC_TIME", "C");

	ck_assert_str_eq(env, "HOME=/home/me;LANG=de_DE.UTF-8;LC_TIME=C;"
	    "PATH=/x;TERM=dumb;TZ=Europe/Berlin;");
	free(env);
}
END_TEST

START_TEST(locale_is_never_a_file_or_another_name)
{
	static const char *const bad[] = { "/etc/x", ":/etc/x", "../x", "a b",
	    "x\ny", "", "a=b", "x;y", "$(x)" };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char *env = made(bad[i], bad[i], "LC_ALL", bad[i]);

		ck_assert_str_eq(env, "HOME=/home/me;PATH=/x;TERM=dumb;");
		free(env);
	}
	char *env = made("C", "UTC", "LC_EVIL", "C");

	ck_assert_ptr_null(strstr(env, "LC_EVIL"));
	free(env);
}
END_TEST

/* --- scripts --- */

static char top[] = "/tmp/sandbox-parts.XXXXXX";

static char *
put(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", top, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

static void
fresh(void)
{
	struct err e;

	ck_assert_int_eq(digest_setup(&e), 0);
	memcpy(top, "/tmp/sandbox-parts.XXXXXX", sizeof top);
	ck_assert_ptr_nonnull(mkdtemp(top));
}

static void
gone(void)
{
	ck_assert_int_eq(nftw(top, project_unlink, 8, FTW_DEPTH | FTW_PHYS),
	    0);
}

START_TEST(scripts_are_those_an_agent_could_write)
{
	struct judgement *j = judgement_new();
	struct scripts l, back;
	struct digest before, after, with_target;
	struct err e;
	char *a, *b;

	fresh();
	a = put("a.sh", "echo a\n");
	b = put("b.sh", "echo b\n");
	j->effects[0] = (struct effect){ .kind = EFFECT_CODE, .target = b };
	j->effects[1] = (struct effect){ .kind = EFFECT_EXEC, .target = a };
	j->effects[2] = (struct effect){ .kind = EFFECT_EXEC, .target = a };
	j->effects[3] = (struct effect){ .kind = EFFECT_EXEC,
	    .target = "/usr/bin/env" };
	j->effects[4] = (struct effect){ .kind = EFFECT_READ,
	    .target = "/tmp/not/a/script" };
	j->effects[5] = (struct effect){ .kind = EFFECT_EXEC,
	    .target = "bare" };
	j->n_effects = 6;
	scripts_find(j, &l);
	ck_assert_uint_eq(l.n, 2);
	ck_assert_str_eq(l.s[0].path, a);
	ck_assert_str_eq(l.s[1].path, b);
	scripts_digest(&l, "", &before);
	scripts_digest(&l, "/x", &with_target);
	ck_assert(!digest_eq(&before, &with_target));
	ck_assert_int_eq(scripts_compare(&l, &e), 0);

	cJSON *json = scripts_json(&l);

	ck_assert_int_eq(scripts_from_json(json, &back, &e), 0);
	scripts_digest(&back, "", &after);
	ck_assert(digest_eq(&before, &after));
	json_free(json);
	scripts_clear(&back);

	free(put("b.sh", "echo B\n"));
	ck_assert_int_eq(scripts_compare(&l, &e), -1);
	ck_assert_int_eq(e.code, ERR_DIGEST);
	ck_assert_ptr_nonnull(strstr(e.text, "b.sh' changed"));
	free(put("b.sh", "echo b\n"));
	ck_assert_int_eq(scripts_compare(&l, &e), 0);
	/* A link to the same content is not the file that was hashed. */
	ck_assert_int_eq(unlink(b), 0);
	ck_assert_int_eq(symlink(a, b), 0);
	ck_assert_int_eq(scripts_compare(&l, &e), -1);
	scripts_clear(&l);
	judgement_free(j);
	free(a);
	free(b);
	gone();
}
END_TEST

/* --- file tools --- */

static int
tool(int (*fn)(const struct work *, struct str *), const char *target,
    const char *json, char **ret)
{
	cJSON *input;
	struct work w = { .target = target, .cwd_fd = -1 };
	struct str text;
	struct err e;
	int status;

	ck_assert_int_eq(json_parse(json, strlen(json), 8, &input, &e), 0);
	w.input = input;
	str_init(&text, 1 << 20);
	status = fn(&w, &text);
	*ret = str_take(&text);
	json_free(input);
	return status;
}

#define EXPECT(fn, want, json, text) do {				\
	char *out_;							\
	ck_assert_int_eq(tool(fn, path, json, &out_), want);		\
	ck_assert_msg(str_starts(out_, text), "%s", out_);		\
	free(out_);							\
} while (0)

static void
holds(const char *path, const char *want)
{
	struct str text;
	struct err e;

	str_init(&text, 100000);
	ck_assert_int_eq(file_load(path, &text, &e), 0);
	ck_assert_str_eq(text.s, want);
	str_clear(&text);
}

START_TEST(write_and_edit)
{
	char *path;

	fresh();
	path = xasprintf("%s/new/dir/f.txt", top);
	EXPECT(execute_write, 0, "{\"content\":\"one two two\"}",
	    "File created successfully at: ");
	holds(path, "one two two");
	ck_assert_int_eq(chmod(path, 0755), 0);
	EXPECT(execute_edit, 1, "{\"old_string\":\"x\",\"new_string\":\"y\"}",
	    "String to replace not found in file.\nString: x");
	EXPECT(execute_edit, 1,
	    "{\"old_string\":\"two\",\"new_string\":\"2\"}",
	    "Found 2 matches of the string to replace, but replace_all is");
	EXPECT(execute_edit, 1,
	    "{\"old_string\":\"one\",\"new_string\":\"one\"}",
	    "No changes to make: old_string and new_string are exactly");
	holds(path, "one two two");
	EXPECT(execute_edit, 0, "{\"old_string\":\"two\",\"new_string\":\"2\","
	    "\"replace_all\":true}", "The file ");
	holds(path, "one 2 2");
	EXPECT(execute_multi_edit, 1, "{\"edits\":[{\"old_string\":\"one\","
	    "\"new_string\":\"1\"},{\"old_string\":\"z\",\"new_string\":"
	    "\"y\"}]}", "String to replace not found");
	holds(path, "one 2 2");
	EXPECT(execute_multi_edit, 0, "{\"edits\":[{\"old_string\":\"one\","
	    "\"new_string\":\"1\"},{\"old_string\":\"1\",\"new_string\":"
	    "\"I\"}]}", "The file ");
	holds(path, "I 2 2");

	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0755);
	EXPECT(execute_write, 0, "{\"content\":\"x\"}", "The file ");
	ck_assert_int_eq(unlink(path), 0);
	EXPECT(execute_edit, 1, "{\"old_string\":\"a\",\"new_string\":\"b\"}",
	    "File does not exist.");
	EXPECT(execute_edit, 0, "{\"old_string\":\"\",\"new_string\":\"b\"}",
	    "The file ");
	holds(path, "b");
	free(path);
	gone();
}
END_TEST

START_TEST(other_names_of_a_file_stay_its_names)
{
	char *path, *other;

	fresh();
	path = put("a", "one");
	other = xasprintf("%s/b", top);
	ck_assert_int_eq(link(path, other), 0);
	EXPECT(execute_write, 0, "{\"content\":\"2\"}", "The file ");
	holds(other, "2");
	free(path);
	free(other);
	gone();
}
END_TEST

START_TEST(nothing_is_followed_and_nothing_blocks)
{
	char *path, *real = NULL;

	fresh();
	real = put("real", "safe");
	path = xasprintf("%s/link", top);
	ck_assert_int_eq(symlink("real", path), 0);
	EXPECT(execute_write, 1, "{\"content\":\"x\"}", "cannot open");
	EXPECT(execute_read, 1, "{}", "cannot open");
	EXPECT(execute_edit, 1, "{\"old_string\":\"safe\",\"new_string\":"
	    "\"x\"}", "cannot open");
	free(path);
	path = xasprintf("%s/dirlink/real", top);
	char *dirlink = xasprintf("%s/dirlink", top);

	ck_assert_int_eq(symlink(".", dirlink), 0);
	EXPECT(execute_write, 1, "{\"content\":\"x\"}", "cannot open");
	free(path);
	path = xasprintf("%s/fifo", top);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	EXPECT(execute_write, 1, "{\"content\":\"x\"}", "cannot open");
	EXPECT(execute_read, 1, "{}", "'");
	free(path);
	path = xstrdup(top);
	EXPECT(execute_read, 1, "{}", "EISDIR");
	EXPECT(execute_write, 1, "{\"content\":\"x\"}", "");
	holds(real, "safe");
	free(path);
	free(real);
	free(dirlink);
	gone();
}
END_TEST

START_TEST(read_numbers_lines)
{
	char *path;

	fresh();
	path = put("f", "a\nb\nc");
	EXPECT(execute_read, 0, "{}", "     1\ta\n     2\tb\n     3\tc\n");
	EXPECT(execute_read, 0, "{\"offset\":2,\"limit\":1}", "     2\tb\n");
	EXPECT(execute_read, 0, "{\"offset\":9}", "<system-reminder>Warning: "
	    "the file exists but is shorter than the provided offset (9). "
	    "The file has 3 lines.");
	free(path);
	path = put("f", "");
	EXPECT(execute_read, 0, "{}", "<system-reminder>Warning: the file "
	    "exists but the contents are empty.");
	free(path);
	path = xasprintf("%s/none", top);
	EXPECT(execute_read, 1, "{}", "File does not exist.");
	free(path);
	gone();
}
END_TEST

UNIT_MAIN("approver/parts",
	tcase_add_test(tc, clip_keeps_what_fits);
	tcase_add_test(tc, clip_cuts_between_characters);
	tcase_add_test(tc, environment_is_a_list_of_ours);
	tcase_add_test(tc, locale_is_never_a_file_or_another_name);
	tcase_add_test(tc, scripts_are_those_an_agent_could_write);
	tcase_add_test(tc, write_and_edit);
	tcase_add_test(tc, other_names_of_a_file_stay_its_names);
	tcase_add_test(tc, nothing_is_followed_and_nothing_blocks);
	tcase_add_test(tc, read_numbers_lines);)
