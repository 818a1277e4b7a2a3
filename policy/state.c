/* policy/state.c - directories and variables along a line. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

static const char anything[] = { VALUE_ANY, '\0' };

/* The innermost setting of a name, or NULL. */
static const struct var *
find(const struct var *v, const char *name)
{
	while (v != NULL && !str_eq(v->name, name))
		v = v->older;
	return v;
}

const char *
state_var(const struct walk *w, const struct state *st, const char *name)
{
	/* Commands of the shell set these, and nobody says so. */
	static const char *const set[] = { "_", "REPLY", "MAPFILE", "OPTARG",
		"BASH_REMATCH", "BASH_COMMAND", "BASH_EXECUTION_STRING" };
	const struct var *v = find(st->vars, name);

	if (v != NULL)
		return v->value;
	if (str_eq(name, "HOME"))
		return w->f->policy->place.home;
	for (size_t i = 0; i < ARRAY_LEN(set); i++)
		if (str_eq(name, set[i]))
			return anything;
	if (str_eq(name, "PWD") && st->cwds.n == 1 && !st->cwds.unknown)
		return st->cwds.dir[0];
	return st->lost ? anything : NULL;
}

void
state_forget(struct state *st)
{
	st->lost = true;
	st->vars = NULL;
	st->n_vars = 0;
}

/* One of two values: NULL is the environment's, or a number. */
static const char *
either(const char *a, const char *b)
{
	if (str_eq(a, b))
		return a;
	if ((a == NULL || value_number(a)) && (b == NULL || value_number(b)))
		return a == NULL || b == NULL ? NULL : VALUE_NUMBER;
	return anything;
}

static void
note(struct sets *s, const char *name, const char *value)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->of[i].name, name)) {
			s->of[i].value = either(s->of[i].value, value);
			return;
		}
	if (s->n == STATE_VARS) {
		s->all = true;
		return;
	}
	s->of[s->n].name = name;
	s->of[s->n++].value = value;
}

void
state_note(struct sets *outer, const struct sets *inner)
{
	if (outer == NULL)
		return;
	for (size_t i = 0; i < inner->n; i++)
		note(outer, inner->of[i].name, inner->of[i].value);
	outer->all = outer->all || inner->all;
	outer->moved = outer->moved || inner->moved;
	outer->jumps = outer->jumps || inner->jumps;
}

void
state_lose(struct walk *w, struct state *st)
{
	if (w->sets != NULL)
		w->sets->all = true;
	state_forget(st);
}

/* Where nothing has to be noted. */
static void
put(struct walk *w, struct state *st, const char *name, const char *value)
{
	struct var *v = arena_get(w->f->arena, sizeof(*v));

	if (v == NULL || st->n_vars == STATE_VARS) {
		state_forget(st);
		return;
	}
	v->name = name;
	v->value = value;
	v->older = st->vars;
	st->vars = v;
	st->n_vars++;
}

void
state_set(struct walk *w, struct state *st, const char *name,
    const char *value)
{
	/* The shell itself sets these, whatever the line says. */
	static const char *const own[] = { "_", "REPLY", "MAPFILE", "OPTARG",
		"PWD", "OLDPWD", "FUNCNAME", "DIRSTACK", "GROUPS", "COPROC" };
	const struct sets *later = w->later;

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (str_eq(own[i], name))
			value = anything;
	for (size_t i = 0; later != NULL && i < later->n; i++)
		if (str_eq(later->of[i].name, name))
			value = anything;
	if (later != NULL && later->all)
		value = anything;
	if (w->sets != NULL)
		note(w->sets, name, value);
	put(w, st, name, value);
}

void
state_fix(struct walk *w, const char *name)
{
	if (w->later != NULL)
		note(w->later, name, anything);
}

bool
state_is_split(const struct walk *w, const char *name)
{
	const struct piece *p = w->pieces;

	while (p != NULL && !str_eq(p->name, name))
		p = p->next;
	return p != NULL;
}

void
state_split(struct walk *w, const char *name)
{
	struct piece *p = state_is_split(w, name) ? NULL :
	    arena_get(w->f->arena, sizeof(*p));

	if (p == NULL)
		return;
	*p = (struct piece){ name, w->pieces };
	w->pieces = p;
}

bool
state_text(const struct state *st)
{
	for (const struct var *v = st->vars; v != NULL; v = v->older)
		if (v->value != NULL && !value_number(v->value))
			return true;
	return st->lost;
}

/* What is known of a name; NULL also where nothing was set. */
static const char *
value_of(const struct state *st, const struct var *list, const char *name)
{
	const struct var *v = find(list, name);

	return v != NULL ? v->value : st->lost ? anything : NULL;
}

bool
state_widen(struct walk *w, struct state *st, const struct sets *sets)
{
	bool wider = false;

	if (sets->all && (!st->lost || st->vars != NULL)) {
		state_forget(st);
		wider = true;
	}
	for (size_t i = 0; i < sets->n && !sets->all; i++) {
		const char *name = sets->of[i].name;
		const char *old = value_of(st, st->vars, name);
		const char *new = either(old, sets->of[i].value);

		if (str_eq(old, new))
			continue;
		put(w, st, name, new);
		wider = true;
	}
	return wider;
}

static void
cwds_add(struct cwds *c, const char *dir)
{
	for (size_t i = 0; i < c->n; i++)
		if (str_eq(c->dir[i], dir))
			return;
	if (c->n == CWD_MAX)
		*c = (struct cwds){ .unknown = true };
	else if (!c->unknown)
		c->dir[c->n++] = dir;
}

/* What both states were set before their ways parted. */
static const struct var *
shared(const struct state *a, const struct state *b)
{
	const struct var *x = a->vars, *y = b->vars;
	unsigned n = a->n_vars, m = b->n_vars;

	for (; n > m && x != NULL; n--)
		x = x->older;
	for (; m > n && y != NULL; m--)
		y = y->older;
	while (x != y && x != NULL && y != NULL) {
		x = x->older;
		y = y->older;
	}
	return x == y ? x : NULL;
}

/* Both may be what happened: keep what is true in either. */
void
state_join(struct walk *w, struct state *st, const struct state *other)
{
	const struct var *lists[2] = { st->vars, other->vars };
	const struct var *common;
	struct state was;

	for (size_t i = 0; i < other->cwds.n; i++)
		cwds_add(&st->cwds, other->cwds.dir[i]);
	if (other->cwds.unknown)
		st->cwds = (struct cwds){ .unknown = true };
	if (lists[0] == lists[1] && st->lost == other->lost)
		return;
	common = shared(st, other);
	was = *st;
	st->lost = st->lost || other->lost;
	for (size_t i = 0; i < 2; i++)
		for (const struct var *v = lists[i]; v != common;
		    v = v->older) {
			const char *a = value_of(&was, lists[0], v->name);
			const char *b = value_of(other, lists[1], v->name);

			if (!str_eq(value_of(st, st->vars, v->name),
			    either(a, b)))
				put(w, st, v->name, either(a, b));
		}
}

bool
state_same(const struct state *a, const struct state *b)
{
	if (a->cwds.n != b->cwds.n || a->cwds.unknown != b->cwds.unknown ||
	    a->vars != b->vars || a->lost != b->lost)
		return false;
	for (size_t i = 0; i < a->cwds.n; i++)
		if (!str_eq(a->cwds.dir[i], b->cwds.dir[i]))
			return false;
	return true;
}

void
state_cd(struct walk *w, struct state *st, const char *value)
{
	struct cwds new = { .n = 0, .unknown = st->cwds.unknown };

	if (w->sets != NULL)
		w->sets->moved = true;
	if (!value_constant(value) || value[0] == '\0' ||
	    str_eq(value, "-")) {
		st->cwds = (struct cwds){ .unknown = true };
		return;
	}
	if (value[0] == '/') {
		new.unknown = false;
		new.dir[new.n++] = value;
	}
	for (size_t i = 0; value[0] != '/' && i < st->cwds.n; i++) {
		const char *dir = st->cwds.dir[i];
		size_t n = strlen(dir), m = strlen(value);
		char *path = arena_get(w->f->arena, n + m + 2);

		if (path == NULL || n + m > WORLD_PATH / 8) {
			new.unknown = true;
			continue;
		}
		/* Not normalised: ".." behind a link goes where it goes. */
		memcpy(path, dir, n);
		path[n] = '/';
		memcpy(path + n + 1, value, m);
		cwds_add(&new, path);
	}
	st->cwds = new;
}

/*
 * Names with wild cards.  What starts programs, loads code, moves files that
 * programs read, or is read by the gate.  Upper-case names that end like one
 * of these are taken for one.
 */
static const char *const grave[] = {
	"PATH", "*PATH", "LD_*", "DYLD_*", "BASH_*", "BASHOPTS", "ENV", "IFS",
	"PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "SHELL",
	"GLOBIGNORE", "HOME", "TMPDIR", "TEMP", "TMP", "POSIXLY_CORRECT",
	"CDPATH", "FPATH", "ZDOTDIR", "HISTFILE", "INPUTRC", "TERMINFO*",
	"TERMCAP", "GCONV_*", "LOCALDOMAIN", "HOSTALIASES", "RES_OPTIONS",
	"NLSPATH", "MALLOC_*", "GLIBC_*", "GIT_*", "*PAGER", "*EDITOR",
	"VISUAL", "BROWSER", "LESS*", "MAN*", "MOST_*", "PERL*", "PYTHON*",
	"RUBY*", "NODE_*", "NPM_*", "npm_*", "YARN_*", "BUN_*", "DENO_*",
	"JAVA_*", "_JAVA_*", "JDK_*", "MAVEN_*", "GRADLE_*", "CLASSPATH",
	"GO*", "CARGO*", "RUST*", "CC", "CXX", "LD", "AR", "CPP", "MAKE*",
	"MFLAGS", "GNUMAKEFLAGS", "*FLAGS", "CMAKE_*", "*_OPTS", "*_OPTIONS",
	"*_ARGS", "*_COMMAND", "*_CMD", "*_PRELOAD", "*_HOME", "*_CONFIG*",
	"*_RC", "*RC", "XDG_*", "TAR_*", "GZIP", "BZIP*", "XZ_*", "ZSTD_*",
	"RIPGREP_*", "FZF_*", "FD_*", "BAT_*", "EXA_*", "GREP_*", "RSYNC_*",
	"CVS_*", "SVN_*", "HG*", "SSH_*", "SUDO_*", "GPG_*", "GNUPG*",
	"OPENSSL_*", "SSL_*", "CURL_*", "WGET*", "*_PROXY", "*_proxy",
	"DOCKER_*", "KUBE*", "HELM_*", "TF_*", "AWS_*", "AZURE_*", "GOOGLE_*",
	"CLOUDSDK_*", "GH_*", "GITLAB_*", "PG*", "MYSQL_*", "REDIS*", "VAULT_*",
	"ANSIBLE_*", "SIMPLE_BACKUP_SUFFIX",
	"SANDBOX*", "CLAUDE*", "ANTHROPIC*", "CODEX_*", "OPENAI_*",
	"GEMINI_*", "CURSOR_*", "OPENCODE*", "AI_AGENT", "IS_SANDBOX",
	"DISPLAY", "WAYLAND_*", "DBUS_*", "TMUX*", "STY", "SCREEN*",
	"PYTEST_*", "VIRTUAL_ENV", "UV_*", "PIP_*", "POETRY_*", "CONDA_*",
	"LUA_*", "PHP_*", "GEM_*", "BUNDLE_*", "R_*", "JULIA_*", "ERL_*",
	"TEXINPUTS", "GDB*", "VIM*", "VIMINIT", "EXINIT", "EMACS*", "*HOOK*",
	"*_LIB", "*_LIBS", "*_PLUGIN*", "*_EXEC*", "*_SHELL", "*_ASKPASS",
	"LOCPATH", "TZDIR", "MAIL*", "FIGNORE", "histchars", "EXECIGNORE",
	"FUNCNEST", "OPTIND", "TIMEFORMAT", "HISTCONTROL", "BASH",
	"SSLKEYLOGFILE", "MAGIC", "*_PROFILE_FILE", "GCOV_*", "DEBUGINFOD_*",
	"PSModulePath", "KRB5*", "NVIM_*",
	/* zsh: lists like PATH, and what `> f` alone runs. */
	"cdpath", "fpath", "module_path", "NULLCMD", "READNULLCMD",
};

/* Of these, the ones that say where a program's own code comes from: with them
 * a line is code of the project, and a jail holds it. */
static const char *const loads[] = {
	"PATH", "LD_*", "PYTHON*", "NODE_*", "RUBY*", "PERL*", "GO*", "CARGO*",
	"RUST*", "JAVA_*", "JDK_*", "MAVEN_*", "GRADLE_*", "CLASSPATH", "CC",
	"CXX", "*FLAGS", "CMAKE_*", "PYTEST_*", "VIRTUAL_ENV", "UV_*", "NPM_*",
	"npm_*", "DENO_*", "BUN_*", "MAKE*", "LUA_*", "PHP_*", "JULIA_*",
};

static bool
listed(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *g = list[i];
		size_t n = strlen(g), m = strlen(name);
		bool head = g[0] == '*', tail = g[n - 1] == '*';

		if (head && tail) {
			char mid[32];

			memcpy(mid, g + 1, n - 2);
			mid[n - 2] = '\0';
			if (strstr(name, mid) != NULL)
				return true;
		} else if (head ? m >= n - 1 && str_ends(name, g + 1) :
		    tail ? strncmp(name, g, n - 1) == 0 : str_eq(name, g)) {
			return true;
		}
	}
	return false;
}

bool
state_grave(const char *name)
{
	return listed(name, grave, ARRAY_LEN(grave));
}

void
state_warn(struct walk *w, const char *name, struct span span)
{
	if (listed(name, loads, ARRAY_LEN(loads)))
		facts_effect(w->f, EFFECT_CODE, name, NULL, span);
	else
		facts_unknown(w->f, NULL, span,
		    "it sets a variable that programs obey");
}
