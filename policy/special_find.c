/* policy/special_find.c - find and xargs: one command, many paths. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/special.h"
#include "policy/value.h"
#include "common/banned.h"

#define PATHS_MAX	16

struct find {
	struct run	*r;
	size_t		 at;
	const struct arg *paths[PATHS_MAX];
	size_t		 n_paths;
	const char	*name;		/* of the last -name, as a value */
	const char	*whole;		/* of the last -path */
	bool		 links;		/* -L: leaves the tree */
	bool		 inverts;	/* a ! was seen: names say nothing */
};

static const char *const find_plain[] = {
	"!", "(", ")", "-a", "-and", "-o", "-or", "-not", ",", "-true",
	"-false", "-print", "-print0", "-ls", "-prune", "-quit", "-depth",
	"-d", "-daystart", "-mount", "-xdev", "-noleaf", "-empty",
	"-readable", "-writable", "-executable", "-nouser", "-nogroup",
	"-follow", "-noignore_readdir_race", "-ignore_readdir_race",
};
static const char *const find_valued[] = {
	"-maxdepth", "-mindepth", "-type", "-xtype", "-size", "-mtime",
	"-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-anewer",
	"-cnewer", "-newermt", "-newerat", "-newerct", "-user", "-group",
	"-uid", "-gid", "-perm", "-links", "-inum", "-samefile", "-fstype",
	"-printf", "-lname", "-ilname", "-regextype", "-used", "-context",
};
static const char *const find_names[] = { "-name", "-iname" };
static const char *const find_wholes[] = { "-path", "-ipath", "-wholename",
	"-iwholename", "-regex", "-iregex" };
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

/* A pattern of find as a value; one with sets is anything. */
static const char *
pattern(struct find *f, const struct arg *a)
{
	char *v = arena_text(f->r->w->f->arena, a->val, strlen(a->val));

	if (v == NULL || strpbrk(v, "[\\") != NULL || !value_constant(v))
		return "\001";
	value_from_glob(v);
	return v;
}

/* What {} may be: PATH/NAME, where NAME is what -name asked for. */
static const char *
found(struct find *f, const struct arg *path)
{
	const char *name = f->name != NULL ? f->name : "\002";
	size_t n = strlen(path->val), m = strlen(name);
	char *v = arena_get(f->r->w->f->arena, n + m + 2);

	if (v == NULL || f->links)
		return "\001";
	memcpy(v, path->val, n);
	v[n] = '/';
	memcpy(v + n + 1, name, m);
	return v;
}

/* An action on everything found. */
static void
find_act(struct find *f, enum path_use use)
{
	for (size_t i = 0; i < f->n_paths; i++) {
		struct arg a = { found(f, f->paths[i]), true, f->r->span };

		run_path(f->r, use, &a);
		if (f->whole == NULL)
			continue;
		a.val = f->whole;
		run_path(f->r, use, &a);
	}
}

/* -exec CMD ... ; judged once for every path it starts from. */
static void
find_exec(struct find *f)
{
	size_t from = f->at, end = from;

	while (end < f->r->argc && !str_eq(f->r->argv[end].val, ";") &&
	    !(str_eq(f->r->argv[end].val, "+") && end > from &&
	    str_eq(f->r->argv[end - 1].val, "{}")))
		end++;
	f->at = end < f->r->argc ? end + 1 : end;
	for (size_t i = 0; i < f->n_paths; i++) {
		struct run in = *f->r;

		/* At whatever depth: {} alone says nothing about the depth. */
		run_path(f->r, PATH_TREE, f->paths[i]);
		in.argc = end - from;
		in.argv = arena_get(f->r->w->f->arena,
		    (in.argc + 1) * sizeof(*in.argv));
		if (in.argv == NULL || in.argc == 0)
			return;
		for (size_t k = 0; k < in.argc; k++) {
			in.argv[k] = f->r->argv[from + k];
			if (strstr(in.argv[k].val, "{}") != NULL)
				in.argv[k].val = found(f, f->paths[i]);
		}
		in.cmd = NULL;
		run_wrapped(&in, 0);
	}
}

static void
find_step(struct find *f, const struct arg *a)
{
	const struct arg *value = f->at < f->r->argc ? &f->r->argv[f->at] :
	    NULL;

	if (IS(find_plain, a->val)) {
		f->inverts = f->inverts || a->val[0] == '!' ||
		    str_eq(a->val, "-not");
		return;
	}
	if (IS(find_execs, a->val)) {
		find_exec(f);
		return;
	}
	if (str_eq(a->val, "-delete")) {
		find_act(f, PATH_WIPE);
		return;
	}
	f->at += value != NULL;
	if (value == NULL || IS(find_valued, a->val))
		return;
	if (IS(find_names, a->val))
		f->name = f->name != NULL ? "\001" : f->inverts ? "\002" :
		    pattern(f, value);
	else if (IS(find_wholes, a->val))
		f->whole = pattern(f, value);
	else if (IS(find_writes, a->val))
		run_path(f->r, PATH_WRITE, value);
	else
		run_unknown(f->r, "a test or action that is not known");
	if (str_eq(a->val, "-fprintf"))
		f->at++;
}

void
special_find(struct run *r, const struct cmd_program *p, size_t from)
{
	static const struct arg here = { ".", false, { 0, 0 } };
	struct find f = { .r = r, .at = from };

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
			if (v[0] < ' ' && v[0] > '\0')
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

		if (!value_constant(a->val) || a->many)
			run_unknown(r, "a word that may turn into an option");
		else
			find_step(&f, a);
	}
}

/* What find feeds lies at any depth below where it starts. */
static void
feed_tree(struct run *r, const char *feed)
{
	size_t n = strcspn(feed, "\001\002\003");
	char *start = arena_get(r->w->f->arena, n + 1);
	struct arg a = { start, true, r->span };

	if (start == NULL)
		return;		/* the arena is full: judged as unknown */
	memcpy(start, feed, n);
	start[n] = '\0';
	while (n > 1 && start[n - 1] != '/')
		start[--n] = '\0';
	if (n > 0)
		run_path(r, PATH_TREE, &a);
}

/* Words from its input; `feed` is what is known about them. */
void
special_xargs(struct run *r, const struct cmd_program *p, size_t from)
{
	static const char any[] = { VALUE_ANY, '\0' };
	const struct arg **words = program_room(r);
	size_t n = words == NULL ? 0 : program_operands(r, p, from, words);
	const char *feed = r->w->feed != NULL ? r->w->feed : any;
	struct run in = *r;
	size_t at;

	if (n == 0)
		return;		/* echo */
	if (feed != any)
		feed_tree(r, feed);
	at = (size_t)(words[0] - r->argv);
	in.argc = r->argc - at + 1;
	in.argv = arena_get(r->w->f->arena, in.argc * sizeof(*in.argv));
	if (in.argv == NULL)
		return;
	for (size_t i = 0; i + 1 < in.argc; i++) {
		in.argv[i] = r->argv[at + i];
		/* -I's sign, whatever it is; a wrong guess only asks more. */
		if (i > 0 && (strchr(in.argv[i].val, '%') != NULL ||
		    strstr(in.argv[i].val, "{}") != NULL))
			in.argv[i].val = strlen(in.argv[i].val) <= 2 ? feed :
			    any;
	}
	in.argv[in.argc - 1] = (struct arg){ feed, true, r->span };
	in.cmd = NULL;
	run_wrapped(&in, 0);
}
