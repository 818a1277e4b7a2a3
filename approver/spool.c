#include "approver/spool.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/scrub.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define HEADER		5
#define FRAME_MAX	(64 * 1024)
#define CLEAN_MAX	(8 * (SPOOL_HEAD + SPOOL_TAIL))

int
spool_create(int dirfd, struct spool *ret, struct err *e)
{
	int fd = fs_create(dirfd, SPOOL_NAME, e);

	if (fd == -1)
		return -1;
	*ret = (struct spool){ .fd = fd };
	str_init(&ret->tail, 2 * SPOOL_TAIL + 2 * (FRAME_MAX + HEADER));
	return 0;
}

static void
add_frame(struct str *out, char stream, const void *p, size_t len)
{
	uint32_t be = htobe32((uint32_t)len);

	str_addc(out, stream);
	str_addn(out, &be, sizeof be);
	str_addn(out, p, len);
}

static size_t
frame_len(const char *frame)
{
	uint32_t be;

	memcpy(&be, frame + 1, sizeof be);
	return be32toh(be);
}

/* Drop the oldest frames until at most `most` bytes are left. */
static void
trim(struct spool *s, size_t most)
{
	size_t at = 0;

	if (s->tail.len <= most)
		return;
	while (s->tail.len - at > most) {
		size_t len = frame_len(s->tail.s + at);

		s->skipped += len;
		at += HEADER + len;
	}
	s->tail.len -= at;
	memmove(s->tail.s, s->tail.s + at, s->tail.len);
}

static bool
put_head(struct spool *s, char stream, const void *p, size_t len)
{
	auto_str struct str frame = { 0 };
	off_t start = lseek(s->fd, 0, SEEK_CUR);

	str_init(&frame, FRAME_MAX + HEADER);
	add_frame(&frame, stream, p, len);
	if (io_write_all(s->fd, frame.s, frame.len, NULL) == 0) {
		s->written += len;
		return true;
	}
	/* A full disk must not end the command: go on in memory. */
	if (start != -1 && ftruncate(s->fd, start) == 0)
		lseek(s->fd, start, SEEK_SET);
	s->written = SPOOL_HEAD;
	return false;
}

static void
put_one(struct spool *s, char stream, const void *p, size_t len)
{
	if (s->written < SPOOL_HEAD && put_head(s, stream, p, len))
		return;
	add_frame(&s->tail, stream, p, len);
	if (s->tail.len > 2 * SPOOL_TAIL)
		trim(s, SPOOL_TAIL);
}

void
spool_put(struct spool *s, char stream, const void *p, size_t len)
{
	const char *at = p;

	while (len > 0) {
		size_t n = len < FRAME_MAX ? len : FRAME_MAX;

		put_one(s, stream, at, n);
		at += n;
		len -= n;
	}
}

static int
put_rest(struct spool *s, struct err *e)
{
	auto_str struct str gap = { 0 };
	char text[24];
	int n;

	str_init(&gap, 64);
	if (s->skipped > 0) {
		n = snprintf(text, sizeof text, "%" PRIu64, s->skipped);
		add_frame(&gap, 'g', text, (size_t)n);
	}
	if (io_write_all(s->fd, gap.s, gap.len, e) == -1 ||
	    io_write_all(s->fd, s->tail.s, s->tail.len, e) == -1)
		return err_add(e, "spool");
	return 0;
}

int
spool_finish(struct spool *s, struct err *e)
{
	off_t start = lseek(s->fd, 0, SEEK_CUR);

	trim(s, SPOOL_TAIL);
	if (put_rest(s, e) == -1) {
		/* A full disk: the tail is missing, and the answer has room. */
		if (start == -1 || ftruncate(s->fd, start) == -1 ||
		    lseek(s->fd, start, SEEK_SET) == -1)
			return -1;
		trim(s, 0);
		if (put_rest(s, e) == -1)
			return -1;
	}
	str_reset(&s->tail);
	return 0;
}

void
spool_clear(struct spool *s)
{
	mem_close_fd(&s->fd);
	str_clear(&s->tail);
	s->fd = -1;
}

int
spool_next(int fd, off_t *offset, char *ret_stream, struct str *ret,
    struct err *e)
{
	char frame[HEADER + FRAME_MAX];
	ssize_t n = pread(fd, frame, sizeof frame, *offset);
	size_t len;

	if (n == -1)
		return err_sys(e, "cannot read the spool");
	if (n < HEADER)
		return 0;
	len = frame_len(frame);
	if (strchr("oeg", frame[0]) == NULL || len > FRAME_MAX)
		return err_set(e, ERR_FORMAT, "the spool is damaged");
	if ((size_t)n < HEADER + len)
		return 0;
	str_addn(ret, frame + HEADER, len);
	*ret_stream = frame[0];
	*offset += (off_t)(HEADER + len);
	return 1;
}

static void
add_frames(struct str *out, char stream, const char *p, size_t len)
{
	while (len > 0) {
		size_t n = len < FRAME_MAX ? len : FRAME_MAX;

		add_frame(out, stream, p, n);
		p += n;
		len -= n;
	}
}

/* One stream's uninterrupted words. */
static void
close_passage(char stream, struct str *raw, struct str *ret,
    struct str *ret_frames)
{
	auto_str struct str clean = { 0 }, text = { 0 };

	if (raw->len == 0)
		return;
	str_init(&clean, CLEAN_MAX);
	str_init(&text, CLEAN_MAX);
	scrub(raw->s, raw->len, &clean);
	utf8_clean(clean.s, clean.len, &text);
	str_addn(ret, text.s, text.len);
	add_frames(ret_frames, stream, text.s, text.len);
	str_reset(raw);
}

int
spool_text(int fd, struct str *ret, struct str *ret_frames,
    uint64_t *ret_gap, struct err *e)
{
	auto_str struct str raw = { 0 }, one = { 0 };
	char stream = 'o', last = 'o';
	off_t at = 0;
	int r;

	*ret_gap = 0;
	str_init(&raw, 2 * (SPOOL_HEAD + SPOOL_TAIL));
	str_init(&one, FRAME_MAX);
	while ((r = spool_next(fd, &at, &stream, &one, e)) == 1) {
		if (stream != last)
			close_passage(last, &raw, ret, ret_frames);
		last = stream;
		if (stream == 'g') {
			*ret_gap = strtoull(one.s, NULL, 10);
			str_addf(ret, "\n[... %s bytes left out ...]\n", one.s);
			add_frame(ret_frames, 'g', one.s, one.len);
		} else {
			str_addn(&raw, one.s, one.len);
		}
		str_reset(&one);
	}
	close_passage(last, &raw, ret, ret_frames);
	return r;
}
