/* jail/prove_probe.c - what an attacker would try, in the smallest form. */
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/net.h"
#include "jail/prove.h"

#include "common/banned.h"

static bool
try_write(const char *path)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd != -1 && write(fd, "x", 1) == 1;
}

static bool
try_read(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char c;

	return fd != -1 && read(fd, &c, 1) == 1;
}

static int
dial(unsigned port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd == -1 || connect(fd, (struct sockaddr *)&a, sizeof a) == -1)
		return -1;
	return fd_steal(&fd);
}

static bool
try_tcp(const char *port)
{
	auto_close int fd = dial((unsigned)strtoul(port, NULL, 10));

	return fd != -1;
}

/* Through the proxy where there is one: a host nobody allowed. */
static bool
try_proxy(const char *port)
{
	auto_free char *ask = xasprintf("CONNECT 127.0.0.1:%s HTTP/1.1\r\n\r\n",
	    port);
	char reply[64] = "";
	auto_close int fd = -1;

	if (getenv("http_proxy") == NULL)
		return try_tcp(port);
	fd = dial(NET_PORT);
	if (fd == -1 || send(fd, ask, strlen(ask), MSG_NOSIGNAL) == -1 ||
	    recv(fd, reply, 12, MSG_WAITALL) != 12)
		return false;
	return strncmp(reply, "HTTP/1.1 200", 12) == 0;
}

/* "@name" is abstract. */
static bool
try_unix(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = strlen(name);

	if (fd == -1 || n >= sizeof a.sun_path)
		return false;
	memcpy(a.sun_path, name, n);
	if (name[0] == '@')
		a.sun_path[0] = '\0';
	return connect(fd, (struct sockaddr *)&a, (socklen_t)(offsetof(
	    struct sockaddr_un, sun_path) + n + (name[0] != '@'))) == 0;
}

static bool
try_signal(const char *pid)
{
	return kill((pid_t)strtol(pid, NULL, 10), 0) == 0;
}

static bool
try_shm(const char *id)
{
	struct shmid_ds ds;

	return shmctl((int)strtol(id, NULL, 10), IPC_STAT, &ds) == 0;
}

static bool
try_namespace(const char *what)
{
	(void)what;
	return unshare(CLONE_NEWUSER) == 0;
}

/* A kernel that lacks it says ENOSYS, as the filter does. */
static bool
try_uring(const char *what)
{
	(void)what;
	return syscall(SYS_io_uring_setup, 1, NULL) == -1 && errno == EFAULT;
}

static bool
try_rights(const char *what)
{
	(void)what;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
}

/* getpid() as a 32-bit program calls it. */
static bool
try_abi(const char *what)
{
	(void)what;
#ifdef __x86_64__
	long rc = 20;

	__asm__ volatile("int $0x80" : "+a"(rc) : :
	    "r8", "r9", "r10", "r11", "memory");
	return rc == getpid();
#else
	return false;
#endif
}

/* Into one of our own, with bits above those that the kernel reads. */
static bool
type_something(void)
{
	auto_close int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int slave;

	setsid();
	signal(SIGHUP, SIG_IGN);	/* comes when we close it */
	if (master == -1 || unlockpt(master) == -1)
		return false;
	slave = ioctl(master, TIOCGPTPEER, O_RDWR);
	return slave != -1 && ioctl(slave, TIOCSCTTY, 0) == 0 &&
	    syscall(SYS_ioctl, slave, 1UL << 32 | TIOCSTI, "x") == 0;
}

/* Who leads a job already cannot begin a session. */
static bool
try_terminal(const char *what)
{
	pid_t pid = fork();
	int status;

	(void)what;
	if (pid == 0)
		_exit(type_something() ? 0 : 1);
	return pid != -1 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool
try_key(const char *what)
{
	(void)what;
	return syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING,
	    "user", PROVE_KEY, 0UL) != -1;
}

static bool
try_forks(const char *what)
{
	pid_t pids[PROVE_FORKS];
	size_t n = 0;

	(void)what;
	while (n < PROVE_FORKS && (pids[n] = fork()) > 0)
		n++;
	if (n < PROVE_FORKS && pids[n] == 0)
		for (;;)
			pause();
	for (size_t i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return n == PROVE_FORKS;
}

static bool
try_environment(const char *name)
{
	return getenv(name) != NULL;
}

static const struct {
	const char	*name;
	bool		(*try)(const char *what);
} probes[] = {
	{ "write", try_write }, { "read", try_read }, { "tcp", try_tcp },
	{ "proxy", try_proxy }, { "unix", try_unix },
	{ "signal", try_signal }, { "shm", try_shm },
	{ "namespace", try_namespace }, { "uring", try_uring },
	{ "rights", try_rights }, { "environment", try_environment },
	{ "abi", try_abi }, { "terminal", try_terminal }, { "key", try_key },
	{ "forks", try_forks },
};

int
prove_probe(const char *name, const char *what)
{
	for (size_t i = 0; i < ARRAY_LEN(probes); i++)
		if (strcmp(probes[i].name, name) == 0)
			return probes[i].try(what) ? 0 : 1;
	return 2;
}
