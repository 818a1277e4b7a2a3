/*
 * tests/bench/clients FLOOR LIBEXEC ROOT STATE [ROUNDS] - what a refused call
 * costs with each client's hook, in one run: the guard alone, and the line that
 * init registers, as the client's shell runs it; and one line for an agent's
 * status bar.  FLOOR is a static program
 * that reads stdin and ends.  Prints medians in ms, and ratios to the floor.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/agent.h"
#include "cmd/door_sample.h"
#include "common/mem.h"
#include "tests/bench/clock.h"

#include "common/banned.h"

#define ROUNDS_MAX	1000
#define TARGETS		20

struct target {
	char	*name, *line;		/* a shell's command, or NULL */
	char	*argv[16];
	char	*input;
	double	 ms[ROUNDS_MAX];
};

static struct target targets[TARGETS];
static size_t n_targets;

static double
once(const struct target *t)
{
	static char *none[] = { NULL };
	posix_spawn_file_actions_t fa;
	int in = memfd_create("in", MFD_CLOEXEC), status;
	double start;
	pid_t pid;

	if (write(in, t->input, strlen(t->input)) == -1 ||
	    lseek(in, 0, SEEK_SET) == -1)
		exit(1);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in, 0);
	posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	start = now_ms();
	if (posix_spawn(&pid, t->argv[0], &fa, NULL, t->argv, none) != 0 ||
	    waitpid(pid, &status, 0) != pid)
		exit(1);
	start = now_ms() - start;
	posix_spawn_file_actions_destroy(&fa);
	close(in);
	return start;
}

static struct target *
target_new(const char *name, const char *kind, const char *input)
{
	struct target *t = &targets[n_targets++];

	t->name = xasprintf("%s%s", name, kind);
	t->input = xstrdup(input);
	return t;
}

static void
add_agent(const struct agent *a, const struct door_sample *s,
    const struct registration_place *place)
{
	const struct registration *r = a->events;
	auto_free char *input = door_sample_input(s, place->root);
	struct target *t = target_new(a->name, "", input);
	struct str line;

	while (strcmp(r->event, s->event) != 0)
		r++;

	char *const argv[] = { xasprintf("%s/%s", place->libexec, r->program),
	    xstrdup("--client"), xstrdup(a->name), xstrdup("--event"),
	    xstrdup(r->event), xstrdup("--root"), xstrdup(place->root),
	    xstrdup("--state"), xstrdup(place->state) };

	memcpy(t->argv, argv, sizeof argv);
	if (a->form == AGENT_FILE || a->events == registration_claude)
		return;		/* without a shell */
	t = target_new(a->name, ", its line", input);
	str_init(&line, 1 << 16);
	agent_command(a, r, place, &line);
	t->argv[0] = xstrdup("/bin/sh");
	t->argv[1] = xstrdup("-c");
	t->argv[2] = str_take(&line);
}

/* What an agent's status bar runs again and again. */
static void
add_status_line(const struct registration_place *place)
{
	struct target *t = target_new("status --line", "", "");
	auto_free char *base = xstrdup(place->state);

	for (int i = 0; i < 2; i++)
		*strrchr(base, '/') = '\0';

	char *const argv[] = { xasprintf("%s/sandbox", place->libexec),
	    xstrdup("status"), xstrdup("--line"), xstrdup("-C"),
	    xstrdup(place->root), xstrdup("--state"), xstrdup(base) };

	memcpy(t->argv, argv, sizeof argv);
}

int
main(int argc, char **argv)
{
	int rounds = argc > 5 ? (int)strtol(argv[5], NULL, 10) : 200;
	double floor_ms = 0;

	if (argc < 5 || rounds < 1 || rounds > ROUNDS_MAX)
		return 2;

	const struct registration_place place = { .libexec = argv[2],
	    .root = argv[3], .state = argv[4] };

	target_new("floor", "", "{}")->argv[0] = argv[1];
	for (const struct agent *a = agents; a->name != NULL; a++)
		if (door_sample(a->name) != NULL)
			add_agent(a, door_sample(a->name), &place);
	add_status_line(&place);
	/* In turn, so that the machine's mood is everybody's. */
	for (int i = 0; i < rounds; i++)
		for (size_t k = 0; k < n_targets; k++)
			targets[k].ms[i] = once(&targets[k]);
	for (size_t k = 0; k < n_targets; k++) {
		struct target *t = &targets[k];
		double median;

		times_sort(t->ms, (size_t)rounds);
		median = t->ms[rounds / 2];
		floor_ms = k == 0 ? median : floor_ms;
		printf("%-20s median %.2f ms, p90 %.2f, x floor %.2f\n",
		    t->name, median, t->ms[rounds * 9 / 10],
		    median / floor_ms);
	}
	return 0;
}
