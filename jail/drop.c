/* jail/drop.c - root becomes somebody else before it builds a jail. */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/visible.h"
#include "jail/enter.h"

#include "common/banned.h"

static int
parse_id(const char *text, uid_t *ret)
{
	size_t n = strlen(text);
	unsigned long v;

	if (n == 0 || n > 10 || strspn(text, "0123456789") != n)
		return -1;
	v = strtoul(text, NULL, 10);
	if (v >= UINT_MAX)
		return -1;
	*ret = (uid_t)v;
	return 0;
}

static const struct passwd *
find_user(const char *user, struct err *e)
{
	auto_free char *shown = visible_line(user);
	const struct passwd *pw;
	uid_t uid;

	errno = 0;
	pw = parse_id(user, &uid) == 0 ? getpwuid(uid) : getpwnam(user);
	if (pw == NULL)
		err_set(e, ERR_USAGE, "there is no user '%.80s'", shown);
	return pw;
}

int
jail_drop(const char *user, struct err *e)
{
	const struct passwd *pw;

	if (user == NULL && geteuid() == 0)
		user = getenv("SUDO_UID");
	if (user == NULL && geteuid() == 0)
		return err_set(e, ERR_PERMITTED, "root could undo these walls "
		    "from inside: name a user with --user");
	if (user == NULL)
		return 0;
	pw = find_user(user, e);
	if (pw == NULL)
		return -1;
	if (geteuid() != 0)
		return pw->pw_uid == geteuid() ? 0 : err_set(e, ERR_PERMITTED,
		    "only root can become another user");
	if (pw->pw_uid == 0)
		return err_set(e, ERR_PERMITTED, "root could undo these walls "
		    "from inside: name another user with --user");
	if (initgroups(pw->pw_name, pw->pw_gid) == -1 ||
	    setresgid(pw->pw_gid, pw->pw_gid, pw->pw_gid) == -1 ||
	    setresuid(pw->pw_uid, pw->pw_uid, pw->pw_uid) == -1)
		return err_sys(e, "cannot become '%s'", pw->pw_name);
	if (setuid(0) != -1 || geteuid() == 0)
		return err_set(e, ERR_SYSTEM, "could become root again");
	/* The change made us undumpable, and our /proc files root's. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == -1)
		return err_sys(e, "cannot become dumpable");
	return 0;
}
