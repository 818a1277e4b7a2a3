#include "jail/net.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "common/str.h"
#include "jail/enter.h"
#include "jail/pass.h"
#include "jail/spawn.h"

#include "common/banned.h"

#define RULES_TEXT	(1 << 20)
#define PACKET_MAX	1024
#define READY_MS	10000
#define REFUSALS_MAX	200	/* told apart; all are counted */
#define PROXY_CONTROL	3

#define ADDRESS		"127.0.0.1"

bool
net_wanted(const struct spec *s)
{
	return s->list[SPEC_ALLOW_DOMAINS].n > 0 || s->ask || s->later;
}

void
net_env(struct list *ret)
{
	static const char *const names[] = {
		"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY",
		"HTTPS_PROXY", "ALL_PROXY",
	};
	static const char *const direct[] = { "no_proxy", "NO_PROXY" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		list_add(ret, xasprintf("%s=http://" ADDRESS ":%d", names[i],
		    NET_PORT));
	/* The jail's own servers. */
	for (size_t i = 0; i < ARRAY_LEN(direct); i++)
		list_add(ret, xasprintf("%s=localhost," ADDRESS ",::1",
		    direct[i]));
	/* Node's fetch looks at none of them otherwise. */
	list_add(ret, xstrdup("NODE_USE_ENV_PROXY=1"));
}

/* jail/proxy/rules.h has the form. */
static void
rules_text(const struct spec *s, struct str *ret)
{
	static const struct { enum spec_list list; const char *word; } t[] = {
		{ SPEC_ALLOW_DOMAINS, "allow" }, { SPEC_DENY_DOMAINS, "deny" },
		{ SPEC_DENY_ADDRESSES, "deny-address" },
	};

	if (s->plain_http)
		str_add(ret, "plain\n");
	if (s->ask)
		str_add(ret, "ask\n");
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		for (size_t k = 0; k < s->list[t[i].list].n; k++)
			str_addf(ret, "%s %s\n", t[i].word,
			    s->list[t[i].list].v[k]);
}

int
net_rules(const struct net *net, const struct spec *s, struct err *e)
{
	auto_close int fd = memfd_create("rules", MFD_CLOEXEC);
	auto_str struct str text = { 0 };

	str_init(&text, RULES_TEXT);
	rules_text(s, &text);
	if (text.full)
		return err_set(e, ERR_USAGE, "too many hosts are named");
	if (fd == -1)
		return err_sys(e, "cannot make a file for the proxy");
	if (io_write_all(fd, text.s, text.len, e) == -1)
		return -1;
	if (pass_send(net->control, "rules", 5, &fd, 1) == -1)
		return err_sys(e, "cannot tell the proxy the rules");
	return 0;
}

int
net_start(const struct spec *s, const char *program, struct net *ret,
    struct err *e)
{
	char name[] = "sandbox-proxy";
	char *argv[] = { name, NULL }, *envp[] = { NULL };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		return err_sys(e, "cannot make a socket pair");

	auto_close int ours = pair[0];
	auto_close int theirs = pair[1];
	struct spawn_fd fds[] = { { theirs, PROXY_CONTROL } };
	const struct spawn sp = { .path = program, .argv = argv,
	    .envp = envp, .cwd_fd = -1, .fds = fds, .n_fds = 1,
	    .session = true };
	struct net net = { .control = ours, .beside = ret->beside };

	if (spawn(&sp, &net.pid, e) == -1) {
		e->sys = 0;	/* that is for the command */
		return -1;
	}
	fd_steal(&ours);
	if (net_rules(&net, s, e) == -1) {
		net_end(&net);
		e->sys = 0;
		return -1;
	}
	*ret = net;
	return 0;
}

/* "COUNT PORT HOST WHY": what was refused for the how-manieth time. */
static void
refused(struct net *net, char *text)
{
	char *at = text, *host;
	unsigned port;
	size_t i = 0;

	net->refused = strtoul(at, &at, 10);
	port = (unsigned)strtoul(at, &at, 10);
	if (*at != ' ')
		return;
	host = at + 1;
	at = host + strcspn(host, " ");
	if (*at == ' ')
		*at++ = '\0';
	while (i < net->n && (net->v[i].port != port ||
	    strcmp(net->v[i].host, host) != 0))
		i++;
	if (i == REFUSALS_MAX)
		return;		/* told apart no more */
	if (i == net->n) {
		net->v = xrealloc(net->v, ++net->n, sizeof *net->v);
		net->v[i] = (struct refusal){ xstrdup(host), xstrdup(at),
		    port, 0 };
	}
	net->v[i].times++;
	if (net->beside != NULL && net->beside->refused != NULL)
		net->beside->refused(net->beside->arg, &net->v[i]);
}

/* "ID PORT HOST". */
static void
asked(struct net *net, char *text)
{
	struct net_question q = { 0 };
	char *at;

	q.id = (unsigned)strtoul(text, &at, 10);
	q.port = (unsigned)strtoul(at, &at, 10);
	q.host = *at == ' ' ? at + 1 : at;
	if (net->beside != NULL && net->beside->asked != NULL)
		net->beside->asked(net->beside->arg, net, &q);
	else
		net_answer(net, q.id, false);
}

void
net_answer(const struct net *net, unsigned id, bool yes)
{
	auto_free char *text = xasprintf("answer %u %s", id, yes ? "yes" :
	    "no");

	if (net->control != -1)
		pass_send(net->control, text, strlen(text), NULL, 0);
}

int
net_hear(struct net *net)
{
	char text[PACKET_MAX + 1];
	ssize_t n = recv(net->control, text, PACKET_MAX, MSG_DONTWAIT);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -1;
	text[n] = '\0';
	if (str_starts(text, "refused "))
		refused(net, text + 8);
	else if (str_starts(text, "ask "))
		asked(net, text + 4);
	return 0;
}

int
net_relay(struct net *net, const char *text, const int *fds, size_t n,
    struct err *e)
{
	auto_free char *line = xasprintf("listen %s", text);
	struct pollfd p = { .fd = net->control, .events = POLLIN };
	char word[PACKET_MAX];
	ssize_t got;
	int rc;

	rc = n == 0 || n > NET_FDS ? -1 : pass_send(net->control, line,
	    strlen(line), fds, n);
	if (rc == 0)
		do
			rc = poll(&p, 1, READY_MS);
		while (rc == -1 && errno == EINTR);
	got = rc != 1 ? -1 : recv(net->control, word, sizeof word, 0);
	if (got != 5 || memcmp(word, "ready", 5) != 0)
		return err_set(e, ERR_SYSTEM, "the proxy did not start: "
		    "Landlock or seccomp may be missing here");
	return 0;
}

void
net_notes(struct net *net, size_t max, struct list *ret)
{
	while (net->control != -1 && poll(&(struct pollfd){
	    .fd = net->control, .events = POLLIN }, 1, 0) == 1 &&
	    net_hear(net) == 0)
		continue;
	for (size_t i = 0; i < net->n && i < max; i++) {
		const struct refusal *r = &net->v[i];
		auto_free char *port = r->port == 0 ? xstrdup("") :
		    xasprintf(" port %u", r->port);

		list_add(ret, xasprintf("refused: %s%s (%u times): %s",
		    r->host, port, r->times, r->why));
	}
	if (net->n > max)
		list_add(ret, xasprintf("refused: %lu in all", net->refused));
}

void
net_end(struct net *net)
{
	if (net->control != -1)
		close(net->control);
	if (net->pid > 0)
		while (waitpid(net->pid, NULL, 0) == -1 && errno == EINTR)
			continue;
	for (size_t i = 0; i < net->n; i++) {
		free(net->v[i].host);
		free(net->v[i].why);
	}
	free(net->v);
	*net = (struct net){ .control = -1 };
}
