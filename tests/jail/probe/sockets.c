/* tests/jail/probe/sockets.c - out of the jail by a socket. */
#include "tests/jail/probe/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_MS	4000
#define I386_SOCKET	359L		/* its number for 32 bit programs */
#define X32_BIT		0x40000000L

static int
number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

static int
ask(int fd, const char *how)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	char answer[100] = "";

	if (write(fd, "GET /probe\r\n\r\n", 14) == -1 ||
	    poll(&in, 1, ANSWER_MS) < 1 ||
	    read(fd, answer, sizeof answer - 1) == -1)
		return held("no answer");
	return strstr(answer, PROBE_MARK) != NULL ? escaped(how) :
	    held("another answer");
}

/* PATH */
static int
by_path(char **args)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(to.sun_path, sizeof to.sun_path, "%s", args[0]);
	if (fd == -1 || connect(fd, (struct sockaddr *)&to, sizeof to) == -1)
		return held("connect");
	return ask(fd, "talked to a socket of the host");
}

/* NAME: an abstract one */
static int
by_name(char **args)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int n = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "%s",
	    args[0]);

	if (fd == -1 || connect(fd, (struct sockaddr *)&to,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	    (size_t)n)) == -1)
		return held("connect");
	return ask(fd, "talked to an abstract socket of the host");
}

/* HOST PORT TEXT; HOST is a numeric address */
static int
by_tcp(char **args)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)number(args[1])) };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6,
		.sin6_port = to.sin_port };
	const struct timeval most = { .tv_sec = ANSWER_MS / 1000 };
	bool six = strchr(args[0], ':') != NULL;
	int fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
	char answer[200];

	if (fd == -1)
		return held("socket");
	(void)inet_pton(six ? AF_INET6 : AF_INET, args[0],
	    six ? (void *)&to6.sin6_addr : (void *)&to.sin_addr);
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
	if (connect(fd, six ? (struct sockaddr *)&to6 : (struct sockaddr *)&to,
	    six ? sizeof to6 : sizeof to) == -1)
		return held("connect");
	if (write(fd, args[2], strlen(args[2])) == -1)
		return held("write");
	return expect_failure(read(fd, answer, sizeof answer) - 1,
	    "an answer by TCP");
}

/* FAMILY TYPE PROTOCOL */
static int
by_kind(char **args)
{
	return expect_failure(socket(number(args[0]), number(args[1]),
	    number(args[2])), "a socket");
}

/* PATH: by the system calls of 32 bit programs */
static int
by_i386(char **args)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	long fd;

	__asm__ volatile("int $0x80" : "=a"(fd) : "a"(I386_SOCKET),
	    "b"((long)AF_UNIX), "c"((long)SOCK_STREAM), "d"(0L) :
	    "r8", "r9", "r10", "r11", "memory");
	if (fd < 0) {
		errno = (int)-fd;
		return held("a socket by int 0x80");
	}
	snprintf(to.sun_path, sizeof to.sun_path, "%s", args[0]);
	if (connect((int)fd, (struct sockaddr *)&to, sizeof to) == 0)
		(void)ask((int)fd, "talked by int 0x80");
	return escaped("a socket by int 0x80");
}

static int
by_x32(char **args)
{
	(void)args;
	return expect_failure(syscall(SYS_socket | X32_BIT, AF_UNIX,
	    SOCK_STREAM, 0), "a socket by x32");
}

const struct attack socket_attacks[] = {
	{ "unix", 1, by_path }, { "abs", 1, by_name }, { "tcp", 3, by_tcp },
	{ "sock", 3, by_kind }, { "int80", 1, by_i386 },
	{ "x32", 0, by_x32 }, { NULL, 0, NULL }
};
