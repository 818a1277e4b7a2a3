/*
 * Who is there: the agents that called us, the humans that watch, and who may
 * sign.  All of it is private state; nothing here opens the shared folder.
 */
#include "queue/home.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"
#include "common/proc.h"
#include "common/str.h"
#include "queue/inside.h"

#include "common/banned.h"

#define APPROVERS_MAX	65536
#define ANCESTORS_MAX	256
#define WATCH_LOCK	"watch.lock"

int
home_approvers(const struct home *h, struct keyring *ret, struct err *e)
{
	auto_str struct str text = { 0 };
	struct err local;

	if (e == NULL)
		e = &local;
	str_init(&text, APPROVERS_MAX);
	if (fs_read_own(h->view, "approvers", APPROVERS_MAX, &text, e) == -1) {
		if (e->sys != ENOENT)
			return -1;
		*ret = (struct keyring){ 0 };
		return 0;
	}
	if (keyring_parse(text.s, text.len, ret, e) == -1)
		return err_add(e, "'approvers'");
	return 0;
}

static void
note_name(const struct proc_id *p, char *buf, size_t len)
{
	snprintf(buf, len, "%d-%llu", (int)p->pid, p->start);
}

int
home_note_client(const struct home *h, pid_t pid, const char *client,
    struct err *e)
{
	struct proc_id p;
	struct err local;
	char name[48];

	if (e == NULL)
		e = &local;
	/*
	 * A client that died leaves us to init; init is everybody's ancestor,
	 * and noting it would take every human for an agent.
	 */
	if (pid <= 1 || h->jailed)
		return 0;
	if (proc_read(pid, &p, NULL, e) == -1)
		return -1;
	note_name(&p, name, sizeof name);
	if (fs_write_new(h->clients, name, client, strlen(client), false, e)
	    == -1 && e->sys != EEXIST)
		return err_add(e, "cannot note the client");
	return 0;
}

static bool
any_noted(int clients, const struct proc_id *up, int n)
{
	for (int i = 0; i < n; i++) {
		char name[48];

		note_name(&up[i], name, sizeof name);
		if (queue_has(clients, name))
			return true;
	}
	return false;
}

static bool
is_project(const char *name)
{
	unsigned char bin[HOME_PROJECT / 2];

	return strlen(name) == HOME_PROJECT &&
	    hex_get(name, bin, sizeof bin) == 0;
}

/* The agent of one project is no human in another one. */
static int
noted_elsewhere(const struct home *h, const struct proc_id *up, int n,
    struct err *e)
{
	auto_close int base = openat(h->priv, "..",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_names l = { 0 };
	bool found = false;

	if (base == -1)
		return err_sys(e, "cannot look at other projects");
	if (fs_list(base, is_project, QUEUE_NAMES_MAX, &l, NULL, e) == -1)
		return -1;
	for (size_t i = 0; i < l.n && !found; i++) {
		auto_free char *path = xasprintf("%s/run/clients", l.names[i]);
		auto_close int clients = openat(base, path,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		found = clients != -1 && any_noted(clients, up, n);
	}
	fs_names_clear(&l);
	return found;
}

int
home_under_agent(const struct home *h, struct err *e)
{
	struct proc_id up[ANCESTORS_MAX];
	int n = proc_ancestors(up, ARRAY_LEN(up), e);

	if (n == -1)
		return -1;
	if (n == ANCESTORS_MAX)
		return err_set(e, ERR_SYSTEM, "too many ancestor processes");
	return any_noted(h->clients, up, n) ? 1 :
	    noted_elsewhere(h, up, n, e);
}

void
queue_forget_clients(const struct home *h)
{
	struct fs_names l = { 0 };

	if (fs_list(h->clients, NULL, QUEUE_NAMES_MAX, &l, NULL, NULL) == -1)
		return;
	for (size_t i = 0; i < l.n; i++) {
		struct proc_id p = { 0 };
		int pid;

		if (sscanf(l.names[i], "%d-%llu", &pid, &p.start) == 2) {
			p.pid = (pid_t)pid;
			if (!proc_alive(&p))
				unlinkat(h->clients, l.names[i], 0);
		}
	}
	fs_names_clear(&l);
}

/*
 * Open-file-description locks: several watches share a read lock, and asking
 * with F_OFD_GETLK never stands in anybody's way.
 */
int
home_watch_hold(const struct home *h, struct err *e)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	auto_close int fd = openat(h->view, WATCH_LOCK,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd == -1)
		return err_sys(e, "cannot open '%s'", WATCH_LOCK);
	if (fcntl(fd, F_OFD_SETLK, &l) == -1)
		return err_sys(e, "cannot lock '%s'", WATCH_LOCK);
	return fd_steal(&fd);
}

bool
home_watch_present(const struct home *h)
{
	auto_close int fd = openat(h->view, WATCH_LOCK,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd != -1 && queue_locked(fd);
}
