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
	const char	*valued;	/* letters with a value behind them */
	bool		 deep, move, link;
	bool		 may_link;	/* cp -l, cp -s */
	bool		 install;
	bool		 makes;		/* install -d: only directories */
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

	/* These put another file in its place, as root. */
	if (sink && (c->link || c->move || c->install))
		run_effect(c->r, EFFECT_DEVICE, c->dest->val);
	if (c->link || c->move || c->deep)
		c->r->w->f->brings = true;
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

/* All that -t names are judged; there should be one. */
static void
copy_dest(struct copy *c, const struct arg *word, const char *value)
{
	struct arg *a = arena_get(c->r->w->f->arena, sizeof(*a));

	if (a == NULL)
		return;
	*a = *word;
	a->val = value;
	c->dest = a;
	run_path(c->r, PATH_KEEP, a);
}

/* `*`: a file may be called -t.git; every end with a dot in front may be it. */
static void
copy_glob(struct copy *c, const struct arg *a)
{
	const struct arg *dest = c->dest;

	for (const char *p = a->val; *p != '\0'; p++) {
		const char *rest = p + (*p == '.' || *p == VALUE_ONE);
		char *v = *p != '.' && *p != VALUE_ONE && *p != VALUE_STAR ?
		    NULL : arena_get(c->r->w->f->arena, strlen(rest) + 2);

		if (v == NULL)
			continue;
		v[0] = '.';
		memcpy(v + 1, rest, strlen(rest) + 1);
		copy_dest(c, a, v);
	}
	c->dest = dest;
}

/* There, unlike at the start of a word, a glob may stand for a dot. */
static void
copy_glued(struct copy *c, const struct arg *word, const char *value)
{
	struct arg a = *word;

	copy_dest(c, word, value);
	a.val = value;
	if (value[0] == VALUE_STAR || value[0] == VALUE_ONE)
		copy_glob(c, &a);
}

/*
 * --target-directory=DIR, --target-directory DIR and what makes it deep.
 * True: the next word is its value.
 */
static bool
copy_long(struct copy *c, size_t at)
{
	struct run *r = c->r;
	const char *v = r->argv[at].val, *eq = strchr(v, '=');
	bool next = eq == NULL && at + 1 < r->argc;

	c->deep = c->deep || str_starts(v, "--r") || str_starts(v, "--a");
	c->link = c->link || (c->may_link && (str_starts(v, "--l") ||
	    str_starts(v, "--sy")));
	c->makes = c->makes || (c->install && str_starts(v, "--d"));
	if (!str_starts(v, "--t"))
		return next && (str_starts(v, "--su") ||
		    str_eq(v, "--mode"));
	if (eq != NULL)
		copy_glued(c, &r->argv[at], eq + 1);
	else if (next)
		copy_dest(c, &r->argv[at + 1], r->argv[at + 1].val);
	return next;
}

/* -abc: letters until one takes the rest, or the next word: true. */
static bool
copy_short(struct copy *c, size_t at)
{
	struct run *r = c->r;
	const char *v = r->argv[at].val + 1;
	size_t n = strcspn(v, c->valued);
	bool next = v[n] != '\0' && v[n + 1] == '\0' && at + 1 < r->argc;

	for (size_t i = 0; i < n; i++) {
		c->deep = c->deep || strchr("rRa", v[i]) != NULL;
		c->link = c->link || (c->may_link && strchr("ls", v[i]));
		c->makes = c->makes || (c->install && v[i] == 'd');
	}
	if (v[n] == 't' && next)
		copy_dest(c, &r->argv[at + 1], r->argv[at + 1].val);
	else if (v[n] == 't' && v[n + 1] != '\0')
		copy_glued(c, &r->argv[at], v + n + 1);
	return next;
}

static void
copy_options(struct copy *c, size_t from)
{
	struct run *r = c->r;

	for (size_t i = from; i < r->argc; i++) {
		const char *v = r->argv[i].val;

		if (str_eq(v, "--"))
			return;
		if (v[0] == VALUE_STAR || v[0] == VALUE_ONE)
			copy_glob(c, &r->argv[i]);
		else if (v[0] == '-')
			i += str_starts(v, "--") ? copy_long(c, i) :
			    copy_short(c, i);
	}
}

void
special_copy(struct run *r, const struct cmd_program *p, size_t from)
{
	static const struct arg here = { ".", false, { 0, 0 }, false };
	const struct arg **words = program_room(r);
	size_t n = words == NULL ? 0 : program_operands(r, p, from, words);
	struct copy c = { .r = r, .move = str_eq(commands_name(p), "mv"),
	    .link = str_eq(commands_name(p), "ln"),
	    .may_link = str_eq(commands_name(p), "cp"),
	    .install = str_eq(commands_name(p), "install") };

	c.valued = c.install ? "gomtS" : "tS";
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
