#include "jail/proxy/rules.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "common/visible.h"

#include "common/banned.h"

#define TEXT_MAX	(HOST_MAX + 32)

/* Not the internet.  IPv4 counts its bits behind the 96 of the mapping. */
static const struct { const char *net; unsigned bits; } special[] = {
	{ "0.0.0.0", 8 }, { "10.0.0.0", 8 }, { "100.64.0.0", 10 },
	{ "127.0.0.0", 8 }, { "169.254.0.0", 16 }, { "172.16.0.0", 12 },
	{ "192.0.0.0", 24 }, { "192.88.99.0", 24 }, { "192.168.0.0", 16 },
	{ "198.18.0.0", 15 }, { "224.0.0.0", 4 }, { "240.0.0.0", 4 },
	/* ::, ::1 and old ways to wrap IPv4; translation; 6to4; Teredo */
	{ "::", 96 }, { "64:ff9b::", 96 }, { "64:ff9b:1::", 48 },
	{ "2002::", 16 }, { "2001::", 32 }, { "100::", 64 },
	{ "fc00::", 7 }, { "fe80::", 10 }, { "fec0::", 10 }, { "ff00::", 8 },
};

static int
no_rule(const char *text, const char *why, struct err *e)
{
	auto_free char *shown = visible_line(text);

	return err_set(e, ERR_FORMAT, "'%.80s' %s", shown, why);
}

/*
 * "/24" behind an address; the address's own bits where there is none.  Where
 * one of version 4 is written as one of 6, they count from the beginning.
 */
static int
parse_bits(const char *slash, const struct host *h, bool colons,
    unsigned *ret)
{
	bool v4 = address_is_v4(&h->ip);
	unsigned most = v4 && !colons ? 32 : 128, bits = 0;

	if (*slash == '\0') {
		*ret = 128;
		return 0;
	}
	if (strlen(++slash) > 3 || *slash == '\0')
		return -1;
	for (; *slash != '\0'; slash++) {
		if (*slash < '0' || *slash > '9')
			return -1;
		bits = bits * 10 + (unsigned)(*slash - '0');
	}
	if (bits > most || (v4 && colons && bits < 96))
		return -1;
	*ret = bits + 128 - most;
	return 0;
}

/* Take ":PORT" off the end.  A bare IPv6 address has none. */
static int
split_port(char *text, unsigned *ret_port)
{
	char *colon = strrchr(text, ':');
	struct host none;

	*ret_port = PORT_ANY;
	if (colon == NULL || strchr(colon, ']') != NULL ||
	    (text[0] != '[' && memchr(text, ':', (size_t)(colon - text)) !=
	    NULL))
		return 0;
	/* "x:PORT" says whether it is a port, "x" is a host. */
	auto_free char *probe = xasprintf("x%s", colon);

	if (host_port_parse(probe, strlen(probe), 0, &none, ret_port) == -1)
		return -1;
	*colon = '\0';
	return 0;
}

int
rule_parse(const char *text, struct rule *ret, struct err *e)
{
	static const char fault[] = "is no host, *.name, address or network, "
	    "with :port if need be (names of other scripts: as xn--...)";
	auto_free char *s = xstrndup(text, strnlen(text, TEXT_MAX + 1));
	char *slash;
	auto_free char *bits = NULL;
	struct rule r = { .kind = RULE_EVERY };

	if (strlen(s) > TEXT_MAX)
		return no_rule(text, fault, e);
	if (split_port(s, &r.port) == -1)
		return no_rule(text, "ends in no port", e);
	slash = s + strcspn(s, "/");
	bits = xstrdup(slash);
	*slash = '\0';
	if (strcmp(s, "*") == 0 && *bits == '\0') {
		*ret = r;
		return 0;
	}
	r.kind = str_starts(s, "*.") ? RULE_BELOW : RULE_NAME;
	if (host_parse(r.kind == RULE_BELOW ? s + 2 : s,
	    strlen(s) - (r.kind == RULE_BELOW ? 2 : 0), &r.host) == -1 ||
	    (r.host.is_ip ? r.kind == RULE_BELOW : *bits != '\0'))
		return no_rule(text, fault, e);
	if (r.host.is_ip) {
		r.kind = RULE_NET;
		if (parse_bits(bits, &r.host, strchr(s, ':') != NULL,
		    &r.bits) == -1)
			return no_rule(text, "ends in no number of bits", e);
	}
	*ret = r;
	return 0;
}

void
rules_add(struct rules *r, enum rules_list l, const struct rule *rule)
{
	/* Doubles: every power of two is a moment to grow. */
	if ((r->n[l] & (r->n[l] - 1)) == 0)
		r->v[l] = xrealloc(r->v[l], r->n[l] == 0 ? 1 : r->n[l] * 2,
		    sizeof *r->v[l]);
	r->v[l][r->n[l]++] = *rule;
}

void
rules_clear(struct rules *r)
{
	for (size_t i = 0; i < RULES_LISTS; i++)
		free(r->v[i]);
	*r = (struct rules){ .ask = false };
}

static int
read_line(const char *line, struct rules *r, struct err *e)
{
	static const struct { const char *word; enum rules_list list; } t[] = {
		{ "allow ", RULES_ALLOW }, { "deny ", RULES_DENY },
		{ "deny-address ", RULES_DENY_ADDRESS },
	};
	struct rule rule = { .kind = RULE_EVERY };

	r->ask |= strcmp(line, "ask") == 0;
	r->plain |= strcmp(line, "plain") == 0;
	if (strcmp(line, "ask") == 0 || strcmp(line, "plain") == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		if (!str_starts(line, t[i].word))
			continue;
		if (rule_parse(line + strlen(t[i].word), &rule, e) == -1)
			return -1;
		if (t[i].list == RULES_DENY_ADDRESS && rule.kind != RULE_NET)
			return no_rule(line, "names no address", e);
		if (r->n[t[i].list] == RULES_MAX)
			return no_rule(line, "is one rule too many", e);
		rules_add(r, t[i].list, &rule);
		return 0;
	}
	return no_rule(line, "is no rule", e);
}

int
rules_read(const char *text, size_t len, struct rules *ret, struct err *e)
{
	struct rules r = { .ask = false };
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl == NULL ? end : nl) - text);
		auto_free char *line = xstrndup(text, n);

		if (n > 0 && read_line(line, &r, e) == -1) {
			rules_clear(&r);
			return -1;
		}
		text += n + (nl != NULL);
	}
	*ret = r;
	return 0;
}

static bool
is_below(const char *name, const char *top)
{
	size_t n = strlen(name), t = strlen(top);

	return n > t + 1 && name[n - t - 1] == '.' &&
	    strcmp(name + n - t, top) == 0;
}

static bool
names(const struct rule *r, const struct host *h)
{
	switch (r->kind) {
	case RULE_EVERY:
		return true;
	case RULE_NAME:
		return host_same(&r->host, h);
	case RULE_BELOW:
		return !h->is_ip && is_below(h->text, r->host.text);
	case RULE_NET:
		return h->is_ip && address_within(&h->ip, &r->host.ip,
		    r->bits);
	}
	return false;
}

static bool
port_denied(const struct rule *r, unsigned port)
{
	return r->port == PORT_ANY || r->port == port;
}

static bool
port_allowed(const struct rule *r, unsigned port)
{
	if (port == PORT_ANY)
		return true;
	return r->port == PORT_ANY ? port == 80 || port == 443 :
	    r->port == port;
}

static bool
any(const struct rules *rs, enum rules_list l, const struct target *t)
{
	for (size_t i = 0; i < rs->n[l]; i++) {
		const struct rule *r = &rs->v[l][i];

		if (names(r, &t->host) && (l == RULES_ALLOW ?
		    port_allowed(r, t->port) : port_denied(r, t->port)))
			return true;
	}
	return false;
}

static bool
is_special(const struct address *a)
{
	for (size_t i = 0; i < ARRAY_LEN(special); i++) {
		struct host net;

		if (host_parse(special[i].net, strlen(special[i].net), &net)
		    == 0 && address_within(a, &net.ip, special[i].bits +
		    (address_is_v4(&net.ip) ? 96 : 0)))
			return true;
	}
	return false;
}

/* An allowed network, as opposed to an allowed name that leads there. */
static bool
is_named(const struct rules *rs, const struct target *at)
{
	for (size_t i = 0; i < rs->n[RULES_ALLOW]; i++) {
		const struct rule *r = &rs->v[RULES_ALLOW][i];

		if (r->kind == RULE_NET && names(r, &at->host) &&
		    port_allowed(r, at->port))
			return true;
	}
	return false;
}

static struct decided
deny(const char *why)
{
	return (struct decided){ DECIDE_DENY, why };
}

static struct decided
judge_address(const struct rules *rs, const struct target *t,
    const struct reached *to)
{
	struct target at = { .host = { .is_ip = true, .ip = to->address },
	    .port = t->port };

	if (any(rs, RULES_DENY, &at) || any(rs, RULES_DENY_ADDRESS, &at))
		return deny("its address is denied by the settings");
	if (!is_named(rs, &at) && (to->own || is_special(&to->address)))
		return deny("its address is this machine's, or of a private "
		    "or special network, which only a rule that names the "
		    "address opens");
	return (struct decided){ DECIDE_ALLOW, NULL };
}

struct decided
rules_decide(const struct rules *rs, const struct target *t,
    const struct reached *to)
{
	struct reached self = { .address = t->host.ip };

	if (any(rs, RULES_DENY, t))
		return deny("the settings deny it");
	if (!any(rs, RULES_ALLOW, t))
		return rs->ask ? (struct decided){ DECIDE_ASK, NULL } :
		    deny("it is not on the list of allowed hosts");
	if (to == NULL && !t->host.is_ip)
		return (struct decided){ DECIDE_ALLOW, NULL };
	return judge_address(rs, t, to == NULL ? &self : to);
}
