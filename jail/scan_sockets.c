#include "jail/scan_sockets.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define NAME_FIELD	7	/* of /proc/net/unix */

/* How programs are told where a socket is: a path, or an address with one. */
static const char *const variables[] = {
	"SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DOCKER_HOST", "CONTAINER_HOST",
	"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS",
	"PULSE_SERVER", "TMUX", "NVIM", "VSCODE_IPC_HOOK_CLI",
};

struct sockets {
	struct marks	*marks;
	struct list	 dirs;		/* looked through */
	struct list	 cwds;		/* of our processes, once asked for */
	bool		 asked;
};

static void
mark(struct sockets *s, const char *path)
{
	auto_free char *real = realpath(path, NULL);
	struct stat st;

	if (real != NULL && scan_mountable(real) && lstat(real, &st) == 0 &&
	    S_ISSOCK(st.st_mode))
		marks_add(s->marks, real, MARK_SOCKET, false);
}

static void
mark_all_in(struct sockets *s, const char *dir)
{
	auto_free char *real = realpath(dir, NULL);
	const struct dirent *ent;
	struct stat st;
	DIR *d;

	if (real == NULL || !scan_mountable(real) || list_has(&s->dirs, real))
		return;
	list_add(&s->dirs, xstrdup(real));
	d = opendir(real);
	while (d != NULL && (ent = readdir(d)) != NULL) {
		auto_free char *path = NULL;

		if (ent->d_type != DT_SOCK && (ent->d_type != DT_UNKNOWN ||
		    fstatat(dirfd(d), ent->d_name, &st,
		    AT_SYMLINK_NOFOLLOW) == -1 || !S_ISSOCK(st.st_mode)))
			continue;
		path = xasprintf("%s/%s", real, ent->d_name);
		marks_add(s->marks, path, MARK_SOCKET, false);
	}
	if (d != NULL)
		closedir(d);
}

/* It, and what lies beside it: a server may have renamed it. */
static void
mark_around(struct sockets *s, const char *path)
{
	auto_free char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');

	mark(s, path);
	if (slash == NULL)
		return;
	slash[slash == dir] = '\0';
	mark_all_in(s, dir);
}

static void
find_cwds(struct sockets *s)
{
	DIR *d = s->asked ? NULL : opendir("/proc");
	const struct dirent *ent;

	s->asked = true;
	while (d != NULL && (ent = readdir(d)) != NULL) {
		char link[300], cwd[PATH_MAX];
		ssize_t n;

		if (ent->d_name[0] < '1' || ent->d_name[0] > '9')
			continue;
		snprintf(link, sizeof link, "/proc/%s/cwd", ent->d_name);
		n = readlink(link, cwd, sizeof cwd - 1);
		if (n <= 0 || cwd[0] != '/')
			continue;
		cwd[n] = '\0';
		if (!list_has(&s->cwds, cwd))
			list_add(&s->cwds, xstrdup(cwd));
	}
	if (d != NULL)
		closedir(d);
}

/* Whose it is would take a look at every descriptor of every process. */
static void
mark_relative(struct sockets *s, const char *name)
{
	struct stat st;

	find_cwds(s);
	for (size_t i = 0; i < s->cwds.n; i++) {
		auto_free char *path = xasprintf("%s/%s", s->cwds.v[i], name);

		if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
			mark_around(s, path);
	}
}

/* "0000000000000000: 00000002 00000000 00010000 0001 01 12345 /name" */
static char *
name_of(char *line)
{
	char *p = line;

	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < NAME_FIELD; i++) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	return p;
}

static void
mark_listed(struct sockets *s)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char *line = NULL;
	size_t cap = 0;

	while (f != NULL && getline(&line, &cap, f) != -1) {
		const char *name = name_of(line);

		if (name[0] == '/')
			mark_around(s, name);
		else if (name[0] != '\0' && name[0] != '@' &&
		    strcmp(name, "Path") != 0)
			mark_relative(s, name);
	}
	free(line);
	if (f != NULL)
		fclose(f);
}

/* "/path", "unix:///path", "unix:path=/path,guid=...", "/path,pid,0". */
static void
mark_named(struct sockets *s, const char *value)
{
	const char *at = strstr(value, "path=");
	auto_free char *path = NULL;

	at = at != NULL ? at + 5 : strchr(value, '/');
	while (at != NULL && at[0] == '/' && at[1] == '/')
		at++;
	if (at == NULL || at[0] != '/')
		return;
	mark(s, at);
	path = xstrndup(at, strcspn(at, ",;:"));
	mark_around(s, path);
}

static void
mark_variables(struct sockets *s, char *const *environ_)
{
	for (; environ_ != NULL && *environ_ != NULL; environ_++)
		for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
			size_t n = strlen(variables[i]);

			if (strncmp(*environ_, variables[i], n) == 0 &&
			    (*environ_)[n] == '=')
				mark_named(s, *environ_ + n + 1);
		}
}

static void
mark_home(struct sockets *s, const char *home)
{
	auto_free char *ssh = home == NULL ? NULL :
	    xasprintf("%s/.ssh", home);

	if (home == NULL)
		return;
	mark_all_in(s, home);
	mark_all_in(s, ssh);
}

void
sockets_mark(struct marks *m, const struct scan_place *place,
    const struct mountinfo *mounts)
{
	struct sockets s = { .marks = m };

	mark_listed(&s);
	mark_variables(&s, place->environ);
	mark_home(&s, place->home);
	mark_home(&s, place->account);
	for (size_t i = 0; i < mounts->n; i++)
		mark(&s, mounts->v[i].at);
	list_clear(&s.dirs);
	list_clear(&s.cwds);
}
