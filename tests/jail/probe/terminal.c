/* tests/jail/probe/terminal.c - typing for the human. */
#include "tests/jail/probe/probe.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

	return fd != -1 ? fd : STDIN_FILENO;
}

static int
type(char **args)
{
	int fd = terminal();

	(void)args;
	for (const char *p = "echo INJECTED\n"; *p != '\0'; p++)
		if (ioctl(fd, TIOCSTI, p) == -1)
			return held("TIOCSTI");
	return escaped("TIOCSTI");
}

/* The kernel looks at the low 32 bits only; does a filter? */
static int
type_high(char **args)
{
	const char byte = 'Z';

	(void)args;
	return expect_failure(syscall(SYS_ioctl, terminal(),
	    0xdeadbeef00000000UL | TIOCSTI, &byte),
	    "TIOCSTI with high bits");
}

const struct attack terminal_attacks[] = {
	{ "tiocsti", 0, type }, { "tiocsti64", 0, type_high },
	{ NULL, 0, NULL }
};
