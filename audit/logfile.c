#include "audit/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define TAIL_FIRST	4096
#define TAIL_LIMIT	(2 * CHAIN_RECORD_MAX + 4096)
#define SYNC_EVERY_MS	30000
#define RESUME_HINT	"; run `sandbox audit verify`"

/* What to open, and who must own it: asked once, a call costs its part. */
struct opening {
	int	privfd, flags;
	uid_t	uid;
};

/* A regular file of ours that nobody else can open; -1 in *ret if missing. */
static int
open_file(const struct opening *o, const char *path, int *ret,
    uint64_t *ret_size, struct err *e)
{
	struct err why = { 0 };
	struct stat st;
	auto_close int fd = fs_beneath(o->privfd, path,
	    o->flags | O_NONBLOCK, &why);

	*ret = -1;
	if (fd == -1 && why.sys == ENOENT)
		return 0;
	if (fd == -1)
		return err_set(e, ERR_SYSTEM, "%s", why.text);
	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot stat '%s'", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != o->uid ||
	    (st.st_mode & 077) != 0 || st.st_nlink != 1)
		return err_set(e, ERR_FORMAT,
		    "'%s' is not a private file of ours", path);
	*ret = fd_steal(&fd);
	*ret_size = (uint64_t)st.st_size;
	return 0;
}

static int
missing(const struct logfile *f, bool write, struct err *e)
{
	if (f->key == -1 && f->log == -1)
		return err_set(e, ERR_SETUP,
		    "there is no audit log here; run `sandbox init`");
	if (write && (f->key == -1 || f->log == -1 || f->head == -1))
		return err_set(e, ERR_FORMAT, "'%s' is gone" RESUME_HINT,
		    f->key == -1 ? "log.key" :
		    f->log == -1 ? "audit.jsonl" : "audit.head");
	return 0;
}

/* What is known once the lock is held. */
static int
look(struct logfile *f, struct err *e)
{
	struct stat st;

	if (f->key != -1) {
		if (fstat(f->key, &st) == -1)
			return err_sys(e, "cannot stat 'log.key'");
		f->key_wall_ms = (int64_t)st.st_mtim.tv_sec * 1000 +
		    st.st_mtim.tv_nsec / 1000000;
		if (key_slots_read(f->key, &f->slots, e) == -1)
			return -1;
	}
	if (f->head != -1)
		f->pinned = head_read(f->head, &f->pin, NULL) == 0;
	return 0;
}

int
logfile_open(int privfd, bool write, struct logfile *f, struct err *e)
{
	/* O_APPEND is for the log; the others are written at their places. */
	struct opening o = { .privfd = privfd, .uid = geteuid(),
		.flags = write ? O_RDWR : O_RDONLY };
	struct opening log = o, head = o;
	uint64_t size;

	log.flags |= O_APPEND;
	/* Read and written for each record: its atime would be, too. */
	head.flags |= write ? O_NOATIME : 0;
	f->privfd = privfd;
	/* The log's size is true because it is opened under the lock. */
	if (open_file(&o, "log.key", &f->key, &size, e) == -1 ||
	    (f->key != -1 && logfile_lock(f, write, e) == -1) ||
	    open_file(&log, "audit/audit.jsonl", &f->log, &f->size, e) == -1 ||
	    open_file(&head, "audit.head", &f->head, &size, e) == -1)
		return -1;
	if (missing(f, write, e) == -1 || look(f, e) == -1)
		return -1;
	return write ? 0 : logset_open(privfd, f->log, f->size, &f->set, e);
}

void
logfile_close(struct logfile *f)
{
	mem_close_fd(&f->log);
	mem_close_fd(&f->head);
	logset_clear(&f->set);
	mem_close_fd(&f->key);		/* ends the lock, so last */
	key_slots_wipe(&f->slots);
	key_wipe(&f->now);
	*f = (struct logfile)LOGFILE_INIT;
}

struct last {
	const char	*line;
	size_t		 len, torn;
};

/* The last whole line of buf, which ends at the end of the file. */
static bool
last_line(const char *buf, size_t len, bool from_start, struct last *ret)
{
	const char *end = memrchr(buf, '\n', len), *start;

	if (end == NULL)
		return false;
	start = memrchr(buf, '\n', (size_t)(end - buf));
	if (start == NULL && !from_start)
		return false;
	start = start == NULL ? buf : start + 1;
	*ret = (struct last){ start, (size_t)(end - start),
		len - (size_t)(end + 1 - buf) };
	return true;
}

static int
tail_parse(struct logfile *f, const struct last *l, struct err *e)
{
	struct chain_line c;

	if (!chain_parse(l->line, l->len, &c))
		return err_set(e, ERR_FORMAT,
		    "the last line of the audit log is not a record"
		    RESUME_HINT);
	f->tail = (struct tail){ .seq = c.seq, .prev = c.prev };
	memcpy(f->tail.next, c.next, SIGN_PUB);
	chain_hash(l->line, l->len, &f->tail.hash);
	f->tail.torn.bytes = l->torn;
	if (l->torn > 0)
		chain_hash(l->line + l->len + 1, l->torn, &f->tail.torn.hash);
	return 0;
}

int
logfile_tail(struct logfile *f, struct err *e)
{
	auto_free char *buf = NULL;
	size_t want = TAIL_FIRST;

	for (;;) {
		size_t n = f->size < want ? (size_t)f->size : want;
		struct last last;

		buf = xrealloc(buf, n + 1, 1);
		if (io_pread_full(f->log, buf, n, (long long)(f->size - n), e)
		    == -1)
			return err_add(e, "'audit.jsonl'");
		if (last_line(buf, n, n == f->size, &last))
			return tail_parse(f, &last, e);
		if (n == f->size || want == TAIL_LIMIT)
			return err_set(e, ERR_FORMAT,
			    "the audit log has no last record" RESUME_HINT);
		want = want * 4 < TAIL_LIMIT ? want * 4 : TAIL_LIMIT;
	}
}

/* Does the log end where the pin says?  See head.h. */
static int
check_pin(struct logfile *f, const struct clock *clock, struct err *e)
{
	const struct head *p = &f->pin;
	struct tail *t = &f->tail;
	uint64_t newest;

	if (!f->pinned)
		return err_set(e, ERR_FORMAT,
		    "'audit.head' is damaged" RESUME_HINT);
	/* The pin is moved after the seed, so a seed is never the older. */
	if (key_slots_newest(&f->slots, &newest) && newest <= p->synced)
		return err_set(e, ERR_FORMAT,
		    "an old 'log.key' was put back" RESUME_HINT);
	if (p->seq == t->seq && digest_eq(&p->hash, &t->hash))
		return 0;
	if (p->seq + 1 == t->seq && digest_eq(&p->hash, &t->prev))
		return 0;
	if (strcmp(p->boot_id, clock->boot_id) != 0) {
		if (p->seq > t->seq && p->synced <= t->seq) {
			t->torn.lost = p->seq - t->seq;
			return 0;
		}
		if (p->seq < t->seq)
			return 0;
	}
	return err_set(e, ERR_FORMAT, "the audit log does not end as pinned "
	    "(record %" PRIu64 ", pinned %" PRIu64 ")" RESUME_HINT, t->seq,
	    p->seq);
}

int
logfile_pin(struct logfile *f, const char *boot_id, struct err *e)
{
	struct head h = { .seq = f->tail.seq, .hash = f->tail.hash };
	uint64_t newest;

	if (key_slots_newest(&f->slots, &newest) && newest > 0)
		h.synced = newest - 1;
	memcpy(h.boot_id, boot_id, sizeof h.boot_id);
	if (f->pinned && h.seq == f->pin.seq && h.synced == f->pin.synced &&
	    strcmp(h.boot_id, f->pin.boot_id) == 0)
		return 0;
	if (head_write(f->head, &h, e) == -1)
		return -1;
	f->pin = h;
	return 0;
}

int
logfile_ready(struct logfile *f, const struct clock *clock, struct err *e)
{
	if (f->tail.seq >= CHAIN_SEQ_MAX)
		return err_set(e, ERR_FORMAT, "the audit log is full");
	if (check_pin(f, clock, e) == -1)
		return -1;
	if (!key_find(&f->slots, f->tail.seq + 1, f->tail.next, &f->now,
	    &f->slot))
		return err_set(e, ERR_FORMAT, "no slot of log.key fits the "
		    "audit log: it is closed until an approver resumes it"
		    RESUME_HINT);
	/* A writer was killed before it moved the pin: a second one would make
	 * the lag two, which a pin put back could not be told from. */
	return f->tail.torn.lost > 0 ? 0 : logfile_pin(f, clock->boot_id, e);
}

/*
 * What fsync said was lost may be lost although the next fsync succeeds.  So
 * the seeds go: nobody can append until an approver has looked.
 */
static int
shut(struct logfile *f)
{
	key_slots_destroy(f->key);
	key_slots_wipe(&f->slots);
	return -1;
}

int
logfile_sync(struct logfile *f, struct err *e)
{
	struct key_slot *old = &f->slots.slot[f->slot];
	struct key_slot *new = &f->slots.slot[!f->slot];
	uint64_t seq = f->tail.seq + 1;

	if (fdatasync(f->log) == -1) {
		err_sys(e, "cannot sync the audit log, it is closed now");
		return shut(f);
	}
	if (key_slot_write(f->key, !f->slot, seq, f->now.seed, e) == -1)
		return -1;
	if (fdatasync(f->key) == -1) {
		err_sys(e, "cannot sync 'log.key', the log is closed now");
		return shut(f);
	}
	if (key_slot_zero(f->key, f->slot, e) == -1)
		return -1;
	rotate_finish(f);
	*new = (struct key_slot){ .valid = true, .seq = seq };
	memcpy(new->seed, f->now.seed, SIGN_SEED);
	sodium_memzero(old, sizeof *old);
	key_slots_changed(&f->slots);
	f->slot = !f->slot;
	return 0;
}

/*
 * One write; with a torn tail, its end and the record together.  What is torn
 * may be a whole record but for its LF: the mark keeps it from becoming one.
 */
static int
write_line(struct logfile *f, struct str *line, struct err *e)
{
	auto_str struct str both = { 0 };

	if (f->tail.torn.bytes > 0) {
		str_init(&both, line->len + LOGFILE_CLOSE_LEN);
		str_add(&both, LOGFILE_CLOSE);
		str_addn(&both, line->s, line->len);
		line = &both;
	}
	if (io_write_all(f->log, line->s, line->len, e) == -1)
		return err_add(e, "'audit.jsonl'");
	f->size += line->len;
	return 0;
}

/* With the record after the tail. */
static bool
sync_due(const struct logfile *f, const struct event *ev,
    const struct clock *clock)
{
	const struct event_kind *k = event_kind_find(ev->kind,
	    strlen(ev->kind));
	uint64_t unsynced = f->tail.seq + 2 - f->slots.slot[f->slot].seq;
	int64_t age = clock->wall_ms - f->key_wall_ms;

	/* An unknown kind is record_build's to refuse. */
	return (k != NULL && (k->flags & EVENT_SYNC) != 0) ||
	    unsynced >= KEY_SYNC_EVERY ||
	    /* A lone record starts the 30 s, it does not end them. */
	    (unsynced > 1 && (age >= SYNC_EVERY_MS || age <= -SYNC_EVERY_MS));
}

/* Behind the tail, or as the first line of a new file. */
static int
write_record(struct logfile *f, const char *after, struct str *line,
    struct err *e)
{
	str_addc(line, '\n');
	/* The old file first: the new one must not outlive its end. */
	if (after != NULL && f->slots.slot[f->slot].seq <= f->tail.seq &&
	    logfile_sync(f, e) == -1)
		return -1;
	return after != NULL && rotate(f, after, line) ? 0 :
	    write_line(f, line, e);
}

int
logfile_put(struct logfile *f, const char *project, const struct event *ev,
    const struct clock *clock, struct err *e)
{
	bool torn = f->tail.torn.bytes > 0 || f->tail.torn.lost > 0;
	bool sync = sync_due(f, ev, clock);
	char after[LOGSET_NAME];
	struct record r = {
		.seq = f->tail.seq + 1, .prev = f->tail.hash,
		.project = project, .event = ev, .clock = clock,
		.torn = torn ? &f->tail.torn : NULL,
		.after = rotate_due(f, clock, sync, after) ? after : NULL,
	};
	auto_key struct chain_key next = { 0 };
	auto_str struct str line = { 0 };
	struct tail t = { .seq = r.seq, .prev = r.prev };

	key_next(&f->now, &next);
	str_init(&line, CHAIN_RECORD_MAX + 2);
	if (record_build(&r, &f->now, next.pub, &line, e) == -1)
		return -1;
	chain_hash(line.s, line.len, &t.hash);
	memcpy(t.next, next.pub, SIGN_PUB);
	if (write_record(f, r.after, &line, e) == -1)
		return -1;
	f->tail = t;
	f->now = next;
	if (sync && logfile_sync(f, e) == -1)
		return -1;
	return logfile_pin(f, clock->boot_id, e);
}
