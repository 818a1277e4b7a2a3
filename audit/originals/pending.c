/* Restores under way: what they work from is spared. */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "audit/originals/inside.h"
#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

int
store_hold(struct store *s, const struct digest *d, struct err *e)
{
	char hex[DIGEST_HEX + 1];

	if (s->pending == -1)
		s->pending = fs_make_private(s->dir, "pending", e);
	if (s->pending == -1)
		return -1;
	if (flock(s->pending, LOCK_EX | LOCK_NB) == -1)
		return err_set(e, ERR_LOST, "another restore is at work");
	digest_hex(d, hex);

	auto_close int fd = openat(s->pending, hex,
	    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd == -1 ? err_sys(e, "cannot note the restore") : 0;
}

bool
store_is_held(struct store *s, const struct digest *d)
{
	auto_close int dir = fs_open_dir(s->dir, "pending", NULL);
	char hex[DIGEST_HEX + 1];

	digest_hex(d, hex);
	return dir != -1 && faccessat(dir, hex, F_OK, AT_SYMLINK_NOFOLLOW) ==
	    0;
}

void
store_let_go(struct store *s, const struct digest *d)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(d, hex);
	unlinkat(s->pending, hex, 0);
	mem_close_fd(&s->pending);
	s->pending = -1;
}
