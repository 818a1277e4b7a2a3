/*
 * jail/filter/make.c - writes the system call filters as C, when the tree is
 * built: to make them at each start of a jail took a tenth of it.
 *
 *	make >filters.c
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/mem.h"

#include "common/banned.h"

#define LOW_32		0xffffffffU
#define NAMESPACES	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | \
			 CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
			 CLONE_NEWNET)
#define NEWTIME		0x80
#define IOPRIO_WHO_USER	3
#define OPEN_TREE_ATTR	467	/* newer than libseccomp's tables */

/* Refused as the kernel would that lacks them: programs have another way. */
static const int absent[] = {
	SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
	SCMP_SYS(io_uring_register),
};

static const int refused[] = {
	SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),
	SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
	SCMP_SYS(open_by_handle_at), SCMP_SYS(pidfd_getfd),
	SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot),
	SCMP_SYS(init_module), SCMP_SYS(finit_module),
	SCMP_SYS(delete_module), SCMP_SYS(swapon), SCMP_SYS(swapoff),
	SCMP_SYS(acct), SCMP_SYS(quotactl), SCMP_SYS(syslog),
	SCMP_SYS(settimeofday), SCMP_SYS(clock_settime),
	SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex), SCMP_SYS(iopl),
	SCMP_SYS(ioperm), SCMP_SYS(vhangup), SCMP_SYS(lookup_dcookie),
	SCMP_SYS(nfsservctl),
};

/* With `nested` these stay: a jail inside needs them. */
static const int mounting[] = {
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root),
	SCMP_SYS(chroot), SCMP_SYS(open_tree), SCMP_SYS(move_mount),
	SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount),
	SCMP_SYS(fspick), SCMP_SYS(mount_setattr), SCMP_SYS(setns),
	OPEN_TREE_ATTR,
};

/* Refuse one call with `error` when its arguments are like these. */
static int
refuse_if(scmp_filter_ctx f, int call, int error, unsigned n,
    const struct scmp_arg_cmp *args)
{
	return seccomp_rule_add_array(f, SCMP_ACT_ERRNO((unsigned)error), call,
	    n, args);
}

static struct scmp_arg_cmp
arg(unsigned which, enum scmp_compare how, uint64_t a, uint64_t b)
{
	return (struct scmp_arg_cmp){ which, how, a, b };
}

static int
refuse(scmp_filter_ctx f, const int *calls, size_t n, int error)
{
	for (size_t i = 0; i < n; i++) {
		int rc = refuse_if(f, calls[i], error, 0, NULL);

		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Any of the namespace flags, one rule each: a rule compares one value. */
static int
refuse_namespaces(scmp_filter_ctx f)
{
	int rc = 0;

	for (unsigned bit = 0; bit < 32 && rc == 0; bit++) {
		uint64_t flag = 1UL << bit;
		struct scmp_arg_cmp has = arg(0, SCMP_CMP_MASKED_EQ, flag,
		    flag);

		/* clone() has no NEWTIME, its low byte is a signal. */
		if ((flag & NAMESPACES) != 0)
			rc = refuse_if(f, SCMP_SYS(clone), EPERM, 1, &has);
		if ((flag & (NAMESPACES | NEWTIME)) != 0 && rc == 0)
			rc = refuse_if(f, SCMP_SYS(unshare), EPERM, 1, &has);
	}
	/* A filter cannot see its flags; glibc falls back to clone. */
	return rc != 0 ? rc : refuse_if(f, SCMP_SYS(clone3), ENOSYS, 0, NULL);
}

/*
 * Families are compared whole: a value with bits above the 32 that the kernel
 * reads is above AF_NETLINK, and refused.
 */
static int
refuse_sockets(scmp_filter_ctx f)
{
	static const int kept[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };
	struct scmp_arg_cmp above = arg(0, SCMP_CMP_GT, AF_NETLINK, 0);
	/* Protocol 0 is NETLINK_ROUTE: what getifaddrs asks. */
	struct scmp_arg_cmp netlink[] = {
		arg(0, SCMP_CMP_EQ, AF_NETLINK, 0), arg(2, SCMP_CMP_NE, 0, 0),
	};
	int rc = 0;

	for (int family = 0; family < AF_NETLINK && rc == 0; family++) {
		struct scmp_arg_cmp is = arg(0, SCMP_CMP_EQ,
		    (unsigned)family, 0);
		bool keep = false;

		for (size_t i = 0; i < ARRAY_LEN(kept); i++)
			keep |= kept[i] == family;
		if (!keep)
			rc = refuse_if(f, SCMP_SYS(socket), EAFNOSUPPORT, 1,
			    &is);
	}
	if (rc == 0)
		rc = refuse_if(f, SCMP_SYS(socket), EAFNOSUPPORT, 1, &above);
	if (rc == 0)
		rc = refuse_if(f, SCMP_SYS(socket), EPROTONOSUPPORT, 2,
		    netlink);
	/* The only other family that makes pairs is TIPC. */
	return rc != 0 ? rc : refuse_if(f, SCMP_SYS(socketpair), EAFNOSUPPORT,
	    1, &(struct scmp_arg_cmp){ 0, SCMP_CMP_NE, AF_UNIX, 0 });
}

/* The kernel reads the low 32 bits of the request, so does this. */
static int
refuse_pushing(scmp_filter_ctx f)
{
	/* TIOCSETD: line disciplines are kernel code that nobody needs. */
	static const unsigned requests[] = { TIOCSTI, TIOCLINUX, TIOCCONS,
	    TIOCSETD };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(requests) && rc == 0; i++) {
		struct scmp_arg_cmp is = arg(1, SCMP_CMP_MASKED_EQ, LOW_32,
		    requests[i]);

		rc = refuse_if(f, SCMP_SYS(ioctl), EPERM, 1, &is);
	}
	return rc;
}

/*
 * The kernel lets everyone set the limits and the turns of everyone with the
 * same user id, and process 1 has to sweep when the command is over.  A pid is
 * the low half; 1 is the group of process 1 as well.  PRIO_USER and
 * IOPRIO_WHO_USER are all at once.  A lease keeps others outside from writing
 * to a file of the user's.
 */
static int
refuse_meddling(scmp_filter_ctx f)
{
	static const struct { int call; unsigned which, value; } t[] = {
		{ SCMP_SYS(prlimit64), 0, 1 },
		{ SCMP_SYS(sched_setscheduler), 0, 1 },
		{ SCMP_SYS(sched_setparam), 0, 1 },
		{ SCMP_SYS(sched_setattr), 0, 1 },
		{ SCMP_SYS(sched_setaffinity), 0, 1 },
		{ SCMP_SYS(setpriority), 1, 1 },
		{ SCMP_SYS(setpriority), 0, PRIO_USER },
		{ SCMP_SYS(ioprio_set), 1, 1 },
		{ SCMP_SYS(ioprio_set), 0, IOPRIO_WHO_USER },
		{ SCMP_SYS(fcntl), 1, F_SETLEASE },
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(t) && rc == 0; i++) {
		struct scmp_arg_cmp is = arg(t[i].which, SCMP_CMP_MASKED_EQ,
		    LOW_32, t[i].value);

		rc = refuse_if(f, t[i].call, EPERM, 1, &is);
	}
	return rc;
}

/* What a jailed command may not do. */
static int
fill_jail(scmp_filter_ctx f, bool nested)
{
	int rc = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH,
	    SCMP_ACT_ERRNO(ENOSYS));

	if (rc == 0)
		rc = refuse(f, absent, ARRAY_LEN(absent), ENOSYS);
	if (rc == 0)
		rc = refuse(f, refused, ARRAY_LEN(refused), EPERM);
	if (rc == 0 && !nested)
		rc = refuse(f, mounting, ARRAY_LEN(mounting), EPERM);
	if (rc == 0 && !nested)
		rc = refuse_namespaces(f);
	if (rc == 0)
		rc = refuse_sockets(f);
	if (rc == 0)
		rc = refuse_pushing(f);
	if (rc == 0)
		rc = refuse_meddling(f);
	return rc;
}

static const int proxys[] = {
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
fill_plain(scmp_filter_ctx f)
{
	return fill_jail(f, false);
}

static int
fill_nested(scmp_filter_ctx f)
{
	return fill_jail(f, true);
}

/* All that the proxy may do. */
static int
fill_proxy(scmp_filter_ctx f)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(proxys) && rc == 0; i++)
		rc = seccomp_rule_add(f, SCMP_ACT_ALLOW, proxys[i], 0);
	return rc == 0 ? keep_sockets(f) : rc;
}

static const struct {
	const char	*name;
	int		(*fill)(scmp_filter_ctx);
	uint32_t	 otherwise;
} filters[] = {
	{ "jail", fill_plain, SCMP_ACT_ALLOW },
	{ "nested", fill_nested, SCMP_ACT_ALLOW },
	{ "proxy", fill_proxy, SCMP_ACT_ERRNO(EPERM) },
};

static int
print(const char *name, int fd)
{
	struct sock_filter f;
	unsigned n = 0;

	printf("\nstatic const struct sock_filter %s[] = {\n", name);
	while (read(fd, &f, sizeof f) == (ssize_t)sizeof f && ++n != 0)
		printf("\t{ %#x, %u, %u, %#x },\n", f.code, f.jt, f.jf, f.k);
	printf("};\nconst struct filter filter_%s = { %s, %u };\n", name, name,
	    n);
	return n == 0 ? -1 : 0;
}

int
main(void)
{
	printf("/* Made by jail/filter/make.c. */\n"
	    "#include \"jail/filter.h\"\n");
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		scmp_filter_ctx f = seccomp_init(filters[i].otherwise);
		int fd = memfd_create("filter", 0);

		if (f == NULL || fd == -1 || filters[i].fill(f) != 0 ||
		    seccomp_export_bpf(f, fd) != 0 ||
		    lseek(fd, 0, SEEK_SET) == -1 ||
		    print(filters[i].name, fd) == -1) {
			fprintf(stderr, "cannot make the filter '%s'\n",
			    filters[i].name);
			return 1;
		}
		close(fd);
		seccomp_release(f);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
