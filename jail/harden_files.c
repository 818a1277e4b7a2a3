/* jail/harden_files.c - Landlock.  The header of the build machine may be
 * older than its kernel, so the numbers stand here. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/mem.h"
#include "jail/harden.h"

#include "common/banned.h"

enum {
	LL_EXECUTE = 1 << 0, LL_WRITE_FILE = 1 << 1, LL_READ_FILE = 1 << 2,
	LL_READ_DIR = 1 << 3, LL_REFER = 1 << 13, LL_TRUNCATE = 1 << 14,
	LL_IOCTL_DEV = 1 << 15
};
#define LL_SCOPES	3	/* abstract unix sockets, signals */
#define LL_FILE		(LL_EXECUTE | LL_WRITE_FILE | LL_READ_FILE | \
			 LL_TRUNCATE | LL_IOCTL_DEV)
#define LL_VERSION	1U
#define LL_PATH_BENEATH	1

struct ll_ruleset {
	uint64_t	fs, net, scoped;
};

struct ll_beneath {
	uint64_t	access;
	int32_t		fd;
} __attribute__((packed));

/* All that a kernel of this ABI can handle. */
static uint64_t
handled(long abi)
{
	uint64_t all = (1U << 13) - 1;

	if (abi >= 2)
		all |= LL_REFER;
	if (abi >= 3)
		all |= LL_TRUNCATE;
	if (abi >= 5)
		all |= LL_IOCTL_DEV;
	return all;
}

static int
permit(int rules, const char *path, uint64_t access, struct err *e)
{
	auto_close int fd = open(path, O_PATH | O_CLOEXEC);
	struct ll_beneath b = { .access = access, .fd = fd };
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		return err_sys(e, "cannot open '%s' for Landlock", path);
	if (!S_ISDIR(st.st_mode))
		b.access &= LL_FILE;
	if (syscall(SYS_landlock_add_rule, rules, LL_PATH_BENEATH, &b, 0) ==
	    -1)
		return err_sys(e, "cannot add '%s' to Landlock", path);
	return 0;
}

long
harden_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LL_VERSION);
}

/* An empty set of rules, and all that this kernel can forbid. */
static int
ruleset(uint64_t *ret_all, struct err *e)
{
	long abi = harden_landlock();
	struct ll_ruleset r = { .fs = handled(abi), .scoped = LL_SCOPES };
	int rules;

	if (abi < 1)
		return err_sys(e, "this kernel has no Landlock, or it is not "
		    "switched on (boot with lsm=landlock,...)");
	rules = (int)syscall(SYS_landlock_create_ruleset, &r, abi >= 6 ?
	    sizeof r : sizeof r.fs, 0);
	if (rules == -1)
		return err_sys(e, "cannot make a Landlock ruleset");
	*ret_all = r.fs;
	return rules;
}

static int
enter(int rules, struct err *e)
{
	if (syscall(SYS_landlock_restrict_self, rules, 0) == -1)
		return err_sys(e, "cannot enter Landlock");
	return 0;
}

int
harden_no_files(struct err *e)
{
	uint64_t all;
	auto_close int rules = ruleset(&all, e);

	return rules == -1 ? -1 : enter(rules, e);
}

int
harden_files(const struct plan *p, struct err *e)
{
	uint64_t all = 0;
	auto_close int rules = ruleset(&all, e);

	if (rules == -1)
		return -1;
	if (permit(rules, "/", LL_EXECUTE | LL_READ_FILE | LL_READ_DIR |
	    (all & LL_IOCTL_DEV), e) == -1 ||
	    permit(rules, "/dev", all, e) == -1 ||
	    permit(rules, "/proc", all, e) == -1)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		if ((p->v[i].kind == OP_WRITE || p->v[i].kind == OP_PRIVATE) &&
		    permit(rules, p->v[i].path, all, e) == -1)
			return -1;
	return enter(rules, e);
}
