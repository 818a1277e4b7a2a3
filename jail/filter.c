#include "jail/filter.h"

#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jail/harden.h"

#include "common/banned.h"

int
filter_enter(const struct filter *f, struct err *e)
{
	const struct sock_fprog program = {
		.len = f->n,
		.filter = (struct sock_filter *)(uintptr_t)f->v,
	};

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == -1)
		return err_sys(e, "cannot enter the system call filter");
	return 0;
}

int
harden_calls(bool nested, struct err *e)
{
	return filter_enter(nested ? &filter_nested : &filter_jail, e);
}
