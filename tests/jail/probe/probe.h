/*
 * tests/jail/probe - what a program inside the jail might try.
 *
 *	probe ATTACK [ARGUMENT...]
 *
 * Prints one line, "ESCAPED ..." and ends with 0 where the attack works, or
 * "held ..." and ends with 1.  It is one static program that needs nothing of
 * the machine, and speaks to the kernel where a library would be in the way.
 * The attacks that plant something before the jail starts (plant_attacks) go
 * on with the program behind their own arguments.
 */
#ifndef TESTS_JAIL_PROBE_H
#define TESTS_JAIL_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PROBE_MARK	"HOSTSVC"	/* what services of the host answer */
#define PROBE_FD	7		/* where what leaks is put */

struct attack {
	const char	*name;
	int		 args;		/* that it needs at least */
	int		(*run)(char **args);
};

/* Each ends with a NULL name. */
extern const struct attack file_attacks[], kernel_attacks[], mount_attacks[],
		plant_attacks[], process_attacks[], socket_attacks[],
		terminal_attacks[];

int	escaped(const char *what);
int	held(const char *what);		/* and why: errno */
/* `result` of a call that should have failed. */
int	expect_failure(long result, const char *what);

/* Up to size - 1 bytes and a NUL; -1: it cannot be opened or read. */
ssize_t	read_file(const char *path, char *ret, size_t size);
int	write_file(const char *path, int flags, const char *text);
bool	file_has(const char *path, const char *text);

/*
 * The processes of /proc, this one left out; 0 at the end.  `family`: its
 * parent and other probes, too.
 */
struct pids;
struct pids *pids_open(bool family);
pid_t	pids_next(struct pids *);
void	pids_close(struct pids *);

/* A user namespace in which this process is root, and `more` of CLONE_NEW*. */
int	become_root(int more);

#endif
