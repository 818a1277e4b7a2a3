/*
 * cmd/run_ask.h - a host that no rule of the jail knows is asked about.
 *
 * The proxy holds the connection; here the host becomes a request in the
 * project's folder, like a call of an agent's: tool `jail_host`, its input
 * `url`, the host and port as a URL.  Policy is asked first: a host that it
 * allows, or that was remembered, needs no human (an address always does); one
 * that it denies gets none.  What a human says holds
 *
 *	approve				once: what waits now, and ONCE_S seconds
 *	approve --remember host		this run (its session)
 *	approve --remember host:DATE	the project, in policy's memory
 *	deny				no, for this run
 *
 * One question per host and port, however many connections wait.  Nobody
 * there, no answer in time, no project: refused.  Everything is judged on this
 * side; nothing inside can answer.
 */
#ifndef CMD_RUN_ASK_H
#define CMD_RUN_ASK_H

#include <poll.h>

#include "cmd/cmd.h"
#include "jail/net.h"

struct run_ask;

/* `spec` is what the proxy's rules are made of: granted hosts are added. */
struct run_ask *run_ask_new(const struct cmd_ctx *, char *const *argv,
	    struct spec *);
/* NULL is fine.  What still waits is taken back. */
void	run_ask_free(struct run_ask *);

void	run_ask_question(struct run_ask *, const struct net *,
	    const struct net_question *);
/* For the loop: one descriptor at most, and how long. */
size_t	run_ask_wants(const struct run_ask *, struct pollfd *ret,
	    int *ret_ms);
void	run_ask_turn(struct run_ask *, const struct net *);

/* The settings are new: what was granted goes into them again. */
void	run_ask_renew(struct run_ask *);

#endif
