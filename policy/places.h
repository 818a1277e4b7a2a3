/*
 * policy/places.h - paths that need fewer questions than others.
 */
#ifndef POLICY_PLACES_H
#define POLICY_PLACES_H

#include "policy/policy.h"

/* Is path at or below dir, a constant without a final slash?  NULL: no. */
bool	place_under(const char *path, const char *dir);

/*
 * Wherever it lies: program text and prose are no secrets.  The last component
 * must end like one and be named as far as it can be; the directories may be
 * unknown.
 */
bool	place_is_source(const char *path);

/* Source or other text as projects hold it: small, so its original is kept. */
bool	place_is_text(const char *path);

/*
 * A device that takes or gives bytes and changes nothing.  /dev/fd/3 opens
 * anew what 3 is, so it is one to read only; what lies below it is anywhere.
 */
bool	place_is_sink(const char *path, bool written);

/*
 * Below /tmp, under a name that is no other program's meeting place.  Where
 * the home or the project lies below it, it is a place like any other.
 */
bool	place_is_temp(const struct policy_place *, const char *path);

/*
 * A client's plan: prose that its human reads in the client before anything
 * comes of it.  Without it there is no plan mode.
 */
bool	place_is_plan(const struct policy_place *, const char *path);

#endif
