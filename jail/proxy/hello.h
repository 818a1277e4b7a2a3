/*
 * jail/proxy/hello.h - which host a TLS client says it wants.  Pure.
 */
#ifndef JAIL_PROXY_HELLO_H
#define JAIL_PROXY_HELLO_H

#include <stddef.h>

#include "jail/proxy/host.h"

#define HELLO_MAX	16384

enum hello {
	HELLO_BAD,		/* not the beginning of TLS */
	HELLO_MORE,		/* as far as it goes, good */
	HELLO_NAMELESS,		/* whole, without a server name */
	HELLO_NAMED		/* whole: *ret_name */
};

/* The first bytes of a connection, records and all. */
enum hello hello_read(const unsigned char *, size_t len,
	    struct host *ret_name);

#endif
