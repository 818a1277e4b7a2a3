/*
 * jail/proxy/rules.h - which host may be reached: the one decision.  Pure.
 *
 *	allow github.com		ports 80 and 443
 *	allow github.com:22		that port alone
 *	allow *.npmjs.org		every name below it, not the name itself
 *	allow 192.168.1.0/24:8080	addresses, also of a network
 *	deny *:25			denials hold for every port, or that one
 *	deny-address 10.0.0.0/8		whatever name leads there
 *	ask				what no rule knows is asked, not refused
 *	plain				HTTP of clients that go round the proxy
 *
 * HTTP, CONNECT, SOCKS, DNS and what comes transparently all ask
 * rules_decide(): once with the name, before anything is resolved, and once for
 * each address that the name led to; the address judged is the one dialled.  A
 * denial beats every permission.  Addresses of machines and networks that are
 * not the internet (loopback, private, link-local, metadata, ...), and this
 * machine's own, are denied unless a rule names the address.
 */
#ifndef JAIL_PROXY_RULES_H
#define JAIL_PROXY_RULES_H

#include "common/err.h"
#include "jail/proxy/host.h"

#define RULES_MAX	4096	/* rules in one set */

enum rule_kind {
	RULE_NAME,	/* this name */
	RULE_BELOW,	/* names below it */
	RULE_NET,	/* addresses that share the first `bits` */
	RULE_EVERY	/* "*" */
};

struct rule {
	enum rule_kind	 kind;
	struct host	 host;
	unsigned	 bits;		/* RULE_NET: of 128 */
	unsigned	 port;		/* PORT_ANY: none was written */
};

/* HOST, *.NAME, *, ADDRESS, NET/BITS, each with :PORT if need be. */
int	rule_parse(const char *text, struct rule *ret, struct err *);

enum rules_list { RULES_ALLOW, RULES_DENY, RULES_DENY_ADDRESS, RULES_LISTS };

struct rules {
	struct rule	*v[RULES_LISTS];
	size_t		 n[RULES_LISTS];
	bool		 ask;
	bool		 plain;
};

/* The lines above.  `ret` must be empty and stays so on failure. */
int	rules_read(const char *text, size_t len, struct rules *ret,
	    struct err *);
void	rules_add(struct rules *, enum rules_list, const struct rule *);
void	rules_clear(struct rules *);

struct target {
	struct host	 host;
	unsigned	 port;		/* PORT_ANY: any that may be */
};

/* What a target led to. */
struct reached {
	struct address	 address;
	bool		 own;		/* it is this machine's */
};

enum decision { DECIDE_DENY, DECIDE_ASK, DECIDE_ALLOW };

struct decided {
	enum decision	 what;
	const char	*why;		/* of a denial, for people */
};

/* `reached` NULL: before resolving. */
struct decided rules_decide(const struct rules *, const struct target *,
	    const struct reached *);

#endif
