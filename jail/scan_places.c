#include "jail/scan_places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/mem.h"
#include "jail/scan_links.h"

#include "common/banned.h"

/* Everyone inside gets their own of these, empty. */
static const char *const private_places[] = {
	"/tmp", "/var/tmp", "/run", "/var/run",
};
/* What a system needs of them all the same. */
static const char *const needed[] = {
	"/run/current-system", "/run/opengl-driver", "/run/wrappers",
};

void
scene_mark(struct scene *s, const char *path, unsigned why)
{
	struct stat st;
	auto_free char *real = realpath(path, NULL);

	if ((why & (MARK_NAME | MARK_DENY_WRITE)) != 0)
		links_remember(s, path);
	if (real != NULL && scan_mountable(real) && lstat(real, &st) == 0)
		marks_add(&s->marks, real, why, S_ISDIR(st.st_mode));
}

/* A TMPDIR that is nobody's workplace becomes private like /tmp. */
static void
mark_tmpdir(struct scene *s, const struct scan_place *place)
{
	auto_free char *real = place->tmpdir == NULL ? NULL :
	    realpath(place->tmpdir, NULL);
	auto_free char *home = realpath(place->home, NULL);
	struct marks *m = &s->marks;

	if (real == NULL || !scan_mountable(real) ||
	    path_in(place->cwd, real) || (home != NULL && path_in(home, real)))
		return;
	for (size_t i = 0; i < m->n; i++)
		if ((m->v[i].why & MARK_WRITE) != 0 &&
		    (path_in(m->v[i].path, real) ||
		    path_in(real, m->v[i].path)))
			return;
	scene_mark(s, real, MARK_PRIVATE);
}

/* They are ours, so nothing in them is walked or swept. */
static void
mark_gifts(struct scene *s, const struct jail_gifts *g)
{
	const struct { const struct list *list; unsigned why; } t[] = {
		{ &g->shown, MARK_SHOWN }, { &g->open, MARK_OPEN },
		{ &g->held, MARK_DENY_WRITE },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		for (size_t k = 0; k < t[i].list->n; k++)
			scene_mark(s, t[i].list->v[k], t[i].why);
}

/* One that does not exist yet is nobody's to make. */
static void
mark_closed(struct scene *s, const struct scan_place *place)
{
	for (size_t i = 0; i < place->closed->n; i++) {
		char *path = path_normal(place->closed->v[i], place->cwd,
		    place->home);

		scene_mark(s, path, MARK_CLOSED);
		list_add(&s->stay, path);
	}
}

void
places_mark(struct scene *s, const struct scan_place *place)
{
	mark_closed(s, place);
	if (place->gifts != NULL)
		mark_gifts(s, place->gifts);
	for (size_t i = 0; i < ARRAY_LEN(private_places); i++)
		scene_mark(s, private_places[i], MARK_PRIVATE);
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		scene_mark(s, needed[i], MARK_READ);
	scene_mark(s, place->cwd, MARK_CWD);
	mark_tmpdir(s, place);
}
