/*
 * The folder: every byte in it may be hostile.  What is opened is opened
 * without following or blocking and is asked what it is; what no honest
 * writer made is moved to aside/ and never opened again.
 */
#include "queue/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define FUTURE_MS	2000	/* clocks of one machine differ by less */
#define SURE_TIMES	4

static const char *const folders[DIR_COUNT] = {
	[DIR_TMP] = "tmp", [DIR_PENDING] = "pending",
	[DIR_CLAIMED] = "claimed", [DIR_ANSWERED] = "answered",
	[DIR_CLOSED] = "closed", [DIR_BLOBS] = "blobs", [DIR_ASIDE] = "aside",
};

int
queue_open(const struct home *h, const struct queue_limits *lim,
    struct queue **ret, struct err *e)
{
	struct queue *q = xcalloc(1, sizeof *q);

	q->home = h;
	q->lim = *lim;
	for (int i = 0; i < DIR_COUNT; i++)
		q->dir[i] = -1;
	for (int i = 0; i < DIR_COUNT; i++) {
		q->dir[i] = fs_open_dir(h->bus, folders[i], e);
		if (q->dir[i] == -1 ||
		    fs_check_private(q->dir[i], folders[i], e) == -1) {
			queue_free(q);
			home_setup_err(e);
			return err_add(e, "'.sandbox/escalations'");
		}
	}
	*ret = q;
	return 0;
}

void
queue_free(struct queue *q)
{
	if (q == NULL)
		return;
	for (int i = 0; i < DIR_COUNT; i++)
		mem_close_fd(&q->dir[i]);
	free(q);
}

void
queue_answer_name(const char *id, char ret[static ANSWER_NAME])
{
	snprintf(ret, ANSWER_NAME, "%s-a", id);
}

bool
queue_is_answer(const char *name)
{
	char id[ID_MAX + 1];
	size_t n = strlen(name);

	if (n < 3 || n >= ANSWER_NAME || strcmp(name + n - 2, "-a") != 0)
		return false;
	memcpy(id, name, n - 2);
	id[n - 2] = '\0';
	return id_ok(id);
}

int64_t
queue_id_boot_ms(const char *id)
{
	return (int64_t)strtoull(id + 17, NULL, 16);
}

bool
queue_has(int dirfd, const char *name)
{
	struct stat st;

	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    errno != ENOENT;
}

bool
queue_locked(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

bool
queue_set_aside(struct queue *q, enum queue_dir from, const char *name)
{
	unsigned char bin[8];
	char hex[2 * sizeof bin + 1], to[256];

	randombytes_buf(bin, sizeof bin);
	hex_put(bin, sizeof bin, hex);
	snprintf(to, sizeof to, "%s-%.200s.%s", folders[from], name, hex);
	return fs_rename_new(q->dir[from], name, q->dir[DIR_ASIDE], to, NULL)
	    == 0;
}

enum queue_dir
queue_find(const struct queue *q, const char *id)
{
	static const enum queue_dir places[] = { DIR_PENDING, DIR_CLAIMED,
		DIR_CLOSED };

	for (int i = 0; i < SURE_TIMES; i++)
		for (size_t d = 0; d < ARRAY_LEN(places); d++)
			if (queue_has(q->dir[places[d]], id))
				return places[d];
	return DIR_COUNT;
}

bool
queue_is_damage(const struct err *e)
{
	/* A link, a socket or a device cannot even be opened like this. */
	return e->code == ERR_FORMAT || e->sys == ELOOP || e->sys == ENXIO ||
	    e->sys == EACCES;
}

int
queue_get(struct queue *q, enum queue_dir from, const char *id,
    struct request *ret, struct queue_file *ret_file, struct err *e)
{
	struct err local;
	auto_str struct str text = { 0 };
	struct stat st;
	auto_close int fd = -1;

	if (e == NULL)
		e = &local;
	str_init(&text, REQUEST_MAX);
	fd = fs_open_own(q->dir[from], id, &st, e);
	if (fd == -1 && e->sys == ENOENT)
		return err_set(e, ERR_NO_ID, "no request '%s'", id);
	if (fd == -1) {
		if (queue_is_damage(e))
			e->code = ERR_FORMAT;
		return -1;
	}
	if (io_read_all(fd, REQUEST_MAX, &text, e) == -1 ||
	    request_decode(id, text.s, text.len, ret, e) == -1)
		return err_add(e, "'%s/%s'", folders[from], id);
	if (ret_file != NULL)
		*ret_file = (struct queue_file){ st, queue_locked(fd) };
	return 0;
}

int
queue_admit(const struct queue *q, const struct request *r,
    const struct clock *now, struct err *e)
{
	if (!str_eq(r->project, q->home->project))
		return err_set(e, ERR_FORMAT, "'%s' is of another project",
		    r->id);
	if (r->ttl_s > q->lim.ttl_max_s)
		return err_set(e, ERR_FORMAT, "'%s' wants to live %" PRId64
		    " s, the policy gives %" PRId64, r->id, r->ttl_s,
		    q->lim.ttl_max_s);
	if (r->created_wall_ms > now->wall_ms + FUTURE_MS ||
	    (str_eq(r->boot_id, now->boot_id) &&
	    r->created_boot_ms > now->boot_ms + FUTURE_MS))
		return err_set(e, ERR_FORMAT, "'%s' is from the future",
		    r->id);
	return 0;
}

int
queue_put(struct queue *q, enum queue_dir to, const char *name,
    const struct str *bytes, struct err *e)
{
	char tmp[ID_MAX + 1];

	id_make(clock_boot_ms(), getpid(), tmp);
	if (fs_write_new(q->dir[DIR_TMP], tmp, bytes->s, bytes->len, false, e)
	    == -1)
		return -1;
	if (fs_rename_new(q->dir[DIR_TMP], tmp, q->dir[to], name, e) == -1) {
		unlinkat(q->dir[DIR_TMP], tmp, 0);
		return -1;
	}
	return 0;
}

int
queue_move(struct queue *q, enum queue_dir from, enum queue_dir to,
    const char *name, struct err *e)
{
	struct err local;

	if (e == NULL)
		e = &local;
	if (fs_rename_new(q->dir[from], name, q->dir[to], name, e) == 0)
		return 0;
	if (e->sys != EEXIST)
		return -1;
	/* Two files of one name: the one that lay in wait is not ours. */
	queue_set_aside(q, to, name);
	return fs_rename_new(q->dir[from], name, q->dir[to], name, e);
}

int
queue_ids(struct queue *q, enum queue_dir from, bool (*want)(const char *),
    struct fs_names *ret, size_t *ret_foreign, struct err *e)
{
	struct fs_names l = { 0 };
	size_t n = 0, foreign = 0;

	if (fs_list(q->dir[from], NULL, QUEUE_NAMES_MAX, &l, &foreign, e)
	    == -1)
		return err_add(e, "'%s'", folders[from]);
	for (size_t i = 0; i < l.n; i++) {
		char *name = l.names[i];

		if (want(name)) {
			l.names[n++] = name;
			continue;
		}
		if (!id_ok(name) && !queue_is_answer(name))
			foreign++;
		free(name);
	}
	l.n = n;
	if (n > 0)
		qsort(l.names, n, sizeof *l.names, id_compare);
	*ret = l;
	*ret_foreign += foreign;
	return 0;
}
