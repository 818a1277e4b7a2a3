/*
 * approver/stream.h - stdout and stderr of a command, apart and in order.
 *
 * Two pipes alone do not tell which of two writes came first.  So each is in
 * packet mode (a write stays one piece) and announces every write with a
 * queued signal: the kernel queues those in the order of the writes, whatever
 * pipe they went to.  Where signals are lost (queue full) the order of two
 * writes that were both waiting is a guess, stdout first; nothing is lost.
 *
 * One signalfd also brings the end of a child and a request to stop.
 */
#ifndef APPROVER_STREAM_H
#define APPROVER_STREAM_H

#include <stdbool.h>

#include "approver/spool.h"
#include "common/err.h"

struct stream {
	int		 fd[2];		/* read ends: stdout, stderr; or -1 */
	int		 sig;
	struct spool	*spool;		/* borrowed */
};

enum stream_event {
	STREAM_CHILD = 1,	/* some child ended */
	STREAM_STOP = 2		/* SIGTERM */
};

/* Blocks the signals it reads.  ret_child: the ends for the command. */
int	stream_open(struct spool *, struct stream *ret, int ret_child[2],
	    struct err *);

/*
 * Wait at most ms (-1: no limit) and put what came into the spool.  Returns
 * stream_events.
 */
unsigned	stream_wait(struct stream *, int ms);
/* Put what is left in the pipes into the spool; does not wait. */
unsigned	stream_drain(struct stream *);
void	stream_close(struct stream *);

#endif
