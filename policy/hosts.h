/*
 * policy/hosts.h - which host a URL means, read strictly.
 */
#ifndef POLICY_HOSTS_H
#define POLICY_HOSTS_H

#include <stdbool.h>

#include "policy/rules.h"

#define HOST_MAX	256

/*
 * Only `http(s)://host[:port][/...]` with a plain ASCII DNS name is read: no
 * user part, no percent signs or escapes in the host, no IP address but the
 * machine's own in its usual spelling (127.0.0.1, [::1]), no punycode, no
 * trailing dot, no white space or control bytes.
 * Lower-case host into ret and true; anything else is "cannot tell".
 */
bool	host_of_url(const char *url, char ret[static HOST_MAX]);

/* Is its port one that web servers have: none, 80, 443, or 1024 and more?
   Of a URL that host_of_url read. */
bool	host_port_usual(const char *url);

/* What a program takes for a URL: without a scheme it is http. */
bool	host_of_operand(const char *text, char ret[static HOST_MAX]);

/* Does a policy's pattern (a host, or *.host for those below) mean host? */
bool	host_matches(const char *pattern, const char *host);

/* On the policy's allow list or a registry, and not on its deny list. */
bool	host_allowed(const struct policy *, const char *host);

/* The i-th package registry the policy names, no pattern; NULL: no more. */
const char *host_registry(const struct policy *, size_t i);

#endif
