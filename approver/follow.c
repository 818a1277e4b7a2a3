#include "approver/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "approver/fold.h"
#include "approver/runner.h"
#include "approver/spool.h"
#include "audit/scrub.h"
#include "audit/statement.h"
#include "common/fs.h"
#include "common/id.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/proc.h"
#include "common/visible.h"

#include "common/banned.h"

#define TICK_MS		50
#define MARK_MAX	16384	/* a statement and a signature */
#define HELD_MAX	(64 * 1024)	/* of a line, or of a key block */

static const struct json_field fields[] = {
	{ "v", JSON_INT, true, 0 },
	{ "stmt", JSON_STRING, true, 8192 },
	{ "sig", JSON_STRING, true, SIGN_SIG_HEX },
	{ "call_key", JSON_STRING, true, DIGEST_HEX },
	{ "why", JSON_STRING, true, 0 },
};

static int
open_dir(const struct home *home, const char *id, struct err *e)
{
	int fd = id_ok(id) ? fs_open_dir(home->run, id, e) :
	    err_set(e, ERR_NO_ID, "'%.60s' is not an id", id);

	if (fd == -1 && e != NULL && e->sys == ENOENT)
		return err_set(e, ERR_NO_ID, "'%s' never ran here", id);
	return fd;
}

/* Does somebody hold the run?  An approver that decides, or a runner. */
static bool
held(int dir)
{
	auto_close int fd = openat(dir, "lock",
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return fd != -1 && flock(fd, LOCK_SH | LOCK_NB) == -1 &&
	    errno == EWOULDBLOCK;
}

/* 1: there is a result; 0: none yet. */
static int
read_result(int dir, struct follow_end *ret, struct err *e)
{
	auto_str struct str text = { 0 };
	auto_json cJSON *j = NULL;
	struct result res;
	struct err local = { 0 };

	str_init(&text, RUN_RESULT_MAX);
	if (fs_read_own(dir, RUN_RESULT_NAME, RUN_RESULT_MAX, &text,
	    &local) == -1)
		return local.sys == ENOENT ? 0 :
		    err_set(e, ERR_SYSTEM, "%s", local.text);
	if (json_parse(text.s, text.len, 2, &j, e) == -1 ||
	    json_check(j, fields, ARRAY_LEN(fields), true, e) == -1 ||
	    result_decode(json_str(j, "stmt"), &res, e) == -1)
		return err_add(e, "result");
	ret->state = FOLLOW_DONE;
	ret->start_ms = res.start_ms;
	ret->end_ms = res.end_ms;
	snprintf(ret->outcome, sizeof ret->outcome, "%s", res.outcome);
	snprintf(ret->why, sizeof ret->why, "%s", json_str(j, "why"));
	snprintf(ret->call_key, sizeof ret->call_key, "%s",
	    json_str(j, "call_key"));
	return 1;
}

/* Was this id given to a runner?  The mark holds the signed approval. */
static bool
was_to_run(const struct home *home, const char *id)
{
	auto_free char *name = xasprintf("%s.used", id);
	auto_str struct str text = { 0 };

	str_init(&text, MARK_MAX);
	return fs_read_own(home->ledger, name, MARK_MAX, &text, NULL) == 0 &&
	    strstr(text.s, "\nrun\n") != NULL;
}

static int
look(const struct home *home, const char *id, int dir, struct follow_end *ret,
    struct err *e)
{
	auto_free char *started = xasprintf("%s.started", id);
	bool running = held(dir);
	int got;

	*ret = (struct follow_end){ .state = FOLLOW_NONE };
	got = read_result(dir, ret, e);
	if (got != 0)
		return got == -1 ? -1 : 0;
	if (!was_to_run(home, id))
		return 0;
	ret->started = faccessat(home->ledger, started, F_OK,
	    AT_SYMLINK_NOFOLLOW) == 0;
	ret->state = running ? FOLLOW_RUNNING : FOLLOW_LOST;
	return 0;
}

int
follow_look(const struct home *home, const char *id, struct follow_end *ret,
    struct err *e)
{
	auto_close int dir = open_dir(home, id, e);

	return dir == -1 ? -1 : look(home, id, dir, ret, e);
}

/* --- printing --- */

struct follow {
	const struct home *home;
	char		 id[ID_MAX + 1];
	int		 dir;		/* run/<id> */
	int		 spool;		/* -1: not there yet */
	off_t		 at;
	follow_fn	*put;
	void		*arg;
	struct str	 held[2];	/* stdout, stderr: what waits for its
					   line to end */
};

static int
show(const struct follow *p, int fd, const char *text, size_t len,
    struct err *e)
{
	auto_str struct str clean = { 0 }, out = { 0 };

	str_init(&clean, 8 * HELD_MAX + 8 * len);
	str_init(&out, 16 * HELD_MAX + 64 * len);
	scrub(text, len, &clean);
	visible(clean.s, clean.len, VISIBLE_TEXT, &out);
	return p->put(p->arg, fd, out.s, out.len, e);
}

/* A key block is shown whole or not yet, so that it can be recognised. */
static size_t
ready(const struct str *s)
{
	static const char opens[] = "-----BEGIN ", closes[] = "-----END ";
	const char *begin = memmem(s->s, s->len, opens, sizeof opens - 1);
	char *nl = memrchr(s->s, '\n', s->len);

	if (s->len >= HELD_MAX)
		return s->len - fold_unfinished(s->s, s->len);
	if (begin != NULL && memmem(begin, s->len - (size_t)(begin - s->s),
	    closes, sizeof closes - 1) == NULL)
		return (size_t)(begin - s->s);
	return nl == NULL ? 0 : (size_t)(nl - s->s) + 1;
}

static int
flush(struct follow *p, int i, bool all, struct err *e)
{
	struct str *s = &p->held[i];
	size_t n = all ? s->len : ready(s);

	if (n == 0)
		return 0;
	if (show(p, i + 1, s->s, n, e) == -1)
		return -1;
	memmove(s->s, s->s + n, s->len - n + 1);
	s->len -= n;
	return 0;
}

static int
put(struct follow *p, char stream, const struct str *bytes, struct err *e)
{
	int i = stream == 'o' ? 0 : 1;

	if (stream == 'g') {
		auto_free char *text = xasprintf("[... %s bytes left out "
		    "...]\n", bytes->s);

		return flush(p, 0, true, e) == -1 ||
		    flush(p, 1, true, e) == -1 ? -1 :
		    show(p, 2, text, strlen(text), e);
	}
	str_addn(&p->held[i], bytes->s, bytes->len);
	return flush(p, i, false, e);
}

static int
put_spool(struct follow *p, struct err *e)
{
	auto_str struct str one = { 0 };
	char stream;
	int r;

	str_init(&one, HELD_MAX);
	while ((r = spool_next(p->spool, &p->at, &stream, &one, e)) == 1) {
		if (put(p, stream, &one, e) == -1)
			return -1;
		str_reset(&one);
	}
	return r;
}

int
follow_open(const struct home *home, const char *id, follow_fn *fn, void *arg,
    struct follow **ret, struct err *e)
{
	int dir = open_dir(home, id, e);
	struct follow *p;

	if (dir == -1)
		return -1;
	p = xcalloc(1, sizeof *p);
	*p = (struct follow){ .home = home, .dir = dir, .spool = -1,
	    .put = fn, .arg = arg };
	snprintf(p->id, sizeof p->id, "%s", id);
	for (int i = 0; i < 2; i++)
		str_init(&p->held[i], 2 * HELD_MAX);
	*ret = p;
	return 0;
}

int
follow_more(struct follow *p, struct follow_end *ret, struct err *e)
{
	/* Looked at first: what was written before is then read. */
	if (look(p->home, p->id, p->dir, ret, e) == -1)
		return -1;
	if (p->spool == -1)
		p->spool = fs_open_own(p->dir, SPOOL_NAME, NULL, NULL);
	/* It was over before we came: the same frames, scrubbed. */
	if (p->spool == -1)
		p->spool = fs_open_own(p->dir, RUN_OUTPUT_NAME, NULL, NULL);
	if (p->spool != -1 && put_spool(p, e) == -1)
		return -1;
	if (ret->state == FOLLOW_RUNNING)
		return 0;
	return flush(p, 0, true, e) == -1 || flush(p, 1, true, e) == -1 ?
	    -1 : 0;
}

void
follow_close(struct follow *p)
{
	if (p == NULL)
		return;
	for (int i = 0; i < 2; i++)
		str_clear(&p->held[i]);
	mem_close_fd(&p->spool);
	mem_close_fd(&p->dir);
	free(p);
}

static int
print(void *arg, int fd, const char *text, size_t len, struct err *e)
{
	(void)arg;
	return io_write_all(fd, text, len, e);
}

int
follow_run(const struct home *home, const char *id, bool wait,
    struct follow_end *ret, struct err *e)
{
	struct follow *p;
	int got;

	if (follow_open(home, id, print, NULL, &p, e) == -1)
		return -1;
	while ((got = follow_more(p, ret, e)) == 0 && wait &&
	    ret->state == FOLLOW_RUNNING)
		poll(NULL, 0, TICK_MS);
	/* Who does not wait wants the line that has begun, too. */
	if (got == 0 && ret->state == FOLLOW_RUNNING &&
	    (flush(p, 0, true, e) == -1 || flush(p, 1, true, e) == -1))
		got = -1;
	follow_close(p);
	return got;
}

/* --- what it means --- */

static const struct {
	const char	*outcome;
	int		 exit;
	const char	*text;
} words[] = {
	{ "timeout", 137, "ended by the time limit" },
	{ "stopped", 143, "stopped by a human" },
	{ "running", 0, "running in the background" },
	{ "not_started", 125, "not started" },
};

int
follow_exit(const struct follow_end *end)
{
	if (end->state != FOLLOW_DONE)
		return 128;
	if (str_starts(end->outcome, "exit:"))
		return (int)strtol(end->outcome + 5, NULL, 10);
	if (str_starts(end->outcome, "signal:"))
		return 128 + (int)strtol(end->outcome + 7, NULL, 10);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eq(words[i].outcome, end->outcome))
			return words[i].exit;
	return 128;
}

void
follow_say(const struct follow_end *end, char *buf, size_t len)
{
	const char *what = end->outcome, *colon = strchr(what, ':');
	int64_t ms = end->end_ms - end->start_ms;

	if (end->state == FOLLOW_RUNNING) {
		snprintf(buf, len, "running");
		return;
	}
	if (end->state != FOLLOW_DONE) {
		snprintf(buf, len, "%s: its runner died",
		    end->started ? "outcome unknown" : "not started");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eq(words[i].outcome, what))
			what = words[i].text;
	if (colon != NULL)
		snprintf(buf, len, "%.*s %s after %lld.%lld s",
		    (int)(colon - end->outcome), end->outcome, colon + 1,
		    (long long)(ms / 1000), (long long)(ms % 1000 / 100));
	else
		snprintf(buf, len, "%s", what);
}

int
follow_stop(const struct home *home, const char *id, struct err *e)
{
	auto_close int dir = open_dir(home, id, e);
	auto_str struct str text = { 0 };
	struct proc_id p;
	int pid;

	if (dir == -1)
		return -1;
	str_init(&text, 64);
	if (!held(dir) || fs_read_own(dir, RUN_PID_NAME, 64, &text, NULL)
	    == -1 || sscanf(text.s, "%d %llu", &pid, &p.start) != 2)
		return err_set(e, ERR_NEGATIVE, "'%s' does not run", id);
	p.pid = pid;

	/* The descriptor first, then the question whose it is. */
	auto_close int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd == -1 || !proc_alive(&p))
		return err_set(e, ERR_NEGATIVE, "'%s' does not run", id);
	if (syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) == -1)
		return err_sys(e, "cannot stop '%s'", id);
	return 0;
}
