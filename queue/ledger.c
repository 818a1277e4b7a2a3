/*
 * The private side: marks that are made once, locks that die with their
 * holder, and the answer's private copy.  Here is decided what the folder
 * only shows.
 */
#include "queue/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

#define LOCK_NAME	"lock"
#define ANSWER_NEW	"answer.new"
#define RUN_DENIAL	"denial"
#define MARK_MAX	16384	/* an approval and its signature */
#define LOCK_TRIES	100

static const char *const marks[] = {
	[LEDGER_USED] = "used", [LEDGER_STARTED] = "started",
	[LEDGER_COLLECTED] = "collected",
};

static void
mark_name(const char *id, enum ledger_mark m, char *buf, size_t len)
{
	snprintf(buf, len, "%s.%s", id, marks[m]);
}

bool
queue_ledger_has(const struct queue *q, const char *id, enum ledger_mark m)
{
	char name[64];

	mark_name(id, m, name, sizeof name);
	return queue_has(q->home->ledger, name);
}

int
queue_ledger_add(const struct queue *q, const char *id, enum ledger_mark m,
    const char *text, bool sync, struct err *e)
{
	char name[64];

	mark_name(id, m, name, sizeof name);
	if (fs_write_new(q->home->ledger, name, text, strlen(text), sync, e)
	    == -1)
		return -1;
	if (sync && fsync(q->home->ledger) == -1) {
		err_sys(e, "cannot sync the ledger");
		unlinkat(q->home->ledger, name, 0);
		return -1;
	}
	return 0;
}

/* 1 held, 0 held by another, -1 error, 2 it was removed under us. */
static int
try_lock(const struct queue *q, const char *id, int *ret_dir, int *ret_lock,
    struct err *e)
{
	struct stat st;
	auto_close int dir = -1;
	auto_close int fd = -1;

	if (mkdirat(q->home->run, id, 0700) == -1 && errno != EEXIST)
		return err_sys(e, "cannot make 'run/%s'", id);
	dir = openat(q->home->run, id,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir != -1)
		fd = openat(dir, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW |
		    O_CLOEXEC, 0600);
	if (fd == -1)
		return errno == ENOENT ? 2 :
		    err_sys(e, "cannot open 'run/%s/lock'", id);
	if (flock(fd, LOCK_EX | LOCK_NB) == -1)
		return errno == EWOULDBLOCK ? 0 :
		    err_sys(e, "cannot lock 'run/%s/lock'", id);
	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot stat 'run/%s/lock'", id);
	if (st.st_nlink == 0)
		return 2;
	*ret_dir = fd_steal(&dir);
	*ret_lock = fd_steal(&fd);
	return 1;
}

int
queue_run_lock(const struct queue *q, const char *id, int *ret_dir,
    int *ret_lock, struct err *e)
{
	int got = 2;

	for (int i = 0; got == 2 && i < LOCK_TRIES; i++)
		got = try_lock(q, id, ret_dir, ret_lock, e);
	/* Others take and drop it all the time: then they have it. */
	return got == 2 ? 0 : got;
}

int
queue_run_holds(const struct queue *q, const char *id, int lock_fd,
    int *ret_dir, struct err *e)
{
	struct stat ours, named;
	auto_close int dir = openat(q->home->run, id,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir == -1 || fstat(lock_fd, &ours) == -1 ||
	    fstatat(dir, LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) == -1)
		return err_sys(e, "cannot find 'run/%s/lock'", id);
	/* Of the description that holds it, a second flock is granted. */
	if (ours.st_dev != named.st_dev || ours.st_ino != named.st_ino ||
	    flock(lock_fd, LOCK_EX | LOCK_NB) == -1)
		return err_set(e, ERR_LOST, "the lock of '%s' is not held",
		    id);
	*ret_dir = fd_steal(&dir);
	return 0;
}

void
queue_run_remove(const struct queue *q, const char *id, int rundir)
{
	struct fs_names l = { 0 };

	if (fs_list(rundir, NULL, QUEUE_NAMES_MAX, &l, NULL, NULL) == -1)
		return;
	/* The lock last: as long as it has its name, we are alone here. */
	for (size_t i = 0; i < l.n; i++)
		if (!str_eq(l.names[i], LOCK_NAME))
			unlinkat(rundir, l.names[i], 0);
	unlinkat(rundir, LOCK_NAME, 0);
	unlinkat(q->home->run, id, AT_REMOVEDIR);
	fs_names_clear(&l);
}

/* answered/<id>-a holds exactly these bytes when this returns 0. */
static int
deliver(struct queue *q, const char *id, const struct str *bytes,
    struct err *e)
{
	char name[ANSWER_NAME];
	auto_str struct str there = { 0 };

	queue_answer_name(id, name);
	if (queue_put(q, DIR_ANSWERED, name, bytes, e) == 0)
		return 0;
	if (e->sys != EEXIST)
		return -1;
	str_init(&there, ANSWER_MAX);
	if (fs_read_own(q->dir[DIR_ANSWERED], name, ANSWER_MAX, &there, e)
	    == 0 && there.len == bytes->len &&
	    memcmp(there.s, bytes->s, bytes->len) == 0)
		return 0;
	queue_set_aside(q, DIR_ANSWERED, name);
	return queue_put(q, DIR_ANSWERED, name, bytes, e);
}

/* The private copy is there; now everybody else's. */
static int
finish(struct queue *q, const char *id, const struct str *bytes,
    struct err *e)
{
	if (!queue_ledger_has(q, id, LEDGER_COLLECTED) &&
	    deliver(q, id, bytes, e) == -1)
		return err_add(e, "answer to '%s'", id);
	/* Moved away by whoever: the answer is there, that is what counts. */
	if (queue_move(q, DIR_CLAIMED, DIR_CLOSED, id, e) == -1 &&
	    e->sys != ENOENT)
		return -1;
	return 0;
}

int
queue_republish(struct queue *q, const char *id, int rundir, struct err *e)
{
	auto_str struct str bytes = { 0 };

	str_init(&bytes, ANSWER_MAX);
	if (fs_read_own(rundir, RUN_ANSWER, ANSWER_MAX, &bytes, e) == -1)
		return err_add(e, "answer to '%s'", id);
	return finish(q, id, &bytes, e);
}

/* The private copy, whole or not there; EEXIST in err.sys: there is one. */
static int
keep(int rundir, const struct str *bytes, struct err *e)
{
	int got = fs_write_new(rundir, ANSWER_NEW, bytes->s, bytes->len,
	    false, e);

	if (got == -1 && e->sys == EEXIST) {
		unlinkat(rundir, ANSWER_NEW, 0);	/* of a crash */
		got = fs_write_new(rundir, ANSWER_NEW, bytes->s, bytes->len,
		    false, e);
	}
	if (got == -1)
		return -1;
	if (fs_rename_new(rundir, ANSWER_NEW, rundir, RUN_ANSWER, e) == 0)
		return 0;
	unlinkat(rundir, ANSWER_NEW, 0);
	return -1;
}

int
queue_publish(struct queue *q, int rundir, const struct answer *a,
    struct err *e)
{
	struct err local;
	auto_str struct str bytes = { 0 };

	if (e == NULL)
		e = &local;
	if (answer_encode(a, &bytes, e) == -1)
		return -1;
	if (keep(rundir, &bytes, e) == -1)
		return e->sys == EEXIST ? err_set(e, ERR_LOST,
		    "'%s' was answered before", a->id) :
		    err_add(e, "answer to '%s'", a->id);
	return finish(q, a->id, &bytes, e);
}

int
queue_put_denial(int rundir, const struct answer *a, struct err *e)
{
	auto_str struct str bytes = { 0 };

	if (a->outcome != OUTCOME_DENIED)
		BUG("only a deny is known before it is consumed");
	if (answer_encode(a, &bytes, e) == -1)
		return -1;
	return fs_replace(rundir, RUN_DENIAL, bytes.s, bytes.len, 0600, e);
}

void
queue_drop_denial(int rundir)
{
	unlinkat(rundir, RUN_DENIAL, 0);
}

/*
 * Others may have tried to deny it before the one who decided.  Who died while
 * writing the mark leaves the beginning of it.
 */
static bool
is_used_for(const struct queue *q, const char *id, const struct answer *a)
{
	auto_free char *want = xasprintf("%s%s\n", a->approval,
	    a->approval_sig);
	auto_str struct str mark = { 0 };
	char name[64];

	mark_name(id, LEDGER_USED, name, sizeof name);
	str_init(&mark, MARK_MAX);
	return fs_read_own(q->home->ledger, name, MARK_MAX, &mark, NULL) == 0 &&
	    mark.len <= strlen(want) && memcmp(mark.s, want, mark.len) == 0;
}

bool
queue_get_denial(const struct queue *q, const char *id, int rundir,
    struct answer *ret)
{
	auto_str struct str bytes = { 0 };
	struct answer a;

	str_init(&bytes, ANSWER_MAX);
	if (fs_read_own(rundir, RUN_DENIAL, ANSWER_MAX, &bytes, NULL) == -1 ||
	    answer_decode(id, bytes.s, bytes.len, &a, NULL) == -1)
		return false;
	if (a.outcome != OUTCOME_DENIED || !is_used_for(q, id, &a)) {
		answer_clear(&a);
		return false;
	}
	*ret = a;
	return true;
}

bool
queue_never_started(const struct queue *q, const char *id)
{
	auto_close int dir = openat(q->home->run, id,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_str struct str bytes = { 0 };
	struct answer a;
	bool never;

	str_init(&bytes, ANSWER_MAX);
	if (dir == -1 || fs_read_own(dir, RUN_ANSWER, ANSWER_MAX, &bytes,
	    NULL) == -1 || answer_decode(id, bytes.s, bytes.len, &a, NULL) ==
	    -1)
		return false;
	never = a.outcome == OUTCOME_NOT_STARTED;
	answer_clear(&a);
	return never;
}
