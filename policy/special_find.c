/* policy/special_find.c - find: one command, many paths. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/special.h"
#include "policy/value.h"
#include "common/banned.h"

#define PATHS_MAX	16
#define ALTS_MAX	8

/*
 * The expression is read flat: what is found fits all tests of one stretch
 * between two -o, whatever the brackets say, as long as nothing is negated.
 * An action is reached by what fits a stretch of its own outermost one.
 */
struct find {
	struct run	*r;
	size_t		 at;
	const struct arg *paths[PATHS_MAX];
	size_t		 n_paths;
	struct alt	 alts[ALTS_MAX];
	size_t		 n_alts, outer;	/* alts[outer] began outside of ( ) */
	unsigned	 depth, except;	/* `! (` was at this depth, from 1 */
	bool		 links;		/* -L: leaves the tree */
	bool		 inverts;	/* a ! was just seen */
	bool		 vague;		/* nothing is known about what fits */
	bool		 acts, mixes;	/* an action; one that prints more */
	size_t		 prints;	/* -print: of the stretches from here */
};

static const char *const find_plain[] = {
	"-a", "-and", "-true", "-false", "-prune", "-quit", "-depth",
	"-d", "-daystart", "-mount", "-xdev", "-noleaf", "-empty",
	"-readable", "-writable", "-executable", "-nouser", "-nogroup",
	"-noignore_readdir_race", "-ignore_readdir_race",
};
static const char *const find_prints[] = { "-print", "-print0", "-ls" };
static const char *const find_ors[] = { "-o", "-or", "," };
static const char *const find_nots[] = { "!", "-not" };
static const char *const find_valued[] = {
	"-maxdepth", "-mindepth", "-type", "-xtype", "-size", "-mtime",
	"-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-anewer",
	"-cnewer", "-newermt", "-newerat", "-newerct", "-user", "-group",
	"-uid", "-gid", "-perm", "-links", "-inum", "-samefile", "-fstype",
	"-printf", "-lname", "-ilname", "-regextype", "-used", "-context",
};
static const char *const find_names_of[] = { "-name", "-iname" };
static const char *const find_wholes[] = { "-path", "-ipath", "-wholename",
	"-iwholename" };
static const char *const find_regexes[] = { "-regex", "-iregex" };
static const char *const find_execs[] = { "-exec", "-execdir", "-ok",
	"-okdir" };
static const char *const find_writes[] = { "-fprint", "-fprint0", "-fls",
	"-fprintf" };

#define IS(list, v)	listed(list, ARRAY_LEN(list), v)

static bool
listed(const char *const *list, size_t n, const char *v)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(list[i], v))
			return true;
	return false;
}

static struct alt *
alt_now(struct find *f)
{
	return &f->alts[f->n_alts - 1];
}

/* What the stretches from `from` on can be, below every start. */
static void
find_names(struct find *f, size_t from, struct names *to)
{
	bool known = !f->links && !f->vague;

	for (size_t i = 0; known && i < f->n_paths; i++)
		for (size_t k = from; known && k < f->n_alts; k++)
			known = found_add(f->r, to, f->paths[i]->val,
			    &f->alts[k]);
	if (known)
		return;
	to->n = 1;
	to->of[0].value = "\001";
	to->of[0].exact = to->of[0].loose = false;
}

/* An action on everything found. */
static void
find_act(struct find *f, enum path_use use)
{
	struct names names = { .n = 0 };

	find_names(f, f->outer, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct arg a = { names.of[i].value, true,
		    f->r->span, false };

		run_path(f->r, use, &a);
	}
}

/* One CMD of -exec, with {} as name i. */
static void
exec_one(struct find *f, struct run in, const struct arg *words,
    const struct names *names, size_t i)
{
	in.argv = arena_get(in.w->f->arena, (in.argc + 1) * sizeof(*in.argv));
	if (in.argv == NULL || in.argc == 0)
		return;
	for (size_t k = 0; k < in.argc; k++) {
		in.argv[k] = words[k];
		if (strstr(words[k].val, "{}") != NULL)
			in.argv[k].val = found_splice(f->r, words[k].val,
			    "{}", names, i);
	}
	in.deep = found_deep(names, i);
	in.cmd = NULL;
	run_wrapped(&in, 0);
}

/* -exec CMD ... ; judged once for everything {} can be. */
static void
find_exec(struct find *f, bool elsewhere)
{
	size_t from = f->at, end = from;
	struct state own = *f->r->st;
	struct names names = { .n = 0 }, tops;
	struct run in = *f->r;

	while (end < f->r->argc && !str_eq(f->r->argv[end].val, ";") &&
	    !(str_eq(f->r->argv[end].val, "+") && end > from &&
	    str_eq(f->r->argv[end - 1].val, "{}")))
		end++;
	f->at = end < f->r->argc ? end + 1 : end;
	/* At whatever depth: {} alone says nothing about the depth. */
	for (size_t i = 0; i < f->n_paths; i++)
		run_path(f->r, PATH_TREE, f->paths[i]);
	find_names(f, f->outer, &names);
	in.argc = end - from;
	if (elsewhere) {	/* -execdir: beside what is found */
		own.cwds.unknown = true;
		in.st = &own;
	}
	if (found_glued(f->r, from, "{}", &names, &tops))
		for (size_t i = 0; i < tops.n && !in.w->f->spent; i++)
			exec_one(f, in, &f->r->argv[from], &tops, i);
	for (size_t i = 0; i < names.n && !in.w->f->spent; i++) {
		const char *v = elsewhere && f->r->st->cwds.n == 1 ?
		    paths_join(in.w->f->arena, f->r->st->cwds.dir[0],
		    names.of[i].value) : names.of[i].value;

		names.of[i].value = v != NULL ? v : "\001";
		exec_one(f, in, &f->r->argv[from], &names, i);
	}
}

static void
find_or(struct find *f)
{
	if (f->except > 0)
		return;
	if (f->n_alts == ALTS_MAX) {
		f->vague = true;
		return;
	}
	f->alts[f->n_alts++] = (struct alt){ NULL, NULL };
	if (f->depth == 0)
		f->outer = f->n_alts - 1;
}

static void
find_bracket(struct find *f, bool opens)
{
	if (opens) {
		f->depth++;
		if (f->inverts && f->except == 0)
			f->except = f->depth;
		f->inverts = false;
		return;
	}
	if (f->depth == f->except)
		f->except = 0;
	f->depth -= f->depth > 0;
}

/* Words without a value; false: it is another one. */
static bool
find_word(struct find *f, const char *v)
{
	if (IS(find_nots, v)) {
		/* Twice it says something after all. */
		f->vague = f->vague || f->inverts || f->except > 0;
		f->inverts = true;
		return true;
	}
	if (IS(find_ors, v))
		find_or(f);
	else if (str_eq(v, "(") || str_eq(v, ")"))
		find_bracket(f, v[0] == '(');
	else if (str_eq(v, "-follow"))
		f->links = true;
	else if (IS(find_prints, v)) {
		f->acts = true;
		f->mixes = f->mixes || str_eq(v, "-ls");
		if (f->outer < f->prints)
			f->prints = f->outer;
	} else if (str_eq(v, "-delete")) {
		f->acts = true;
		find_act(f, PATH_WIPE);
	} else if (IS(find_execs, v)) {
		f->acts = f->mixes = true;
		find_exec(f, strstr(v, "dir") != NULL);
	} else if (!IS(find_plain, v)) {
		return false;
	}
	f->inverts = false;
	return true;
}

/* A test of the name or the path. */
static void
find_test(struct find *f, const char *test, const struct arg *value)
{
	struct alt *alt = alt_now(f);

	if (f->inverts || f->except > 0)
		return;
	if (IS(find_names_of, test)) {
		if (alt->name == NULL)
			alt->name = found_name(f->r, value->val);
	} else if (alt->whole == NULL) {
		alt->whole = IS(find_wholes, test) ?
		    found_path(f->r, value->val) :
		    found_regex(f->r, value->val);
	}
}

static void
find_step(struct find *f, const struct arg *a)
{
	const struct arg *value;

	if (find_word(f, a->val))
		return;
	value = f->at < f->r->argc ? &f->r->argv[f->at++] : NULL;
	if (value != NULL && value->many && value->text)
		run_unknown(f->r, "a value that may be several words");
	if (value != NULL && str_eq(a->val, "-samefile"))
		run_path(f->r, PATH_READ, value);
	/* What a link leads to is named by nothing here. */
	f->links = f->links || str_ends(a->val, "lname") ||
	    (value != NULL && (str_eq(a->val, "-type") ||
	    str_eq(a->val, "-xtype")) && strchr(value->val, 'l') != NULL);
	if (value == NULL || IS(find_valued, a->val))
		;
	else if (IS(find_names_of, a->val) || IS(find_wholes, a->val) ||
	    IS(find_regexes, a->val))
		find_test(f, a->val, value);
	else if (IS(find_writes, a->val))
		run_path(f->r, PATH_WRITE, value);
	else
		run_unknown(f->r, "a test or action that is not known");
	f->mixes = f->mixes || str_starts(a->val, "-f") ||
	    str_eq(a->val, "-printf");
	f->inverts = false;
	if (str_eq(a->val, "-fprintf"))
		f->at++;
}

/* The names that it prints, for who reads them. */
static void
find_done(struct find *f)
{
	struct walk *w = f->r->w;
	struct names *names = f->mixes || f->r->wraps > 0 ? NULL :
	    arena_get(w->f->arena, sizeof(*names));

	if (names != NULL) {
		names->n = names->n_starts = 0;
		find_names(f, f->acts ? f->prints : 0, names);
	}
	w->names = names != NULL && names->n > 0 ? names : NULL;
}

void
special_find(struct run *r, const struct cmd_program *p, size_t from)
{
	static const struct arg here = { ".", false, { 0, 0 }, false };
	struct find f = { .r = r, .at = from, .n_alts = 1,
	    .prints = ALTS_MAX };

	(void)p;
	for (; f.at < r->argc; f.at++) {
		const char *v = r->argv[f.at].val;

		if (str_eq(v, "-L") || str_eq(v, "-H"))
			f.links = true;
		else if (v[0] == '-' || v[0] == '(' || v[0] == '!')
			break;
		else if (f.n_paths == PATHS_MAX)
			run_unknown(r, "it names very many places");
		else {
			if ((v[0] < ' ' && v[0] > '\0') ||
			    (r->argv[f.at].many && r->argv[f.at].text))
				run_unknown(r, "a word that may turn into an "
				    "option");
			f.paths[f.n_paths++] = &r->argv[f.at];
			run_path(r, PATH_LIST, &r->argv[f.at]);
		}
	}
	if (f.n_paths == 0)
		f.paths[f.n_paths++] = &here;
	while (f.at < r->argc) {
		const struct arg *a = &r->argv[f.at++];

		if (!value_constant(a->val) || a->many) {
			run_unknown(r, "a word that may turn into an option");
			f.mixes = true;
		} else {
			find_step(&f, a);
		}
	}
	find_done(&f);
}
