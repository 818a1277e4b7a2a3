/*
 * tests/bench/judge.c CORPUS [ROUNDS] - what a judgement costs.
 *
 * Every command line of the corpus (tests/policy/commands.jsonl) is judged
 * ROUNDS times; unless that is 1, then lines made to be slow, once each.
 * Processor time, so that other programs disturb less.  Where the kernel counts
 * instructions for us they are reported, too; else run it under
 *
 *	valgrind --tool=callgrind --toggle-collect=policy_decide
 *
 * which needs nothing of the kernel.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"
#include "policy/policy.h"
#include "tests/bench/clock.h"

#define LINES_MAX	4096

static struct policy *policy;
static struct judgement *judgement;

static double
cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int
counter_open(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
	    .size = sizeof(attr), .config = PERF_COUNT_HW_INSTRUCTIONS,
	    .exclude_kernel = 1, .exclude_hv = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static double
judge(const char *command)
{
	auto_json cJSON *input = json_object();
	struct call call = { .tool = "Bash", .input = input, .cwd = "/p" };
	double from;

	json_add_str(input, "command", command);
	from = cpu_us();
	policy_decide(policy, &world_real, &call, judgement);
	return cpu_us() - from;
}

static void
corpus(const char *path, int rounds)
{
	static double times[LINES_MAX];
	auto_free char *line = NULL;
	size_t room = 0, n = 0;
	long long count = 0, before = 0;
	int fd = counter_open();
	double all = 0;
	FILE *f = fopen(path, "re");

	if (f == NULL)
		exit(1);
	if (fd != -1 && read(fd, &before, sizeof(before)) == -1)
		fd = -1;
	while (n < LINES_MAX && getline(&line, &room, f) > 0) {
		auto_json cJSON *o = cJSON_Parse(line);
		const char *command = json_str(o, "command");

		if (command == NULL)
			continue;
		times[n] = judge(command);
		for (int i = 1; i < rounds; i++) {
			double t = judge(command);

			times[n] = t < times[n] ? t : times[n];
		}
		all += times[n++];
	}
	fclose(f);
	times_sort(times, n);
	printf("  %zu lines: mean %.1f us, median %.1f, p99 %.1f, max %.1f\n",
	    n, all / (double)n, times[n / 2], times[n * 99 / 100],
	    times[n - 1]);
	if (fd != -1 && read(fd, &count, sizeof(count)) > 0)
		printf("  about %lld instructions per line, reading it and "
		    "all\n", (count - before) / (long long)n / rounds);
	else
		puts("  instructions: not counted on this machine");
	if (fd != -1)
		close(fd);
}

static void
worst(void)
{
	static const struct {
		const char *name, *head, *unit, *tail;
	} lines[] = {
		{ "one word", "", "a", "" }, { "words", "echo ", "x ", "" },
		{ "statements", "", "ls;", "" },
		{ "globs", "rm ", "*.s*x ", "" },
		{ "paths", "cat ", "../a/b ", "" }, { "cd", "", "cd a;", "" },
		{ "unclosed $(", "", "$(", "" }, { "calculation", "echo $((",
		    "1+", "1))" }, { "redirections", "ls ", ">a ", "" },
		{ "variables", "", "a=$a;", "" }, { "pipes", "", "ls|", "ls" },
		{ "here-documents", "", "cat <<A\nx\nA\n", "" },
		{ "braces", "echo ", "{a,b}", "" }, { "sed", "sed '",
		    "s/a/b/;", "' f" }, { "cluster", "ls -", "l", "" },
	};
	size_t size = (128 << 10) - 64;
	double most = 0;

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		auto_str struct str s = { 0 };
		double t;

		str_init(&s, 1 << 18);
		str_add(&s, lines[i].head);
		while (s.len + strlen(lines[i].unit) < size)
			str_add(&s, lines[i].unit);
		str_add(&s, lines[i].tail);
		t = judge(s.s);
		most = t > most ? t : most;
		printf("  128 KiB of %-16s %5.2f ms, %s\n", lines[i].name,
		    t / 1e3, action_name(judgement->verdict.action));
	}
	printf("  the worst: %.2f ms (promised: 5)\n", most / 1e3);
}

int
main(int argc, char **argv)
{
	const struct policy_place place = { .project = "bench", .root = "/p",
	    .home = "/home/u", .state = "/home/u/.s", .libexec = "/opt/s" };
	static const char text[] = "{\"version\":1}";
	int rounds = argc > 2 ? atoi(argv[2]) : 5;
	struct err e = { 0 };

	if (argc < 2 || digest_setup(&e) == -1 || policy_parse(text,
	    strlen(text), "policy", &place, &policy, &e) == -1)
		return 1;
	judgement = judgement_new();
	corpus(argv[1], rounds);
	if (rounds != 1)
		worst();
	judgement_free(judgement);
	policy_free(policy);
	return 0;
}
