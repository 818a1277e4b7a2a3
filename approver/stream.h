/*
 * approver/stream.h - stdout and stderr of a command, apart and in order.
 *
 * Two pipes alone do not tell which of two writes came first.  So each is in
 * packet mode (a write stays one piece) and announces every write with a
 * queued signal; the kernel queues those in the order of the writes, whatever
 * pipe they went to.  While fewer than 256 writes are waiting to be read the
 * order is exact; beyond that, and between writes of many pages, it is that of
 * arrival.  Nothing is lost.
 *
 * One signalfd also brings the end of a child and a request to stop.
 */
#ifndef APPROVER_STREAM_H
#define APPROVER_STREAM_H

#include <stdbool.h>

#include "approver/spool.h"
#include "common/err.h"

#define STREAM_SLOTS	256		/* pages of a pipe */

struct stream {
	int		 fd[2];		/* read ends: stdout, stderr; or -1 */
	int		 sig;
	struct spool	*spool;		/* borrowed */
	/* Announced and not yet read, oldest first: 0 or 1. */
	unsigned char	 queue[2 * STREAM_SLOTS];
	size_t		 first, n;
	size_t		 due[2];
	unsigned	 events;
	bool		 tty;		/* fd[0] is a pty's master */
	int		 copy;		/* of what it says, or -1 */
};

#define STREAM_INIT	{ .fd = { -1, -1 }, .sig = -1, .copy = -1 }

enum stream_event {
	STREAM_CHILD = 1,	/* some child ended */
	STREAM_STOP = 2		/* SIGTERM */
};

/* Blocks the signals it reads.  ret_child: the ends for the command. */
int	stream_open(struct spool *, struct stream *ret, int ret_child[2],
	    struct err *);

/*
 * The same for a command that has a terminal: one descriptor, its master, for
 * all it says; a copy goes to `copy` as long as somebody takes it.  Both are
 * the stream's from now on.
 */
int	stream_open_tty(struct spool *, int master, int copy,
	    struct stream *ret, struct err *);

/*
 * Wait at most ms (-1: no limit) and put what came into the spool.  Returns
 * stream_events.
 */
unsigned	stream_wait(struct stream *, int ms);
/* Every writer is gone: put the rest into the spool. */
void		stream_drain(struct stream *);
/* Have all writers closed their ends? */
bool		stream_is_over(const struct stream *);
void		stream_close(struct stream *);

#endif
