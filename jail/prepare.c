#include "jail/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/visible.h"
#include "jail/env.h"
#include "jail/net.h"

#include "common/banned.h"

/* Not passed on: our own faults, and what is about us alone. */
static const int ours[] = {
	SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGCHLD,
	SIGTTIN, SIGTTOU, SIGPIPE,
};

struct marks *
prepare_marks(const struct jail *jail, struct marks *m)
{
	for (size_t i = 0; i < m->n; i++)
		if ((jail->without & JAIL_NO_NAMES) != 0)
			m->v[i].why &= ~(unsigned)MARK_NAME;
	return m;
}

/* Our own variables; TMPDIR stays where its place is private or writable. */
void
prepare_env(const struct jail *jail, const struct scene *scene,
    struct list *ret)
{
	const struct list all = { (char **)(uintptr_t)jail->environ, 0 };
	struct list set = { 0 }, from = all;
	const char *tmp;
	auto_free char *real = NULL;
	bool keep = false, write = false, gone = false;

	while (jail->environ[from.n] != NULL)
		from.n++;
	tmp = env_get(&from, "TMPDIR");
	real = tmp == NULL ? NULL : realpath(tmp, NULL);
	for (size_t i = 0; real != NULL && i < scene->marks.n; i++) {
		const struct mark *m = &scene->marks.v[i];
		bool is = strcmp(m->path, real) == 0;
		bool in = path_in(real, m->path);

		keep |= (m->why & MARK_PRIVATE) != 0 && is;
		write |= (m->why & MARK_WRITE) != 0 && in;
		/* In another private place it is not even there. */
		gone |= (m->why & MARK_PRIVATE) != 0 && in && !is;
	}
	keep = write || (keep && !gone);
	list_add(&set, xasprintf("TMPDIR=%s", keep ? real : "/tmp"));
	list_add(&set, xasprintf("HOME=%s", jail->place.home));
	list_add(&set, xasprintf("PWD=%s", jail->place.cwd));
	list_add(&set, xstrdup("SANDBOX_JAIL=1"));
	if (jail->user != NULL) {
		list_add(&set, xasprintf("USER=%s", jail->user));
		list_add(&set, xasprintf("LOGNAME=%s", jail->user));
	}
	if (jail->set != NULL)
		list_join(&set, jail->set);
	if (net_wanted(jail->spec))
		net_env(&set);
	env_make(jail->spec, jail->environ, &set, ret);
	list_clear(&set);
}

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

char *
prepare_program(const char *cwd, const struct list *env, const char *name,
    struct err *e)
{
	const char *path = env_get(env, "PATH");
	char *found = NULL;

	if (strchr(name, '/') != NULL)
		return name[0] == '/' ? xstrdup(name) :
		    xasprintf("%s/%s", cwd, name);
	if (path == NULL)
		path = "/usr/local/bin:/usr/bin:/bin";
	while (*path != '\0' && *name != '\0') {
		size_t n = strcspn(path, ":");
		auto_free char *dir = n == 0 ? xstrdup(cwd) :
		    xstrndup(path, n);
		auto_free char *try = xasprintf("%s%s%s/%s",
		    dir[0] == '/' ? "" : cwd, dir[0] == '/' ? "" : "/", dir,
		    name);

		if (is_program(try) && (found == NULL ||
		    access(found, X_OK) == -1)) {
			free(found);
			found = mem_steal(&try);
			if (access(found, X_OK) == 0)
				break;
		}
		path += n + (path[n] == ':');
	}
	if (found == NULL) {
		errno = ENOENT;
		err_sys(e, "cannot find '%.80s' in PATH", name);
	}
	return found;
}

/*
 * A closed 0, 1 or 2 would be the number of the next thing we open.  Through a
 * directory the command could walk the tree as it is outside.
 */
int
prepare_stdio(struct err *e)
{
	struct stat st;

	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) == -1 &&
		    open("/dev/null", O_RDWR) != fd)
			return err_sys(e, "cannot open '/dev/null'");
		if (fstat(fd, &st) == -1 || S_ISDIR(st.st_mode))
			return err_set(e, ERR_USAGE, "descriptor %d is a "
			    "directory: it would lead out of the jail", fd);
		/* By its number it could be opened for anything. */
		if ((fcntl(fd, F_GETFL) & O_PATH) != 0)
			return err_set(e, ERR_USAGE, "descriptor %d is not "
			    "open for reading or writing", fd);
	}
	return 0;
}

int
prepare_signals(sigset_t *ret_before, struct err *e)
{
	struct sigaction now;
	sigset_t set;
	int fd;

	sigfillset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		sigdelset(&set, ours[i]);
	/* Ignored by whoever started us, nohup say: the command's, not ours. */
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sigaction(sig, NULL, &now) == 0 &&
		    now.sa_handler == SIG_IGN)
			sigdelset(&set, sig);
	/* But nobody could be waited for then. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, ret_before);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd == -1 ? err_sys(e, "cannot watch signals") : fd;
}

void
prepare_debug(const struct plan *p)
{
	static const char *const names[] = {
		[OP_HIDE] = "hide", [OP_PRIVATE] = "private",
		[OP_READ] = "read", [OP_WRITE] = "write", [OP_DIR] = "dir",
	};

	for (size_t i = 0; i < p->n; i++) {
		auto_free char *shown = visible_line(p->v[i].path);

		fprintf(stderr, "sandbox: %-7s %s\n", names[p->v[i].kind],
		    shown);
	}
}
