#include "jail/ids.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/reason.h"

#include "common/banned.h"

static int
write_map(const char *path, const char *text, struct err *e)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd == -1 || write(fd, text, strlen(text)) == -1)
		return err_sys(e, "cannot write '%s'", path);
	return 0;
}

int
ids_map(uid_t user, gid_t group, struct err *e)
{
	auto_free char *uid = xasprintf("%u %u 1", user, user);
	auto_free char *gid = xasprintf("%u %u 1", group, group);

	if (write_map("/proc/self/setgroups", "deny", e) == -1 ||
	    write_map("/proc/self/uid_map", uid, e) == -1 ||
	    write_map("/proc/self/gid_map", gid, e) == -1)
		return reason_add(e);
	return 0;
}
