/* policy/prints.c - commands that print names: find, git ls-files, grep -l. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/places.h"
#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

/* Options that leave lines whole: letters, and what takes a number behind. */
static const struct filter {
	const char	*name, *letters, *number;
	bool		 pattern;	/* one operand, which is no file */
} filters[] = {
	{ "sort", "urnVzfbdg", "", false }, { "uniq", "duz", "", false },
	{ "head", "zq", "n", false }, { "tail", "zq", "n", false },
	{ "tac", "", "", false }, { "cat", "", "", false },
	{ "shuf", "z", "n", false }, { "grep", "viEFwz", "", true },
};

static bool
is_number(const char *v)
{
	v += v[0] == '+' || v[0] == '-';
	return v[0] != '\0' && v[strspn(v, "0123456789")] == '\0';
}

/* Does it print some of the lines it gets, and nothing else? */
static bool
passes(const struct filter *f, const struct sh_word *v)
{
	bool pattern = false;

	for (v = v->next; v != NULL; v = v->next) {
		const char *t = v->text;

		if (t == NULL)
			return false;
		if (f->number[0] != '\0' && is_number(t) && t[0] == '-')
			continue;
		if (f->number[0] != '\0' && t[0] == '-' &&
		    t[1] == f->number[0]) {
			if (t[2] == '\0')
				v = v->next;
			if (v == NULL || v->text == NULL || !is_number(
			    t[2] != '\0' ? t + 2 : v->text))
				return false;
		} else if (t[0] == '-' && t[1] != '\0') {
			if (t[1 + strspn(t + 1, f->letters)] != '\0')
				return false;
		} else {
			if (!f->pattern || pattern)
				return false;
			pattern = true;
		}
	}
	return pattern == f->pattern;
}

/* Text and simple globs as a value; NULL: more than that. */
static const char *
word_value(struct walk *w, const struct sh_word *word)
{
	size_t n = 0;
	char *v;

	for (const struct sh_part *p = word->parts; p != NULL; p = p->next)
		n += strlen(p->text) + 1;
	v = arena_get(w->f->arena, n + 1);
	if (v == NULL)
		return NULL;
	n = 0;
	for (const struct sh_part *p = word->parts; p != NULL; p = p->next) {
		size_t len = strlen(p->text);

		if (p->kind == SH_GLOB && p->text[0] != '+') {
			v[n++] = p->text[0] == '*' ? VALUE_STAR : VALUE_ONE;
		} else if (p->kind == SH_TEXT) {
			memcpy(v + n, p->text, len);
			n += len;
		} else {
			return NULL;
		}
	}
	v[n] = '\0';
	return v;
}

/*
 * A glob as programs read it, which must mean program text below here.  A `*`
 * of git and grep may stand for slashes and for a dot in front as well: it
 * says nothing about the directories it is part of.
 */
static const char *
source_glob(struct walk *w, const char *glob)
{
	char *v = arena_text(w->f->arena, glob, strlen(glob));
	char path[128] = "/";

	if (v == NULL || strlen(v) > sizeof(path) - 2 || v[0] == '/' ||
	    strchr("~:!-.", v[0]) != NULL || strpbrk(v, "[\\{?") != NULL ||
	    strstr(v, "..") != NULL || strchr(v, '*') == NULL ||
	    strchr(strchr(v, '*'), '/') != NULL)
		return NULL;
	for (char *p = v; *p != '\0'; p++)
		*p = *p == '*' ? VALUE_STAR : *p;
	memcpy(path + 1, v, strlen(v) + 1);
	return place_is_source(path) ? v : NULL;
}

static bool
add(struct names *to, const char *value)
{
	if (value == NULL || to->n == NAMES_MAX)
		return false;
	to->of[to->n].value = value;
	to->of[to->n].exact = to->of[to->n].loose = false;
	to->n++;
	return true;
}

/* git ls-files [-co...] '*.c' ...: what is tracked, below here. */
static bool
tracked(struct walk *w, const struct sh_word *v, struct names *ret)
{
	static const char *const flags[] = { "-z", "-c", "-m", "-o",
		"--cached", "--modified", "--others", "--exclude-standard",
		"--" };

	if (v->next == NULL || !str_eq(v->next->text, "ls-files"))
		return false;
	for (v = v->next->next; v != NULL; v = v->next) {
		bool flag = false;

		for (size_t i = 0; i < ARRAY_LEN(flags); i++)
			flag = flag || str_eq(v->text, flags[i]);
		if (!flag && (v->text == NULL ||
		    !add(ret, source_glob(w, v->text))))
			return false;
	}
	ret->start[ret->n_starts++] = ".";
	return true;
}

struct search {
	const char	*globs[NAMES_MAX], *dirs[NAMES_MAX];
	size_t		 n_globs, n_dirs;
	bool		 lists, pattern;
};

/* An option of grep or rg; 0 not understood, 1 fine, 2 with its value. */
static int
search_option(struct walk *w, struct search *s, const char *t,
    const struct sh_word *next, bool rg)
{
	const char *glob = str_starts(t, "--include=") && !rg ? t + 10 :
	    str_starts(t, "--glob=") && rg ? t + 7 : NULL;
	int used = 1;

	if (rg && (str_eq(t, "-g") || str_eq(t, "--glob"))) {
		glob = next != NULL && next->text != NULL ? next->text : "";
		used = 2;
	}
	if (glob != NULL && rg && glob[0] == '!')
		return used;
	if (glob != NULL) {
		/* With a slash in it, it is about paths from here. */
		glob += rg && str_starts(glob, "**/") ? 3 : 0;
		glob = strchr(glob, '/') == NULL ? source_glob(w, glob) : NULL;
		if (glob == NULL || s->n_globs == NAMES_MAX)
			return 0;
		s->globs[s->n_globs++] = glob;
		return used;
	}
	/* In front of any --include it makes grep read what fits neither. */
	if (str_starts(t, "--exclude="))
		return !rg && s->n_globs > 0 ? 1 : 0;
	if (str_starts(t, "--exclude-dir="))
		return rg ? 0 : 1;
	if (rg && str_eq(t, "--files")) {
		if (s->pattern)
			return 0;	/* it was no pattern */
		s->lists = s->pattern = true;
		return 1;
	}
	s->lists = s->lists || (t[1] != '-' && strchr(t, 'l') != NULL);
	return t[1] == '\0' || t[1 + strspn(t + 1, rg ? "liwFsSn" :
	    "rlniwEFPsI")] != '\0' ? 0 : 1;
}

/* What a search of `dir` prints; NULL: of here, where names have no ./ */
static bool
search_add(struct walk *w, const struct search *s, const char *dir, bool rg,
    struct names *ret)
{
	size_t n = dir != NULL ? strlen(dir) : 0;

	ret->start[ret->n_starts++] = dir != NULL ? dir : ".";
	for (size_t k = 0; k < s->n_globs; k++) {
		size_t m = strlen(s->globs[k]);
		char *path = arena_get(w->f->arena, n + m + 2);

		if (path == NULL)
			return false;
		if (n > 0) {
			memcpy(path, dir, n);
			path[n] = '/';
		}
		memcpy(path + n + (n > 0), s->globs[k], m + 1);
		if (!add(ret, path))
			return false;
	}
	/* A file that is named rg reads whatever the globs say. */
	if (!rg || n == 0 || dir[n - 1] == '/' || str_eq(dir, ".") ||
	    str_eq(dir, ".."))
		return true;
	if (!add(ret, dir))
		return false;
	ret->of[ret->n - 1].exact = true;
	return true;
}

/* grep -rl x --include='*.c' [DIR...], rg -l x -g '*.c', rg --files -g ... */
static bool
searched(struct walk *w, const struct sh_word *v, struct names *ret)
{
	bool rg = str_eq(v->text, "rg");
	struct search s = { .n_globs = 0 };

	for (v = v->next; v != NULL; v = v->next) {
		const char *value = word_value(w, v);

		if (v->text != NULL && v->text[0] == '-') {
			int used = search_option(w, &s, v->text, v->next, rg);

			if (used == 0)
				return false;
			v = used == 2 ? v->next : v;
		} else if (!s.pattern) {
			s.pattern = true;
		} else if (value == NULL || value[0] < ' ' ||
		    value[0] == '/' || value[0] == '~' ||
		    s.n_dirs == NAMES_MAX) {
			return false;
		} else {
			s.dirs[s.n_dirs++] = value;
		}
	}
	if (s.n_globs == 0)
		return false;
	if (s.n_dirs == 0 && !search_add(w, &s, NULL, rg, ret))
		return false;
	for (size_t i = 0; i < s.n_dirs; i++)
		if (!search_add(w, &s, s.dirs[i], rg, ret))
			return false;
	return s.lists;
}

static bool
is_tr(const struct sh_word *v)
{
	const char *from = v->next != NULL ? v->next->text : NULL;
	const char *to = from != NULL && v->next->next != NULL ?
	    v->next->next->text : NULL;

	return to != NULL && v->next->next->next == NULL &&
	    (str_eq(from, "\\n") || str_eq(from, "\\0")) &&
	    (str_eq(to, "\\n") || str_eq(to, "\\0") || str_eq(to, " "));
}

/* 2>/dev/null is all that may be said about its files. */
static bool
quiet(const struct sh_node *n)
{
	for (const struct sh_redir *d = n->redirs; d != NULL; d = d->next)
		if (d->kind != SH_OUT || d->fd != 2)
			return false;
	return true;
}

const struct names *
names_printed(struct walk *w, const struct sh_node *n, const struct names *in)
{
	const struct sh_word *v = n->words;
	struct names *ret;
	bool ok = false;

	if (n->kind != SH_SIMPLE || v == NULL || v->text == NULL ||
	    n->assigns != NULL || (!quiet(n) && !str_eq(v->text, "find")))
		return NULL;
	for (const struct name *f = w->functions; f != NULL; f = f->next)
		if (str_eq(f->name, v->text))
			return NULL;
	if (str_eq(v->text, "find"))
		return w->names;
	for (size_t i = 0; i < ARRAY_LEN(filters); i++)
		if (str_eq(filters[i].name, v->text) && passes(&filters[i], v))
			return in;
	if (str_eq(v->text, "tr"))
		return is_tr(v) ? in : NULL;
	ret = arena_get(w->f->arena, sizeof(*ret));
	if (ret == NULL)
		return NULL;
	ret->n = ret->n_starts = 0;
	if (str_eq(v->text, "git"))
		ok = tracked(w, v, ret);
	else if (str_eq(v->text, "grep") || str_eq(v->text, "rg"))
		ok = searched(w, v, ret);
	return ok && ret->n > 0 ? ret : NULL;
}

static size_t
dir_len(const char *value)
{
	const char *slash = strrchr(value, '/');

	return slash == NULL ? 0 : (size_t)(slash - value) + 1;
}

/* Of several in one directory the first: one source is like another. */
const char *
names_word(const struct names *names)
{
	size_t n = names != NULL ? names->n : 0;
	const char *first = n > 0 ? names->of[0].value : NULL;
	char path[256] = "/";

	for (size_t i = 0; i < n; i++) {
		const char *v = names->of[i].value;

		if (strlen(v) > sizeof(path) - 2 ||
		    dir_len(v) != dir_len(first) ||
		    memcmp(v, first, dir_len(v)) != 0)
			return NULL;
		memcpy(path + 1, v, strlen(v) + 1);
		if (!place_is_source(path))
			return NULL;
	}
	return first;
}

void
names_read(struct run *r)
{
	const char *value = names_word(r->w->feed), *name = NULL;

	if (r->wraps > 0 || r->node == NULL)
		return;
	/* Another IFS takes bytes off the ends. */
	for (const struct sh_assign *a = r->node->assigns; a != NULL;
	    a = a->next)
		if (a->value == NULL || !str_eq(a->value->text, ""))
			return;
	for (size_t i = 1; i < r->argc; i++) {
		const char *v = r->argv[i].val;

		if (str_eq(v, "-r"))
			continue;
		if (str_eq(v, "-d") && i + 1 < r->argc &&
		    r->argv[i + 1].val[0] == '\0')
			i++;
		else if (name == NULL && !r->argv[i].many)
			name = v;
		else
			return;
	}
	if (value != NULL && name != NULL &&
	    shell_is_name(name, strlen(name)) && !state_grave(name))
		state_set(r->w, r->st, name, value);
}
