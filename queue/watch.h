/*
 * queue/watch.h - hear that something changed in the queue of one or more
 * projects.
 *
 *	struct watch *w = watch_open(homes, n);
 *	for (;;) {
 *		look at the folders;
 *		watch_wait(w, STDIN_FILENO, -1);
 *	}
 *
 * A ring is a hint and nothing more: every return means "look again", and a
 * timer returns anyway, after a second, or after 200 ms where others may write
 * without a ring (NFS, FUSE, overlay, 9p).  An event that was lost, a queue
 * that overflowed, a folder that was replaced or a system without inotify cost
 * that much and never an answer.
 *
 * This is the only file that uses libinotifytools; no program that an agent's
 * hook starts links it.  The library has one descriptor per process, so there
 * is one watch per process: opening a second one is a bug of ours.
 */
#ifndef QUEUE_WATCH_H
#define QUEUE_WATCH_H

#include "queue/home.h"

struct watch;

enum watch_event {
	WATCH_LOOK = 1,		/* a ring, or the timer: look again */
	WATCH_INPUT = 2		/* `in` can be read, or is at its end */
};

/*
 * Cannot fail: without a doorbell there is the timer.  Borrows the homes and
 * the array.
 */
struct watch	*watch_open(const struct home *const *, size_t n);
void		 watch_close(struct watch *);

/*
 * Wait until something rang, `in` (-1: none) can be read, or `most_ms` (-1: as
 * long as the timer allows) is over.  Returns watch_events; 0 for no reason:
 * `most_ms` was over, a signal came, a moment of silence ended.  Rings that
 * come faster than one in 20 ms are one ring.
 */
unsigned	 watch_wait(struct watch *, int in, int most_ms);

/* Is there a doorbell at all?  For tests and for `doctor`. */
bool		 watch_has_bell(const struct watch *);

#endif
