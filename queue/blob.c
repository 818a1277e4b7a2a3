/*
 * Values too large for a request: blobs/<64 hex>, named by their content,
 * published before the request that names them and never moved.
 */
#include "queue/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"

#include "common/banned.h"

#define GRACE_S	600	/* a blob is there before its request */

int
queue_get_blob(struct queue *q, struct request *r, struct err *e)
{
	char name[DIGEST_HEX + 1];
	auto_str struct str text = { 0 };

	if (!r->has_blob)
		return 0;
	str_init(&text, BLOB_MAX);
	digest_hex(&r->blob_digest, name);
	if (fs_read_own(q->dir[DIR_BLOBS], name, (size_t)r->blob_bytes, &text,
	    e) == -1 || request_set_blob(r, text.s, text.len, e) == -1) {
		/* Missing or not a file: the request cannot be read. */
		if (e != NULL)
			e->code = ERR_FORMAT;
		return err_add(e, "blob of '%s'", r->id);
	}
	return 0;
}

/* Already there and right: its time begins anew, so that no sweep takes it. */
static int
refresh(struct queue *q, const char *name, size_t len,
    const struct digest *want, struct err *e)
{
	auto_close int fd = fs_open_own(q->dir[DIR_BLOBS], name, NULL, e);
	struct digest d;

	if (fd == -1 || digest_fd(fd, len, &d, e) == -1)
		return -1;
	if (!digest_eq(&d, want))
		return err_set(e, ERR_FORMAT, "blob '%s' is damaged", name);
	return futimens(fd, NULL) == -1 ?
	    err_sys(e, "cannot refresh blob '%s'", name) : 0;
}

int
queue_put_blob(struct queue *q, const struct digest *d,
    const struct str *bytes, struct err *e)
{
	char name[DIGEST_HEX + 1];

	digest_hex(d, name);
	if (queue_put(q, DIR_BLOBS, name, bytes, e) == 0)
		return 0;
	if (e->sys != EEXIST)
		return -1;
	if (refresh(q, name, bytes->len, d, e) == 0)
		return 0;
	if (!queue_is_damage(e) && e->sys != ENOENT)
		return -1;
	queue_set_aside(q, DIR_BLOBS, name);
	return queue_put(q, DIR_BLOBS, name, bytes, e);
}

static bool
is_digest(const char *name)
{
	struct digest d;

	return digest_parse(name, &d) == 0;
}

struct wanted {
	struct digest	*d;
	size_t		 n;
};

/* Every blob that a request which may still run names. */
static int
collect_wanted(struct queue *q, enum queue_dir from, struct wanted *w)
{
	struct fs_names l = { 0 };
	size_t foreign = 0;

	if (queue_ids(q, from, id_ok, &l, &foreign, NULL) == -1)
		return -1;
	for (size_t i = 0; i < l.n; i++) {
		struct request r;

		if (queue_get(q, from, l.names[i], &r, NULL, NULL) == -1)
			continue;
		if (r.has_blob) {
			w->d = xrealloc(w->d, w->n + 1, sizeof *w->d);
			w->d[w->n++] = r.blob_digest;
		}
		request_clear(&r);
	}
	fs_names_clear(&l);
	return 0;
}

static bool
is_wanted(const struct wanted *w, const char *name)
{
	struct digest d;

	if (digest_parse(name, &d) == -1)
		return true;
	for (size_t i = 0; i < w->n; i++)
		if (digest_eq(&w->d[i], &d))
			return true;
	return false;
}

void
queue_drop_blobs(struct queue *q, const struct clock *now)
{
	struct fs_names l = { 0 };
	struct wanted w = { 0 };
	struct stat st;

	/* The folder first: what is named later cannot be in this list. */
	if (fs_list(q->dir[DIR_BLOBS], is_digest, QUEUE_NAMES_MAX, &l, NULL,
	    NULL) == -1)
		return;
	if (l.n == 0 || collect_wanted(q, DIR_PENDING, &w) == -1 ||
	    collect_wanted(q, DIR_CLAIMED, &w) == -1)
		goto out;
	for (size_t i = 0; i < l.n; i++)
		if (fstatat(q->dir[DIR_BLOBS], l.names[i], &st,
		    AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_mtime < now->wall_ms / 1000 - GRACE_S &&
		    !is_wanted(&w, l.names[i]))
			unlinkat(q->dir[DIR_BLOBS], l.names[i], 0);
out:
	free(w.d);
	fs_names_clear(&l);
}
