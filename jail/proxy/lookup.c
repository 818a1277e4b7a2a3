#include "jail/proxy/lookup.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/mem.h"

#include "common/banned.h"

#define BLANKS	" \t\r"

static const unsigned types[2] = { DNS_A, DNS_AAAA };

/* The next word of a line, or NULL. */
static char *
next_word(char **at)
{
	char *word = *at + strspn(*at, BLANKS);

	if (*word == '\0' || *word == '#' || *word == ';')
		return NULL;
	*at = word + strcspn(word, BLANKS);
	if (**at != '\0')
		*(*at)++ = '\0';
	return word;
}

static void
server_line(char *line, struct resolver *r)
{
	char *word = next_word(&line);
	struct host h;

	if (word == NULL || strcmp(word, "nameserver") != 0 ||
	    (word = next_word(&line)) == NULL || r->n_servers == SERVERS_MAX)
		return;
	if (host_parse(word, strlen(word), &h) == 0 && h.is_ip)
		r->servers[r->n_servers++] = h.ip;
}

static void
hosts_line(char *line, struct resolver *r)
{
	char *word = next_word(&line);
	struct host ip, name;

	if (word == NULL || host_parse(word, strlen(word), &ip) == -1 ||
	    !ip.is_ip)
		return;
	while ((word = next_word(&line)) != NULL) {
		if (host_parse(word, strlen(word), &name) == -1 || name.is_ip)
			continue;
		if ((r->n_hosts & (r->n_hosts - 1)) == 0)
			r->hosts = xrealloc(r->hosts, r->n_hosts == 0 ? 1 :
			    r->n_hosts * 2, sizeof *r->hosts);
		r->hosts[r->n_hosts++] = (struct known){ name, ip.ip };
	}
}

static void
each_line(const char *text, void (*take)(char *, struct resolver *),
    struct resolver *r)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");
		auto_free char *line = xstrndup(text, n);

		take(line, r);
		text += n + (text[n] == '\n');
	}
}

void
resolver_read(const char *resolv_conf, const char *hosts,
    struct resolver *ret)
{
	static const unsigned char local[4] = { 127, 0, 0, 1 };

	*ret = (struct resolver){ .n_servers = 0 };
	each_line(resolv_conf, server_line, ret);
	each_line(hosts, hosts_line, ret);
	if (ret->n_servers == 0)
		address_from_v4(local, &ret->servers[ret->n_servers++]);
}

void
resolver_clear(struct resolver *r)
{
	free(r->hosts);
	*r = (struct resolver){ .n_servers = 0 };
}

void
lookup_end(struct lookup *l)
{
	if (l->fd != -1)
		close(l->fd);
	l->fd = -1;
}

/* One of the two questions. */
static struct dns_asked
asked(const struct lookup *l, int i)
{
	return (struct dns_asked){ l->name.text, types[i], l->id[i] };
}

/* Both questions to one server; -1: it cannot be reached at all. */
static int
ask(const struct address *server, struct lookup *l)
{
	struct sockaddr_storage to;
	socklen_t size = (socklen_t)address_to_sock(server, 53, &to);
	unsigned char q[DNS_MAX];

	l->fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);
	if (l->fd == -1 || connect(l->fd, (struct sockaddr *)&to, size) == -1
	    || getrandom(l->id, sizeof l->id, 0) != (ssize_t)sizeof l->id)
		return -1;
	for (int i = 0; i < 2; i++) {
		const struct dns_asked this = asked(l, i);
		size_t n = dns_query_write(&this, q);

		if (!l->answered[i] &&
		    send(l->fd, q, n, MSG_NOSIGNAL) != (ssize_t)n)
			return -1;
	}
	return 0;
}

int
lookup_again(const struct resolver *r, int64_t now, struct lookup *l)
{
	/* One family that never answers must not cost the other. */
	while (l->n == 0 && l->tries < r->n_servers * ROUNDS) {
		const struct address *s =
		    &r->servers[l->tries++ % r->n_servers];

		lookup_end(l);
		l->deadline = now + LOOKUP_MS;
		if (ask(s, l) == 0)
			return 0;
	}
	lookup_end(l);
	return 1;
}

int
lookup_begin(const struct resolver *r, const struct host *name, int64_t now,
    struct lookup *ret)
{
	*ret = (struct lookup){ .fd = -1, .name = *name };
	if (name->is_ip) {
		ret->found[ret->n++] = name->ip;
		return 1;
	}
	for (size_t i = 0; i < r->n_hosts && ret->n < DNS_ANSWERS; i++)
		if (host_same(&r->hosts[i].name, name))
			ret->found[ret->n++] = r->hosts[i].address;
	return ret->n > 0 ? 1 : lookup_again(r, now, ret);
}

int
lookup_ready(struct lookup *l)
{
	unsigned char p[4096];
	ssize_t n;

	while ((n = recv(l->fd, p, sizeof p, 0)) > 0)
		for (int i = 0; i < 2; i++) {
			const struct dns_asked q = asked(l, i);

			if (!l->answered[i] && dns_answer_read(p, (size_t)n,
			    &q, l->found, &l->n) >= 0)
				l->answered[i] = true;
		}
	if (!l->answered[0] || !l->answered[1])
		return 0;
	lookup_end(l);
	return 1;
}
