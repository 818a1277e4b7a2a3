/* policy/found.c - what find finds, and what {} can be. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/places.h"
#include "policy/protect.h"
#include "policy/special.h"
#include "policy/value.h"
#include "common/banned.h"

static const char any[] = { VALUE_ANY, '\0' };
/* No `*`: a pattern that is not understood. */
static const char whatever[] = { VALUE_ANY, VALUE_ANY, '\0' };
static const char star[] = { VALUE_STAR, '\0' };

/* -name: `*` and `?` match a leading dot, which a value's do not. */
const char *
found_name(struct run *r, const char *pattern)
{
	char *v = arena_text(r->w->f->arena, pattern, strlen(pattern));

	if (v == NULL || strpbrk(v, "[\\") != NULL || !value_constant(v))
		return any;
	for (char *p = v; *p != '\0'; p++)
		*p = *p == '*' ? VALUE_STAR : *p != '?' ? *p :
		    p == v ? VALUE_ANY : VALUE_ONE;
	return v;
}

static bool
source_name(const char *name)
{
	char path[64] = "/";
	size_t n = name == NULL ? 0 : strlen(name);

	if (n == 0 || n > sizeof(path) - 2)
		return false;
	memcpy(path + 1, name, n + 1);
	return place_is_source(path);
}

/* -path: `*` and `?` match slashes, too. */
const char *
found_path(struct run *r, const char *pattern)
{
	char *v = arena_text(r->w->f->arena, pattern, strlen(pattern));

	if (v == NULL || strpbrk(v, "[\\") != NULL || !value_constant(v))
		return whatever;
	for (char *p = v; *p != '\0'; p++)
		if (*p == '*' || *p == '?')
			*p = VALUE_ANY;
	return v;
}

/* Does `p` go on with `sign`, with or without a backslash? */
static bool
skip(const char **p, char sign)
{
	const char *at = *p + (**p == '\\');

	if (*at != sign)
		return false;
	*p = at + 1;
	return true;
}

/* `.*\.\(c\|h\)`: all are sources, and one source is like another. */
static const char *
endings(struct run *r, const char *p)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM"
	    "NOPQRSTUVWXYZ0123456789";
	char name[16];
	char *v = NULL;

	if (!str_starts(p, ".*\\."))
		return whatever;
	p += 4;
	if (!skip(&p, '('))
		return whatever;
	do {
		size_t n = strspn(p, letters);

		if (n > sizeof(name) - 3)
			return whatever;
		name[0] = VALUE_STAR;
		name[1] = '.';
		memcpy(name + 2, p, n);
		name[n + 2] = '\0';
		if (!source_name(name))
			return whatever;
		v = arena_text(r->w->f->arena, name, n + 2);
		p += n;
	} while (skip(&p, '|'));
	if (v == NULL || !skip(&p, ')') || (*p == '$' && p[1] != '\0') ||
	    (*p != '$' && *p != '\0'))
		return whatever;
	v[0] = VALUE_ANY;
	return v;
}

/* -regex, whatever its type: what is not plainly a letter is anything. */
const char *
found_regex(struct run *r, const char *pattern)
{
	char *v = arena_text(r->w->f->arena, pattern, strlen(pattern));
	size_t n = 0;

	if (v == NULL || !value_constant(pattern))
		return whatever;
	if (strpbrk(pattern, "|({[") != NULL)
		return endings(r, pattern);
	for (const char *p = pattern; *p != '\0'; p++) {
		char c = *p;

		if (c == '\\' && (p[1] == '\0' || !ispunct(
		    (unsigned char)p[1]) || strchr("`'<>+?*", p[1]) != NULL))
			return whatever;
		if (strchr("*+?", c) != NULL && n > 0)
			n--;		/* perhaps not even once */
		if (c == '\\')
			c = *++p;
		else if (strchr(".*+?^$", c) != NULL)
			c = VALUE_ANY;
		if (n == 0 || c != VALUE_ANY || v[n - 1] != VALUE_ANY)
			v[n++] = c;
	}
	v[n] = '\0';
	return v;
}

static const char *
join(struct run *r, const char *dir, const char *name)
{
	size_t n = strlen(dir), m = strlen(name);
	char *v = arena_get(r->w->f->arena, n + m + 2);

	if (v == NULL)
		return any;
	memcpy(v, dir, n);
	v[n] = '/';
	memcpy(v + n + 1, name, m);
	return v;
}

static const char *
last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash : path;
}

/* Names that a guarded place has, beside the last ones of the table. */
static bool
guarded_name(const char *name)
{
	static const char *const more[] = { "policy.json", "\002-\002.txt",
		"\002.sh", "tasks.json", "launch.json", "extensions.json",
		"devcontainer.json", "workspace.xml" };
	bool known = value_constant(name);
	const char *run;
	enum guard g;

	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		if (value_meets(name, more[i]))
			return true;
	for (size_t i = 0; (run = protect_run(i, &g)) != NULL; i++) {
		const char *slash = strrchr(run, '/');

		run = slash != NULL ? slash + 1 : run;
		if (known ? strcasecmp(name, run) == 0 :
		    value_meets(name, run))
			return true;
	}
	return false;
}

/* Is everything below this directory's first known part, or the root itself? */
static bool
holds_root(struct run *r, const char *value)
{
	const char *root = r->w->f->policy->place.root;
	size_t n = strcspn(value, "\001\002\003");
	char *dir = arena_text(r->w->f->arena, value, n);

	while (dir != NULL && n > 0 && dir[n - 1] != '/')
		dir[--n] = '\0';
	if (dir == NULL || (r->st->cwds.unknown && dir[0] != '/'))
		return true;
	for (size_t i = 0; i < r->st->cwds.n; i++) {
		const char *at = paths_join(r->w->f->arena,
		    r->st->cwds.dir[i], n > 0 ? dir : ".");

		if (at == NULL || place_under(root, at))
			return true;
	}
	return false;
}

/*
 * Found at any depth: may a guarded file be among them?  Program text is
 * taken for none, and other text where no guarded file has such a name.
 */
static bool
is_loose(struct run *r, const char *value)
{
	const char *last = last_of(value);
	bool text = place_is_text(last), named = value_constant(last);

	if (place_is_source(last))
		return false;
	if (!text && !named)
		return holds_root(r, value);
	if (guarded_name(last + (last[0] == '/')))
		return named || holds_root(r, value);
	return !text && holds_root(r, value);
}

static bool
add(struct run *r, struct names *to, const char *value, bool exact)
{
	for (size_t i = 0; i < to->n; i++)
		if (str_eq(to->of[i].value, value) &&
		    to->of[i].exact == exact)
			return true;
	if (to->n == NAMES_MAX)
		return false;
	to->of[to->n].value = value;
	to->of[to->n].exact = exact;
	to->of[to->n++].loose = !exact && is_loose(r, value);
	return true;
}

/* `*env`, `*rc`: no glob of the shell is .env, but find's is. */
static bool
add_hidden(struct run *r, struct names *to, const char *start,
    const char *name)
{
	char dotted[64] = ".";
	const char *run;

	if (name[0] != VALUE_STAR || name[1] == '\0' || source_name(name) ||
	    strlen(name) > sizeof(dotted) - 2)
		return true;
	memcpy(dotted + 1, name, strlen(name) + 1);
	for (size_t i = 0; (run = protect_secret_run(i)) != NULL; i++)
		if (run[0] == '.' && strpbrk(run, "/*") == NULL &&
		    value_meets(dotted, run))
			return add(r, to, join(r, start, run), false);
	return true;
}

/* A part called `*` is none in particular; `*.c` is source, wherever. */
static char *
plain_parts(struct run *r, const char *whole)
{
	char *v = arena_text(r->w->f->arena, whole, strlen(whole));
	char *last = v;

	for (char *p = v; p != NULL && *p != '\0'; p++) {
		bool first = p == v || p[-1] == '/';

		last = first ? p : last;
		if (*p == VALUE_ANY && first && strchr("/", p[1]) != NULL)
			*p = VALUE_STAR;
	}
	if (v != NULL && last[0] == VALUE_ANY && value_constant(last + 1)) {
		last[0] = VALUE_STAR;
		if (!source_name(last))
			last[0] = VALUE_ANY;
	}
	return v;
}

/* -path, or together with -name. */
static bool
add_whole(struct run *r, struct names *to, const char *start,
    const struct alt *a)
{
	const char *v = a->whole;
	char *text;
	size_t n;

	if (v[0] == VALUE_ANY)		/* it begins with the start */
		v = join(r, start, v[1] == '/' ? v + 2 : v);
	text = plain_parts(r, v);
	if (text == NULL)
		return false;
	v = text;
	n = strlen(text);
	if (a->name != NULL && n > 1 && text[n - 1] == VALUE_STAR &&
	    text[n - 2] == '/') {
		text[n - 2] = '\0';
		v = join(r, text, a->name);
	} else if (n > 0 && text[n - 1] == VALUE_ANY &&
	    source_name(a->name)) {
		v = join(r, text, a->name);
	}
	return add(r, to, v, value_constant(a->whole));
}

bool
found_add(struct run *r, struct names *to, const char *start,
    const struct alt *a)
{
	const char *name = a->name != NULL ? a->name : star;
	bool known = a->whole != NULL && a->whole[0] != VALUE_ANY;
	bool seen = false;

	for (size_t i = 0; i < to->n_starts; i++)
		seen = seen || to->start[i] == start;
	if (!seen && to->n_starts == NAMES_MAX)
		return false;
	if (!seen) {
		to->itself[to->n_starts] = false;
		to->start[to->n_starts++] = start;
	}
	for (size_t i = 0; i < to->n_starts; i++)
		if (to->start[i] == start && (a->name == NULL ||
		    value_meets(a->name, last_of(start) +
		    (last_of(start)[0] == '/'))))
			to->itself[i] = true;
	if (a->whole != NULL && a->whole[0] != '\0' &&
	    !add_whole(r, to, start, a))
		return false;
	return known || (add(r, to, join(r, start, name), false) &&
	    add_hidden(r, to, start, name));
}

bool
found_glued(const struct run *r, size_t from, const char *sign,
    const struct names *names, struct names *ret)
{
	bool is = false;

	for (size_t i = from; i < r->argc; i++)
		is = is || (strstr(r->argv[i].val, sign) != NULL &&
		    !str_eq(r->argv[i].val, sign));
	ret->n = 0;
	for (size_t i = 0; is && i < names->n_starts; i++) {
		if (!names->itself[i])
			continue;
		ret->of[ret->n].value = names->start[i];
		ret->of[ret->n].exact = true;
		ret->of[ret->n++].loose = false;
	}
	return ret->n > 0;
}

/* Glued to other text it is not said how deep it lies. */
static const char *
glued(struct run *r, const struct names *names, size_t i)
{
	const char *v = names->of[i].value, *last = last_of(v);
	char *dir;

	if (names->of[i].exact || !value_constant(v) || last == v)
		return v;
	dir = arena_text(r->w->f->arena, v, (size_t)(last - v));
	return dir == NULL ? any : join(r, join(r, dir, star), last + 1);
}

const char *
found_splice(struct run *r, const char *word, const char *sign,
    const struct names *names, size_t i)
{
	auto_str struct str s = { 0 };
	const char *v = names->of[i].value, *out;
	size_t len = strlen(sign);

	if (str_eq(word, sign))
		return v;
	if (len == 0)
		return any;
	v = glued(r, names, i);
	str_init(&s, 64 << 10);
	for (; *word != '\0'; word++)
		if (str_starts(word, sign)) {
			str_add(&s, v);
			word += len - 1;
		} else {
			str_addc(&s, *word);
		}
	out = s.full ? NULL : arena_text(r->w->f->arena, s.s, s.len);
	return out != NULL ? out : any;
}

const char *
found_deep(const struct names *names, size_t i)
{
	return names->of[i].loose ? last_of(names->of[i].value) : NULL;
}
