#include "jail/scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#include "jail/scan_sockets.h"
#include "jail/walk.h"

#include "common/banned.h"

struct scanner {
	const struct spec	*spec;
	struct scene		*scene;
	long			 budget;
	bool			 in_root;	/* this walk is of a writable
						   place */
	bool			 blind;		/* not all links were seen */
};

static const struct { enum spec_list list; unsigned why; } ruled[] = {
	{ SPEC_DENY_READ, MARK_DENY_READ }, { SPEC_ALLOW_READ, MARK_READ },
	{ SPEC_DENY_WRITE, MARK_DENY_WRITE },
	{ SPEC_ALLOW_SOCKETS, MARK_ALLOW_SOCKET },
};

/* Everyone inside gets their own of these, empty. */
static const char *const private_places[] = {
	"/tmp", "/var/tmp", "/run", "/var/run",
};
/* What a system needs of them all the same. */
static const char *const needed[] = {
	"/run/current-system", "/run/opengl-driver", "/run/wrappers",
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

/* Mark where a path leads, if it is there; remember it if it is a link. */
static void
mark_path(struct scanner *s, const char *path, unsigned why)
{
	struct stat st;
	auto_free char *real = realpath(path, NULL);

	if ((why & (MARK_NAME | MARK_DENY_WRITE)) != 0)
		links_remember(s->scene, path);
	if (real != NULL && scan_mountable(real) && lstat(real, &st) == 0)
		marks_add(&s->scene->marks, real, why, S_ISDIR(st.st_mode));
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
		mark_path(s, path, why);
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
	mark_path(s, ent->path, MARK_NAME);
	return WALK_SKIP;
}

/* The connector's own is hidden too, but for what an agent shall read. */
static void
see_name(struct scanner *s, const struct walk_entry *ent)
{
	enum guard guard = names_guarded(ent->path);
	auto_free char *out = NULL;
	struct stat st;

	if (guard == GUARD_NONE)
		return;
	mark_path(s, ent->path, MARK_NAME);
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
	mark_path(arg, path, why);
}

/* What a link makes a protected name of, or one that a pattern denies. */
static void
see_link(struct scanner *s, const struct walk_entry *ent)
{
	char real[PATH_MAX];
	int rc = links_see(s->scene, s->spec, ent, real);

	if (rc == 1)
		rc = behind(s->spec, ent->path, real, mark_behind, s,
		    &s->budget);
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
	for (size_t i = 0; i < ARRAY_LEN(ruled); i++) {
		const struct list *l = &s->spec->list[ruled[i].list];

		for (size_t k = 0; k < l->n; k++)
			if (glob_is(l->v[k]) && glob_match(l->v[k], ent->path))
				why |= ruled[i].why;
	}
	mark_ruled(s, ent->path, why, true);
	if (!s->in_root)
		return WALK_ON;
	git = gitleads_shown(ent);
	if (git != NULL)
		gitleads_add(&s->scene->git, git);
	if (ent->type == DT_SOCK)
		marks_add(&s->scene->marks, ent->path, MARK_SOCKET, false);
	if (ent->type == DT_LNK)
		see_link(s, ent);
	if (ent->in_git)
		return see_git(s, ent);
	if (strcmp(ent->name, ".git") == 0 && ent->type != DT_DIR)
		mark_path(s, ent->path, MARK_NAME);
	see_name(s, ent);
	/* Patterns may still hide what is in it. */
	return WALK_ON;
}

/* A pattern's places that no walk of a writable place will see. */
static int
walk_patterns(struct scanner *s, const struct list *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		auto_free char *base = NULL, *real = NULL;
		bool seen = false;

		if (!glob_is(l->v[i]))
			continue;
		base = glob_base(l->v[i]);
		real = realpath(base, NULL);
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
		mark_path(s, leads.v[i], MARK_NAME);
		list_add(&s->scene->leads, xstrdup(leads.v[i]));
	}
	list_clear(&leads);
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
	for (size_t i = 0; i < ARRAY_LEN(ruled); i++)
		if (walk_patterns(s, &s->spec->list[ruled[i].list], e) == -1)
			return -1;
	return !s->blind ? 0 : err_set(e, ERR_SYSTEM, "cannot look behind all "
	    "links in the writable places: they are too many, or no "
	    "descriptors are left");
}

/* A TMPDIR that is nobody's workplace becomes private like /tmp. */
static void
mark_tmpdir(struct scanner *s, const struct scan_place *place)
{
	auto_free char *real = place->tmpdir == NULL ? NULL :
	    realpath(place->tmpdir, NULL);
	auto_free char *home = realpath(place->home, NULL);
	struct marks *m = &s->scene->marks;

	if (real == NULL || !scan_mountable(real) ||
	    path_in(place->cwd, real) || (home != NULL && path_in(home, real)))
		return;
	for (size_t i = 0; i < m->n; i++)
		if ((m->v[i].why & MARK_WRITE) != 0 &&
		    (path_in(m->v[i].path, real) ||
		    path_in(real, m->v[i].path)))
			return;
	mark_path(s, real, MARK_PRIVATE);
}

/* They are ours, so nothing in them is walked or swept. */
static void
mark_gifts(struct scanner *s, const struct jail_gifts *g)
{
	const struct { const struct list *list; unsigned why; } t[] = {
		{ &g->shown, MARK_SHOWN }, { &g->open, MARK_OPEN },
		{ &g->held, MARK_DENY_WRITE },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		for (size_t k = 0; k < t[i].list->n; k++)
			mark_path(s, t[i].list->v[k], t[i].why);
}

int
scan(const struct spec *spec, const struct scan_place *place,
    struct scene *ret, struct err *e)
{
	struct scene scene = { .git = { .home = place->home } };
	struct scanner s = { .spec = spec, .scene = &scene,
	    .budget = WALK_MAX };
	struct mountinfo mounts;
	int rc;

	for (size_t i = 0; i < spec->list[SPEC_ALLOW_WRITE].n; i++)
		mark_root(&s, spec->list[SPEC_ALLOW_WRITE].v[i]);
	for (size_t i = 0; i < ARRAY_LEN(ruled); i++) {
		const struct list *l = &spec->list[ruled[i].list];

		for (size_t k = 0; k < l->n; k++)
			if (!glob_is(l->v[k]))
				mark_ruled(&s, l->v[k], ruled[i].why, false);
	}
	for (size_t i = 0; i < place->closed->n; i++)
		mark_path(&s, place->closed->v[i], MARK_CLOSED);
	if (place->gifts != NULL)
		mark_gifts(&s, place->gifts);
	for (size_t i = 0; i < ARRAY_LEN(private_places); i++)
		mark_path(&s, private_places[i], MARK_PRIVATE);
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		mark_path(&s, needed[i], MARK_READ);
	mark_path(&s, place->cwd, MARK_CWD);
	mark_tmpdir(&s, place);
	mountinfo_read(&mounts);
	sockets_mark(&scene.marks, place, &mounts);
	gitleads_users(&scene.git, place->home);
	gitleads_users(&scene.git, place->account);
	gitleads_system(&scene.git, place->environ);
	rc = walk_all(&s, e);
	mark_leads(&s);
	marks_settle(&scene.marks);
	mounts_mark(&scene.marks, &mounts);
	mountinfo_clear(&mounts);
	marks_settle(&scene.marks);
	if (rc == 0)
		rc = inodes_mark(&scene.marks, &scene.roots, &s.budget, e);
	if (rc == -1) {
		scene_clear(&scene);
		return -1;
	}
	marks_settle(&scene.marks);
	for (size_t i = 0; i < scene.marks.n; i++)
		if ((scene.marks.v[i].why & (MARK_NAME | MARK_DENY_WRITE)) != 0)
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
	list_clear(&s->leads);
	list_clear(&s->roots);
	list_clear(&s->notes);
	*s = (struct scene){ 0 };
}
