#include "jail/reason.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/harden.h"

#include "common/banned.h"

/* Settings that forbid what we need, and the value that does. */
static const struct {
	const char	*path;
	long		 bad;
	const char	*cure;
} known[] = {
	{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
	  "AppArmor forbids user namespaces: sysctl -w "
	  "kernel.apparmor_restrict_unprivileged_userns=0, or a profile with "
	  "`userns,` for sandbox" },
	{ "/proc/sys/kernel/unprivileged_userns_clone", 0,
	  "user namespaces are off: sysctl -w "
	  "kernel.unprivileged_userns_clone=1" },
	{ "/proc/sys/user/max_user_namespaces", 0,
	  "user namespaces are off: sysctl -w user.max_user_namespaces=10000" },
};

static long
read_number(const char *path)
{
	char buf[32];
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd == -1 ? -1 : read(fd, buf, sizeof buf - 1);

	if (n <= 0)
		return -1;
	buf[n] = '\0';
	return strtol(buf, NULL, 10);
}

int
reason_add(struct err *e)
{
	const char *cure = "a container or a security module may forbid it";
	char old[sizeof e->text];

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (read_number(known[i].path) == known[i].bad) {
			cure = known[i].cure;
			break;
		}
	snprintf(old, sizeof old, "%s", e->text);
	snprintf(e->text, sizeof e->text, "%.160s; %s", old, cure);
	return -1;
}

void
reason_describe(struct str *ret)
{
	/* What the second floor lacks below each version. */
	static const struct { long version; const char *lacks; } floors[] = {
		{ 3, "does not hold truncate()" },
		{ 6, "does not hold signals and abstract sockets, which the "
		  "namespaces do" },
	};
	long version = harden_landlock();

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		auto_free char *name = xstrdup(known[i].path +
		    strlen("/proc/sys/"));
		long value = read_number(known[i].path);

		if (value == -1)
			continue;
		for (char *s = name; (s = strchr(s, '/')) != NULL; )
			*s = '.';	/* as sysctl(8) writes it */
		str_addf(ret, "%s = %ld%s, ", name, value,
		    value == known[i].bad ? " (forbids it)" : "");
	}
	if (version < 1) {
		str_add(ret, "no Landlock (boot with lsm=landlock,...)");
		return;
	}
	str_addf(ret, "Landlock ABI %ld", version);
	for (size_t i = 0; i < ARRAY_LEN(floors); i++)
		if (version < floors[i].version) {
			str_addf(ret, " (%s)", floors[i].lacks);
			break;
		}
}
