#include "audit/originals/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit/originals/inside.h"
#include "audit/originals/packing.h"
#include "common/clock.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define LOCK_WAIT_MS	3000	/* with the log's, less than a hook has */
#define HINT_BYTES	DIGEST_BYTES
#define DELTA_PART	8	/* a difference is at most len / 8 */

/* --- opening ------------------------------------------------------------- */

static int
lock(struct store *s, enum store_lock how, struct err *e)
{
	static const struct timespec nap = { .tv_nsec = 1000000 };
	int op = (how == STORE_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB;
	int64_t until = clock_boot_ms() + LOCK_WAIT_MS;

	s->lock = openat(s->dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (s->lock == -1)
		return err_sys(e, "cannot open 'originals/lock'");
	while (flock(s->lock, op) == -1) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return err_sys(e, "cannot lock the originals");
		if (how == STORE_EXCLUSIVE || clock_boot_ms() >= until)
			return err_set(e, ERR_LOST, "the originals are in use");
		nanosleep(&nap, NULL);
	}
	return 0;
}

static int
open_dir(int dirfd, const char *name, bool make, struct err *e)
{
	int fd = fs_open_dir(dirfd, name, e);

	return fd == -1 && make ? fs_make_private(dirfd, name, e) : fd;
}

int
store_open(int privfd, bool make, enum store_lock how, struct store **ret,
    struct err *e)
{
	struct store *s = xcalloc(1, sizeof *s);
	struct err first = { 0 };

	*s = (struct store){ -1, -1, -1, -1, -1, -1, 0, 0 };
	s->dir = open_dir(privfd, "originals", make, &first);
	if (s->dir != -1)
		s->objects = open_dir(s->dir, "objects", make, &first);
	if (s->objects != -1)
		s->tmp = open_dir(s->dir, "tmp", make, &first);
	if (s->tmp != -1)
		s->last = open_dir(s->dir, "last", make, &first);
	if (s->last == -1) {
		store_free(s);
		return first.sys == ENOENT && !make ? err_set(e, ERR_SETUP,
		    "nothing was kept here yet") :
		    err_set(e, ERR_SYSTEM, "originals: %s", first.text);
	}
	if (lock(s, how, e) == -1) {
		store_free(s);
		return -1;
	}
	*ret = s;
	return 0;
}

void
store_free(struct store *s)
{
	if (s == NULL)
		return;
	mem_close_fd(&s->pending);
	mem_close_fd(&s->lock);
	mem_close_fd(&s->last);
	mem_close_fd(&s->tmp);
	mem_close_fd(&s->objects);
	mem_close_fd(&s->dir);
	free(s);
}

int
store_dir(const struct store *s)
{
	return s->dir;
}

int
store_sync(struct store *s, struct err *e)
{
	return syncfs(s->dir) == -1 ?
	    err_sys(e, "cannot sync the originals") : 0;
}

/* --- names and headers --------------------------------------------------- */

void
object_name(const struct digest *d, char ret[static OBJECT_NAME])
{
	char hex[DIGEST_HEX + 1];

	digest_hex(d, hex);
	snprintf(ret, OBJECT_NAME, "%.2s/%s", hex, hex + 2);
}

static void
put_u64(unsigned char *p, uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		p[i] = (unsigned char)v;
}

static uint64_t
get_u64(const unsigned char *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

void
header_put(const struct header *h, unsigned char ret[static HEADER_BYTES])
{
	memset(ret, 0, HEADER_BYTES);
	memcpy(ret, HEADER_MAGIC, 8);
	put_u64(ret + 8, h->raw);
	put_u64(ret + 16, h->stored);
	ret[24] = h->delta ? 1 : 0;
	if (h->delta)
		memcpy(ret + 32, h->base.b, DIGEST_BYTES);
}

/* What a crash left, or not ours, is not there. */
int
object_open(struct store *s, const struct digest *d, struct header *ret,
    struct err *e)
{
	char name[OBJECT_NAME];
	unsigned char raw[HEADER_BYTES];
	struct stat st = { 0 };
	struct header h = { 0 };

	object_name(d, name);

	auto_close int fd = fs_open_own(s->objects, name, &st, NULL);

	if (fd == -1)
		return err_set(e, ERR_NO_ID, "the content %.16s... is not "
		    "kept", name);
	if (io_pread_full(fd, raw, sizeof raw, 0, NULL) == -1 ||
	    memcmp(raw, HEADER_MAGIC, 8) != 0)
		return err_set(e, ERR_DIGEST, "the content %.16s... is "
		    "damaged", name);
	h.raw = get_u64(raw + 8);
	h.stored = get_u64(raw + 16);
	h.delta = raw[24] == 1;
	memcpy(h.base.b, raw + 32, DIGEST_BYTES);
	if (st.st_size < HEADER_BYTES ||
	    (uint64_t)st.st_size - HEADER_BYTES != h.stored)
		return err_set(e, ERR_DIGEST, "the content %.16s... is "
		    "damaged", name);
	if (lseek(fd, HEADER_BYTES, SEEK_SET) == -1)
		return err_sys(e, "cannot read the originals");
	*ret = h;
	return fd_steal(&fd);
}

bool
store_has(struct store *s, const struct digest *d)
{
	struct header h;
	auto_close int fd = object_open(s, d, &h, NULL);

	return fd != -1;
}

/* --- hints --------------------------------------------------------------- */

static void
hint_name(const char *path, char ret[static DIGEST_HEX + 1])
{
	struct digest d;

	digest_of(path, strlen(path), "sandbox-originals-path", &d);
	digest_hex(&d, ret);
	ret[32] = '\0';
}

void
store_note(struct store *s, const char *path, const struct digest *d)
{
	char name[DIGEST_HEX + 1];

	hint_name(path, name);

	auto_close int fd = openat(s->last, name, O_WRONLY | O_CREAT |
	    O_NOFOLLOW | O_CLOEXEC, 0600);

	/* A torn hint names nothing that is there. */
	if (fd != -1)
		io_write_all(fd, d->b, HINT_BYTES, NULL);
}

bool
store_hint(struct store *s, const char *path, struct digest *ret)
{
	char name[DIGEST_HEX + 1];

	hint_name(path, name);

	auto_close int fd = fs_open_own(s->last, name, NULL, NULL);

	return fd != -1 &&
	    io_pread_full(fd, ret->b, HINT_BYTES, 0, NULL) == 0;
}

/* --- small contents ------------------------------------------------------ */

/* Where it belongs, whole or not at all. */
int
object_publish(struct store *s, const char *tmp, const struct digest *d,
    struct err *e)
{
	char name[OBJECT_NAME], shard[3];
	struct stat st;

	object_name(d, name);
	snprintf(shard, sizeof shard, "%.2s", name);
	if (fstatat(s->tmp, tmp, &st, AT_SYMLINK_NOFOLLOW) == 0)
		atomic_fetch_add(&s->added, (unsigned long long)st.st_size);
	if (renameat(s->tmp, tmp, s->objects, name) == 0)
		return 0;
	if (errno == ENOENT && (mkdirat(s->objects, shard, 0700) == 0 ||
	    errno == EEXIST) && renameat(s->tmp, tmp, s->objects, name) == 0)
		return 0;
	err_sys(e, "cannot keep an original");
	unlinkat(s->tmp, tmp, 0);
	return -1;
}

void
tmp_name(struct store *s, char ret[static TMP_NAME])
{
	snprintf(ret, TMP_NAME, "%d.%u", (int)getpid(),
	    atomic_fetch_add(&s->n_tmp, 1));
}

static int
write_object(struct store *s, const struct header *h, const struct str *frame,
    const struct digest *d, struct err *e)
{
	unsigned char head[HEADER_BYTES];
	auto_str struct str all = { 0 };
	char tmp[TMP_NAME];

	str_init(&all, HEADER_BYTES + frame->len);
	header_put(h, head);
	str_addn(&all, head, sizeof head);
	str_addn(&all, frame->s, frame->len);
	tmp_name(s, tmp);
	/* Another process of this pid may have died here. */
	unlinkat(s->tmp, tmp, 0);
	if (fs_write_new(s->tmp, tmp, all.s, all.len, false, e) == -1)
		return err_add(e, "cannot keep an original");
	return object_publish(s, tmp, d, e);
}

/* The content to differ from: itself whole, never a difference. */
static bool
read_base(struct store *s, const struct digest *hint, struct digest *ret_name,
    struct str *ret)
{
	struct header h = { 0 };
	auto_close int fd = object_open(s, hint, &h, NULL);

	if (fd == -1)
		return false;
	*ret_name = h.delta ? h.base : *hint;
	return store_get(s, ret_name, STORE_SMALL, ret, NULL) == 0 &&
	    ret->len > 0;
}

int
store_put(struct store *s, const void *p, size_t len,
    const struct digest *hint, struct digest *ret, struct err *e)
{
	const struct bytes in = { p, len }, none = { NULL, 0 };
	auto_str struct str base = { 0 }, frame = { 0 };
	struct header h = { .raw = len };
	struct digest d;

	digest_of(p, len, NULL, &d);
	if (store_has(s, &d)) {
		*ret = d;
		return 0;
	}
	str_init(&base, STORE_SMALL);
	str_init(&frame, 2 * len + 1024);
	if (hint != NULL && len <= STORE_SMALL &&
	    read_base(s, hint, &h.base, &base)) {
		const struct bytes old = { base.s, base.len };

		h.delta = packing_pack(in, old, &frame, NULL) == 0 &&
		    frame.len <= len / DELTA_PART;
		if (!h.delta)
			str_reset(&frame);
	}
	if (!h.delta && packing_pack(in, none, &frame, e) == -1)
		return -1;
	h.stored = frame.len;
	if (write_object(s, &h, &frame, &d, e) == -1)
		return -1;
	*ret = d;
	return 0;
}

static int
get_frame(struct store *s, const struct digest *d, size_t max,
    struct header *ret_h, struct str *ret, struct err *e)
{
	auto_close int fd = object_open(s, d, ret_h, e);

	if (fd == -1)
		return -1;
	if (ret_h->raw > max || ret_h->stored > 2 * max + 1024)
		return err_set(e, ERR_FORMAT, "the content is larger than "
		    "%zu bytes", max);
	return io_read_all(fd, 2 * max + 1024, ret, e);
}

int
store_get(struct store *s, const struct digest *d, size_t max,
    struct str *ret, struct err *e)
{
	auto_str struct str frame = { 0 }, old = { 0 }, base = { 0 };
	struct header h = { 0 }, below = { 0 };
	struct digest is;
	size_t at = ret->len;

	str_init(&frame, 2 * max + 1024);
	str_init(&old, 2 * (size_t)STORE_SMALL + 1024);
	str_init(&base, STORE_SMALL);
	if (get_frame(s, d, max, &h, &frame, e) == -1)
		return -1;
	if (h.delta && (get_frame(s, &h.base, STORE_SMALL, &below, &old, e) ==
	    -1 || below.delta || packing_unpack((struct bytes){ old.s,
	    old.len }, (struct bytes){ NULL, 0 }, (size_t)below.raw, &base,
	    e) == -1))
		return err_set(e, ERR_DIGEST, "what a kept content differs "
		    "from is damaged or gone");
	if (packing_unpack((struct bytes){ frame.s, frame.len },
	    (struct bytes){ base.s, base.len }, (size_t)h.raw, ret, e) == -1)
		return err_set(e, ERR_DIGEST, "a kept content is damaged");
	digest_of(ret->s + at, ret->len - at, NULL, &is);
	return digest_eq(&is, d) ? 0 :
	    err_set(e, ERR_DIGEST, "a kept content is not what its name says");
}
