#include "jail/proxy/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "common/mem.h"
#include "jail/harden.h"

#include "common/banned.h"

static const int kept[] = {
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev),
	SCMP_SYS(recvfrom), SCMP_SYS(sendto), SCMP_SYS(recvmsg),
	SCMP_SYS(sendmsg), SCMP_SYS(splice), SCMP_SYS(pipe2),
	SCMP_SYS(accept4), SCMP_SYS(connect), SCMP_SYS(shutdown),
	SCMP_SYS(getsockname), SCMP_SYS(getsockopt), SCMP_SYS(setsockopt),
	SCMP_SYS(close), SCMP_SYS(lseek), SCMP_SYS(fcntl), SCMP_SYS(fstat),
	SCMP_SYS(newfstatat), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_ctl), SCMP_SYS(mmap), SCMP_SYS(munmap),
	SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise),
	SCMP_SYS(mprotect), SCMP_SYS(futex), SCMP_SYS(getrandom),
	SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(getpid),
	SCMP_SYS(gettid), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(sched_yield),
	SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

/* Internet sockets of the two kinds we speak. */
static int
keep_sockets(scmp_filter_ctx f)
{
	static const unsigned families[] = { AF_INET, AF_INET6 };
	static const unsigned types[] = { SOCK_STREAM, SOCK_DGRAM };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(families) * ARRAY_LEN(types) &&
	    rc == 0; i++) {
		const struct scmp_arg_cmp is[] = {
			{ 0, SCMP_CMP_EQ, families[i / 2], 0 },
			{ 1, SCMP_CMP_MASKED_EQ, 0xf, types[i % 2] },
			{ 2, SCMP_CMP_EQ, 0, 0 },
		};

		rc = seccomp_rule_add_array(f, SCMP_ACT_ALLOW,
		    SCMP_SYS(socket), ARRAY_LEN(is), is);
	}
	return rc;
}

static int
keep_calls(struct err *e)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc = f == NULL ? -ENOMEM : 0;

	for (size_t i = 0; i < ARRAY_LEN(kept) && rc == 0; i++)
		rc = seccomp_rule_add(f, SCMP_ACT_ALLOW, kept[i], 0);
	if (rc == 0)
		rc = keep_sockets(f);
	if (rc == 0)
		rc = seccomp_load(f);
	if (f != NULL)
		seccomp_release(f);
	if (rc != 0) {
		errno = -rc;
		return err_sys(e, "cannot build the proxy's filter");
	}
	return 0;
}

int
confine(struct err *e)
{
	struct rlimit none = { 0, 0 };

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1 ||
	    setrlimit(RLIMIT_CORE, &none) == -1)
		return err_sys(e, "cannot close this process");
	if (harden_plain(e) == -1 || harden_no_files(e) == -1)
		return -1;
	return keep_calls(e);
}
