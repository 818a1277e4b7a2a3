#include "jail/proxy/end.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/mem.h"

#include "common/banned.h"

#define SCRATCH		65536
#define PIPE_SIZE	(1 << 20)
#define TURNS		8	/* reads before others have a turn */
#define KEEP		4096	/* an empty buffer is not kept if larger */

static char scratch[SCRATCH];

static void
make_room(struct buf *b, size_t n)
{
	if (b->off > 0 && b->off + b->len + n > b->cap) {
		memmove(b->p, b->p + b->off, b->len);
		b->off = 0;
	}
	if (b->len + n > b->cap) {
		b->cap = b->len + n < 2 * b->cap ? 2 * b->cap : b->len + n;
		b->p = xrealloc(b->p, b->cap, 1);
	}
}

void
buf_add(struct buf *b, const void *data, size_t n)
{
	if (n == 0)
		return;
	make_room(b, n);
	memcpy(b->p + b->off + b->len, data, n);
	b->len += n;
}

void
buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}

void
buf_skip(struct buf *b, size_t n)
{
	b->off += n;
	b->len -= n;
	if (b->len > 0)
		return;
	b->off = 0;
	if (b->cap > KEEP)
		buf_free(b);
}

void
end_init(struct end *e, struct conn *c,
    void (*ready)(struct source *, uint32_t))
{
	*e = (struct end){ .source = { ready }, .conn = c, .fd = -1 };
}

void
end_close(struct end *e)
{
	if (e->fd != -1)
		close(e->fd);
	e->fd = -1;
	buf_free(&e->in);
	buf_free(&e->out);
	e->readable = e->writable = e->hung_up = e->eof = false;
}

void
end_heard(struct end *e, uint32_t events)
{
	bool over = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;

	e->readable |= over || (events & EPOLLIN) != 0;
	e->writable |= (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
	e->hung_up |= over;
}

/* One read; 0 when there is nothing now or ever (eof says which). */
static ssize_t
end_read(struct end *e, char *to, size_t max)
{
	ssize_t n;

	do
		n = recv(e->fd, to, max, 0);
	while (n == -1 && errno == EINTR);
	if (n == -1 && errno != EAGAIN)
		return -1;
	e->eof |= n == 0;
	/* A short read has emptied it; an end on its way comes without word. */
	if (n < 0 || ((size_t)n < max && !e->hung_up))
		e->readable = false;
	return n < 0 ? 0 : n;
}

int
end_fill(struct end *e, size_t max)
{
	while (e->readable && !e->eof && e->in.len < max) {
		size_t want = max - e->in.len;
		ssize_t n;

		if (want > SCRATCH)
			want = SCRATCH;
		n = end_read(e, scratch, want);
		if (n == -1)
			return -1;
		buf_add(&e->in, scratch, (size_t)n);
	}
	return 0;
}

/* As much as the socket takes now; `flags` as send(2) knows them. */
static ssize_t
end_write(struct end *e, const char *p, size_t n, int flags)
{
	size_t done = 0;

	while (done < n && e->writable) {
		ssize_t w = send(e->fd, p + done, n - done, MSG_NOSIGNAL |
		    flags);

		if (w == -1 && errno == EAGAIN)
			e->writable = false;
		else if (w == -1 && errno != EINTR)
			return -1;
		else if (w > 0)
			done += (size_t)w;
	}
	return (ssize_t)done;
}

static int
send_all(struct end *e, const void *data, size_t n, int flags)
{
	ssize_t w = 0;

	if (e->out.len == 0)
		w = end_write(e, data, n, flags);
	if (w == -1)
		return -1;
	buf_add(&e->out, (const char *)data + w, n - (size_t)w);
	return 0;
}

int
end_send(struct end *e, const void *data, size_t n)
{
	return send_all(e, data, n, 0);
}

int
end_send_more(struct end *e, const void *data, size_t n)
{
	return send_all(e, data, n, MSG_MORE);
}

int
end_flush(struct end *e)
{
	ssize_t w;

	if (e->out.len == 0)
		return 0;
	w = end_write(e, e->out.p + e->out.off, e->out.len, 0);
	if (w == -1)
		return -1;
	buf_skip(&e->out, (size_t)w);
	return 0;
}

void
way_init(struct way *w, struct end *from, struct end *to)
{
	*w = (struct way){ .from = from, .to = to, .pipe = { -1, -1 } };
}

void
way_close(struct way *w)
{
	for (int i = 0; i < 2; i++)
		if (w->pipe[i] != -1)
			close(w->pipe[i]);
	way_init(w, w->from, w->to);
}

void
way_begin(struct way *w, const struct span *span)
{
	w->span = *span;
	w->done = span->kind == SPAN_NONE;
	w->bulk = false;
}

/* What was read before goes first. */
static int
use_rest(struct way *w)
{
	struct buf *in = &w->from->in;
	long n = span_take(&w->span, in->p + in->off, in->len, &w->done);

	if (n == -1 || end_send(w->to, in->p + in->off, (size_t)n) == -1)
		return -1;
	buf_skip(in, (size_t)n);
	return 1;
}

/* Pipe by pipe, without looking. */
static int
run_splice(struct way *w)
{
	unsigned flags = SPLICE_F_MOVE | SPLICE_F_NONBLOCK;
	size_t want = PIPE_SIZE;
	ssize_t n;

	if (w->span.kind == SPAN_COUNT && w->span.left < want)
		want = (size_t)w->span.left;
	n = splice(w->from->fd, NULL, w->pipe[1], NULL, want, flags);
	if (n == -1 && errno != EAGAIN && errno != EINTR)
		return -1;
	if (n == -1 && errno == EAGAIN)
		w->from->readable = false;
	if (n == 0)
		w->from->eof = true;
	if (n <= 0)
		return 1;
	w->piped += (size_t)n;
	if (w->span.kind == SPAN_COUNT)
		w->span.left -= (uint64_t)n;
	return 1;
}

static int
drain_pipe(struct way *w)
{
	ssize_t n = splice(w->pipe[0], NULL, w->to->fd, NULL, w->piped,
	    SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

	if (n == -1 && errno == EAGAIN) {
		w->to->writable = false;
		return 0;
	}
	if (n == -1 && errno != EINTR)
		return -1;
	w->piped -= n > 0 ? (size_t)n : 0;
	if (w->piped == 0 && w->span.kind == SPAN_COUNT && w->span.left == 0)
		w->done = true;
	return 1;
}

static int
run_copy(struct way *w)
{
	size_t want = SCRATCH;
	ssize_t n;
	long used;

	if (w->span.kind == SPAN_COUNT && w->span.left < want)
		want = (size_t)w->span.left;
	n = end_read(w->from, scratch, want);
	if (n == -1)
		return -1;
	if (n == 0)
		return 1;
	used = span_take(&w->span, scratch, (size_t)n, &w->done);
	if (used == -1 || end_send(w->to, scratch, (size_t)used) == -1)
		return -1;
	buf_add(&w->from->in, scratch + used, (size_t)(n - used));
	/* Without a pipe (too many files) copying goes on. */
	if (n == SCRATCH && w->span.kind != SPAN_CHUNKS) {
		if (w->pipe[0] == -1 && pipe2(w->pipe, O_NONBLOCK | O_CLOEXEC)
		    == 0)
			fcntl(w->pipe[1], F_SETPIPE_SZ, PIPE_SIZE);
		w->bulk = w->pipe[0] != -1;
	}
	return 1;
}

/* One step; 0: nothing can be done now. */
static int
way_step(struct way *w)
{
	if (end_flush(w->to) == -1)
		return -1;
	if (w->to->out.len > 0)
		return 0;
	if (w->piped > 0)
		return w->to->writable ? drain_pipe(w) : 0;
	if (w->from->in.len > 0)
		return use_rest(w);
	if (w->from->eof) {
		w->done = w->span.kind == SPAN_TO_END;
		return w->done ? 0 : -1;
	}
	if (!w->from->readable || !w->to->writable)
		return 0;
	return w->bulk ? run_splice(w) : run_copy(w);
}

int
way_run(struct way *w)
{
	for (int i = 0; i < TURNS; i++) {
		int rc;

		if (w->done)
			return end_flush(w->to);
		rc = way_step(w);
		if (rc <= 0)
			return rc;
	}
	return 1;
}
