/*
 * jail/proxy/dns.h - questions and answers of DNS as bytes.  Pure.
 *
 * Only what a proxy needs: addresses.  Everything read is hostile.
 */
#ifndef JAIL_PROXY_DNS_H
#define JAIL_PROXY_DNS_H

#include <stdint.h>

#include "jail/proxy/host.h"

#define DNS_MAX		512
#define DNS_ANSWERS	16

enum { DNS_A = 1, DNS_AAAA = 28 };
enum dns_code { DNS_OK = 0, DNS_FAILED = 2, DNS_NO_NAME = 3 };

/* --- towards the inside: we answer --- */

struct dns_question {
	struct host	 name;
	bool		 is_host;	/* else no name a host could have */
	unsigned	 type;
	size_t		 size;		/* of header and question together */
};

/* -1: no question that could be answered. */
int	dns_question_read(const unsigned char *, size_t len,
	    struct dns_question *ret);

/* The reply to it, with one IPv4 address or (NULL) none; its size. */
size_t	dns_reply_write(const unsigned char *query,
	    const struct dns_question *, enum dns_code,
	    const unsigned char *v4, unsigned char ret[static DNS_MAX]);

/* --- towards the outside: we ask --- */

struct dns_asked {
	const char	*name;
	unsigned	 type;
	uint16_t	 id;
};

size_t	dns_query_write(const struct dns_asked *,
	    unsigned char ret[static DNS_MAX]);

/*
 * How many addresses a reply brings, appended to `ret` from *n on; -1: it is
 * not the reply to this question.  A name that does not exist brings none.
 */
int	dns_answer_read(const unsigned char *, size_t len,
	    const struct dns_asked *, struct address ret[DNS_ANSWERS],
	    size_t *n);

#endif
