/*
 * sandbox uninstall: every file init touched gets its old bytes back; a file
 * that changed since loses exactly our entries and nothing else.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approver/human.h"
#include "cmd/cmd.h"
#include "cmd/install.h"
#include "cmd/managed.h"
#include "cmd/run_agent.h"
#include "cmd/settings.h"
#include "common/clock.h"
#include "common/diff.h"
#include "common/fs.h"
#include "common/id.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define DEPTH	32	/* of open folders at a time */

enum what { RESTORE, REMOVE, SPLICE, NOTHING };

static int
take_out(const char *agent, struct str *text, struct err *e)
{
	const struct agent *a = agent_find(agent);

	if (managed_is(agent))
		return managed_remove(agent, text, e);
	return a == NULL ? err_set(e, ERR_FORMAT, "an agent nobody knows") :
	    settings_remove(a, text, e);
}

/* What becomes of one file, and the bytes it will hold. */
static int
plan_file(const struct install_file *f, struct target *now, struct str *after,
    enum what *ret, struct err *e)
{
	struct digest d;

	if (target_read("", f->path + 1, SETTINGS_MAX, now, e) == -1)
		return -1;
	str_init(after, SETTINGS_MAX);
	digest_of(now->text.s, now->text.len, NULL, &d);
	if (!now->exists) {
		*ret = NOTHING;
	} else if (digest_eq(&d, &f->written)) {
		*ret = f->existed ? RESTORE : REMOVE;
		str_addn(after, f->original.s, f->original.len);
	} else {
		str_addn(after, now->text.s, now->text.len);
		if (take_out(f->agent, after, e) == -1)
			return err_add(e, "'%s' changed since and cannot be "
			    "edited; take our hooks out by hand", f->path);
		*ret = str_eq(after->s, now->text.s) ? NOTHING :
		    after->len == 0 || (!f->existed &&
		    settings_empty(after)) ? REMOVE : SPLICE;
	}
	return 0;
}

static int
do_file(const struct install_file *f, const struct target *now,
    const struct str *after, enum what what, struct err *e)
{
	struct target t = *now;

	if (what == NOTHING)
		return 0;
	if (target_same(now, e) == -1)
		return -1;
	if (what == REMOVE)
		return target_remove(f->path, f->made_dirs, e);
	if (what == RESTORE)
		t.mode = f->mode;
	return target_write(&t, after, e);
}

static int
one_file(const struct install_file *f, bool dry_run, struct err *e)
{
	static const char *const words[] = {
		[RESTORE] = "restored", [REMOVE] = "removed",
		[SPLICE] = "freed of our entries", [NOTHING] = "left alone",
	};
	struct target now = { 0 };
	struct str after = { 0 };
	enum what what = NOTHING;
	int rc = plan_file(f, &now, &after, &what, e);

	if (rc == 0 && dry_run) {
		auto_str struct str text = { 0 };

		str_init(&text, SETTINGS_MAX * 8);
		diff_lines(f->path, &now.text, &after, &text);
		fputs(text.s, stdout);
	} else if (rc == 0) {
		rc = do_file(f, &now, &after, what, e);
	}
	if (rc == 0) {
		auto_free char *shown = visible_line(f->path);

		printf("%s %s%s\n", shown, dry_run ? "would be " : "",
		    words[what]);
	}
	target_clear(&now);
	str_clear(&after);
	return rc;
}

/*
 * Remove what lies in a tree of our own; links are removed, never followed.
 * What is nested too deeply moves to `top`, which is emptied until it is.
 */
static int
remove_entry(int top, int dirfd, const char *name, int depth, struct err *e)
{
	struct fs_names list = { 0 };
	auto_close int fd = -1;
	char id[ID_MAX + 1];
	int rc = 0;

	if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return err_sys(e, "cannot remove '%s'", name);
	if (depth == 0) {
		id_make(clock_boot_ms(), getpid(), id);
		return fs_rename_new(dirfd, name, top, id, e);
	}
	fd = fs_open_dir(dirfd, name, e);
	if (fd == -1 || fs_list(fd, NULL, SIZE_MAX, &list, NULL, e) == -1)
		return -1;
	for (size_t i = 0; i < list.n && rc == 0; i++)
		rc = remove_entry(top, fd, list.names[i], depth - 1, e);
	fs_names_clear(&list);
	if (rc == 0 && unlinkat(dirfd, name, AT_REMOVEDIR) == -1)
		return err_sys(e, "cannot remove '%s'", name);
	return rc;
}

static int
remove_tree(int dirfd, const char *name, struct err *e)
{
	auto_close int top = fs_open_dir(dirfd, name, e);
	struct fs_names list = { 0 };
	bool empty = false;
	int rc = top == -1 ? -1 : 0;

	while (rc == 0 && !empty) {
		rc = fs_list(top, NULL, SIZE_MAX, &list, NULL, e);
		empty = list.n == 0;
		for (size_t i = 0; i < list.n && rc == 0; i++)
			rc = remove_entry(top, top, list.names[i], DEPTH, e);
		fs_names_clear(&list);
	}
	if (rc == 0 && unlinkat(dirfd, name, AT_REMOVEDIR) == -1)
		return err_sys(e, "cannot remove '%s'", name);
	return rc;
}

/* What agents in the jail had: configurations, and a login each. */
static int
remove_places(const char *base, const char *project, struct err *e)
{
	auto_close int at = fs_open_dir_follow(base, e);
	auto_close int fd = -1;

	if (at == -1)
		return -1;
	if (faccessat(at, RUN_AGENT_PLACES, F_OK, AT_SYMLINK_NOFOLLOW) == -1)
		return 0;
	fd = fs_open_dir(at, RUN_AGENT_PLACES, e);
	if (fd == -1)
		return -1;
	if (faccessat(fd, project, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
	    remove_tree(fd, project, e) == -1)
		return err_add(e, "'%s/" RUN_AGENT_PLACES "'", base);
	/* Another project's may be in it. */
	unlinkat(at, RUN_AGENT_PLACES, AT_REMOVEDIR);
	return 0;
}

/* In one step: half a private directory would be neither one nor none. */
static int
remove_private(int dirfd, const char *name, struct err *e)
{
	auto_free char *gone = xasprintf("%s.gone", name);

	if (faccessat(dirfd, gone, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
	    remove_tree(dirfd, gone, e) == -1)
		return -1;
	if (renameat(dirfd, name, dirfd, gone) == -1)
		return err_sys(e, "cannot move '%s' away", name);
	return remove_tree(dirfd, gone, e);
}

static int
remove_data(const struct home *home, struct err *e)
{
	const char *name = strrchr(home->priv_path, '/') + 1;
	auto_free char *dir = xstrndup(home->priv_path,
	    (size_t)(name - 1 - home->priv_path));
	auto_close int fd = fs_open_dir_follow(dir, e);

	*strrchr(dir, '/') = '\0';
	if (fd == -1 || remove_places(dir, name, e) == -1 ||
	    remove_tree(home->root, ".sandbox", e) == -1)
		return -1;
	return remove_private(fd, name, e);
}

static int
all_files(int privfd, bool dry_run, struct err *e)
{
	struct install record;
	struct err bad;
	int rc = 0;

	if (install_load(privfd, &record, e) == -1)
		return -1;
	/* One that a person broke does not keep us in all the others. */
	for (size_t i = 0; i < record.n; i++)
		if (one_file(&record.f[i], dry_run, &bad) == -1) {
			if (rc == 0)
				*e = bad;
			rc = -1;
		}
	if (rc == 0 && !dry_run) {
		install_clear(&record);
		rc = install_save(privfd, &record, e);
	}
	install_clear(&record);
	return rc;
}

static int
uninstall_managed(bool dry_run)
{
	struct err e = { 0 };
	auto_close int dir = managed_open(false, &e);

	if (dir == -1 || human_only(NULL, &e) == -1 ||
	    all_files(dir, dry_run, &e) == -1)
		return cmd_fail(&e);
	/* An empty record is none; the folder may be the site's policy's. */
	if (!dry_run) {
		unlinkat(dir, INSTALL_RECORD, 0);
		rmdir("/etc/sandbox");
	}
	return 0;
}

int
cmd_uninstall(struct cmd_ctx *ctx, int argc, char **argv)
{
	bool keep = false, dry_run = false, managed = false;
	const struct opt opts[] = {
		{ "keep-data", 0, OPT_FLAG, NULL,
		  "leave the log, the queue and the outputs", &keep },
		{ "managed", 0, OPT_FLAG, NULL,
		  "what `init --managed` wrote below /etc", &managed },
		{ "dry-run", 0, OPT_FLAG, NULL, "show what would change",
		  &dry_run },
	};
	auto_home struct home home = HOME_INIT;
	struct err e = { 0 };

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "one folder at a time");
	if (managed)
		return uninstall_managed(dry_run);
	if (cmd_home(ctx, &home, &e) == -1 || human_only(&home, &e) == -1 ||
	    all_files(home.priv, dry_run, &e) == -1)
		return cmd_fail(&e);
	if (keep || dry_run) {
		printf("%s and %s/.sandbox %s\n", home.priv_path,
		    home.root_path, keep ? "are kept" : "would be removed");
		return 0;
	}
	if (remove_data(&home, &e) == -1)
		return cmd_fail(&e);
	printf("%s and %s/.sandbox removed\n", home.priv_path,
	    home.root_path);
	return 0;
}
