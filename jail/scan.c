#include "jail/scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/visible.h"
#include "jail/behind.h"
#include "jail/glob.h"
#include "jail/mountinfo.h"
#include "jail/names.h"
#include "jail/scan_inodes.h"
#include "jail/scan_links.h"
#include "jail/scan_places.h"
#include "jail/scan_sockets.h"
#include "jail/walk.h"

#include "common/banned.h"

struct pattern {
	const char	*text;
	unsigned	 why;
};

struct scanner {
	const struct spec	*spec;
	struct scene		*scene;
	long			 budget;
	bool			 in_root;	/* this walk is of a writable
						   place */
	bool			 blind;		/* not all links were seen */
	struct pattern		*patterns;
	size_t			 n_patterns;
};

static const struct { enum spec_list list; unsigned why; } ruled[] = {
	{ SPEC_DENY_READ, MARK_DENY_READ }, { SPEC_ALLOW_READ, MARK_READ },
	{ SPEC_DENY_WRITE, MARK_DENY_WRITE },
	{ SPEC_ALLOW_SOCKETS, MARK_ALLOW_SOCKET },
};

static void
note(struct scanner *s, const char *path, const char *what)
{
	auto_free char *shown = visible_line(path);

	list_add(&s->scene->notes, xasprintf("'%s' %s", shown, what));
}

bool
scan_mountable(const char *path)
{
	return !path_in(path, "/proc") && !path_in(path, "/dev") &&
	    !path_in(path, "/sys");
}

/* Does every link on the way belong to root? */
static bool
way_is_plain(const char *path)
{
	auto_free char *p = xstrdup(path);
	struct stat st;

	for (char *slash = p; slash != NULL; ) {
		slash = strchr(slash + 1, '/');
		if (slash != NULL)
			*slash = '\0';
		if (lstat(p, &st) == 0 && S_ISLNK(st.st_mode) &&
		    st.st_uid != 0)
			return false;
		if (slash != NULL)
			*slash = '/';
	}
	return true;
}

/*
 * What a setting says about a path.  As with writing, a link that somebody has
 * planted opens nothing: an agent could point it at what is hidden.  A pattern
 * is for files of that name, and says nothing about those passed over.
 */
static void
mark_ruled(struct scanner *s, const char *path, unsigned why, bool pattern)
{
	if ((why & MARK_READ) != 0 && !way_is_plain(path)) {
		why &= ~(unsigned)MARK_READ;
		if (!pattern)
			note(s, path, "leads through a link and is not opened: "
			    "name the place itself");
	}
	if (why != 0)
		scene_mark(s->scene, path, why);
}

static void
mark_root(struct scanner *s, const char *path)
{
	auto_free char *real = realpath(path, NULL);
	struct stat st;

	if (real == NULL || lstat(real, &st) == -1) {
		note(s, path, "does not exist and cannot be written");
		return;
	}
	if (!way_is_plain(path)) {
		note(s, path, "leads through a link and is not writable: "
		    "name the place itself");
		return;
	}
	if (!scan_mountable(real))
		return;
	marks_add(&s->scene->marks, real, MARK_WRITE, S_ISDIR(st.st_mode));
	if (!list_has(&s->scene->roots, real))
		list_add(&s->scene->roots, xstrdup(real));
}

static enum walk_next
see_git(struct scanner *s, const struct walk_entry *ent)
{
	enum git_part part = names_git_part(ent->name);

	if (part == GIT_PLAIN || (part == GIT_CONFIG &&
	    s->spec->git_config && strcmp(ent->name, "config") == 0) ||
	    (part == GIT_LEADS && ent->type == DT_DIR))
		return WALK_ON;
	scene_mark(s->scene, ent->path, MARK_NAME);
	return WALK_SKIP;
}

/* The connector's own is hidden too, but for what an agent shall read. */
static void
see_name(struct scanner *s, const struct walk_entry *ent)
{
	enum guard guard = names_guarded(ent->path, &s->scene->roots);
	auto_free char *out = NULL;
	struct stat st;

	if (guard == GUARD_NONE)
		return;
	scene_mark(s->scene, ent->path, MARK_NAME);
	/* Through a link we would close, or show, what somebody else chose. */
	if (guard != GUARD_CLOSED || ent->type != DT_DIR)
		return;
	marks_add(&s->scene->marks, ent->path, MARK_CLOSED, true);
	out = xasprintf("%s/out", ent->path);
	if (lstat(out, &st) == 0 && S_ISDIR(st.st_mode))
		marks_add(&s->scene->marks, out, MARK_SHOWN, true);
}

static void
mark_behind(void *arg, const char *path, unsigned why)
{
	const struct scanner *s = arg;

	scene_mark(s->scene, path, why);
}

/* What a link makes a protected name of, or one that a pattern denies. */
static void
see_link(struct scanner *s, const struct walk_entry *ent)
{
	char real[PATH_MAX];
	const struct behind ask = { s->spec, &s->scene->roots, mark_behind, s,
	    &s->budget };
	int rc = links_see(s->scene, s->spec, ent, real);

	if (rc == 1)
		rc = behind(&ask, ent->path, real);
	s->blind |= rc == -1;
}

static enum walk_next
see(void *arg, const struct walk_entry *ent)
{
	struct scanner *s = arg;
	auto_free char *git = NULL;
	unsigned why = 0;

	if (!scan_mountable(ent->path))
		return WALK_SKIP;
	for (size_t i = 0; i < s->n_patterns; i++)
		if (glob_match(s->patterns[i].text, ent->path))
			why |= s->patterns[i].why;
	mark_ruled(s, ent->path, why, true);
	if (!s->in_root)
		return WALK_ON;
	git = gitleads_shown(ent);
	if (git != NULL)
		gitleads_add(&s->scene->git, git);
	if (ent->type == DT_SOCK)
		marks_add(&s->scene->marks, ent->path, MARK_SOCKET, false);
	if (ent->type == DT_FIFO)
		marks_add(&s->scene->marks, ent->path, MARK_PIPE, false);
	if (ent->type == DT_LNK)
		see_link(s, ent);
	if (ent->in_git)
		return see_git(s, ent);
	if (walk_is_git(ent->path) && ent->type != DT_DIR)
		scene_mark(s->scene, ent->path, MARK_NAME);
	see_name(s, ent);
	/* Patterns may still hide what is in it. */
	return WALK_ON;
}

/* Patterns' places that no walk of a writable place will see. */
static int
walk_patterns(struct scanner *s, struct err *e)
{
	for (size_t i = 0; i < s->n_patterns; i++) {
		auto_free char *base = glob_base(s->patterns[i].text);
		auto_free char *real = realpath(base, NULL);
		bool seen = false;

		for (size_t k = 0; real != NULL && k < s->scene->roots.n; k++)
			seen |= path_in(real, s->scene->roots.v[k]);
		if (real != NULL && !seen && walk(base, see, s, &s->budget,
		    e) == -1)
			return -1;
	}
	return 0;
}

static void
mark_leads(struct scanner *s)
{
	const struct list *roots = &s->scene->roots;
	struct list leads = { 0 };

	gitleads_paths(&s->scene->git, &leads);
	for (size_t i = 0; i < leads.n; i++) {
		bool all = false;

		for (size_t k = 0; k < roots->n; k++)
			all |= path_in(roots->v[k], leads.v[i]);
		if (all) {
			note(s, leads.v[i], "holds git's hooks and is a "
			    "writable place: they are not held");
			continue;
		}
		/* What is there may be reached through a link that goes. */
		scene_mark(s->scene, leads.v[i], MARK_NAME);
		list_add(&s->scene->stay, xstrdup(leads.v[i]));
	}
	list_clear(&leads);
	list_sort(&s->scene->stay);
}

static int
walk_all(struct scanner *s, struct err *e)
{
	struct list *roots = &s->scene->roots;

	s->in_root = true;
	for (size_t i = 0; i < roots->n; i++) {
		bool inside = false;

		for (size_t k = 0; k < roots->n; k++)
			inside |= k != i && path_in(roots->v[i], roots->v[k]);
		gitleads_above(&s->scene->git, roots->v[i]);
		if (!inside && walk(roots->v[i], see, s, &s->budget, e) == -1)
			return -1;
	}
	s->in_root = false;
	if (walk_patterns(s, e) == -1)
		return -1;
	return !s->blind ? 0 : err_set(e, ERR_SYSTEM, "cannot look behind all "
	    "links in the writable places: they are too many, or no "
	    "descriptors are left");
}

static void
add_pattern(struct scanner *s, const char *pattern, unsigned why)
{
	s->patterns = xrealloc(s->patterns, s->n_patterns + 1,
	    sizeof *s->patterns);
	s->patterns[s->n_patterns++] = (struct pattern){ pattern, why };
}

static void
mark_settings(struct scanner *s)
{
	const struct list *writable = &s->spec->list[SPEC_ALLOW_WRITE];

	for (size_t i = 0; i < writable->n; i++)
		mark_root(s, writable->v[i]);
	for (size_t i = 0; i < ARRAY_LEN(ruled); i++) {
		const struct list *l = &s->spec->list[ruled[i].list];

		for (size_t k = 0; k < l->n; k++)
			if (glob_is(l->v[k]))
				add_pattern(s, l->v[k], ruled[i].why);
			else
				mark_ruled(s, l->v[k], ruled[i].why, false);
	}
}

/* Everything that is marked elsewhere under a second name. */
static int
mark_second(struct scanner *s, const struct mountinfo *mounts, struct err *e)
{
	struct marks *m = &s->scene->marks;
	int rc;

	marks_settle(m);
	mounts_mark(m, mounts);
	marks_settle(m);
	rc = inodes_mark(m, &s->scene->roots, &s->budget, e);
	marks_settle(m);
	return rc;
}

static int
look(struct scanner *s, const struct scan_place *place, struct err *e)
{
	struct scene *scene = s->scene;
	struct mountinfo mounts;
	int rc;

	mark_settings(s);
	places_mark(scene, place);
	mountinfo_read(&mounts);
	sockets_mark(&scene->marks, place, &mounts);
	gitleads_users(&scene->git, place->home);
	gitleads_users(&scene->git, place->account);
	gitleads_system(&scene->git, place->environ);
	rc = walk_all(s, e);
	mark_leads(s);
	if (rc == 0)
		rc = mark_second(s, &mounts, e);
	mountinfo_clear(&mounts);
	return rc;
}

int
scan(const struct spec *spec, const struct scan_place *place,
    struct scene *ret, struct err *e)
{
	const unsigned stays = MARK_NAME | MARK_DENY_WRITE | MARK_CLOSED;
	struct scene scene = { .git = { .home = place->home } };
	struct scanner s = { .spec = spec, .scene = &scene,
	    .budget = WALK_MAX };
	struct rlimit before;
	int rc;

	walk_raise(&before);
	rc = look(&s, place, e);
	setrlimit(RLIMIT_NOFILE, &before);
	free(s.patterns);
	if (rc == -1) {
		scene_clear(&scene);
		return -1;
	}
	for (size_t i = 0; i < scene.marks.n; i++)
		if ((scene.marks.v[i].why & stays) != 0)
			held_add(&scene.held, scene.marks.v[i].path);
	*ret = scene;
	return 0;
}

void
scene_clear(struct scene *s)
{
	links_clear(s->links, s->n_links);
	links_clear(s->ways, s->n_ways);
	marks_clear(&s->marks);
	held_clear(&s->held);
	gitleads_clear(&s->git);
	list_clear(&s->stay);
	list_clear(&s->roots);
	list_clear(&s->notes);
	*s = (struct scene){ 0 };
}
