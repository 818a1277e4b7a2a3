/*
 * jail/proxy/conn.h - one client, and the server it gets to.
 *
 * A connection is a step and what belongs to it; conn_run() does steps until
 * one has to wait.  Whatever the client speaks, it becomes a target, and every
 * target goes the same way: rules_decide() with the name, lookup,
 * rules_decide() with each address, and only addresses that passed are dialled.
 *
 *	FIRST ─▶ SOCKS.. ─┐
 *	  └────▶ HEAD ────┴▶ (ASKED) ▶ LOOKUP ▶ DIAL ▶ EXCHANGE ▶ HEAD ...
 *	                                  │        └▶ TUNNEL
 *	                                  └ 443: HELLO ▶ DIAL, 80: HEAD ▶ DIAL
 *
 * To 443 and 80 nothing is dialled before the client has said which host it
 * means; both must be the target.  Elsewhere the server may speak first, and
 * the client's first bytes are looked at when they come.
 */
#ifndef JAIL_PROXY_CONN_H
#define JAIL_PROXY_CONN_H

#include "jail/proxy/end.h"
#include "jail/proxy/http.h"
#include "jail/proxy/lookup.h"
#include "jail/proxy/rules.h"

struct proxy;

enum step {
	STEP_FIRST,		/* SOCKS or HTTP? */
	STEP_SOCKS_HELLO, STEP_SOCKS_ASK,
	STEP_HEAD,		/* of a request */
	STEP_ASKED,		/* a person decides */
	STEP_LOOKUP,
	STEP_HELLO,		/* of TLS */
	STEP_DIAL,
	STEP_EXCHANGE,		/* a request and its answer */
	STEP_SNIFF,		/* server may speak; what is the client's? */
	STEP_TUNNEL,
	STEP_LINGER,		/* refused: let the client read why */
	STEPS
};

/* How the client came, so how it is answered. */
enum manner { MANNER_HTTP, MANNER_CONNECT, MANNER_SOCKS, MANNER_OPEN };

struct conn {
	struct proxy	*proxy;
	struct conn	*prev, *next;
	enum step	 step;
	int64_t		 deadline;	/* of the step; 0: none */
	enum manner	 manner;
	bool		 told;		/* a tunnel's client: it stands */
	bool		 http;		/* it understands an HTTP answer */
	bool		 again;		/* wants another turn */
	bool		 ended;

	struct target	 target;
	unsigned	 ask;		/* number of the open question */
	struct source	 lookup_source;
	struct lookup	 lookup;
	struct reached	 to[DNS_ANSWERS];	/* those that passed */
	size_t		 n_to, next_to;
	enum step	 after_dial;

	struct end	 client, server;
	struct way	 up, down;

	/* of an exchange */
	size_t		 seen;		/* of a head, looked at */
	struct buf	 head;		/* to be sent when dialled */
	struct http	 request;	/* its slices are no longer valid */
	bool		 answer_due;
	bool		 last;		/* no request after this one */
	size_t		 drained;	/* while lingering */
};

/* A client was accepted.  `target` NULL: it will say where it wants to go. */
void	conn_new(struct proxy *, int fd, const struct target *);
/* As far as it gets; may end it. */
void	conn_run(struct conn *);
/* Its deadline has passed. */
void	conn_timeout(struct conn *);
/* A person decided. */
void	conn_answered(struct conn *, bool yes);
/* Close everything; freed by conn_free when nobody can hold it any more. */
void	conn_end(struct conn *);
void	conn_free(struct conn *);

/*
 * --- parts of it, for conn*.c ---
 *
 * Each step returns 1: go on with c->step; 0: wait; -1: it is over.
 */
int	conn_head(struct conn *);
int	conn_exchange(struct conn *);
int	conn_socks_hello(struct conn *);
int	conn_socks_ask(struct conn *);
int	conn_lookup(struct conn *);
int	conn_hello(struct conn *);
int	conn_dial(struct conn *);
int	conn_sniff(struct conn *);
int	conn_tunnel(struct conn *);

/* Set the step and its deadline. */
void	conn_go(struct conn *, enum step);
/* On to c->target: decide, ask, look up. */
int	conn_open(struct conn *);
/* Is it still allowed, and the address it is connected to? */
struct decided conn_judge_again(const struct conn *);
/* A tunnel's client learns that it stands. */
int	conn_tell(struct conn *);
/* Say no in the client's own words; by policy, or because it is broken. */
int	conn_deny(struct conn *, const char *why);
int	conn_fault(struct conn *, unsigned status, const char *why);

#endif
