/*
 * cmd/run_place.h - where a jail is built: whose home, which project, and what
 * of our own nobody inside sees.
 */
#ifndef CMD_RUN_PLACE_H
#define CMD_RUN_PLACE_H

#include "jail/spec.h"

/* $HOME if it is ours, else the password database's.  NULL: errno. */
char	*run_place_home(void);

/*
 * The home that the password database knows, where it is another than `home`;
 * else NULL.  Our programs keep keys and private directories there whatever
 * HOME says, and so do ssh and others.
 */
char	*run_place_account(const char *home);

/*
 * The nearest directory from `cwd` up with a `.sandbox` of ours, or `named`, if
 * it is one of these; else NULL.
 */
char	*run_place_project(const char *cwd, const char *named);

/*
 * Our own programs stay as they are where they lie in a writable place: hooks
 * and approvers start them outside.
 */
void	run_place_programs(struct spec *);

/*
 * Keys, private directories and the places of agents in jails (each with a
 * login), of both homes and where variables say.
 */
void	run_place_closed(const struct spec_place *, struct list *ret);

#endif
