/*
 * Contents that do not fit into memory, piece by piece.
 *
 * A file with holes is kept as where its data lies: pieces of
 *
 *	offset, length (8 bytes each, big endian), then that many bytes
 *
 * and at last its size with length 0.  Its digest is keyed, so that no plain
 * content can pass for one.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/originals/inside.h"
#include "audit/originals/packing.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define PIECE		(128 * 1024)
#define SPARSE_KEY	"sandbox-sparse-v1"
#define PLACE		16	/* bytes before a piece */

/* --- putting ------------------------------------------------------------- */

struct put {
	struct digest_state	 hash;	/* first: it is aligned to 64 */
	uint64_t		 raw, stored, max;
	struct packer		*packer;
	char			*buf;
	int			 from, to;
};

static int
sink_file(void *arg, const void *p, size_t len, struct err *e)
{
	struct put *w = arg;

	w->stored += len;
	return io_write_all(w->to, p, len, e);
}

static int
feed(struct put *w, const void *p, size_t len, struct err *e)
{
	w->raw += len;
	if (w->raw > w->max)
		return err_set(e, ERR_FORMAT, "it is too large to keep");
	digest_add(&w->hash, p, len);
	return packer_add(w->packer, p, len, e);
}

static int
feed_place(struct put *w, uint64_t off, uint64_t len, struct err *e)
{
	unsigned char b[PLACE];

	for (int i = 7; i >= 0; i--, off >>= 8, len >>= 8) {
		b[i] = (unsigned char)off;
		b[8 + i] = (unsigned char)len;
	}
	return feed(w, b, sizeof b, e);
}

/* [off, end) of the file; with `end` -1 all there is. */
static int
feed_part(struct put *w, off_t off, off_t end, struct err *e)
{
	while (end == -1 || off < end) {
		size_t want = end == -1 || end - off > PIECE ? PIECE :
		    (size_t)(end - off);
		ssize_t n = pread(w->from, w->buf, want, off);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return err_sys(e, "cannot read");
		if (n == 0)
			return end == -1 ? 0 : err_set(e, ERR_LOST,
			    "the file shrank while it was read");
		if (feed(w, w->buf, (size_t)n, e) == -1)
			return -1;
		off += n;
	}
	return 0;
}

static int
feed_sparse(struct put *w, off_t size, struct err *e)
{
	off_t at = 0, data, end;

	while (at < size && (data = lseek(w->from, at, SEEK_DATA)) != -1 &&
	    data < size) {
		end = lseek(w->from, data, SEEK_HOLE);
		if (end == -1 || end > size)
			end = size;
		if (feed_place(w, (uint64_t)data, (uint64_t)(end - data), e) ==
		    -1 || feed_part(w, data, end, e) == -1)
			return -1;
		at = end;
	}
	return feed_place(w, (uint64_t)size, 0, e);
}

static int
put_all(struct put *w, bool sparse, off_t size, struct digest *ret,
    struct err *e)
{
	struct header h = { 0 };
	unsigned char head[HEADER_BYTES];

	digest_begin(&w->hash, sparse ? SPARSE_KEY : NULL);
	if (lseek(w->to, HEADER_BYTES, SEEK_SET) == -1)
		return err_sys(e, "cannot keep an original");
	if ((sparse ? feed_sparse(w, size, e) : feed_part(w, 0, -1, e)) ==
	    -1 || packer_end(w->packer, e) == -1)
		return -1;
	digest_end(&w->hash, ret);
	h.raw = w->raw;
	h.stored = w->stored;
	header_put(&h, head);
	return pwrite(w->to, head, sizeof head, 0) == HEADER_BYTES ? 0 :
	    err_sys(e, "cannot keep an original");
}

int
store_put_fd(struct store *s, int fd, uint64_t max, struct digest *ret,
    bool *ret_sparse, struct err *e)
{
	struct put w = { .from = fd, .max = max };
	char tmp[TMP_NAME];
	struct stat st;
	struct digest d;
	bool sparse;
	int rc;

	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot stat");
	sparse = lseek(fd, 0, SEEK_HOLE) < st.st_size;
	tmp_name(s, tmp);
	unlinkat(s->tmp, tmp, 0);

	auto_close int to = fs_create(s->tmp, tmp, e);
	auto_free char *buf = xcalloc(1, PIECE);

	if (to == -1)
		return -1;
	w.to = to;
	w.buf = buf;
	w.packer = packer_new(false, sink_file, &w);
	rc = put_all(&w, sparse, st.st_size, &d, e);
	packer_free(w.packer);
	if (rc == -1 || store_has(s, &d))
		unlinkat(s->tmp, tmp, 0);
	else
		rc = object_publish(s, tmp, &d, e);
	if (rc == 0) {
		*ret = d;
		*ret_sparse = sparse;
	}
	return rc;
}

/* --- getting ------------------------------------------------------------- */

struct get {
	struct digest_state	 hash;	/* first: it is aligned to 64 */
	uint64_t		 raw, off, left;
	size_t			 n_place;
	int			 to;
	bool			 sparse, over;
	unsigned char		 place[PLACE];
};

static int
put_at(struct get *g, const unsigned char *p, size_t len, struct err *e)
{
	if (lseek(g->to, (off_t)g->off, SEEK_SET) == -1)
		return err_sys(e, "cannot write");
	g->off += len;
	g->left -= len;
	return io_write_all(g->to, p, len, e);
}

static int
take_place(struct get *g, struct err *e)
{
	g->off = g->left = 0;
	for (int i = 0; i < 8; i++) {
		g->off = g->off << 8 | g->place[i];
		g->left = g->left << 8 | g->place[8 + i];
	}
	g->n_place = 0;
	if (g->over || g->off > INT64_MAX || g->left > INT64_MAX - g->off)
		return err_set(e, ERR_DIGEST, "a kept content is damaged");
	if (g->left == 0) {
		g->over = true;
		if (ftruncate(g->to, (off_t)g->off) == -1)
			return err_sys(e, "cannot make the file as long as it "
			    "was");
	}
	return 0;
}

static int
sink_sparse(struct get *g, const unsigned char *p, size_t len, struct err *e)
{
	while (len > 0) {
		size_t n;

		if (g->left > 0) {
			n = len < g->left ? len : (size_t)g->left;
			if (put_at(g, p, n, e) == -1)
				return -1;
		} else {
			n = PLACE - g->n_place;
			n = len < n ? len : n;
			memcpy(g->place + g->n_place, p, n);
			g->n_place += n;
			if (g->n_place == PLACE && take_place(g, e) == -1)
				return -1;
		}
		p += n;
		len -= n;
	}
	return 0;
}

static int
sink_content(void *arg, const void *p, size_t len, struct err *e)
{
	struct get *g = arg;

	g->raw += len;
	digest_add(&g->hash, p, len);
	return g->sparse ? sink_sparse(g, p, len, e) :
	    io_write_all(g->to, p, len, e);
}

static int
unpack_all(int fd, struct packer *p, struct err *e)
{
	auto_free char *buf = xcalloc(1, PIECE);

	for (;;) {
		ssize_t n = read(fd, buf, PIECE);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return err_sys(e, "cannot read the originals");
		if (n == 0)
			return packer_end(p, e);
		if (packer_add(p, buf, (size_t)n, e) == -1)
			return -1;
	}
}

static int
get_big(int fd, const struct digest *d, struct get *g, struct err *e)
{
	struct packer *p = packer_new(true, sink_content, g);
	struct digest is;
	int rc;

	digest_begin(&g->hash, g->sparse ? SPARSE_KEY : NULL);
	rc = unpack_all(fd, p, e);
	packer_free(p);
	if (rc == -1)
		return -1;
	digest_end(&g->hash, &is);
	return digest_eq(&is, d) && (!g->sparse || g->over) ? 0 :
	    err_set(e, ERR_DIGEST, "a kept content is not what its name says");
}

int
store_get_fd(struct store *s, const struct digest *d, bool sparse, int fd,
    struct err *e)
{
	struct get g = { .to = fd, .sparse = sparse };
	auto_str struct str small = { 0 };
	struct header h = { 0 };
	auto_close int from = object_open(s, d, &h, e);

	if (from == -1)
		return -1;
	if (sparse || (!h.delta && h.raw > STORE_SMALL))
		return get_big(from, d, &g, e);
	str_init(&small, STORE_SMALL);
	if (store_get(s, d, STORE_SMALL, &small, e) == -1)
		return -1;
	return io_write_all(fd, small.s, small.len, e);
}

/* --- what there is ------------------------------------------------------- */

bool
store_info(struct store *s, const struct digest *d, struct object_info *ret)
{
	struct header h = { 0 };
	struct stat st;
	auto_close int fd = object_open(s, d, &h, NULL);

	if (fd == -1 || fstat(fd, &st) == -1)
		return false;
	*ret = (struct object_info){ .bytes = (uint64_t)st.st_blocks * 512,
	    .wall_ms = (int64_t)st.st_mtim.tv_sec * 1000,
	    .delta = h.delta, .base = h.base };
	return true;
}

int
store_drop(struct store *s, const struct digest *d, struct err *e)
{
	char name[OBJECT_NAME];

	object_name(d, name);
	return unlinkat(s->objects, name, 0) == 0 || errno == ENOENT ? 0 :
	    err_sys(e, "cannot drop an original");
}

static int
each_in(int dirfd, const char *shard, store_each_fn *fn, void *arg)
{
	auto_close int fd = fs_open_dir(dirfd, shard, NULL);
	struct fs_names l = { 0 };
	int rc = 0;

	if (fd == -1 || fs_list(fd, NULL, SIZE_MAX, &l, NULL, NULL) == -1)
		return 0;
	for (size_t i = 0; i < l.n && rc == 0; i++) {
		char hex[DIGEST_HEX + 2];
		struct digest d;

		if (strlen(l.names[i]) != DIGEST_HEX - 2)
			continue;
		memcpy(hex, shard, 2);
		memcpy(hex + 2, l.names[i], DIGEST_HEX - 1);
		if (digest_parse(hex, &d) == 0)
			rc = fn(arg, &d);
	}
	fs_names_clear(&l);
	return rc;
}

int
store_each(struct store *s, store_each_fn *fn, void *arg, struct err *e)
{
	struct fs_names l;
	int rc = 0;

	if (fs_list(s->objects, NULL, 4096, &l, NULL, e) == -1)
		return -1;
	for (size_t i = 0; i < l.n && rc == 0; i++)
		if (strlen(l.names[i]) == 2)
			rc = each_in(s->objects, l.names[i], fn, arg);
	fs_names_clear(&l);
	return rc;
}
