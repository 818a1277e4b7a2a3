#include "common/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"

#include "common/banned.h"

int
proc_read(pid_t pid, struct proc_id *ret, pid_t *ret_parent, struct err *e)
{
	char path[40], buf[1024];
	unsigned long long start = 0;
	ssize_t n;
	int ppid = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);

	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd == -1)
		return err_sys(e, "cannot open '%s'", path);
	n = read(fd, buf, sizeof buf - 1);
	if (n <= 0)
		return err_sys(e, "cannot read '%s'", path);
	buf[n] = '\0';
	/* The command name may hold anything, ')' included: use the last. */
	char *p = strrchr(buf, ')');
	if (p == NULL || sscanf(p + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u "
	    "%*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &ppid, &start) != 2)
		return err_set(e, ERR_SYSTEM, "cannot read '%s'", path);
	*ret = (struct proc_id){ .pid = pid, .start = start };
	if (ret_parent != NULL)
		*ret_parent = (pid_t)ppid;
	return 0;
}

bool
proc_alive(const struct proc_id *p)
{
	struct proc_id now = { 0 };

	return proc_read(p->pid, &now, NULL, NULL) == 0 &&
	    now.start == p->start;
}

int
proc_ancestors(struct proc_id *ret, size_t max, struct err *e)
{
	pid_t pid = getpid(), parent = 0;
	struct proc_id me;
	size_t n = 0;

	if (proc_read(pid, &me, &parent, e) == -1)
		return -1;
	while (n < max && parent > 0) {
		pid_t next = 0;

		if (proc_read(parent, &ret[n], &next, e) == -1) {
			/* It ended while we looked: we now hang off init. */
			if (e != NULL && e->sys == ENOENT)
				break;
			return -1;
		}
		n++;
		parent = next;
	}
	return (int)n;
}

int
proc_harden(struct err *e)
{
	const struct rlimit none = { 0, 0 };

	umask(077);
	return prctl(PR_SET_DUMPABLE, 0) == -1 ||
	    setrlimit(RLIMIT_CORE, &none) == -1 ?
	    err_sys(e, "cannot harden the process") : 0;
}
