#include "hooks/guard/caller.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "hooks/guard/sys.h"
#include "hooks/wire.h"

#include "common/banned.h"

#define ANCESTORS	8

/* The fourth field of /proc/PID/stat; the name before it may hold anything. */
static pid_t
parent_of(pid_t pid)
{
	char path[32] = "/proc/", buf[1024];
	const char *p, *end;
	ssize_t n;
	int fd;

	wire_put((uint32_t)pid, path + 6);
	memcpy(path + strlen(path), "/stat", 6);
	fd = sys_open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	n = sys_read(fd, buf, sizeof buf);
	sys_close(fd);
	p = n <= 0 ? NULL : memrchr(buf, ')', (size_t)n);
	end = buf + (n > 0 ? n : 0);
	if (p == NULL || end - p < 5)
		return 0;
	p += 4;		/* ") S " */
	return (pid_t)wire_number(&p, end, ' ', INT32_MAX);
}

/* The number an environment entry of that name has, or -1. */
static long
number_of(char **envp, const char *name)
{
	size_t n = strlen(name);

	for (; *envp != NULL; envp++)
		if (strncmp(*envp, name, n) == 0) {
			const char *p = *envp + n;

			return wire_number(&p, p + strlen(p) + 1, '\0',
			    INT32_MAX);
		}
	return -1;
}

pid_t
caller_client(char **envp)
{
	pid_t parent = sys_parent(), pid = parent;
	long said = number_of(envp, "SANDBOX_CLIENT=");

	if (said == -1)
		said = number_of(envp, "CLAUDE_PID=");
	for (int i = 0; i < ANCESTORS && said > 1 && pid > 1; i++) {
		if (pid == (pid_t)said)
			return pid;
		pid = parent_of(pid);
	}
	return parent;
}
