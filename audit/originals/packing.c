#include "audit/originals/packing.h"

#include <stdlib.h>
#include <zstd.h>

#include "common/mem.h"

#include "common/banned.h"

#define LEVEL		1
#define DELTA_LEVEL	2	/* its tables hold all of a small base */
#define DELTA_SMALL	(256 * 1024)	/* beyond: zstd's long matches */
#define WINDOW_MIN	10
#define WINDOW_MAX	24	/* 16 MiB: base and content of STORE_SMALL */

static int
complain(size_t code, const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT, "cannot %s: %s", what,
	    ZSTD_getErrorName(code));
}

/* A match may reach back over all of the base. */
static int
window(size_t len)
{
	int log = WINDOW_MIN;

	while (log < WINDOW_MAX && ((size_t)1 << log) < len)
		log++;
	return log;
}

int
packing_pack(struct bytes in, struct bytes base, struct str *ret,
    struct err *e)
{
	size_t room = ZSTD_compressBound(in.len), n;
	auto_free void *out = xcalloc(1, room);
	ZSTD_CCtx *c = ZSTD_createCCtx();

	if (c == NULL)
		return err_set(e, ERR_SYSTEM, "no memory to compress");
	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, LEVEL);
	if (base.len > 0) {
		ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel,
		    DELTA_LEVEL);
		ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog,
		    window(base.len + in.len));
		ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching,
		    base.len > DELTA_SMALL);
		ZSTD_CCtx_refPrefix(c, base.p, base.len);
	}
	n = ZSTD_compress2(c, out, room, in.p, in.len);
	ZSTD_freeCCtx(c);
	if (ZSTD_isError(n))
		return complain(n, "compress", e);
	str_addn(ret, out, n);
	return ret->full ? err_set(e, ERR_SYSTEM, "too large to keep") : 0;
}

/*
 * One for the life of a thread: it is large, and a restore of 10,000 files
 * needs it 30,000 times.
 */
static _Thread_local ZSTD_DCtx *own_unpacker;

/* NULL: no memory. */
static ZSTD_DCtx *
unpacker(void)
{
	if (own_unpacker == NULL)
		own_unpacker = ZSTD_createDCtx();
	else
		ZSTD_DCtx_reset(own_unpacker,
		    ZSTD_reset_session_and_parameters);
	return own_unpacker;
}

void
packing_release(void)
{
	ZSTD_freeDCtx(own_unpacker);
	own_unpacker = NULL;
}

int
packing_unpack(struct bytes frame, struct bytes base, size_t len,
    struct str *ret, struct err *e)
{
	auto_free void *out = xcalloc(1, len + 1);
	ZSTD_DCtx *d = unpacker();
	size_t n;

	if (d == NULL)
		return err_set(e, ERR_SYSTEM, "no memory to decompress");
	ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, WINDOW_MAX);
	if (base.len > 0)
		ZSTD_DCtx_refPrefix(d, base.p, base.len);
	n = ZSTD_decompressDCtx(d, out, len, frame.p, frame.len);
	if (ZSTD_isError(n))
		return complain(n, "decompress", e);
	if (n != len)
		return err_set(e, ERR_FORMAT, "an object of another length");
	str_addn(ret, out, n);
	return ret->full ? err_set(e, ERR_FORMAT, "too large to read") : 0;
}

struct packer {
	ZSTD_CCtx	*c;		/* either */
	ZSTD_DCtx	*d;		/* or */
	bool		 whole;		/* unpacking: a frame has ended */
	bool		 more;		/* waits to come out */
	pack_sink_fn	*sink;
	void		*arg;
	size_t		 room;
	unsigned char	*out;
};

struct packer *
packer_new(bool unpack, pack_sink_fn *sink, void *arg)
{
	struct packer *p = xcalloc(1, sizeof *p);

	p->sink = sink;
	p->arg = arg;
	p->c = unpack ? NULL : ZSTD_createCCtx();
	p->d = unpack ? ZSTD_createDCtx() : NULL;
	p->room = unpack ? ZSTD_DStreamOutSize() : ZSTD_CStreamOutSize();
	p->out = xcalloc(1, p->room);
	if (p->c != NULL)
		ZSTD_CCtx_setParameter(p->c, ZSTD_c_compressionLevel, LEVEL);
	if (p->d != NULL)
		ZSTD_DCtx_setParameter(p->d, ZSTD_d_windowLogMax, WINDOW_MAX);
	return p;
}

static int
step(struct packer *p, ZSTD_inBuffer *in, bool end, size_t *ret_left,
    struct err *e)
{
	ZSTD_outBuffer out = { p->out, p->room, 0 };
	size_t left = 0;

	if (p->c == NULL && p->d == NULL)
		return err_set(e, ERR_SYSTEM, "no memory to compress");
	if (p->c != NULL)
		left = ZSTD_compressStream2(p->c, &out, in,
		    end ? ZSTD_e_end : ZSTD_e_continue);
	else
		left = ZSTD_decompressStream(p->d, &out, in);
	if (ZSTD_isError(left))
		return complain(left, p->c != NULL ? "compress" :
		    "decompress", e);
	*ret_left = left;
	p->more = out.pos == out.size;
	return out.pos == 0 ? 0 : p->sink(p->arg, p->out, out.pos, e);
}

int
packer_add(struct packer *p, const void *bytes, size_t len, struct err *e)
{
	ZSTD_inBuffer in = { bytes, len, 0 };
	size_t left = 1;

	p->more = false;
	while (in.pos < in.size || (p->more && !p->whole)) {
		if (p->whole)
			return err_set(e, ERR_FORMAT,
			    "bytes behind an object's end");
		if (step(p, &in, false, &left, e) == -1)
			return -1;
		p->whole = p->d != NULL && left == 0;
	}
	return 0;
}

int
packer_end(struct packer *p, struct err *e)
{
	ZSTD_inBuffer in = { NULL, 0, 0 };
	size_t left = 1;

	if (p->d != NULL)
		return p->whole ? 0 :
		    err_set(e, ERR_FORMAT, "an object without its end");
	while (left != 0)
		if (step(p, &in, true, &left, e) == -1)
			return -1;
	return 0;
}

void
packer_free(struct packer *p)
{
	if (p == NULL)
		return;
	ZSTD_freeCCtx(p->c);
	ZSTD_freeDCtx(p->d);
	free(p->out);
	free(p);
}
