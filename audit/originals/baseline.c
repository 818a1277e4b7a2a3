/*
 * How a session finds the project.  A list of everything, mostly contents the
 * store has already: what has the inode and change time that the last baseline
 * noted is not read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/originals/hold.h"
#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

#define LAST	"baseline"	/* the digest of the newest one: a hint */
#define RACY_US	1000000		/* a change within it may not show in ctime */

static bool
read_last(int dir, struct digest *ret)
{
	auto_str struct str text = { 0 };

	str_init(&text, DIGEST_HEX);
	return fs_read_own(dir, LAST, DIGEST_HEX, &text, NULL) == 0 &&
	    digest_parse(text.s, ret) == 0;
}

static void
write_last(int dir, const char *hex)
{
	char tmp[40];

	snprintf(tmp, sizeof tmp, "." LAST ".%d", (int)getpid());
	unlinkat(dir, tmp, 0);
	if (fs_write_new(dir, tmp, hex, DIGEST_HEX, false, NULL) == 0)
		renameat(dir, tmp, dir, LAST);
}

static void
session_name(const char *session, char ret[static DIGEST_HEX + 1])
{
	struct digest d;

	digest_of(session, strlen(session), "sandbox-originals-session", &d);
	digest_hex(&d, ret);
	ret[32] = '\0';
}

static int
take(struct originals *o, const struct digest *last, int64_t wall_ms,
    struct baseline *ret, struct err *e)
{
	struct capture c = originals_capture(o, true);
	auto_list struct file_list known = { 0 }, now = { 0 };
	struct digest d;

	c.stamp_us = wall_ms * 1000 - RACY_US;
	if (last != NULL && file_list_get(o->store, last, &known, NULL) == 0)
		c.known = &known;
	if (capture_tree(&c, "", SKIP_MADE, &now, e) == -1)
		return -1;
	file_list_sort(&now);
	if (file_list_put(o->store, &now, last, &d, e) == -1)
		return -1;
	digest_hex(&d, ret->list);
	ret->files = now.n;
	ret->cut = now.cut;
	return 0;
}

int
originals_baseline(struct originals *o, const char *session,
    int64_t wall_ms, struct baseline *ret, struct err *e)
{
	int dir = store_dir(o->store);
	auto_close int sessions = fs_make_private(dir, "sessions", e);
	char name[DIGEST_HEX + 1];
	struct digest last;

	*ret = (struct baseline){ 0 };
	if (sessions == -1)
		return -1;
	session_name(session, name);
	if (faccessat(sessions, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (take(o, read_last(dir, &last) ? &last : NULL, wall_ms,
	    ret, e) == -1)
		return err_add(e, "the baseline could not be kept");
	write_last(dir, ret->list);
	return 0;
}

int
originals_baseline_noted(struct originals *o, const char *session,
    const struct baseline *b, struct err *e)
{
	auto_close int sessions = fs_make_private(store_dir(o->store),
	    "sessions", e);
	char name[DIGEST_HEX + 1];

	if (sessions == -1)
		return -1;
	session_name(session, name);
	return fs_write_new(sessions, name, b->list, DIGEST_HEX, false,
	    NULL) == -1 && faccessat(sessions, name, F_OK,
	    AT_SYMLINK_NOFOLLOW) == -1 ?
	    err_sys(e, "the baseline could not be noted") : 0;
}
