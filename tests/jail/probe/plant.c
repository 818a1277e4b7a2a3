/*
 * tests/jail/probe/plant.c - what is lying about when the jail starts: left
 * open, in a keyring, in shared memory.
 */
#include "tests/jail/probe/probe.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define SHM_KEY		0x4a4c
#define EXEC_FAILED	3

static int
go_on(int fd, char **program)
{
	if (fd == -1)
		perror("probe: leak");
	if (fd != PROBE_FD) {
		dup2(fd, PROBE_FD);
		close(fd);
	}
	execvp(program[0], program);
	return EXEC_FAILED;
}

/* --- descriptors: FILE | DIR | SOCKET, PROGRAM... --- */

static int
leak_file(char **args)
{
	return go_on(open(args[0], O_RDONLY), args + 1);
}

static int
leak_dir(char **args)
{
	return go_on(open(args[0], O_RDONLY | O_DIRECTORY), args + 1);
}

static int
leak_socket(char **args)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s", args[0]);
	if (connect(fd, (struct sockaddr *)&at, sizeof at) == -1)
		perror("probe: connect");
	return go_on(fd, args + 1);
}

static int
use_files(char **args)
{
	char path[64], where[512], text[64];
	struct stat st;

	(void)args;
	for (int fd = 3; fd < 1024; fd++) {
		ssize_t n;

		if (fstat(fd, &st) == -1)
			continue;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		n = readlink(path, where, sizeof where - 1);
		where[n > 0 ? n : 0] = '\0';
		printf("descriptor %d is %s\n", fd, where);
		n = S_ISREG(st.st_mode) ? pread(fd, text, sizeof text - 1, 0) :
		    0;
		text[n > 0 ? n : 0] = '\0';
		if (strstr(text, "FDSECRET") != NULL)
			return escaped("read what was left open");
	}
	return held("no descriptor has it");
}

static int
use_dir(char **args)
{
	return expect_failure(openat(PROBE_FD, args[0], O_WRONLY | O_CREAT,
	    0644), "wrote through a directory left open");
}

static int
use_socket(char **args)
{
	char answer[64] = "";

	(void)args;
	if (write(PROBE_FD, "leaked\r\n\r\n", 10) == -1)
		return held("a socket left open");
	if (read(PROBE_FD, answer, sizeof answer - 1) == -1)
		return held("no answer");
	return strstr(answer, PROBE_MARK) != NULL ?
	    escaped("used a socket left open") : held("another answer");
}

/* --- the session's keyring: PROGRAM... --- */

static int
leave_key(char **args)
{
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, "jl");
	syscall(SYS_add_key, "user", "jlsecret", "KEYSECRET", 9,
	    KEY_SPEC_SESSION_KEYRING);
	execvp(args[0], args);
	return EXEC_FAILED;
}

static int
use_key(char **args)
{
	char text[32];
	long key = syscall(SYS_request_key, "user", "jlsecret", NULL,
	    KEY_SPEC_SESSION_KEYRING);

	(void)args;
	if (key == -1)
		key = syscall(SYS_keyctl, KEYCTL_SEARCH,
		    KEY_SPEC_SESSION_KEYRING, "user", "jlsecret", 0);
	if (key == -1)
		return held("no key");
	return expect_failure(syscall(SYS_keyctl, KEYCTL_READ, key, text,
	    sizeof text) - 1, "read a key of the host's session");
}

/* --- shared memory --- */

static int
leave_memory(char **args)
{
	int id = shmget(SHM_KEY, 4096, IPC_CREAT | 0666);
	char *at = id == -1 ? (char *)-1 : shmat(id, NULL, 0);

	(void)args;
	if (at == (char *)-1)
		return held("shmget");
	snprintf(at, 4096, "SHMSECRET");
	return 0;
}

static int
use_memory(char **args)
{
	int id = shmget(SHM_KEY, 0, 0);
	const char *at = id == -1 ? (char *)-1 : shmat(id, NULL, 0);

	(void)args;
	if (at == (const char *)-1)
		return held("shmget");
	return strstr(at, "SHMSECRET") != NULL ?
	    escaped("read the host's shared memory") : held("empty");
}

static int
take_memory(char **args)
{
	(void)args;
	return shmctl(shmget(SHM_KEY, 0, 0), IPC_RMID, NULL) == -1;
}

const struct attack plant_attacks[] = {
	{ "leakfd", 2, leak_file }, { "leakdir", 2, leak_dir },
	{ "leaksock", 2, leak_socket }, { "fds", 0, use_files },
	{ "usedir", 1, use_dir }, { "usesock", 0, use_socket },
	{ "keyplant", 1, leave_key }, { "keyread", 0, use_key },
	{ "shmplant", 0, leave_memory }, { "shmread", 0, use_memory },
	{ "shmrm", 0, take_memory }, { NULL, 0, NULL }
};
