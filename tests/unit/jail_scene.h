/*
 * tests/unit/jail_scene.h - a project that is looked at before a run, and
 * swept after it: look(), make what a command would, clean().
 */
#ifndef TESTS_JAIL_SCENE_H
#define TESTS_JAIL_SCENE_H

#include "jail/sweep.h"
#include "tests/unit/jail_bed.h"

static struct bed bed;
static struct spec spec;
static struct scene scene;
static struct list notes;
static struct list given;	/* below the project */
static struct err e;

static inline void
setup(void)
{
	bed_open(&bed);
	spec_init(&spec);
	list_add(&spec.list[SPEC_ALLOW_WRITE], xstrdup(bed.cwd));
}

static inline void
teardown(void)
{
	scene_clear(&scene);
	list_clear(&notes);
	list_clear(&given);
	spec_clear(&spec);
	bed_close(&bed);
}

static inline char *
at(const char *name)
{
	return xasprintf("%s/%s", bed.cwd, name);
}

static inline void
deny(enum spec_list which, const char *name)
{
	list_add(&spec.list[which], at(name));
}

static inline void
look(void)
{
	static const struct list none;
	const struct jail_gifts gifts = { .open = given };
	const struct scan_place place = { .cwd = bed.cwd, .home = bed.home,
	    .closed = &none, .gifts = &gifts };

	ck_assert_msg(scan(&spec, &place, &scene, &e) == 0, "%s", e.text);
}

static inline unsigned
mark_of(const char *path)
{
	for (size_t i = 0; i < scene.marks.n; i++)
		if (strcmp(scene.marks.v[i].path, path) == 0)
			return scene.marks.v[i].why;
	return 0;
}

#define ck_mark(name, want) do {					\
	auto_free char *path_ = at(name);				\
	ck_assert_uint_eq(mark_of(path_), (want));			\
} while (0)

static inline bool
there(const char *name)
{
	auto_free char *path = at(name);

	return access(path, F_OK) == 0;
}

static inline void
clean(void)
{
	ck_assert_msg(sweep(&spec, &scene, &notes, &e) == 0, "%s", e.text);
}

static inline void
link_to(const char *text, const char *name)
{
	auto_free char *path = at(name);

	ck_assert_int_eq(symlink(text, path), 0);
}

#endif
