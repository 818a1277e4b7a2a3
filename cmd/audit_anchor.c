/*
 * Checkpoints kept where the log's owner does not reach, or not alone.
 *
 * An anchor is a checkpoint on one line:
 *
 *	sandbox-audit-v1/PROJECT SIZE ROOT CHAIN SIGNATURE
 *
 * in the system log, in a note of the project's git HEAD
 * (refs/notes/sandbox-audit), or at the end of a file.  Where they were put is
 * kept in audit/anchors, one place per line; whoever can edit that can also
 * leave an anchor out, so its path is a convenience and the file itself, read
 * on another machine, is the proof.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "cmd/audit.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "jail/spawn.h"

#include "common/banned.h"

#define PLACES		"anchors"
#define PLACES_MAX	65536
#define READ_MAX	(16 * 1024 * 1024)
#define LINE_MAX_	400
#define ANCHORS_MAX	100000
#define NOTES_WRITE	"--ref=sandbox-audit"
#define NOTES_READ	"--notes=sandbox-audit"
#define DASH		"\xe2\x80\x94 "

/* Nothing of the repository's own may run for this. */
#define GIT_SAFE	"-c", "core.hooksPath=/dev/null", "-c", \
			"core.fsmonitor=false", "-c", "gc.auto=0", "-c", \
			"protocol.allow=never", "-c", "gpg.program=/bin/false"

/* The note's lines as words. */
static void
to_line(const char *sealed, struct str *ret)
{
	for (const char *p = sealed; *p != '\0'; p++) {
		if (str_starts(p, "\n\n" DASH)) {
			p += sizeof "\n\n" DASH - 2;
			p += strcspn(p + 1, " ");
		} else if (str_starts(p, "\nchain ")) {
			str_addc(ret, ' ');
			p += sizeof "\nchain " - 2;
		} else if (*p != '\n' || p[1] != '\0') {
			str_addc(ret, *p == '\n' ? ' ' : *p);
		}
	}
}

static int
from_line(const char *line, struct sealed *ret)
{
	char origin[64], root[64], chain[72], sig[128];
	auto_str struct str s = { 0 };
	uint64_t size;

	if (sscanf(line, "%63s %13" SCNu64 " %63s %71s %127s", origin, &size,
	    root, chain, sig) != 5)
		return -1;
	str_init(&s, NOTE_MAX);
	str_addf(&s, "%s\n%" PRIu64 "\n%s\nchain %s\n\n" DASH "%s %s\n",
	    origin, size, root, chain, origin, sig);
	return note_open(s.s, s.len, ret, NULL);
}

/* --- running git and journalctl: absolute, and with nothing inherited --- */

static const char *
find_program(const char *const paths[])
{
	for (size_t i = 0; paths[i] != NULL; i++) {
		if (access(paths[i], X_OK) == 0)
			return paths[i];
	}
	return NULL;
}

static int
run(const char *path, const char *const argv[], int cwd, struct str *ret,
    struct err *e)
{
	static char env_path[] = "PATH=/usr/bin:/bin";
	static char env_system[] = "GIT_CONFIG_NOSYSTEM=1";
	static char env_lazy[] = "GIT_NO_LAZY_FETCH=1";
	static char *const env[] = { env_path, env_system, env_lazy, NULL };
	auto_close int out = -1, in = -1;
	int pipes[2], status;
	pid_t pid;
	char **args;
	size_t n = 0;
	int rc;

	if (pipe2(pipes, O_CLOEXEC) == -1)
		return err_sys(e, "cannot make a pipe");
	out = pipes[0];
	in = pipes[1];
	while (argv[n] != NULL)
		n++;
	args = xcalloc(n + 1, sizeof *args);
	for (size_t i = 0; i < n; i++)
		args[i] = xstrdup(argv[i]);

	const struct spawn_fd fds[] = { { in, 1 } };
	const struct spawn sp = { .path = path, .argv = args, .envp = env,
		.cwd_fd = cwd, .fds = fds, .n_fds = 1 };

	rc = spawn(&sp, &pid, e);
	mem_close_fd(&in);
	if (rc == 0) {
		rc = io_read_all(out, READ_MAX, ret, e);
		waitpid(pid, &status, 0);
		if (rc == 0 && (!WIFEXITED(status) ||
		    WEXITSTATUS(status) != 0))
			rc = err_set(e, ERR_SYSTEM, "'%s' failed", path);
	}
	for (size_t i = 0; i < n; i++)
		free(args[i]);
	free(args);
	return rc;
}

static int
git(const struct home *home, const char *const argv[], struct str *ret,
    struct err *e)
{
	static const char *const paths[] = { "/usr/bin/git", "/bin/git",
		"/usr/local/bin/git", NULL };
	const char *path = find_program(paths);

	if (path == NULL)
		return err_set(e, ERR_SYSTEM, "there is no git");
	return run(path, argv, home->root, ret, e);
}

/* --- keeping --- */

static int
keep_file(const char *path, const char *line, struct err *e)
{
	auto_close int fd = open(path, O_WRONLY | O_APPEND | O_CREAT |
	    O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat st;

	if (fd == -1)
		return err_sys(e, "cannot open '%s'", path);
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return err_set(e, ERR_FORMAT, "'%s' is no file", path);
	if (io_write_all(fd, line, strlen(line), e) == -1)
		return err_add(e, "'%s'", path);
	return fsync(fd) == -1 ? err_sys(e, "cannot sync '%s'", path) : 0;
}

static int
keep_git(const struct home *home, const char *line, struct err *e)
{
	const char *const argv[] = { "git", GIT_SAFE, "-c",
		"user.name=sandbox", "-c", "user.email=sandbox@localhost",
		"notes", NOTES_WRITE, "append", "-m", line, "HEAD",
		NULL };
	auto_str struct str out = { 0 };

	str_init(&out, READ_MAX);
	return git(home, argv, &out, e);
}

/* syslog(3) does not say whether anybody listens. */
static int
keep_syslog(const char *line, struct err *e)
{
	static const struct sockaddr_un to = { .sun_family = AF_UNIX,
		.sun_path = "/dev/log" };
	auto_close int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd == -1 || (connect(fd, (const struct sockaddr *)&to,
	    sizeof to) == -1 && errno != EPROTOTYPE))
		return err_sys(e, "no system log listens at /dev/log");
	openlog("sandbox-audit", LOG_NDELAY, LOG_AUTHPRIV);
	syslog(LOG_NOTICE, "%s", line);
	closelog();
	return 0;
}

static int
read_places(const struct home *home, struct str *ret, struct err *e)
{
	struct err why = { 0 };

	str_init(ret, PLACES_MAX);
	if (fs_read_own(home->audit, PLACES, PLACES_MAX, ret, &why) == -1 &&
	    why.sys != ENOENT)
		return err_set(e, ERR_SYSTEM, "%s", why.text);
	return 0;
}

static int
remember(const struct home *home, const char *where, struct err *e)
{
	auto_str struct str places = { 0 };
	auto_free char *line = xasprintf("\n%s\n", where), *all = NULL;

	if (read_places(home, &places, e) == -1)
		return -1;
	all = xasprintf("\n%s", places.s);
	if (strstr(all, line) != NULL)
		return 0;
	str_addf(&places, "%s\n", where);
	return fs_replace(home->audit, PLACES, places.s, places.len, 0600, e);
}

int
audit_anchor_keep(const struct home *home, const char *where,
    const char *sealed, struct err *e)
{
	auto_str struct str line = { 0 };
	int rc = 0;

	str_init(&line, LINE_MAX_);
	to_line(sealed, &line);
	if (strcmp(where, "git") == 0) {
		rc = keep_git(home, line.s, e);
	} else if (strcmp(where, "syslog") == 0) {
		rc = keep_syslog(line.s, e);
	} else if (where[0] == '/' && strpbrk(where, "\n") == NULL) {
		str_addc(&line, '\n');
		rc = keep_file(where, line.s, e);
	} else {
		return err_set(e, ERR_USAGE,
		    "an anchor is syslog, git or an absolute path");
	}
	return rc == -1 ? err_add(e, "anchor") : remember(home, where, e);
}

/* --- reading --- */

struct found {
	const char	*where;
	struct anchor	*a;
	size_t		 n, cap;
};

static void
take(struct found *f, const char *text, const char *project)
{
	auto_free char *origin = xasprintf(NOTE_ORIGIN "%s ", project);

	for (const char *p = text; (p = strstr(p, origin)) != NULL &&
	    f->n < ANCHORS_MAX; p++) {
		struct anchor *a;

		if (f->n == f->cap) {
			f->cap = f->cap == 0 ? 64 : f->cap * 2;
			f->a = xrealloc(f->a, f->cap, sizeof *f->a);
		}
		a = &f->a[f->n];
		*a = (struct anchor){ .seen = false };
		snprintf(a->where, sizeof a->where, "%s", f->where);
		if (from_line(p, &a->sealed) == 0)
			f->n++;
		else
			fprintf(stderr, "sandbox: an anchor in %s cannot be "
			    "read\n", f->where);
	}
}

static int
read_place(const struct home *home, const char *where, struct str *ret,
    struct err *e)
{
	static const char *const journals[] = { "/usr/bin/journalctl",
		"/bin/journalctl", NULL };
	static const char *const journal_argv[] = { "journalctl", "-t",
		"sandbox-audit", "-o", "cat", "--no-pager", NULL };
	static const char *const git_argv[] = { "git", GIT_SAFE, "log",
		"--all", "--format=%N", "--no-show-signature",
		NOTES_READ, NULL };
	const char *journal = find_program(journals);

	if (strcmp(where, "git") == 0)
		return git(home, git_argv, ret, e);
	if (strcmp(where, "syslog") == 0)
		return journal == NULL ? err_set(e, ERR_SYSTEM,
		    "there is no journalctl to read the system log with") :
		    run(journal, journal_argv, -1, ret, e);

	auto_close int fd = open(where, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd == -1 ? err_sys(e, "cannot open '%s'", where) :
	    io_read_all(fd, READ_MAX, ret, e);
}

int
audit_anchor_read(const struct home *home, struct anchor **ret,
    size_t *ret_n, struct err *e)
{
	auto_str struct str places = { 0 };
	struct found f = { .n = 0 };
	char *rest, *where;
	int rc = read_places(home, &places, e);

	rest = places.s;
	while (rc == 0 && (where = strsep(&rest, "\n")) != NULL) {
		auto_str struct str text = { 0 };

		if (*where == '\0')
			continue;
		str_init(&text, READ_MAX);
		f.where = where;
		rc = read_place(home, where, &text, e);
		if (rc == 0)
			take(&f, text.s, home->project);
	}
	if (rc == -1) {
		free(f.a);
		return err_add(e, "anchors");
	}
	*ret = f.a;
	*ret_n = f.n;
	return 0;
}
