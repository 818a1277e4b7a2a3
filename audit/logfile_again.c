/*
 * The lock, and the way of a process that appends one record after the other:
 * most of what opening costs is to learn what it knows already.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit/logfile.h"
#include "common/mem.h"

#include "common/banned.h"

#define LOCK_NAP_NS	1000000

/* With a limit the lock is asked for now and then: no signal, no thread. */
int
logfile_lock(const struct logfile *f, bool write, struct err *e)
{
	static const struct timespec nap = { .tv_nsec = LOCK_NAP_NS };
	int how = (write ? LOCK_EX : LOCK_SH) |
	    (f->wait_ms > 0 ? LOCK_NB : 0);
	int64_t until = clock_boot_ms() + f->wait_ms;

	while (flock(f->key, how) == -1) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return err_sys(e, "cannot lock 'log.key'");
		if (clock_boot_ms() >= until)
			return err_set(e, ERR_LOST,
			    "another process holds the audit log");
		nanosleep(&nap, NULL);
	}
	return 0;
}

void
logfile_unlock(struct logfile *f)
{
	if (f->key != -1)
		flock(f->key, LOCK_UN);
}

void
logfile_keep(struct logfile *f)
{
	struct stat key, log, head;
	bool fresh = f->pid == 0;

	if (fstat(f->log, &log) == -1 || (fresh &&
	    (fstat(f->key, &key) == -1 || fstat(f->head, &head) == -1))) {
		logfile_close(f);
		return;
	}
	if (fresh) {
		f->pid = getpid();
		f->key_ino = key.st_ino;
		f->head_ino = head.st_ino;
	}
	f->dev = log.st_dev;
	f->log_ino = log.st_ino;
	f->size = (uint64_t)log.st_size;
	logfile_unlock(f);
}

/* Is the file of that name still the one that is open, and ours alone? */
static bool
still(const struct logfile *f, const char *name, ino_t ino, struct stat *ret)
{
	return fstatat(f->privfd, name, ret, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ret->st_dev == f->dev && ret->st_ino == ino &&
	    S_ISREG(ret->st_mode) && (ret->st_mode & 077) == 0 &&
	    ret->st_nlink == 1;
}

static bool
slots_same(const struct key_slots *a, const struct key_slots *b)
{
	for (int i = 0; i < KEY_SLOTS; i++)
		if (a->slot[i].valid != b->slot[i].valid ||
		    (a->slot[i].valid && (a->slot[i].seq != b->slot[i].seq ||
		    memcmp(a->slot[i].seed, b->slot[i].seed, SIGN_SEED) != 0)))
			return false;
	return true;
}

static bool
as_left(struct logfile *f)
{
	struct key_slots slots;
	struct stat key, log, head;
	bool same;

	if (!still(f, "log.key", f->key_ino, &key) ||
	    !still(f, "audit/audit.jsonl", f->log_ino, &log) ||
	    !still(f, "audit.head", f->head_ino, &head) ||
	    (uint64_t)log.st_size != f->size || !head_is(f->head, &f->pin) ||
	    key_slots_read(f->key, &slots, NULL) == -1)
		return false;
	same = slots_same(&slots, &f->slots);
	key_slots_wipe(&slots);
	f->key_wall_ms = (int64_t)key.st_mtim.tv_sec * 1000 +
	    key.st_mtim.tv_nsec / 1000000;
	return same;
}

int
logfile_again(struct logfile *f, struct err *e)
{
	/* A child of ours shares the lock: it would not exclude its parent. */
	if (f->key == -1 || f->pid != getpid())
		return 0;
	if (logfile_lock(f, true, e) == -1)
		return -1;
	return as_left(f);
}
