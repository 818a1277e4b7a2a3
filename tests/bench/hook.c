/*
 * tests/bench/hook - what a judged call costs, beside floors of the same run.
 *
 *	hook FLOOR SETTINGS.json [ROUNDS]
 *	hook FLOOR LIBEXEC [ROUNDS]
 *
 * Starts the PreToolUse command of a project's settings, as `sandbox init`
 * wrote them (or, for a project of our own, as the same table registers
 * LIBEXEC's), with 20 different calls, one of them denied, and checks that
 * each left one record.  FLOOR is a static program
 * that reads stdin and ends.  Prints medians, ratios and peak memory.
 */
#include <errno.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "common/io.h"
#include "hooks/registration.h"
#include "tests/unit/project.h"
#include "tests/bench/clock.h"

#include "common/banned.h"

#define CALLS		20
#define ARGS_MAX	24

struct target {
	const char	*name;
	const char	*argv[ARGS_MAX];
	double		*ms;
	long		 rss_kib;
};

static const char *const commands[] = {
	"ls", "ls -la", "pwd", "cat notes.txt", "head -n 5 notes.txt",
	"wc -l notes.txt", "grep -n a notes.txt", "git status",
	"echo 'one two' | wc -w", "find . -name '*.txt'", "sort notes.txt",
	"ls | head -3", "uname -a",
};

/* One start to exit with `input` on stdin; the output goes to out_fd. */
static double
start(struct target *t, const char *input, int out_fd)
{
	posix_spawn_file_actions_t fa;
	char *env[] = { NULL };
	struct rusage use;
	double begin, end;
	int p[2], status;
	pid_t pid;

	if (pipe(p) == -1 || io_write_all(p[1], input, strlen(input), NULL) ==
	    -1)
		abort();
	close(p[1]);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, p[0], 0);
	posix_spawn_file_actions_adddup2(&fa, out_fd, 1);
	begin = now_ms();
	if (posix_spawnp(&pid, t->argv[0], &fa, NULL,
	    (char *const *)(void *)t->argv, env) != 0 ||
	    wait4(pid, &status, 0, &use) != pid || status != 0) {
		fprintf(stderr, "%s: failed\n", t->name);
		exit(1);
	}
	end = now_ms();
	posix_spawn_file_actions_destroy(&fa);
	close(p[0]);
	if (use.ru_maxrss > t->rss_kib)
		t->rss_kib = use.ru_maxrss;
	return end - begin;
}

static char *
make_call(const char *root, int i)
{
	cJSON *o = json_object(), *in = json_object();
	struct str s;
	char path[200];

	json_add_str(o, "session_id", "11111111-2222-3333-4444-555555555555");
	json_add_str(o, "transcript_path", "/tmp/transcript.jsonl");
	json_add_str(o, "cwd", root);
	json_add_str(o, "hook_event_name", "PreToolUse");
	json_add_str(o, "tool_use_id", "toolu_0123456789");
	if (i == 0) {
		json_add_str(o, "tool_name", "Write");
		json_add_str(in, "file_path", "/etc/hosts");
		json_add_str(in, "content", "no");
	} else if (i <= (int)ARRAY_LEN(commands)) {
		json_add_str(o, "tool_name", "Bash");
		json_add_str(in, "command", commands[i - 1]);
		json_add_str(in, "description", "look around");
	} else {
		snprintf(path, sizeof path, "%s/file%d.txt", root, i);
		json_add_str(o, "tool_name", i % 2 == 0 ? "Read" : "Write");
		json_add_str(in, "file_path", path);
		if (i % 2 != 0)
			json_add_str(in, "content", "some text\n");
	}
	json_add(o, "tool_input", in);
	str_init(&s, 1 << 16);
	json_print(o, &s);
	json_free(o);
	return str_take(&s);
}

static void
add_argv(struct target *t, const cJSON *group)
{
	const cJSON *entry = cJSON_GetArrayItem(json_get(group, "hooks"), 0);
	const cJSON *a;
	int n = 0;

	t->argv[n++] = xstrdup(json_str(entry, "command"));
	cJSON_ArrayForEach(a, json_get(entry, "args"))
		if (n < ARGS_MAX - 1)
			t->argv[n++] = xstrdup(a->valuestring);
}

/* The command that is registered in a settings file. */
static void
registered(struct target *t, const char *settings)
{
	int fd = open(settings, O_RDONLY | O_CLOEXEC);
	cJSON *v = NULL;
	struct str text;
	struct err e;

	str_init(&text, 1 << 20);
	if (fd == -1 || io_read_all(fd, 1 << 20, &text, &e) == -1 ||
	    json_parse(text.s, text.len, JSON_DEPTH, &v, &e) == -1)
		exit(1);
	add_argv(t, cJSON_GetArrayItem(json_get(json_get(v, "hooks"),
	    "PreToolUse"), 0));
	json_free(v);
	str_clear(&text);
	close(fd);
}

static void
own(struct target *t, struct project *p, const char *libexec)
{
	const struct registration_place place = { .libexec = libexec,
	    .root = p->home.root_path, .state = p->home.priv_path };
	cJSON *group = registration_group(&registration_claude[0], &place);

	add_argv(t, group);
	json_free(group);
}

static const char *
option(const struct target *t, const char *name)
{
	for (const char *const *a = t->argv; *a != NULL; a++)
		if (strcmp(*a, name) == 0 && a[1] != NULL)
			return a[1];
	fprintf(stderr, "%s has no %s\n", t->name, name);
	exit(1);
}

static size_t
records(const struct target *t)
{
	char *path = xasprintf("%s/audit/audit.jsonl", option(t, "--state"));
	struct str text;
	size_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	str_init(&text, 1 << 28);
	if (fd == -1 || io_read_all(fd, 1 << 28, &text, NULL) == -1)
		abort();
	for (size_t i = 0; i < text.len; i++)
		n += text.s[i] == '\n';
	str_clear(&text);
	free(path);
	close(fd);
	return n;
}

static int
report(struct target *t, size_t n_targets, size_t n)
{
	double floor_ms = 0;

	printf("%-12s %9s %9s %8s %9s\n", "", "median ms", "p90 ms",
	    "x floor", "peak KiB");
	for (size_t i = 0; i < n_targets; i++) {
		times_sort(t[i].ms, n);
		if (i == 0)
			floor_ms = t[0].ms[n / 2];
		printf("%-12s %9.3f %9.3f %8.2f %9ld\n", t[i].name,
		    t[i].ms[n / 2], t[i].ms[n * 9 / 10],
		    t[i].ms[n / 2] / floor_ms, t[i].rss_kib);
	}
	return t[1].ms[n / 2] <= 3.5 * floor_ms && t[1].rss_kib <= 8192 ?
	    0 : 1;
}

int
main(int argc, char **argv)
{
	struct target t[] = {
		{ .name = "floor", .argv = { argc > 1 ? argv[1] : NULL } },
		{ .name = "hook" },
		{ .name = "python3", .argv = { "python3", "-c", "pass" } },
		{ .name = "node", .argv = { "node", "-e", "0" } },
	};
	size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 20, n = 0;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char *calls[CALLS];
	struct project p;
	size_t before;

	if (argc < 3 || rounds == 0) {
		fprintf(stderr, "usage: hook FLOOR SETTINGS.json|LIBEXEC "
		    "[ROUNDS]\n");
		return 2;
	}
	project_make(&p);
	if (str_ends(argv[2], ".json"))
		registered(&t[1], argv[2]);
	else
		own(&t[1], &p, argv[2]);
	for (int i = 0; i < CALLS; i++)
		calls[i] = make_call(option(&t[1], "--root"), i);
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		t[i].ms = xcalloc(rounds * CALLS, sizeof *t[i].ms);
	before = records(&t[1]);
	for (size_t r = 0; r < rounds; r++)
		for (int c = 0; c < CALLS; c++, n++)
			for (size_t i = 0; i < ARRAY_LEN(t); i++)
				t[i].ms[n] = start(&t[i], calls[c], null);
	if (records(&t[1]) - before != n) {
		fprintf(stderr, "%zu calls, %zu records\n", n,
		    records(&t[1]) - before);
		return 1;
	}
	n = (size_t)report(t, ARRAY_LEN(t), n);
	project_remove(&p);
	return (int)n;
}
