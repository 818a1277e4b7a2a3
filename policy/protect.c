/* policy/protect.c - protected and secret names. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/commands/table.h"
#include "policy/places.h"
#include "policy/protect.h"
#include "policy/protect_list.h"
#include "policy/value.h"
#include "common/banned.h"

/* Copy one component of a path; returns what follows its slash. */
static const char *
component(const char *p, char ret[static 256])
{
	size_t len = strcspn(p, "/");
	size_t keep = len < 255 ? len : 255;

	memcpy(ret, p, keep);
	ret[keep] = '\0';
	return p[len] == '/' ? p + len + 1 : p + len;
}

static const char *
behind(const char *p)
{
	p += strcspn(p, "/");
	return *p == '/' ? p + 1 : p;
}

/* `certs*.pem`: whatever the wild card is, `*.pem` it is. */
static bool
ends_so(const char *have, const char *want)
{
	size_t n = strlen(have), m = strlen(want);

	return want[0] == '*' && strchr(want + 1, '*') == NULL && n + 1 >= m &&
	    strcasecmp(have + n + 1 - m, want + 1) == 0;
}

/* How a component or a run of them can equal a name. */
enum hit {
	HIT_NONE = 0,
	HIT_VAGUE,		/* a wild card that could be anything */
	HIT_MEANT,		/* one that somebody wrote for such names */
	HIT_SURE
};

/* For one component: none, meant or sure. */
static enum hit
component_is(const char *have, const char *want)
{
	if (value_constant(have)) {
		if (strchr(want, '*') == NULL)
			return strcasecmp(have, want) == 0 ? HIT_SURE :
			    HIT_NONE;
	} else if (strlen(have) < 2 || str_eq(have, VALUE_NUMBER) ||
	    (have[0] == VALUE_ANY && !ends_so(have, want))) {
		return HIT_NONE;	/* `*`, `?*`, $n: they name nothing */
	}
	char glob[64];

	memcpy(glob, want, strlen(want) + 1);
	value_from_glob(glob);
	if (!value_meets(have, glob))
		return HIT_NONE;
	return value_constant(have) || ends_so(have, want) ? HIT_SURE :
	    HIT_MEANT;
}

/* Does the run of components stand right here?  As run_find. */
static enum hit
run_here(const char *p, const char *run, const char **ret_tail)
{
	char have[256], want[256];
	enum hit hit = HIT_SURE;

	while (*run != '\0' && hit != HIT_NONE) {
		enum hit one;

		if (*p == '\0')
			return HIT_NONE;
		p = component(p, have);
		run = component(run, want);
		one = component_is(have, want);
		hit = one < hit ? one : hit;
	}
	*ret_tail = p;
	return hit;
}

/* `.*` may be .sandbox, but nobody who writes it means that one. */
static bool
pointed(const char *from, const char *tail)
{
	static const char vague[] = {
		'.', '/', VALUE_ANY, VALUE_STAR, VALUE_ONE, '\0'
	};
	char have[256];

	for (const char *p = from; p < tail;) {
		p = component(p, have);
		if (!value_constant(have) &&
		    have[strspn(have, vague)] == '\0')
			return false;
	}
	return true;
}

/* `*.json` may be opencode.json, but is every other one as well. */
static bool
is_ending(const char *component, const char *run)
{
	return run[0] != '.' && strchr(run, '/') == NULL &&
	    (component[0] == VALUE_STAR || component[0] == VALUE_ANY);
}

/*
 * Does the run of components stand anywhere in path?  The surest place counts:
 * what else is vague in the path makes no place less sure.  *ret_tail is what
 * follows it.
 */
static enum hit
run_find(const char *path, const char *run, const char **ret_tail)
{
	enum hit best = HIT_NONE;

	/* Without wild cards the run is a part of the text, or nowhere. */
	if (strchr(run, '*') == NULL && value_constant(path) &&
	    strcasestr(path, run) == NULL)
		return HIT_NONE;
	for (const char *at = path; *at != '\0' && best != HIT_SURE;
	    at = behind(at)) {
		const char *tail;
		enum hit hit;

		/* Most components differ in the first byte already. */
		if (*at >= ' ' && *run != '*' &&
		    tolower((unsigned char)*at) != tolower((unsigned char)*run))
			continue;
		hit = run_here(at, run, &tail);
		if (hit == HIT_MEANT && (!pointed(at, tail) ||
		    is_ending(at, run)))
			hit = HIT_VAGUE;
		if (hit > best) {
			best = hit;
			*ret_tail = tail;
		}
	}
	return best;
}

/* Most names begin with a dot; most paths hold none that does. */
static bool
may_hide(const char *path)
{
	return strstr(path, "/.") != NULL || !value_constant(path);
}

enum guard
protect_find(const struct policy *pol, const char *path)
{
	const struct policy_place *at = &pol->place;
	enum guard worst = GUARD_NONE;
	const char *tail = "";
	bool dots = may_hide(path);

	if (place_under(path, at->state) || place_under(path, at->keys))
		return GUARD_CLOSED;
	if (place_under(path, at->libexec))
		worst = GUARD_DENY;
	for (size_t i = 0; i < protect_n_guarded; i++) {
		enum guard g = protect_guarded[i].guard;
		const char *run = protect_guarded[i].run;
		enum hit hit = g <= worst || (run[0] == '.' && !dots) ?
		    HIT_NONE : run_find(path + 1, run, &tail);

		/* A whole work tree is there; what it guards is in the list. */
		if (hit == HIT_SURE && g == GUARD_ASK &&
		    str_starts(tail, "worktrees/") && str_eq(run, ".claude"))
			hit = run_find(tail, run, &tail);
		if (hit == HIT_VAGUE)
			g = GUARD_ASK;
		if (hit != HIT_NONE && g > worst)
			worst = g;
	}
	for (size_t i = 0; i < pol->protect.n; i++)
		if (value_meets(pol->protect.words[i], path) &&
		    worst < GUARD_ASK)
			worst = GUARD_ASK;
	return worst;
}

bool
protect_below(const struct policy *pol, const char *path)
{
	const struct policy_place *at = &pol->place;

	return place_under(at->root, path) || place_under(at->home, path) ||
	    (at->state != NULL && place_under(at->state, path)) ||
	    (at->keys != NULL && place_under(at->keys, path)) ||
	    (at->libexec != NULL && place_under(at->libexec, path));
}

static bool
is_template(const char *path)
{
	const char *tail;

	for (size_t i = 0; i < protect_n_templates; i++)
		if (run_find(path + 1, protect_templates[i], &tail) ==
		    HIT_SURE && *tail == '\0')
			return true;
	return str_ends(path, ".pub");
}

/* /proc/N/environ, mem, fd and their like show other programs' memory; all
 * that is below /proc/N holds them. */
static bool
is_proc_secret(const char *path, bool deep)
{
	static const char *const names[] = {
		"environ", "mem", "fd", "fdinfo", "root", "cwd", "maps",
		"map_files", "auxv", "task", "syscall", "stack", "cmdline"
	};
	char name[256];
	const char *p;

	if (!str_starts(path, "/proc/"))
		return false;
	p = component(path + 6, name);
	if (name[0] < '0' || name[0] > '9')
		if (!str_eq(name, "self") && !str_eq(name, "thread-self") &&
		    value_constant(name))
			return str_eq(name, "kcore");
	if (deep && *p == '\0')
		return true;
	component(p, name);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (component_is(name, names[i]) != HIT_NONE)
			return true;
	return false;
}

bool
protect_secret(const struct policy *pol, const char *path)
{
	const char *tail;
	bool dots = may_hide(path);
	/* A pattern for source could meet any name, but means source. */
	bool source = !value_constant(path) && place_is_source(path);

	if (is_template(path))
		return false;
	if (is_proc_secret(path, false) || (place_under(path, "/root") &&
	    !place_under(path, pol->place.root) &&
	    !place_under(path, pol->place.home)))
		return true;
	for (size_t i = 0; i < protect_n_secrets && !source; i++) {
		const struct secret *one = &protect_secrets[i];
		enum hit hit = one->run[0] == '.' && !dots ? HIT_NONE :
		    run_find(path + 1, one->run, &tail);

		if (hit == HIT_SURE || (hit != HIT_NONE && one->strong))
			return true;
	}
	for (size_t i = 0; i < pol->secret.n; i++)
		if (value_meets(pol->secret.words[i], path))
			return true;
	return false;
}

bool
protect_shadows(const char *path)
{
	static const char *const places[] = { "bin", ".bin", "sbin" };
	/* The shell's own come first, wherever others lie. */
	static const char *const own[] = { "test", "[", "echo", "printf",
		"true", "false", "pwd", "kill" };
	const char *name = strrchr(path, '/') + 1, *dir = name - 1;
	const struct cmd_program *p;
	bool there = false;
	size_t n;

	for (n = 0; dir > path && dir[-1] != '/'; dir--)
		n++;
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		there = there || (strlen(places[i]) == n &&
		    memcmp(dir, places[i], n) == 0);
	if (!there || !value_constant(name))
		return there;
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (str_eq(name, own[i]))
			return false;
	p = commands_find(name);
	/* One that runs the project's code is no more than that elsewhere. */
	return p != NULL && (p->n_does == 0 ||
	    (commands_roles[p->does] != ROLE_CODE &&
	    commands_roles[p->does] != ROLE_EXEC));
}

/* Does path end where the run begins, so that the rest may lie below? */
static bool
run_begins(const char *path, const char *run)
{
	for (const char *at = path; *at != '\0'; at = behind(at)) {
		char have[256], want[256];
		const char *p = at, *r = run;
		enum hit hit = HIT_SURE;

		while (hit != HIT_NONE && *p != '\0' && *r != '\0') {
			p = component(p, have);
			r = component(r, want);
			hit = component_is(have, want);
		}
		if (hit != HIT_NONE && *p == '\0' && *r != '\0')
			return true;
		if (run[0] != '.')
			return false;	/* of the machine: from its root */
	}
	return false;
}

/*
 * ~/.config holds .config/gh.  A project's own directories hold what the
 * project has, and ~/.claude is what agents look up their own past in.
 */
static bool
holds_secret(const struct policy_place *at, const char *path)
{
	if (place_under(path, at->root) && !place_under(at->home, at->root))
		return false;
	for (size_t i = 0; i < protect_n_secrets; i++) {
		const char *run = protect_secrets[i].run;

		if (protect_secrets[i].strong && strchr(run, '/') != NULL &&
		    !str_starts(run, ".claude/") && run_begins(path + 1, run))
			return true;
	}
	return false;
}

bool
protect_secret_below(const struct policy *pol, const char *path)
{
	const struct policy_place *at = &pol->place;

	return place_under(at->home, path) || place_under("/etc", path) ||
	    (at->keys != NULL && place_under(at->keys, path)) ||
	    (at->state != NULL && place_under(at->state, path)) ||
	    place_under("/root", path) || place_under("/proc", path) ||
	    is_proc_secret(path, true) || holds_secret(at, path) ||
	    protect_secret(pol, path);
}

bool
protect_named(const struct policy *pol, const char *text)
{
	return strcasestr(text, ".sandbox") != NULL ||
	    (pol->place.state != NULL &&
	    strstr(text, pol->place.state) != NULL) ||
	    (pol->place.keys != NULL &&
	    strstr(text, pol->place.keys) != NULL);
}

bool
protect_word(const char *word)
{
	static const char name[] = ".sandbox";

	if (strpbrk(word, " \t\n") != NULL)
		return false;
	for (const char *p = word; (p = strcasestr(p, name)) != NULL; p++) {
		char after = p[sizeof(name) - 1];

		if ((p == word || strchr("/=@:,", p[-1]) != NULL) &&
		    (after == '\0' || after == '/'))
			return true;
	}
	return false;
}
