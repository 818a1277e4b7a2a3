/*
 * approver/human.h - is the one who asks a human, as far as one can tell?
 *
 * An ancestor process that is a noted agent client, or an agent's mark in our
 * own environment, is a no.  An agent that runs as the same user can hide from
 * this (THREATS.md, grade D); it is a fence against accidents and against
 * simple instructions, beside policy, the digest and the key.
 */
#ifndef APPROVER_HUMAN_H
#define APPROVER_HUMAN_H

#include "common/err.h"
#include "queue/home.h"

/* `home` may be NULL (before init).  ERR_PERMITTED when it is an agent. */
int	human_only(const struct home *, struct err *);

#endif
