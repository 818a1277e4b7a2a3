#include "jail/harden.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/banned.h"

static int
limit(int what, int64_t value, const char *name, struct err *e)
{
	struct rlimit now, want = { (rlim_t)value, (rlim_t)value };

	if (getrlimit((__rlimit_resource_t)what, &now) == -1)
		return err_sys(e, "cannot read the limit of %s", name);
	if (now.rlim_max != RLIM_INFINITY && now.rlim_max < want.rlim_max)
		want = (struct rlimit){ now.rlim_max, now.rlim_max };
	if (setrlimit((__rlimit_resource_t)what, &want) == -1)
		return err_sys(e, "cannot limit %s", name);
	return 0;
}

int
harden_session(const struct spec *spec, struct err *e)
{
	/* Inherited across namespaces, and full of the user's keys. */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) == -1 &&
	    errno != ENOSYS)
		return err_sys(e, "cannot make a session keyring");
	if (limit(RLIMIT_NPROC, spec->processes, "processes", e) == -1 ||
	    limit(RLIMIT_CORE, 0, "core files", e) == -1)
		return -1;
	return 0;
}

int
harden_memory(const struct spec *spec, struct err *e)
{
	return limit(RLIMIT_AS, spec->memory, "memory", e);
}

int
harden_plain(struct err *e)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { { 0 } };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return err_sys(e, "cannot set no_new_privs");
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1 ||
	    syscall(SYS_capset, &head, none) == -1)
		return err_sys(e, "cannot drop the capabilities");
	return 0;
}

int
harden_rights(struct err *e)
{
	unsigned long cap = 0;

	while (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
		cap++;
	/* EINVAL: this kernel knows no more of them. */
	if (errno != EINVAL)
		return err_sys(e, "cannot drop capability %lu", cap);
	return harden_plain(e);
}
