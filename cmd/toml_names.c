#include "cmd/toml_names.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/mem.h"

#include "common/banned.h"

#define NAME_MAX_	(16 * 1024)
#define NAMES_MAX	(64 * 1024 * 1024)	/* bytes, all together */

enum kind {
	VALUE = 0,	/* also lists and tables within a line: closed */
	HEADER,		/* [it] was written */
	LIST,		/* [[it]] was written, `n` times */
	IMPLIED,	/* part of a header: may still get its own */
	DOTTED		/* part of a key: open in its section only */
};

struct name {
	enum kind	 kind;
	unsigned	 n;		/* LIST: elements; DOTTED: a section */
	char		 path[];
};

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->path,
	    ((const struct name *)b)->path);
}

static struct name *
make(const char *path, enum kind kind, unsigned n)
{
	size_t len = strlen(path) + 1;
	struct name *one = xcalloc(1, sizeof *one + len);

	one->kind = kind;
	one->n = n;
	memcpy(one->path, path, len);
	return one;
}

/* The one that is known by now, of whatever kind. */
static struct name *
get(struct toml_names *t, const char *path, enum kind kind, unsigned n,
    bool *ret_new)
{
	struct name *one = make(path, kind, n);
	struct name *const *slot = tsearch(one, &t->known, by_path);

	if (slot == NULL)
		BUG("no memory");
	*ret_new = *slot == one;
	if (!*ret_new)
		free(one);
	else
		t->held += sizeof *one + strlen(path);
	return *slot;
}

void
toml_names_init(struct toml_names *t)
{
	*t = (struct toml_names){ 0 };
	str_init(&t->table, NAME_MAX_);
}

void
toml_names_clear(struct toml_names *t)
{
	tdestroy(t->known, free);
	str_clear(&t->table);
}

/* Of `path`, up to its next slash; behind it, or NULL at the end. */
static const char *
step(const char *path, struct str *at)
{
	size_t n = 1 + strcspn(path + 1, "/");

	str_addn(at, path, n);
	return path[n] == '\0' ? NULL : path + n;
}

/* In a path a ~ stands before 0 or 1 alone. */
static void
into_element(struct str *at, unsigned n)
{
	str_addf(at, "~#%u", n);
}

static bool
fits(const struct toml_names *t, const struct str *at)
{
	return !at->full && t->held <= NAMES_MAX;
}

bool
toml_names_table(struct toml_names *t, const char *path, bool is_list)
{
	struct name *one;
	bool is_new;

	t->section++;
	str_reset(&t->table);
	while ((path = step(path, &t->table)) != NULL) {
		one = get(t, t->table.s, IMPLIED, 0, &is_new);
		if (one->kind == VALUE)
			return false;
		if (one->kind == LIST)
			into_element(&t->table, one->n);
	}
	one = get(t, t->table.s, is_list ? LIST : HEADER, 0, &is_new);
	if (is_list) {
		if (one->kind != LIST)
			return false;
		into_element(&t->table, ++one->n);
	} else if (!is_new) {
		if (one->kind != IMPLIED)
			return false;
		one->kind = HEADER;
	}
	return fits(t, &t->table);
}

bool
toml_names_value(struct toml_names *t, const char *path, size_t table)
{
	auto_str struct str at = { 0 };
	struct name *one;
	bool is_new;

	str_init(&at, NAME_MAX_);
	str_add(&at, t->table.s);
	path += table;
	while ((path = step(path, &at)) != NULL) {
		one = get(t, at.s, DOTTED, t->section, &is_new);
		if (one->kind != DOTTED || one->n != t->section)
			return false;
	}
	get(t, at.s, VALUE, 0, &is_new);
	return is_new && fits(t, &at);
}
