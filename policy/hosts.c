/* policy/hosts.c - strict URLs, hosts and their patterns. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/str.h"
#include "policy/hosts.h"
#include "common/banned.h"

/* Letters, digits, inner hyphens; not punycode; at most 63 bytes. */
static bool
label_ok(const char *p, size_t len)
{
	if (len == 0 || len > 63 || p[0] == '-' || p[len - 1] == '-')
		return false;
	return len < 4 || strncasecmp(p, "xn--", 4) != 0;
}

static bool
name_ok(const char *host)
{
	const char *p = host, *last = host;

	while (*p != '\0') {
		size_t len = strcspn(p, ".");

		if (!label_ok(p, len))
			return false;
		last = p;
		p += len;
		if (*p == '.' && *++p == '\0')
			return false;
	}
	if (strcmp(host, "127.0.0.1") == 0)
		return true;
	/* A last label that starts with a digit is an address: 127.1, 0x7f.1 */
	return *host != '\0' && !isdigit((unsigned char)*last);
}

static bool
port_ok(const char *p)
{
	size_t n;

	if (*p != ':')
		return true;
	n = strspn(p + 1, "0123456789");
	return n > 0 && n < 6 && (p[1 + n] == '\0' || p[1 + n] == '/' ||
	    p[1 + n] == '?' || p[1 + n] == '#');
}

bool
host_of_url(const char *url, char ret[static HOST_MAX])
{
	char host[HOST_MAX];
	const char *p = url;
	size_t n = 0;

	for (; *p != '\0'; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f || *p == '\\')
			return false;
	p = strncasecmp(url, "https://", 8) == 0 ? url + 8 :
	    strncasecmp(url, "http://", 7) == 0 ? url + 7 : NULL;
	if (p == NULL)
		return false;
	if (str_starts(p, "[::1]")) {
		p += 5;
		if (strchr(":/?#", *p) == NULL || !port_ok(p))
			return false;
		memcpy(ret, "[::1]", 6);
		return true;
	}
	for (; isalnum((unsigned char)*p) || *p == '-' || *p == '.'; p++) {
		if (n == HOST_MAX - 1 || (unsigned char)*p >= 0x80)
			return false;
		host[n++] = (char)tolower((unsigned char)*p);
	}
	host[n] = '\0';
	if (strchr(":/?#", *p) == NULL || !port_ok(p) || !name_ok(host))
		return false;	/* the NUL is found too */
	/* `host:443@other` ends its port at the @ and was refused above. */
	memcpy(ret, host, n + 1);
	return true;
}

bool
host_port_usual(const char *url)
{
	const char *p = strstr(url, "://") + 3;
	long port;

	p += *p == '[' ? strcspn(p, "]") : strcspn(p, ":/?#");
	p += *p == ']';
	if (*p != ':')
		return true;
	port = strtol(p + 1, NULL, 10);		/* at most five digits */
	return port == 80 || port == 443 || (port >= 1024 && port <= 65535);
}

bool
host_of_operand(const char *text, char ret[static HOST_MAX])
{
	char url[1024];
	int n;

	if (strstr(text, "://") != NULL)
		return host_of_url(text, ret);
	n = snprintf(url, sizeof(url), "http://%s", text);
	return n > 0 && (size_t)n < sizeof(url) && host_of_url(url, ret);
}

bool
host_matches(const char *pattern, const char *host)
{
	if (str_starts(pattern, "*.")) {
		size_t n = strlen(pattern + 1), m = strlen(host);

		return m > n && strcasecmp(host + m - n, pattern + 1) == 0;
	}
	return strcasecmp(pattern, host) == 0;
}

static bool
listed(const struct words *patterns, const char *host)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (host_matches(patterns->words[i], host))
			return true;
	return false;
}

bool
host_allowed(const struct policy *p, const char *host)
{
	return (listed(&p->net_allow, host) ||
	    listed(&p->net_registries, host)) && !listed(&p->net_deny, host);
}

const char *
host_registry(const struct policy *p, size_t i)
{
	return i < p->net_registries.n ? p->net_registries.words[i] : NULL;
}
