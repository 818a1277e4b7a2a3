/*
 * jail/proxy/end.h - one socket of a connection, and a way between two.
 *
 * Descriptors are non-blocking and watched edge-triggered once for all:
 * `readable` and `writable` say what the last event promised and no call has
 * denied since.  What cannot be written now waits in `out`, and whoever feeds
 * an end stops while something waits there.
 */
#ifndef JAIL_PROXY_END_H
#define JAIL_PROXY_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jail/proxy/http.h"

/* What epoll gives back: whose turn it is. */
struct source {
	void	(*ready)(struct source *, uint32_t events);
};

struct buf {
	char	*p;
	size_t	 off, len, cap;		/* len bytes, from p + off on */
};

void	buf_add(struct buf *, const void *, size_t n);
void	buf_skip(struct buf *, size_t n);
void	buf_free(struct buf *);

struct end {
	struct source	 source;
	struct conn	*conn;		/* whose it is */
	int		 fd;		/* -1: none */
	struct buf	 in, out;
	bool		 readable, writable;
	bool		 hung_up;	/* the peer's end is on its way */
	bool		 eof;		/* and has been read */
};

void	end_init(struct end *, struct conn *,
	    void (*ready)(struct source *, uint32_t));
void	end_close(struct end *);
/* Take over what epoll said. */
void	end_heard(struct end *, uint32_t events);

/* Read into `in` until it holds `max` bytes.  -1: the socket is broken. */
int	end_fill(struct end *, size_t max);
int	end_send(struct end *, const void *, size_t n);
/* The same when more is sent at once: one segment, and one wake-up. */
int	end_send_more(struct end *, const void *, size_t n);
int	end_flush(struct end *);

/* Bytes from one end to the other, as far as the span goes. */
struct way {
	struct end	*from, *to;
	struct span	 span;
	bool		 done;		/* everything of it is at `to` */
	bool		 bulk;		/* much is coming: splice(2) */
	int		 pipe[2];	/* -1: none yet */
	size_t		 piped;		/* bytes in it */
};

void	way_init(struct way *, struct end *from, struct end *to);
void	way_close(struct way *);
/* Begin anew on the same two ends. */
void	way_begin(struct way *, const struct span *);

/*
 * Carry on.  1: more can be done at once (it only let others have a turn), 0:
 * nothing before the next event, or done; -1: broken, or ended too early.
 */
int	way_run(struct way *);

#endif
