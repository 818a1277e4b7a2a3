#include "jail/prove.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/spawn.h"

#include "common/banned.h"

#define SECRET	"SANDBOX_VERIFY_TOKEN"

/* What the probes aim at. */
struct scenery {
	const struct prove	*prove;
	char			*dir;
	char			*out, *secret, *hook, *sock, *abstract;
	char			*late, *tmp;
	char			 port[16], pid[16], shm[16];
	int			 tcp, path, name, shm_id;
};

/* Which of the scenery a probe gets, and how its wall is left out. */
static const struct row {
	struct claim	 claim;
	const char	*probe;
	size_t		 what;		/* offset of a char *, or of text */
	bool		 inline_text;
	bool		 network;	/* with a proxy */
	enum spec_list	 opens;		/* the list that opens it, or */
	unsigned	 without;	/* what jail_run leaves out */
} rows[] = {
#define AT(field)	offsetof(struct scenery, field), false
#define IN(field)	offsetof(struct scenery, field), true
	{ { "write", "what is not allowed cannot be written" },
	  "write", AT(out), false, SPEC_ALLOW_WRITE, 0 },
	{ { "read", "what is denied cannot be read" },
	  "read", AT(secret), false, SPEC_ALLOW_READ, 0 },
	{ { "names", "hooks of git stay as they are in a writable place" },
	  "write", AT(hook), false, SPEC_LISTS, JAIL_NO_NAMES },
	{ { "new-names",
	    "a new name that programs outside act on is set aside" },
	  "write", AT(late), false, SPEC_LISTS, JAIL_NO_SWEEP },
	{ { "tmp", "files of others in /tmp are out of sight" },
	  "read", AT(tmp), false, SPEC_ALLOW_READ, 0 },
	{ { "path-sockets", "sockets of the host cannot be connected to" },
	  "unix", AT(sock), false, SPEC_ALLOW_SOCKETS, 0 },
	{ { "abstract-sockets", "nor those without a file" },
	  "unix", AT(abstract), false, SPEC_LISTS,
	  JAIL_HOST_NET | JAIL_NO_LANDLOCK },
	{ { "network", "servers of this machine cannot be reached" },
	  "tcp", IN(port), false, SPEC_LISTS, JAIL_HOST_NET },
	{ { "proxy", "the proxy leads to allowed hosts alone" },
	  "proxy", IN(port), true, SPEC_ALLOW_DOMAINS, 0 },
	{ { "processes", "other processes cannot be signalled" },
	  "signal", IN(pid), false, SPEC_LISTS, JAIL_NOT_AT_ALL },
	{ { "ipc", "shared memory of the host is out of sight" },
	  "shm", IN(shm), false, SPEC_LISTS, JAIL_NOT_AT_ALL },
	{ { "namespaces", "no new namespaces" },
	  "namespace", IN(port), false, SPEC_LISTS, JAIL_NO_FILTER },
	{ { "system-calls", "io_uring and its like are refused" },
	  "uring", IN(port), false, SPEC_LISTS, JAIL_NO_FILTER },
	{ { "abi", "calls of another ABI are refused" },
	  "abi", IN(port), false, SPEC_LISTS, JAIL_NO_FILTER },
	{ { "terminal", "nothing can be typed into a terminal" },
	  "terminal", IN(port), false, SPEC_LISTS, JAIL_NO_FILTER },
	{ { "keys", "keys of the session's keyring are out of reach" },
	  "key", IN(port), false, SPEC_LISTS, JAIL_NOT_AT_ALL },
	{ { "limits", "no more processes than the settings say" },
	  "forks", IN(port), false, SPEC_LISTS, 0 },
	{ { "rights", "no set-uid program gives rights" },
	  "rights", IN(port), false, SPEC_LISTS, JAIL_NOT_AT_ALL },
	{ { "environment", "variables that look like secrets are gone" },
	  "environment", SIZE_MAX, false, false, SPEC_ENV_PASS, 0 },
};

const struct claim *
prove_claim(size_t i)
{
	return i < ARRAY_LEN(rows) ? &rows[i].claim : NULL;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st, (void)type, (void)f;
	return remove(path);
}

static void
clear(struct scenery *s)
{
	int fds[] = { s->tcp, s->path, s->name };

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] != -1)
			close(fds[i]);
	if (s->shm_id != -1)
		shmctl(s->shm_id, IPC_RMID, NULL);
	if (s->tmp != NULL)
		unlink(s->tmp);
	if (s->dir != NULL)
		nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(s->dir);
	free(s->out);
	free(s->secret);
	free(s->hook);
	free(s->sock);
	free(s->abstract);
	free(s->late);
	free(s->tmp);
}

static int
listen_tcp(struct scenery *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof a;

	s->tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->tcp == -1 || bind(s->tcp, (struct sockaddr *)&a, n) == -1 ||
	    listen(s->tcp, 8) == -1 ||
	    getsockname(s->tcp, (struct sockaddr *)&a, &n) == -1)
		return -1;
	snprintf(s->port, sizeof s->port, "%u", ntohs(a.sin_port));
	return 0;
}

static int
listen_unix(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = strlen(name);

	if (fd == -1 || n >= sizeof a.sun_path)
		return fd;
	memcpy(a.sun_path, name, n);
	if (name[0] == '@')
		a.sun_path[0] = '\0';
	if (bind(fd, (struct sockaddr *)&a, (socklen_t)(offsetof(
	    struct sockaddr_un, sun_path) + n + (name[0] != '@'))) == -1 ||
	    listen(fd, 8) == -1) {
		close(fd);
		return -1;
	}
	return fd;
}

static int
make_file(const char *path)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC |
	    O_NOFOLLOW, 0600);

	return fd != -1 && write(fd, "x", 1) == 1 ? 0 : -1;
}

/* A directory in home: /tmp is not the jail's own /tmp. */
static int
make_places(struct scenery *s)
{
	auto_free char *work = NULL, *git = NULL, *hooks = NULL, *away = NULL;

	s->dir = xasprintf("%s/.sandbox-verify.XXXXXX", s->prove->home);
	if (mkdtemp(s->dir) == NULL) {
		free(s->dir);
		s->dir = NULL;
		return -1;
	}
	work = xasprintf("%s/work", s->dir);
	git = xasprintf("%s/.git", work);
	hooks = xasprintf("%s/hooks", git);
	away = xasprintf("%s/away", s->dir);
	s->out = xasprintf("%s/out", away);
	s->secret = xasprintf("%s/secret", s->dir);
	s->hook = xasprintf("%s/pre-commit", hooks);
	s->sock = xasprintf("%s/sock", s->dir);
	s->late = xasprintf("%s/.bashrc", work);
	s->tmp = xasprintf("/tmp/sandbox-verify-%d", (int)getpid());
	s->abstract = xasprintf("@sandbox-verify-%d", (int)getpid());
	if (mkdir(work, 0700) == -1 || mkdir(git, 0700) == -1 ||
	    mkdir(hooks, 0700) == -1 || mkdir(away, 0700) == -1)
		return -1;
	return make_file(s->secret) == -1 || make_file(s->tmp) == -1 ? -1 :
	    make_file(s->hook);
}

static int
make(const struct prove *p, struct scenery *s, struct err *e)
{
	*s = (struct scenery){ .prove = p, .tcp = -1, .path = -1, .name = -1,
	    .shm_id = -1 };
	if (make_places(s) == -1 || listen_tcp(s) == -1 ||
	    (s->path = listen_unix(s->sock)) == -1 ||
	    (s->name = listen_unix(s->abstract)) == -1)
		return err_sys(e, "cannot make what the probes aim at in "
		    "'%.80s'", p->home);
	s->shm_id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	snprintf(s->shm, sizeof s->shm, "%d", s->shm_id);
	snprintf(s->pid, sizeof s->pid, "%d", (int)getpid());
	syscall(SYS_add_key, "user", PROVE_KEY, "x", 1UL,
	    KEY_SPEC_SESSION_KEYRING);
	return 0;
}

static const char *
aim(const struct scenery *s, const struct row *r)
{
	const char *at = (const char *)s + r->what;
	char *text;

	if (r->what == SIZE_MAX)
		return SECRET;
	if (r->inline_text)
		return at;
	memcpy(&text, at, sizeof text);
	return text;
}

/* The probe as anybody's child. */
static int
run_free(const struct scenery *s, char *const argv[], char *const envp[],
    struct err *e)
{
	const struct spawn sp = { .path = s->prove->program, .argv = argv,
	    .envp = envp, .cwd_fd = -1 };
	pid_t pid;
	int status;

	if (spawn(&sp, &pid, e) == -1)
		return -1;
	while (waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			return err_sys(e, "cannot wait for a probe");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* Settings that hold every claim, but for the one to be left out. */
static void
make_spec(const struct scenery *s, const struct row *r, bool open,
    struct spec *spec)
{
	spec_init(spec);
	list_add(&spec->list[SPEC_ALLOW_WRITE], xasprintf("%s/work", s->dir));
	list_add(&spec->list[SPEC_DENY_READ], xstrdup(s->secret));
	list_add(&spec->list[SPEC_ALLOW_READ], xstrdup(s->prove->program));
	if (strcmp(r->probe, "forks") == 0)
		spec->processes = open ? SPEC_PROCESSES : PROVE_FORKS / 2;
	if (r->network)
		list_add(&spec->list[SPEC_ALLOW_DOMAINS],
		    xstrdup("allowed.invalid"));
	if (!open || r->opens == SPEC_LISTS)
		return;
	if (r->opens == SPEC_ALLOW_DOMAINS)
		list_add(&spec->list[r->opens], xasprintf("127.0.0.1:%s",
		    s->port));
	else if (r->opens == SPEC_ALLOW_WRITE)
		list_add(&spec->list[r->opens], xasprintf("%s/away", s->dir));
	else
		list_add(&spec->list[r->opens], xstrdup(aim(s, r)));
}

static int
run_jailed(const struct scenery *s, const struct row *r, char *const argv[],
    char *const envp[], struct err *e)
{
	bool open = s->prove->without != NULL &&
	    strcmp(s->prove->without, r->claim.name) == 0;
	auto_free char *work = xasprintf("%s/work", s->dir);
	auto_spec struct spec spec = { 0 };
	const struct list none = { 0 };
	struct jail jail = { .spec = &spec, .closed = &none,
	    .argv = argv, .environ = envp,
	    .place = { .cwd = work, .home = s->prove->home },
	    .proxy = r->network ? s->prove->proxy : NULL,
	    .without = open ? r->without : 0 };
	int status;

	if (open && r->without == JAIL_NOT_AT_ALL)
		return run_free(s, argv, envp, e);
	make_spec(s, r, open, &spec);
	if (jail_run(&jail, &status, e) == -1)
		return -1;
	/* It could be made; does it stay? */
	if (status == 0 && s->late != NULL && aim(s, r) == s->late)
		status = access(s->late, F_OK) == 0 ? 0 : 1;
	return status;
}

static enum proof
prove_one(const struct scenery *s, const struct row *r, struct err *e)
{
	auto_free char *name = xstrdup("sandbox");
	auto_free char *program = xstrdup(s->prove->program);
	auto_free char *probe = xstrdup(r->probe);
	auto_free char *what = xstrdup(aim(s, r));
	char verify[] = "verify", option[] = "--probe", home[] = "HOME=/";
	char secret[] = SECRET "=x";
	char *outside[] = { name, verify, option, probe, what, NULL };
	char *inside[] = { program, verify, option, probe, what, NULL };
	char *envp[] = { home, secret, NULL };
	int rc = run_free(s, outside, envp, e);

	if (rc == -1)
		return PROOF_FAIL;
	if (rc != 0) {
		err_set(e, ERR_NEGATIVE, "the attack does not work outside "
		    "either");
		return PROOF_UNAVAILABLE;
	}
	if (s->late != NULL)
		unlink(s->late);	/* the free one has made it */
	rc = run_jailed(s, r, inside, envp, e);
	if (rc == 1)
		return PROOF_PASS;
	if (rc == 0)
		err_set(e, ERR_NEGATIVE, "the attack works inside");
	else if (rc > 0)
		err_set(e, ERR_NEGATIVE, "the attack could not be tried: it "
		    "ended with %d", rc);
	return PROOF_FAIL;
}

int
prove_all(const struct prove *p, void (*tell)(void *, const struct claim *,
    enum proof, const char *), void *arg, struct err *e)
{
	struct scenery s;
	int rc = make(p, &s, e);

	for (size_t i = 0; i < ARRAY_LEN(rows) && rc == 0; i++) {
		struct err why = { 0 };
		enum proof got = prove_one(&s, &rows[i], &why);

		tell(arg, &rows[i].claim, got, got == PROOF_PASS ? "" :
		    why.text);
	}
	clear(&s);
	return rc;
}
