#include "jail/proxy/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/str.h"
#include "jail/proxy/confine.h"

#include "common/banned.h"

#define FILE_MAX	(1 << 20)	/* of resolv.conf, hosts, rules */
#define PACKET_MAX	1024
#define EVENTS		64
#define TICK_MS		500
#define CONNS_MAX	4096
#define FDS_PER_CONN	7		/* two ends, a lookup, two pipes */

int
proxy_watch(struct proxy *p, int fd, struct source *s)
{
	struct epoll_event ev = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
		.data.ptr = s,
	};

	return epoll_ctl(p->ep, EPOLL_CTL_ADD, fd, &ev);
}

/* Nobody waits for it to be read: a packet that does not fit is lost. */
static void
say(struct proxy *p, const char *text)
{
	send(p->control, text, strnlen(text, PACKET_MAX), MSG_DONTWAIT |
	    MSG_NOSIGNAL);
}

void
proxy_refused(struct proxy *p, const struct target *t, const char *why)
{
	auto_free char *text = xasprintf("refused %lu %u %s %s",
	    ++p->refused, t->port, t->host.text[0] == '\0' ? "-" :
	    t->host.text, why);

	say(p, text);
}

unsigned
proxy_ask(struct proxy *p, const struct target *t)
{
	auto_free char *text = xasprintf("ask %u %u %s", ++p->asked, t->port,
	    t->host.text);

	say(p, text);
	return p->asked;
}

/* "yes" opens this port of this host for as long as we live. */
static void
take_answer(struct proxy *p, char *text)
{
	char *word;
	unsigned id = (unsigned)strtoul(text, &word, 10);
	bool yes = strcmp(word, " yes") == 0;
	struct conn *c = p->conns;

	while (c != NULL && (c->step != STEP_ASKED || c->ask != id))
		c = c->next;
	if (c == NULL)
		return;
	if (yes) {
		struct rule r = { .kind = c->target.host.is_ip ? RULE_NET :
		    RULE_NAME, .host = c->target.host, .bits = 128,
		    .port = c->target.port };

		rules_add(&p->rules, RULES_ALLOW, &r);
	}
	conn_answered(c, yes);
}

static int
take_rules(struct proxy *p, int fd, struct err *e)
{
	auto_str struct str text = { 0 };
	struct rules fresh;

	str_init(&text, FILE_MAX);
	if (fd == -1 || lseek(fd, 0, SEEK_SET) == -1 ||
	    io_read_all(fd, FILE_MAX, &text, e) == -1 ||
	    rules_read(text.s, text.len, &fresh, e) == -1)
		return -1;
	rules_clear(&p->rules);
	p->rules = fresh;
	return 0;
}

static int
take_listeners(struct proxy *p, char *text, const int *fds, size_t n)
{
	char *save = NULL;
	const char *word = strtok_r(text, " ", &save);

	for (size_t i = 0; i < n; i++) {
		if (word == NULL || proxy_listen(p, fds[i], word) == -1)
			return -1;
		word = strtok_r(NULL, " ", &save);
	}
	return word == NULL ? 0 : -1;
}

/* Whoever started us says only what is right, or is broken: then we end. */
void
proxy_control(struct source *src, uint32_t events)
{
	struct proxy *p = (struct proxy *)(void *)((char *)src -
	    offsetof(struct proxy, control_source));
	char text[PACKET_MAX + 1];
	int fds[PASS_MAX];
	struct err e = { 0 };
	size_t n;
	ssize_t len = pass_receive(p->control, text, PACKET_MAX, fds, &n);

	(void)events;
	text[len] = '\0';
	if (len == 0) {
		p->ended = true;
	} else if (strcmp(text, "rules") == 0) {
		p->ended = take_rules(p, n == 1 ? fds[0] : -1, &e) == -1;
		if (n == 1)
			close(fds[0]);
	} else if (str_starts(text, "listen ")) {
		p->ended = take_listeners(p, text + 7, fds, n) == -1;
		say(p, p->ended ? "broken" : "ready");
	} else if (str_starts(text, "answer ")) {
		take_answer(p, text + 7);
	}
}

static void
bury(struct proxy *p)
{
	while (p->over != NULL) {
		struct conn *c = p->over;

		p->over = c->next;
		conn_free(c);
	}
}

/* Those whose time is over, and those that want another turn. */
static void
visit(struct proxy *p, bool tick)
{
	struct conn *next;

	p->busy = false;
	for (struct conn *c = p->conns; c != NULL; c = next) {
		next = c->next;
		if (tick && c->deadline != 0 && c->deadline <= p->now)
			conn_timeout(c);
		else if (c->again)
			conn_run(c);
	}
}

static int
loop(struct proxy *p, struct err *e)
{
	struct epoll_event ev[EVENTS];
	int64_t tick = 0;

	while (!p->ended) {
		int n = epoll_wait(p->ep, ev, EVENTS, p->busy ? 0 :
		    p->conns != NULL ? TICK_MS : -1);

		if (n == -1 && errno != EINTR)
			return err_sys(e, "cannot wait for clients");
		p->now = clock_boot_ms();
		for (int i = 0; i < n; i++) {
			struct source *s = ev[i].data.ptr;

			s->ready(s, ev[i].events);
		}
		if (p->busy || p->now >= tick)
			visit(p, p->now >= tick);
		if (p->now >= tick)
			tick = p->now + TICK_MS;
		bury(p);
	}
	return 0;
}

static char *
read_file(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_str struct str text = { 0 };

	str_init(&text, FILE_MAX);
	if (fd != -1)
		io_read_all(fd, FILE_MAX, &text, NULL);
	return str_take(&text);
}

static void
raise_limits(struct proxy *p)
{
	struct rlimit r;

	p->max_conns = 100;
	if (getrlimit(RLIMIT_NOFILE, &r) == -1)
		return;
	if (r.rlim_max > CONNS_MAX * (FDS_PER_CONN + 1))
		r.rlim_max = CONNS_MAX * (FDS_PER_CONN + 1);
	r.rlim_cur = r.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur > 1024)
		p->max_conns = r.rlim_cur / (FDS_PER_CONN + 1);
}

static int
prepare(struct proxy *p, struct err *e)
{
	struct epoll_event ev = { .events = EPOLLIN,
	    .data.ptr = &p->control_source };
	auto_free char *conf = read_file("/etc/resolv.conf");
	auto_free char *hosts = read_file("/etc/hosts");

	resolver_read(conf, hosts, &p->resolver);
	raise_limits(p);
	p->control_source.ready = proxy_control;
	p->ep = epoll_create1(EPOLL_CLOEXEC);
	if (p->ep == -1 ||
	    epoll_ctl(p->ep, EPOLL_CTL_ADD, p->control, &ev) == -1)
		return err_sys(e, "cannot prepare to wait");
	return confine(e);
}

int
proxy_run(int control, struct err *e)
{
	struct proxy *p = xcalloc(1, sizeof *p);
	int rc;

	p->control = control;
	rc = prepare(p, e) == -1 ? -1 : loop(p, e);
	while (p->conns != NULL)
		conn_end(p->conns);
	bury(p);
	for (size_t i = 0; i < p->n_listeners; i++)
		close(p->listeners[i].fd);
	rules_clear(&p->rules);
	resolver_clear(&p->resolver);
	aliases_clear(&p->aliases);
	close(p->ep);
	free(p);
	return rc;
}
