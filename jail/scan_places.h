/*
 * jail/scan_places.h - places that no settings speak of: what is closed, what
 * the caller gives, and what a jail has of its own; part of jail/scan.c.
 */
#ifndef JAIL_SCAN_PLACES_H
#define JAIL_SCAN_PLACES_H

#include "jail/scan.h"

/* Mark where a path leads, if it is there; remember it if it is a link. */
void	scene_mark(struct scene *, const char *path, unsigned why);

/* All of them; after the writable places. */
void	places_mark(struct scene *, const struct scan_place *);

#endif
