#include "jail/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "common/mem.h"
#include "jail/glob.h"
#include "jail/names.h"
#include "jail/sweep_git.h"
#include "jail/sweep_links.h"
#include "jail/walk.h"

#include "common/banned.h"

/* A link that has its text back (sweep_link). */
static bool
is_held_link(const struct sweeper *s, const struct walk_entry *ent)
{
	if (ent->type != DT_LNK)
		return false;
	for (size_t i = 0; i < s->scene->n_links; i++)
		if (strcmp(s->scene->links[i].path, ent->path) == 0)
			return true;
	return false;
}

static bool
is_denied(const struct sweeper *s, const char *path)
{
	const struct list *l = &s->spec->list[SPEC_DENY_WRITE];
	const struct list *stay = &s->scene->stay;

	if (path_find(stay->v, stay->n, sizeof *stay->v, path,
	    strlen(path)) != NULL)
		return true;
	for (size_t i = 0; i < l->n; i++)
		if (glob_is(l->v[i]) ? glob_match(l->v[i], path) :
		    strcmp(l->v[i], path) == 0)
			return true;
	return false;
}

static enum walk_next	look_into(void *, const struct walk_entry *);

/* What is set aside is looked at by people: it must not bite them either. */
static void
take_away(struct sweeper *s, const struct walk_entry *ent, const char *why)
{
	bool dark = ent->deepest;

	if (ent->type == DT_DIR) {
		sweep_open(s, ent->dirfd, ent->name, ent->path);
		dark |= walk_below(ent, look_into, s, &s->open, NULL) == -1;
	}
	/* What nobody has looked into no link may lead to. */
	if (dark)
		sweep_aside_unforeseen(s, ent->dirfd, ent->name, ent->path,
		    why);
	else
		sweep_aside(s, ent->dirfd, ent->name, ent->path, why);
}

static enum walk_next
judge(struct sweeper *s, const struct walk_entry *ent)
{
	if (is_denied(s, ent->path))
		take_away(s, ent, "is new where writing is denied");
	else if (sweep_git_leads_out(s, ent))
		take_away(s, ent, "leads git out of the writable places");
	else if (ent->type == DT_LNK && sweep_link_strays(s, ent))
		sweep_aside_unforeseen(s, ent->dirfd, ent->name, ent->path,
		    STRAYS);
	else if (ent->in_git)
		return sweep_git(s, ent);
	else if (names_guarded(ent->path, &s->scene->roots) != GUARD_NONE)
		take_away(s, ent, "is new and a protected name");
	else if (sweep_git_hook(ent))
		take_away(s, ent, "is a new git hook");
	else
		return WALK_ON;
	return WALK_SKIP;
}

static enum walk_next
look(struct sweeper *s, const struct walk_entry *ent)
{
	enum held_now now = held_ask(&s->scene->held, ent->dirfd, ent->name,
	    ent->path);
	size_t before = s->said;
	enum walk_next next;

	if (now == HELD_STILL || is_held_link(s, ent))
		return WALK_SKIP;
	next = judge(s, ent);
	if (now == HELD_OTHER && s->said > before)
		sweep_say(s, ent->path, "was not what was there at the start");
	return next;
}

static enum walk_next
look_into(void *arg, const struct walk_entry *ent)
{
	struct sweeper *s = arg;
	auto_free char *git = NULL;
	enum walk_next next;

	/* Nobody is given the kernel's for writing; nothing is left there. */
	if (!scan_mountable(ent->path))
		return WALK_SKIP;
	if (ent->refused > 0)
		return sweep_open_again(s, ent->dirfd, ent->name, ent->path,
		    ent->refused) ? WALK_ON : WALK_SKIP;
	git = gitleads_shown(ent);
	/* One that no path leads to git does not find. */
	if (git != NULL && !sweep_remember(s, &s->gits, git) &&
	    s->room < PATH_MAX)
		s->stayed++;
	next = look(s, ent);
	if (next == WALK_ON && ent->type == DT_DIR) {
		sweep_open(s, ent->dirfd, ent->name, ent->path);
		if (ent->deepest)
			sweep_aside_unforeseen(s, ent->dirfd, ent->name,
			    ent->path, "is too full or too deep to be "
			    "looked into");
	}
	return next;
}

/* One that lies in another is looked at twice: the way to it may be closed. */
static int
sweep_root(struct sweeper *s, const char *root, struct err *e)
{
	const char *slash = strrchr(root, '/');
	auto_free char *above = xstrndup(root, (size_t)(slash - root));
	auto_close int fd = sweep_dir(above);
	const struct walk_entry ent = { .path = root, .dirfd = fd,
	    .name = slash[1] == '\0' ? "." : slash + 1, .type = DT_DIR };

	if (fd == -1) {
		int why = errno;

		if (why != ENOENT)
			sweep_say(s, root, "COULD NOT BE LOOKED INTO");
		/* It may not be there any more; the others must be. */
		s->stayed += why != ENOENT && why != ENOTDIR && why != ELOOP;
		return 0;
	}
	sweep_open(s, fd, ent.name, root);
	return walk_below(&ent, look_into, s, &s->open, e);
}

int
sweep(const struct spec *spec, const struct scene *scene, struct list *notes,
    struct err *e)
{
	struct sweeper s = { .spec = spec, .scene = scene, .notes = notes,
	    .room = SWEEP_ROOM, .behind = WALK_MAX,
	    .open = WALK_MAX };
	const struct list *deny = &spec->list[SPEC_DENY_WRITE];
	struct rlimit before;
	int rc = 0;

	walk_raise(&before);
	for (size_t i = 0; i < scene->marks.n; i++)
		if ((scene->marks.v[i].why & MARK_OPEN) != 0)
			list_add(&s.given, xstrdup(scene->marks.v[i].path));
	for (size_t i = 0; i < scene->n_links; i++)
		sweep_link(&s, &scene->links[i]);
	for (size_t i = 0; i < scene->roots.n; i++)
		if (sweep_root(&s, scene->roots.v[i], e) == -1)
			rc = -1;
	sweep_later(&s);
	sweep_git_runs(&s);
	for (size_t i = 0; i < scene->n_links; i++)
		sweep_link_target(&s, &scene->links[i]);
	for (size_t i = 0; i < deny->n; i++)
		if (!glob_is(deny->v[i]))
			sweep_behind(&s, deny->v[i], "is new where writing "
			    "is denied");
	list_clear(&s.given);
	if (rc == 0 && s.stayed > 0)
		return err_set(e, ERR_SYSTEM, "names or directories "
		    "that are as the command left them: %zu", s.stayed);
	return rc;
}

int
sweep_and_say(const struct spec *spec, const struct scene *scene,
    void (*say)(void *arg, const char *line), void *arg, struct err *e)
{
	struct list notes = { 0 };
	int rc = sweep(spec, scene, &notes, e);

	for (size_t i = 0; i < notes.n && i < SWEEP_NOTES; i++)
		say(arg, notes.v[i]);
	if (notes.n > SWEEP_NOTES)
		say(arg, "there was more like it");
	list_clear(&notes);
	return rc;
}
