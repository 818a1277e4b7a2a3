/*
 * jail/sweep_links.h - names that are reached through links; part of
 * jail/sweep.c.
 */
#ifndef JAIL_SWEEP_LINKS_H
#define JAIL_SWEEP_LINKS_H

#include "jail/sweep_aside.h"

/* Put a protected link back. */
void	sweep_link(struct sweeper *, const struct link *);

/* A denied path may have come to exist behind a link. */
void	sweep_behind(struct sweeper *, const char *denied);

#endif
