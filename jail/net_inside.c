/* jail/net_inside.c - what of the proxy is made inside. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "jail/mounts.h"
#include "jail/net.h"
#include "jail/proxy/rules.h"

#include "common/banned.h"

#define BACKLOG		512
#define DNS_PORT	53
#define HTTP_PORT	80
#define TLS_PORT	443

static int
bind_one(int type, uint32_t address, unsigned port, struct err *e)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port),
	    .sin_addr.s_addr = htonl(address) };
	auto_close int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd == -1 || bind(fd, (struct sockaddr *)&a, sizeof a) == -1 ||
	    (type == (SOCK_STREAM | SOCK_NONBLOCK) &&
	    listen(fd, BACKLOG) == -1))
		return err_sys(e, "cannot listen on port %u of the jail",
		    port);
	return fd_steal(&fd);
}

struct made {
	int	*fds;
	int	 n;
	char	*text;
	size_t	 len;
};

static int
add(struct made *m, const char *what, int fd)
{
	if (fd == -1)
		return -1;
	m->fds[m->n++] = fd;
	m->len += (size_t)snprintf(m->text + m->len, NET_TEXT - m->len,
	    "%s%s", m->len == 0 ? "" : " ", what);
	return 0;
}

/* Transparent: every address of loopback, as names have one each. */
static int
add_port(struct made *m, unsigned port, struct err *e)
{
	char what[16];

	snprintf(what, sizeof what, "%u", port);
	return add(m, what, bind_one(SOCK_STREAM | SOCK_NONBLOCK, INADDR_ANY,
	    port, e));
}

/* Is it new, and free? */
static bool
is_wanted(unsigned port, const unsigned *seen, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seen[i] == port)
			return false;
	return port != PORT_ANY && port != NET_PORT;
}

int
net_listen(const struct spec *s, int fds[static NET_FDS],
    char text[static NET_TEXT], struct err *e)
{
	struct made m = { .fds = fds, .text = text };
	unsigned seen[NET_FDS] = { HTTP_PORT, TLS_PORT };
	const struct list *allow = &s->list[SPEC_ALLOW_DOMAINS];
	size_t n = 2;

	if (add(&m, "proxy", bind_one(SOCK_STREAM | SOCK_NONBLOCK,
	    INADDR_LOOPBACK, NET_PORT, e)) == -1 ||
	    add(&m, "dns", bind_one(SOCK_DGRAM | SOCK_NONBLOCK,
	    INADDR_LOOPBACK, DNS_PORT, e)) == -1 ||
	    add_port(&m, HTTP_PORT, e) == -1 ||
	    add_port(&m, TLS_PORT, e) == -1)
		return -1;
	/* More ports than fit can be reached through the proxy alone. */
	for (size_t i = 0; i < allow->n && m.n < NET_FDS; i++) {
		struct rule r;

		if (rule_parse(allow->v[i], &r, e) == -1)
			return -1;
		if (!is_wanted(r.port, seen, n))
			continue;
		if (add_port(&m, r.port, e) == -1)
			return -1;
		seen[n++] = r.port;
	}
	return m.n;
}

/* A file of ours, that cannot be changed, as a mount. */
static int
file_of(const char *text, struct err *e)
{
	auto_close int dir = mounts_tmpfs("0755", MOUNT_ATTR_NOSUID |
	    MOUNT_ATTR_NODEV, e), file = -1;

	if (dir == -1)
		return -1;
	file = openat(dir, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (file == -1)
		return err_sys(e, "cannot make a file for the jail");
	if (io_write_all(file, text, strlen(text), e) == -1)
		return -1;
	return mounts_clone(dir, "f", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
	    MOUNT_ATTR_RDONLY, e);
}

/*
 * Where a path leads in the jail's tree.  A link into /run, which is empty
 * here, gets its file.  NULL: there is nothing, and nothing can be made.
 */
static char *
find_place(const char *path)
{
	char *real = realpath(path, NULL);
	char link[PATH_MAX];
	ssize_t n;

	if (real != NULL)
		return real;
	n = readlink(path, link, sizeof link - 1);
	if (n <= 0)
		return NULL;
	link[n] = '\0';

	auto_free char *to = path_normal(link, "/etc", "/");

	for (char *s = to + 1; (s = strchr(s, '/')) != NULL; s++) {
		*s = '\0';
		mkdir(to, 0755);
		*s = '/';
	}
	n = open(to, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (n == -1)
		return NULL;
	close((int)n);
	return mem_steal(&to);
}

static int
put(const char *path, const char *text, struct err *e)
{
	auto_free char *place = find_place(path);
	auto_close int fd = place == NULL ? -1 : file_of(text, e);

	/* Without the file, libraries ask 127.0.0.1 and know localhost. */
	if (place == NULL)
		return 0;
	return fd == -1 ? -1 : mounts_put(fd, place, e);
}

int
net_names(struct err *e)
{
	char name[65] = "";
	auto_free char *hosts = NULL;

	if (gethostname(name, sizeof name - 1) == -1)
		return err_sys(e, "cannot read the host's name");
	hosts = xasprintf("127.0.0.1 localhost %s\n::1 localhost\n", name);
	if (put("/etc/resolv.conf", "nameserver 127.0.0.1\n", e) == -1)
		return -1;
	return put("/etc/hosts", hosts, e);
}
