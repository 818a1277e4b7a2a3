/*
 * tests/bench/watch - the approver's screen in numbers.
 *
 *	watch SANDBOX STATE ROUNDS IDLE_SECONDS CLOSED CHURN
 *
 * How long from the rename of a request to its row on the terminal; what an
 * idle watch costs; how long a watch takes to its first screen with CLOSED
 * decided requests behind it, beside none; and how much memory it has before
 * and after CHURN requests came and went.  The terminal is a pty of ours; TERM
 * says xterm.
 */
#include "audit/statement.h"
#include "policy/call.h"
#include "queue/queue.h"
#include "tests/unit/project.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include "tests/bench/clock.h"

#include "common/banned.h"

static struct queue *q;
static struct home h = HOME_INIT;
static struct err e;
static const char *sandbox;

struct watcher {
	pid_t	pid;
	int	master;
};

static struct watcher
watch_start(void)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct watcher w;

	w.pid = forkpty(&w.master, NULL, NULL, &size);
	if (w.pid == 0) {
		execl(sandbox, "sandbox", "watch", "-C", h.root_path,
		    "--notify", "none", (char *)NULL);
		_exit(127);
	}
	if (w.pid == -1)
		abort();
	return w;
}

/* Read until `text` came, or nothing for quiet_ms when it is NULL. */
static double
hear(const struct watcher *w, const char *text, int quiet_ms)
{
	static char seen[1 << 16];
	size_t n = 0;
	struct pollfd p = { .fd = w->master, .events = POLLIN };

	for (;;) {
		ssize_t got;

		if (poll(&p, 1, text == NULL ? quiet_ms : 20000) != 1) {
			if (text == NULL)
				return now_ms();
			fprintf(stderr, "never seen: %s\n", text);
			abort();
		}
		if (n > sizeof seen / 2)
			n = 0;
		got = read(w->master, seen + n, sizeof seen - n);
		if (got <= 0) {
			fprintf(stderr, "the watch ended: %.*s\n", (int)n,
			    seen);
			abort();
		}
		n += (size_t)got;
		if (text != NULL && memmem(seen, n, text, strlen(text)) != NULL)
			return now_ms();
	}
}

static void
watch_end(struct watcher *w)
{
	kill(w->pid, SIGTERM);
	waitpid(w->pid, NULL, 0);
	close(w->master);
}

static void
ask(int i, struct ticket *ret, struct digest *ret_digest)
{
	static const struct digest none;
	struct request r;
	struct clock now;
	struct stat st;
	struct call call = { .client = "claude", .session = "s", .tool = "Bash",
	    .cwd = h.root_path };

	request_init(&r);
	snprintf(r.project, sizeof r.project, "%s", h.project);
	r.origin = xstrdup("hook");
	r.agent = xstrdup("claude");
	r.session = xstrdup("s");
	r.agent_id = xstrdup("");
	r.tool_use_id = xstrdup("t");
	r.tool = xstrdup("Bash");
	r.input = json_object();
	r.cwd = xstrdup(h.root_path);
	r.lc = json_object();
	r.lang = xstrdup("");
	r.tz = xstrdup("");
	r.agent_says = xstrdup("");
	r.ttl_s = 3600;

	auto_free char *command = xasprintf("frob %d", i);

	json_add_str(r.input, "command", command);
	call.input = r.input;
	call_key(&call, &r.call_key);
	if (stat(h.root_path, &st) == -1)
		abort();
	r.cwd_dev = st.st_dev;
	r.cwd_ino = st.st_ino;
	if (clock_now(&now, &e) == -1 ||
	    queue_submit(q, &r, &now, ret, &e) == -1)
		project_fail("submit", &e);
	request_digest(&r, &none, ret_digest);
	request_clear(&r);
}

static void
take_back(struct ticket *t)
{
	if (queue_withdraw(q, t, &e) == -1)
		project_fail("withdraw", &e);
	ticket_close(t);
}

static void
latency(int rounds)
{
	struct watcher w = watch_start();
	double *ms = xcalloc((size_t)rounds, sizeof *ms);

	hear(&w, "nothing waits", 0);
	for (int i = 0; i < rounds; i++) {
		struct digest d;
		struct ticket t;
		char row[16];
		double start;

		hear(&w, NULL, 150);
		ask(i, &t, &d);
		start = now_ms();	/* the rename is the last step */
		snprintf(row, sizeof row, "%.4s claude", t.id);
		ms[i] = hear(&w, row, 0) - start;
		take_back(&t);
		hear(&w, "nothing waits", 0);
	}
	times_sort(ms, (size_t)rounds);
	printf("visible: median %.1f ms, 90 %% %.1f ms, worst %.1f ms after "
	    "the rename (reach: 20 ms)\n", ms[rounds / 2],
	    ms[rounds * 9 / 10], ms[rounds - 1]);
	free(ms);
	watch_end(&w);
}

/* Nanoseconds on a processor, from the scheduler's own books. */
static double
cpu_ms(pid_t pid)
{
	char path[64];
	unsigned long long ns = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL || fscanf(f, "%llu", &ns) != 1)
		abort();
	fclose(f);
	return (double)ns / 1e6;
}

static long
rss_kib(pid_t pid)
{
	char path[64];
	long size, pages = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	f = fopen(path, "re");
	if (f == NULL || fscanf(f, "%ld %ld", &size, &pages) != 2)
		abort();
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void
idle(const char *what, int seconds)
{
	struct watcher w = watch_start();
	double cpu, start;

	hear(&w, "nothing waits", 0);
	/* Its first sweep is over; the next one comes in five minutes. */
	poll(NULL, 0, 3000);
	hear(&w, NULL, 500);
	start = now_ms();
	cpu = cpu_ms(w.pid);
	poll(NULL, 0, seconds * 1000);
	cpu = cpu_ms(w.pid) - cpu;
	printf("idle, %s: %.3f %% of a processor over %d s (reach: 0.1 %%)\n",
	    what, 100 * cpu / (now_ms() - start), seconds);
	watch_end(&w);
}

static double
first_screen(void)
{
	double best = 1e9;

	for (int i = 0; i < 3; i++) {
		double start = now_ms(), ms;
		struct watcher w = watch_start();

		ms = hear(&w, "nothing waits", 0) - start;
		best = ms < best ? ms : best;
		watch_end(&w);
	}
	return best;
}

static void
put(int dir, const char *name, const struct str *text)
{
	if (fs_write_new(dir, name, text->s, text->len, false, &e) == -1)
		project_fail(name, &e);
}

/* As a runner leaves it, without signatures: nobody asks for them here. */
static void
decide(const char *id, const struct digest *digest)
{
	struct approval a = { .digest = *digest, .decision = DECISION_RUN,
	    .tier = "medium", .has_run_key = true };
	struct result r = { .digest = *digest, .outcome = "exit:0",
	    .start_ms = 1, .end_ms = 1000 };
	auto_free char *used = xasprintf("%s.used", id);
	auto_free char *collected = xasprintf("%s.collected", id);
	auto_str struct str stmt = { 0 }, line = { 0 };
	auto_json cJSON *j = json_object();
	int dir;

	memcpy(a.project, h.project, sizeof a.project);
	memcpy(r.project, h.project, sizeof r.project);
	snprintf(a.id, sizeof a.id, "%s", id);
	snprintf(r.id, sizeof r.id, "%s", id);
	str_init(&stmt, 8192);
	str_init(&line, 16384);
	approval_encode(&a, &stmt);
	str_add(&stmt, "00\n");
	put(h.ledger, used, &stmt);
	str_reset(&stmt);
	put(h.ledger, collected, &stmt);
	result_encode(&r, &stmt);
	json_add_int(j, "v", 1);
	json_add_str(j, "stmt", stmt.s);
	json_add_str(j, "sig", "00");
	json_add_str(j, "call_key", "");
	json_add_str(j, "why", "");
	json_print(j, &line);
	dir = fs_make_private(h.run, id, &e);
	if (dir == -1)
		project_fail(id, &e);
	put(dir, "result", &line);
	put(dir, "answer", &line);
	close(dir);
}

static void
closed(int count)
{
	double none = first_screen(), many;

	for (int i = 0; i < count; i++) {
		struct digest d;
		struct ticket t;
		char id[ID_MAX + 1];

		ask(i, &t, &d);
		memcpy(id, t.id, sizeof id);
		take_back(&t);
		decide(id, &d);
	}
	many = first_screen();
	printf("first screen: %.0f ms with nothing behind it, %.0f ms with %d "
	    "decided requests\n", none, many, count);
}

static void
churn(int count)
{
	enum { BATCH = 50 };
	struct watcher w = watch_start();
	struct ticket t[BATCH];
	long before;

	hear(&w, "nothing waits", 0);
	for (int i = 0; i < count; i += BATCH) {
		struct digest d;

		for (int k = 0; k < BATCH; k++)
			ask(i + k, &t[k], &d);
		hear(&w, NULL, 30);
		for (int k = 0; k < BATCH; k++)
			take_back(&t[k]);
		hear(&w, NULL, 22);
		/* The rows of the past fill up first; that much is its own. */
		if (i == 2000 - 2000 % BATCH) {
			before = rss_kib(w.pid);
			printf("memory: %ld KiB after 2,000 requests, ",
			    before);
		}
	}
	printf("%ld KiB after %d\n", rss_kib(w.pid), count);
	watch_end(&w);
}

int
main(int argc, char **argv)
{
	const struct queue_limits limits = { 100000, 100000, 1000000, 1 << 30,
	    28800, 28800 };

	if (argc != 7)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	sandbox = argv[1];
	if (digest_setup(&e) == -1 || home_open_state(argv[2], &h, &e) == -1 ||
	    queue_open(&h, &limits, &q, &e) == -1)
		project_fail(argv[2], &e);
	latency((int)strtol(argv[3], NULL, 10));
	idle("nothing behind it", (int)strtol(argv[4], NULL, 10));
	closed((int)strtol(argv[5], NULL, 10));
	idle("and that many behind it", (int)strtol(argv[4], NULL, 10));
	churn((int)strtol(argv[6], NULL, 10));
	return 0;
}
