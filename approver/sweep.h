/*
 * approver/sweep.h - after crashes: the folder tidied, and what was found out
 * put on record.
 *
 * Every approver command sweeps when it starts, watch every few seconds.
 */
#ifndef APPROVER_SWEEP_H
#define APPROVER_SWEEP_H

#include "approver/desk.h"

/* How many requests it closed as `unknown` or `not_started`: NULL is fine. */
int	sweep_run(struct desk *, size_t *ret_lost, struct err *);

#endif
