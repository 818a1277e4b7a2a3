/*
 * approver/fetch/fetch.h - get one page that a human approved.
 *
 * The human approved this URL, so this URL is fetched.  Where the server sends
 * us elsewhere, policy decides anew: the same host (never from https to http)
 * is what was approved; another one only if policy lets that host pass without
 * asking.  An address that is not public is connected to only for a host that
 * policy names.  No proxy, cookie, credential or file takes part.
 */
#ifndef APPROVER_FETCH_FETCH_H
#define APPROVER_FETCH_FETCH_H

#include "common/err.h"
#include "common/str.h"
#include "policy/policy.h"

#define FETCH_BODY	(2 * 1024 * 1024)
#define FETCH_HOPS	5
#define FETCH_SECONDS	60

struct fetch {
	const struct policy	*policy;
	const char		*root;	/* of the project */
};

struct fetched {
	long		 status;
	char		*url;		/* where it came from in the end */
	char		*type;		/* Content-Type, or "" */
	struct str	 body;		/* as it came, at most FETCH_BODY */
	bool		 cut;
};
void	fetched_clear(struct fetched *);

/* 0: there is a page, be it one that says 404.  -1: there is none. */
int	fetch(const struct fetch *, const char *url, struct fetched *ret,
	    struct err *);

#endif
