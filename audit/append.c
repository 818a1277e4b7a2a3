#include "audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/chain.h"
#include "audit/logfile.h"
#include "common/mem.h"

#include "common/banned.h"

#define ROOM	(2 * CHAIN_RECORD_MAX)	/* of a decision and its result */

struct audit {
	int		 privfd;	/* ours, a duplicate */
	char		*project;
	uint64_t	 rotate_at;
	unsigned	 wait_ms;
	struct logfile	 f;		/* as the last record left it */
};

int
audit_open(int privfd, const char *project, struct audit **ret,
    struct err *e)
{
	struct audit *a;
	struct stat st;
	int fd;

	if (digest_setup(e) == -1)
		return -1;
	if (fstatat(privfd, "log.key", &st, AT_SYMLINK_NOFOLLOW) == -1 &&
	    fstatat(privfd, "audit/audit.jsonl", &st, AT_SYMLINK_NOFOLLOW)
	    == -1)
		return err_set(e, ERR_SETUP,
		    "there is no audit log here; run `sandbox init`");
	fd = fcntl(privfd, F_DUPFD_CLOEXEC, 3);
	if (fd == -1)
		return err_sys(e, "cannot keep the private directory open");
	a = xcalloc(1, sizeof *a);
	a->privfd = fd;
	a->project = xstrdup(project);
	a->f = (struct logfile)LOGFILE_INIT;
	*ret = a;
	return 0;
}

void
audit_free(struct audit *a)
{
	if (a == NULL)
		return;
	logfile_close(&a->f);
	close(a->privfd);
	free(a->project);
	free(a);
}

void
audit_patience(struct audit *a, unsigned ms)
{
	a->wait_ms = ms;
}

void
audit_rotate_at(struct audit *a, uint64_t bytes)
{
	a->rotate_at = bytes;
	a->f.rotate_at = bytes;
}

/* Locked, looked at, and fit to be continued. */
static int
take(struct audit *a, const struct clock *clock, struct err *e)
{
	struct logfile *f = &a->f;
	int same;

	f->wait_ms = a->wait_ms;
	same = logfile_again(f, e);
	if (same != 0)
		return same == 1 ? 0 : -1;
	logfile_close(f);
	f->wait_ms = a->wait_ms;
	f->rotate_at = a->rotate_at;
	return logfile_open(a->privfd, true, f, e) == -1 ||
	    logfile_tail(f, e) == -1 || logfile_ready(f, clock, e) == -1 ?
	    -1 : 0;
}

/* Whatever went wrong, the next one looks at all of it. */
static int
give_up(struct audit *a, struct err *e)
{
	logfile_close(&a->f);
	return err_add(e, "audit");
}

int
audit_append(struct audit *a, const struct event *ev,
    const struct clock *clock, uint64_t *ret_seq, struct err *e)
{
	if (take(a, clock, e) == -1 ||
	    logfile_put(&a->f, a->project, ev, clock, e) == -1)
		return give_up(a, e);
	if (ret_seq != NULL)
		*ret_seq = a->f.tail.seq;
	logfile_keep(&a->f);
	return 0;
}

int
audit_sync(struct audit *a, struct err *e)
{
	struct logfile *f = &a->f;
	struct clock clock;

	if (clock_now(&clock, e) == -1 || take(a, &clock, e) == -1)
		return give_up(a, e);
	if (f->slots.slot[f->slot].seq <= f->tail.seq &&
	    (logfile_sync(f, e) == -1 ||
	    logfile_pin(f, clock.boot_id, e) == -1))
		return give_up(a, e);
	logfile_keep(f);
	return 0;
}

int
audit_make_room(struct audit *a, struct err *e)
{
	if (audit_sync(a, e) == -1)
		return -1;
	/* Where none can be kept the record itself finds out. */
	if (fallocate(a->f.log, FALLOC_FL_KEEP_SIZE, (off_t)a->f.size,
	    ROOM) == -1 && (errno == ENOSPC || errno == EDQUOT)) {
		err_sys(e, "no room for a decision in the log");
		return give_up(a, e);
	}
	return 0;
}
