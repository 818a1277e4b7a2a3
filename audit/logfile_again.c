/*
 * The lock, and the way of a process that appends one record after the other:
 * most of what opening costs is to learn what it knows already.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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

/* Which files these are is asked once: only a rotation changes it. */
static bool
know(struct logfile *f)
{
	struct stat key, log, head;

	if (fstat(f->key, &key) == -1 || fstat(f->log, &log) == -1 ||
	    fstat(f->head, &head) == -1)
		return false;
	f->pid = getpid();
	f->dev = log.st_dev;
	f->key_ino = key.st_ino;
	f->log_ino = log.st_ino;
	f->head_ino = head.st_ino;
	return true;
}

void
logfile_keep(struct logfile *f)
{
	if (f->pid != 0 || know(f))
		logfile_unlock(f);
	else
		logfile_close(f);
}

/*
 * Is the file of that name still the one that is open, and ours alone?  Its
 * times are not asked for: a kernel that was asked gives the next write a time
 * of its own, and writes the inode for it.
 */
static bool
still(const struct logfile *f, const char *name, ino_t ino, struct statx *ret)
{
	return statx(f->privfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE |
	    STATX_MODE | STATX_NLINK | STATX_INO | STATX_SIZE, ret) == 0 &&
	    makedev(ret->stx_dev_major, ret->stx_dev_minor) == f->dev &&
	    ret->stx_ino == ino && S_ISREG(ret->stx_mode) &&
	    (ret->stx_mode & 077) == 0 && ret->stx_nlink == 1;
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
slots_as_left(struct logfile *f)
{
	struct key_slots slots;
	struct stat st;
	bool same;

	if (key_slots_unchanged(f->key, &f->slots))
		return true;
	/* Our own sync point, or another's. */
	if (key_slots_read(f->key, &slots, NULL) == -1)
		return false;
	same = slots_same(&slots, &f->slots) && fstat(f->key, &st) == 0;
	if (same) {
		f->slots = slots;
		f->key_wall_ms = (int64_t)st.st_mtim.tv_sec * 1000 +
		    st.st_mtim.tv_nsec / 1000000;
	}
	key_slots_wipe(&slots);
	return same;
}

static bool
as_left(struct logfile *f)
{
	struct statx key, log, head;

	return still(f, "log.key", f->key_ino, &key) &&
	    still(f, "audit/audit.jsonl", f->log_ino, &log) &&
	    still(f, "audit.head", f->head_ino, &head) &&
	    log.stx_size == f->size && head_is(f->head, &f->pin) &&
	    slots_as_left(f);
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
