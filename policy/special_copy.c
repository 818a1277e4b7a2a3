/* policy/special_copy.c - cp, mv, ln, install: where things end up. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/special.h"
#include "policy/value.h"
#include "common/banned.h"

struct copy {
	struct run	*r;
	const struct arg *dest;		/* from -t, else the last operand */
	bool		 deep, move, link;
	bool		 may_link;	/* cp -l, cp -s */
	bool		 install, makes;	/* install -d: only directories */
};

/* The last component of a path; "" for . and .. and / */
static const char *
base_of(const char *path, struct arena *arena)
{
	size_t end = strlen(path), from;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (from = end; from > 0 && path[from - 1] != '/';)
		from--;
	path = arena_text(arena, path + from, end - from);
	if (path == NULL || str_eq(path, ".") || str_eq(path, ".."))
		return "";
	return path;
}

static void
copy_to(struct copy *c, const struct arg *src, enum path_use use)
{
	struct arena *arena = c->r->w->f->arena;
	const char *base = base_of(src->val, arena);
	size_t n = strlen(c->dest->val), m = strlen(base);
	struct arg in = *c->dest;
	char *path = arena_get(arena, n + m + 2);

	if (path == NULL)
		return;
	/* Everything inside the source, straight into the target. */
	if (base[0] == '\0')
		run_path(c->r, PATH_WIPE, c->dest);
	memcpy(path, in.val, n);
	path[n] = '/';
	memcpy(path + n + 1, base, m);
	in.val = path;
	run_path(c->r, use, &in);
}

static void
copy_source(struct copy *c, const struct arg *src)
{
	bool sink = str_starts(c->dest->val, "/dev/");
	bool empty = str_eq(src->val, "/dev/null");

	if (c->link)
		run_path(c->r, PATH_ALIAS, src);
	else if (c->move)
		run_path(c->r, sink || str_starts(c->dest->val, "/tmp/") ?
		    PATH_DELETE : PATH_MOVE, src);
	else
		run_path(c->r, c->deep ? PATH_TREE : PATH_READ, src);
	if (!sink)
		copy_to(c, src, empty ? PATH_WRITE :
		    c->deep && !c->move && !c->link ? PATH_MERGE : PATH_KEEP);
	if (empty)
		run_path(c->r, PATH_WRITE, c->dest);
}

/* --target-directory=DIR, --target-directory DIR and what makes it deep. */
static void
copy_long(struct copy *c, size_t at)
{
	struct run *r = c->r;
	const char *v = r->argv[at].val, *eq = strchr(v, '=');
	struct arg *a;

	c->deep = c->deep || str_starts(v, "--r") || str_starts(v, "--a");
	c->link = c->link || (c->may_link && (str_starts(v, "--l") ||
	    str_starts(v, "--sy")));
	c->makes = c->makes || (c->install && str_starts(v, "--d"));
	if (!str_starts(v, "--t"))
		return;
	if (eq == NULL) {
		c->dest = at + 1 < r->argc ? &r->argv[at + 1] : c->dest;
		return;
	}
	a = arena_get(r->w->f->arena, sizeof(*a));
	if (a == NULL)
		return;
	*a = r->argv[at];
	a->val = eq + 1;
	c->dest = a;
}

static void
copy_options(struct copy *c, size_t from)
{
	struct run *r = c->r;

	for (size_t i = from; i < r->argc; i++) {
		const char *v = r->argv[i].val;

		if (str_eq(v, "--"))
			return;
		if (v[0] != '-')
			continue;
		if (str_starts(v, "--")) {
			copy_long(c, i);
			continue;
		}
		c->deep = c->deep || strpbrk(v, "rRa") != NULL;
		c->link = c->link || (c->may_link && strpbrk(v, "ls") != NULL);
		c->makes = c->makes || (c->install && strchr(v, 'd') != NULL);
		if (strchr(v, 't') != NULL && i + 1 < r->argc)
			c->dest = &r->argv[i + 1];
	}
}

void
special_copy(struct run *r, const struct cmd_program *p, size_t from)
{
	static const struct arg here = { ".", false, { 0, 0 } };
	const struct arg **words = program_room(r);
	size_t n = words == NULL ? 0 : program_operands(r, p, from, words);
	struct copy c = { .r = r, .move = str_eq(commands_name(p), "mv"),
	    .link = str_eq(commands_name(p), "ln"),
	    .may_link = str_eq(commands_name(p), "cp"),
	    .install = str_eq(commands_name(p), "install") };

	copy_options(&c, from);
	for (size_t i = 0; c.makes && i < n; i++)
		run_path(r, PATH_KEEP, words[i]);
	if (n == 0 || c.makes)
		return;
	if (c.dest == NULL && n == 1)
		c.dest = &here;		/* ln x: here; the others complain */
	else if (c.dest == NULL)
		c.dest = words[--n];
	run_path(r, PATH_KEEP, c.dest);
	for (size_t i = 0; i < n; i++)
		copy_source(&c, words[i]);
}
