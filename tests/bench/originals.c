/*
 * tests/bench/originals [PRETOOLUSE [SANDBOX]] - what keeping originals costs.
 *
 *	snapshot	one Edit of a 100 KB file, in this process, and (with
 *			PRETOOLUSE) as the hook pays for it: beside a Read
 *	store		what 100 edits of a 1 MB file take on the disk
 *	restore		(with SANDBOX) `restore --session` of 10,000 files,
 *			each edited by a call of its own
 *	baseline	the first of 10,000 files, and the second
 *
 * The text is this program's own kind: lines of words, not zeroes and not
 * noise.
 */
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "audit/originals/originals.h"
#include "common/io.h"
#include "tests/unit/project.h"
#include "tests/bench/clock.h"

#include "common/banned.h"

#ifndef FILES
#define FILES	10000
#endif

static double
median(double *v, size_t n)
{
	times_sort(v, n);
	return v[n / 2];
}

static void
fail(const char *what, const struct err *e)
{
	fprintf(stderr, "originals: %s: %s\n", what, e == NULL ? "" : e->text);
	exit(1);
}

/* Words, the same for the same seed. */
static char *
make_text(size_t len, uint32_t seed)
{
	static const char *const words[] = { "static", "int", "return", "if",
		"struct", "const", "char", "for", "size_t", "while", "->", "(",
		")", "= 0;", "{", "}", "NULL", "err", "path", "file" };
	struct str s;

	str_init(&s, len);
	while (!s.full) {
		seed = seed * 1664525 + 1013904223;
		str_addf(&s, "%s%u%s", words[(seed >> 8) % ARRAY_LEN(words)],
		    (seed >> 16) % 97, seed % 7 == 0 ? "\n" : " ");
	}
	return str_take(&s);
}

static void
put_file(const struct project *p, const char *name, const char *text,
    size_t len)
{
	int fd = openat(p->home.root, name, O_WRONLY | O_CREAT | O_TRUNC |
	    O_CLOEXEC, 0644);

	if (fd == -1 || io_write_all(fd, text, len, NULL) == -1)
		fail(name, NULL);
	close(fd);
}

/* As a hook: open, keep, close.  The list's name into hex. */
static void
snapshot(const struct project *p, const char *name, char hex[DIGEST_HEX + 1])
{
	char *path = xasprintf("%s/%s", p->home.root_path, name);
	const struct originals_target t = { path, path, false };
	struct originals *o;
	struct err e;

	if (originals_open(p->home.priv, p->home.root, p->home.root_path,
	    ORIGINALS_HOOK, &o, &e) == -1 ||
	    originals_before(o, &t, 1, hex, NULL, &e) == -1)
		fail(name, &e);
	originals_close(o);
	free(path);
}

/* Every edit changes a few words somewhere. */
static void
edit(char *text, size_t len, unsigned i)
{
	char word[32];
	int n = snprintf(word, sizeof word, "edited_%u", i);

	memcpy(text + (size_t)i * 7919 % (len - sizeof word), word, (size_t)n);
}

static void
bench_snapshot(const struct project *p, size_t len, const char *what)
{
	char *text = make_text(len, 1), hex[DIGEST_HEX + 1];
	double ms[200], first;

	put_file(p, "edit.c", text, len);
	first = now_ms();
	snapshot(p, "edit.c", hex);
	first = now_ms() - first;
	for (unsigned i = 0; i < ARRAY_LEN(ms); i++) {
		edit(text, len, i);
		put_file(p, "edit.c", text, len);
		ms[i] = now_ms();
		snapshot(p, "edit.c", hex);
		ms[i] = now_ms() - ms[i];
	}
	printf("snapshot of %s: first %.2f ms, then median %.2f ms\n", what,
	    first, median(ms, ARRAY_LEN(ms)));
	free(text);
}

/* --- the hook ------------------------------------------------------------ */

/* What a child and its children took of a processor. */
static double
cpu_ms(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1e3 +
	    (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e3;
}

static double
start(const struct project *p, const char *hook, const char *input,
    double *ret_cpu)
{
	char *argv[] = { xstrdup(hook), xstrdup("--client"), xstrdup("claude"),
		xstrdup("--event"), xstrdup("PreToolUse"), xstrdup("--root"),
		xstrdup(p->home.root_path), xstrdup("--state"),
		xstrdup(p->home.priv_path), NULL }, *env[] = { NULL };
	posix_spawn_file_actions_t fa;
	struct rusage use;
	double begin;
	int ends[2], status;
	pid_t pid;

	if (pipe(ends) == -1 || io_write_all(ends[1], input, strlen(input),
	    NULL) == -1)
		fail("pipe", NULL);
	close(ends[1]);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, ends[0], 0);
	begin = now_ms();
	if (posix_spawn(&pid, hook, &fa, NULL, argv, env) != 0 ||
	    wait4(pid, &status, 0, &use) != pid || status != 0)
		fail(hook, NULL);
	*ret_cpu = cpu_ms(&use);
	begin = now_ms() - begin;
	posix_spawn_file_actions_destroy(&fa);
	close(ends[0]);
	for (size_t i = 0; argv[i] != NULL; i++)
		free(argv[i]);
	return begin;
}

static char *
call(const struct project *p, const char *tool, const char *more)
{
	return xasprintf("{\"session_id\":\"s\",\"cwd\":\"%s\","
	    "\"hook_event_name\":\"PreToolUse\",\"tool_use_id\":\"t\","
	    "\"tool_name\":\"%s\",\"tool_input\":{\"file_path\":\"%s/edit.c\""
	    "%s}}", p->home.root_path, tool, p->home.root_path, more);
}

static void
bench_hook(const struct project *p, const char *hook)
{
	char *text = make_text(100000, 2);
	char *look = call(p, "Read", "");
	char *write = call(p, "Edit",
	    ",\"old_string\":\"a\",\"new_string\":\"b\"");
	double read_ms[200], edit_ms[200], read_cpu[200], edit_cpu[200];
	double a, b, c, d;

	for (unsigned i = 0; i < ARRAY_LEN(read_ms); i++) {
		edit(text, 100000, i);
		put_file(p, "edit.c", text, 100000);
		read_ms[i] = start(p, hook, look, &read_cpu[i]);
		edit_ms[i] = start(p, hook, write, &edit_cpu[i]);
	}
	a = median(read_ms, ARRAY_LEN(read_ms));
	b = median(edit_ms, ARRAY_LEN(edit_ms));
	c = median(read_cpu, ARRAY_LEN(read_cpu));
	d = median(edit_cpu, ARRAY_LEN(edit_cpu));
	printf("hook: Read %.2f ms, Edit of 100 KB %.2f ms: %.2f ms more "
	    "(to reach: 1)\n      of the processor %.2f and %.2f ms: %.2f ms "
	    "more\n", a, b, b - a, c, d, d - c);
	free(text);
	free(look);
	free(write);
}

/* --- the store ----------------------------------------------------------- */

static uint64_t stored;

static int
add_size(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)path;
	(void)f;
	if (kind == FTW_F)
		stored += (uint64_t)st->st_blocks * 512;
	return 0;
}

static uint64_t
store_bytes(const struct project *p)
{
	char *path = xasprintf("%s/originals", p->home.priv_path);

	stored = 0;
	nftw(path, add_size, 16, FTW_PHYS);
	free(path);
	return stored;
}

static void
bench_store(const struct project *p)
{
	char *text = make_text(1000000, 3), hex[DIGEST_HEX + 1];
	uint64_t begin = store_bytes(p), one;

	put_file(p, "big.c", text, 1000000);
	snapshot(p, "big.c", hex);
	one = store_bytes(p) - begin;
	for (unsigned i = 0; i < 100; i++) {
		edit(text, 1000000, i);
		put_file(p, "big.c", text, 1000000);
		snapshot(p, "big.c", hex);
	}
	printf("store: 100 edits of a 1 MB file take %.2f MB (the first "
	    "version %.2f MB; whole copies 101 MB)\n",
	    (double)(store_bytes(p) - begin) / 1e6, (double)one / 1e6);
	free(text);
}

/* --- 10,000 files -------------------------------------------------------- */

static void
make_files(const struct project *p)
{
	for (unsigned i = 0; i < FILES; i++) {
		char name[32], *text = make_text(1000 + i % 4000, i);

		snprintf(name, sizeof name, "d%u", i / 100);
		mkdirat(p->home.root, name, 0755);
		snprintf(name, sizeof name, "d%u/f%u.c", i / 100, i);
		put_file(p, name, text, strlen(text));
		free(text);
	}
}

static void
bench_baseline(const struct project *p)
{
	static const char *const sessions[] = { "first", "second" };

	for (size_t i = 0; i < ARRAY_LEN(sessions); i++) {
		struct originals *o;
		struct baseline b;
		struct clock now;
		struct err e;
		double ms = now_ms();

		if (clock_now(&now, &e) == -1 ||
		    originals_open(p->home.priv, p->home.root,
		    p->home.root_path, ORIGINALS_HOOK, &o, &e) == -1 ||
		    originals_baseline(o, sessions[i], now.wall_ms, &b, &e) ==
		    -1)
			fail("baseline", &e);
		originals_close(o);
		printf("baseline: %s of %zu files %.0f ms%s\n", sessions[i],
		    b.files, now_ms() - ms, b.cut ? ", cut" : "");
		/* A time that is too young is not believed. */
		usleep(1200000);
	}
}

static void
edit_all(const struct project *p)
{
	struct audit *a;
	struct clock now;
	struct err e;

	if (audit_open(p->home.priv, p->home.project, &a, &e) == -1 ||
	    clock_now(&now, &e) == -1)
		fail("log", &e);
	for (unsigned i = 0; i < FILES; i++) {
		char name[32], hex[DIGEST_HEX + 1];
		cJSON *f = json_object();
		const struct event ev = { .kind = "allow", .session = "s",
		    .agent = "claude", .fields = f };

		snprintf(name, sizeof name, "d%u/f%u.c", i / 100, i);
		snapshot(p, name, hex);
		json_add_str(f, ORIGINALS_FIELD, hex);
		if (audit_append(a, &ev, &now, NULL, &e) == -1)
			fail("log", &e);
		json_free(f);
		put_file(p, name, "edited\n", 7);
	}
	audit_free(a);
}

static void
bench_restore(const struct project *p, const char *sandbox)
{
	char *argv[] = { xstrdup(sandbox), xstrdup("restore"), xstrdup("-C"),
		xstrdup(p->root), xstrdup("--state"), xstrdup(p->base),
		xstrdup("--session"), xstrdup("s"), xstrdup("--json"), NULL };
	char *env[] = { NULL };
	posix_spawn_file_actions_t fa;
	struct rusage use;
	double ms;
	int status;
	pid_t pid;

	edit_all(p);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	ms = now_ms();
	if (posix_spawn(&pid, sandbox, &fa, NULL, argv, env) != 0 ||
	    wait4(pid, &status, 0, &use) != pid || status != 0)
		fail(sandbox, NULL);
	printf("restore --session: %d files, each of its own call, in %.0f "
	    "ms (%.0f of the processor)\n", FILES, now_ms() - ms,
	    cpu_ms(&use));
	posix_spawn_file_actions_destroy(&fa);
	for (size_t i = 0; argv[i] != NULL; i++)
		free(argv[i]);
}

int
main(int argc, char **argv)
{
	struct project p;

	project_make(&p);
	bench_snapshot(&p, 100000, "a 100 KB file");
	bench_snapshot(&p, 1000000, "a 1 MB file");
	bench_store(&p);
	make_files(&p);
	bench_baseline(&p);
	if (argc > 2)
		bench_restore(&p, argv[2]);
	/* Last: from here on this process is an agent's. */
	if (argc > 1)
		bench_hook(&p, argv[1]);
	project_remove(&p);
	return 0;
}
