/* policy/paths.c - where a path leads and what that means. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/paths.h"
#include "policy/places.h"
#include "policy/protect.h"
#include "policy/value.h"
#include "common/banned.h"

/* What a use of a path is, when nothing special is at the path. */
static const struct {
	enum effect_kind kind;
	enum trigger	 inside, outside;
	enum tier	 tier_in, tier_out;
	bool		 changes, sees, deep, kept, whole;
} uses[] = {
	[PATH_LIST] = { EFFECT_READ, TRIGGER_READ_INSIDE,
	    TRIGGER_READ_OUTSIDE, TIER_LOW, TIER_LOW, 0, 0, 0, 0, 0 },
	[PATH_READ] = { EFFECT_READ, TRIGGER_READ_INSIDE,
	    TRIGGER_READ_OUTSIDE, TIER_LOW, TIER_LOW, 0, 1, 0, 0, 0 },
	[PATH_TREE] = { EFFECT_READ, TRIGGER_READ_INSIDE,
	    TRIGGER_READ_OUTSIDE, TIER_LOW, TIER_LOW, 0, 1, 1, 0, 0 },
	[PATH_KEEP] = { EFFECT_WRITE, TRIGGER_SHELL_WRITE,
	    TRIGGER_SHELL_OUTSIDE, TIER_LOW, TIER_HIGH, 1, 0, 0, 1, 0 },
	[PATH_MERGE] = { EFFECT_WRITE, TRIGGER_SHELL_WRITE,
	    TRIGGER_SHELL_OUTSIDE, TIER_LOW, TIER_HIGH, 1, 0, 0, 1, 1 },
	[PATH_STAGE] = { EFFECT_WRITE, TRIGGER_SHELL_WRITE,
	    TRIGGER_SHELL_OUTSIDE, TIER_LOW, TIER_HIGH, 1, 1, 0, 1, 0 },
	[PATH_MOVE] = { EFFECT_WRITE, TRIGGER_SHELL_WRITE,
	    TRIGGER_SHELL_OUTSIDE, TIER_LOW, TIER_HIGH, 1, 1, 1, 1, 1 },
	[PATH_ALIAS] = { EFFECT_WRITE, TRIGGER_SHELL_WRITE,
	    TRIGGER_SHELL_OUTSIDE, TIER_LOW, TIER_HIGH, 1, 1, 1, 1, 0 },
	[PATH_WRITE] = { EFFECT_WRITE, TRIGGER_SHELL_DELETE,
	    TRIGGER_SHELL_OUTSIDE, TIER_MEDIUM, TIER_HIGH, 1, 0, 0, 0, 0 },
	[PATH_DELETE] = { EFFECT_DELETE, TRIGGER_SHELL_DELETE,
	    TRIGGER_SHELL_OUTSIDE, TIER_MEDIUM, TIER_HIGH, 1, 0, 0, 0, 0 },
	[PATH_WIPE] = { EFFECT_DELETE, TRIGGER_SHELL_DELETE,
	    TRIGGER_SHELL_OUTSIDE, TIER_HIGH, TIER_CRITICAL, 1, 0, 1, 0, 1 },
	[PATH_TOOL] = { EFFECT_WRITE, TRIGGER_FILE_WRITE,
	    TRIGGER_WRITE_OUTSIDE, TIER_LOW, TIER_HIGH, 1, 0, 0, 1, 0 },
};

bool
effect_changes(const struct effect *e)
{
	/* A secret that is moved is one that is read, and one that is gone. */
	bool change = e->kind == EFFECT_WRITE || e->kind == EFFECT_DELETE ||
	    e->kind == EFFECT_PERSIST || e->kind == EFFECT_CONNECTOR ||
	    (e->kind == EFFECT_SECRET && e->whole);

	return change && e->certainty == CERTAIN_YES && e->target[0] == '/';
}

struct seen {
	const char	*path;		/* normalised or resolved */
	const char	*named;		/* normalised */
	enum path_use	 use;
	const struct site *site;
};

static bool
is_sink(const struct seen *s)
{
	/* Who only looks may as well go there: cd /dev/fd/3. */
	if (s->use == PATH_LIST && str_starts(s->path, "/dev/fd/"))
		return false;
	return place_is_sink(s->path, uses[s->use].changes);
}

static void
add(struct facts *f, const struct seen *s, enum effect_kind kind,
    enum trigger trigger, enum tier tier)
{
	struct fact new = {
		.effect = { .kind = kind, .target = s->path,
		    .certainty = value_constant(s->path) ? CERTAIN_YES :
			CERTAIN_NO,
		    .kept = uses[s->use].kept, .whole = uses[s->use].whole,
		    .named = s->named, .span_at = s->site->span.at,
		    .span_len = s->site->span.len },
		.trigger = trigger, .tier = tier, .cmd = s->site->cmd,
		.hard = kind == EFFECT_CONNECTOR
	};

	facts_add(f, &new);
}

/* `.sandbox/out/<id>.txt` is written for the agent to read. */
static bool
is_answer(const struct facts *f, const struct seen *s)
{
	const char *root = f->policy->place.root;
	size_t len = strlen(root);
	const char *p = s->path + len;

	return !uses[s->use].changes && value_constant(s->path) &&
	    str_starts(s->path, root) && str_starts(p, "/.sandbox/out/") &&
	    strchr(p + 14, '/') == NULL && str_ends(p, ".txt");
}

static bool
is_plan(const struct facts *f, const struct seen *s)
{
	return s->use == PATH_TOOL &&
	    place_is_plan(&f->policy->place, s->path);
}

/* True when a guard spoke: nothing else needs to be said about the path. */
static bool
add_guarded(struct facts *f, const struct seen *s)
{
	enum guard g = protect_find(f->policy, s->path);

	if (g == GUARD_CLOSED) {
		if (!is_answer(f, s))
			add(f, s, EFFECT_CONNECTOR, TRIGGER_PERSIST,
			    TIER_CRITICAL);
		return true;
	}
	if (!uses[s->use].changes)
		return false;
	if (g == GUARD_DENY)
		add(f, s, EFFECT_CONNECTOR, TRIGGER_PERSIST, TIER_CRITICAL);
	else if ((g == GUARD_ASK && !is_plan(f, s)) ||
	    (uses[s->use].kind == EFFECT_WRITE && protect_shadows(s->path)))
		add(f, s, EFFECT_PERSIST, TRIGGER_PERSIST, TIER_HIGH);
	if (g == GUARD_NONE && uses[s->use].deep &&
	    protect_below(f->policy, s->path))
		add(f, s, uses[s->use].kind, TRIGGER_SHELL_OUTSIDE,
		    TIER_CRITICAL);
	return g == GUARD_DENY;
}

static bool
inside(const struct facts *f, const char *path)
{
	/* A component `.*` can be `..`. */
	for (const char *p = path; (p = strstr(p, "/.")) != NULL; p++) {
		size_t n = strcspn(p + 1, "/");

		if (n > 1 && strspn(p + 1, ".\001\002\003") >= n)
			return false;
	}
	return place_under(path, f->policy->place.root) &&
	    strchr(path, VALUE_ANY) == NULL;
}

/* Where Claude Code tells its agent to put what is for the moment. */
static bool
is_scratch(const struct seen *s)
{
	return s->use == PATH_TOOL && (str_starts(s->path, "/tmp/claude-") ||
	    str_starts(s->path, "/private/tmp/claude-"));
}

/* Which question a change raises, beyond what the table says. */
static enum trigger
change_trigger(const struct facts *f, const struct seen *s, bool in,
    enum trigger t)
{
	bool one = s->use == PATH_DELETE || s->use == PATH_WRITE;

	if (in && one && value_constant(s->path))
		return s->use == PATH_DELETE && place_is_text(s->path) ?
		    TRIGGER_SHELL_WRITE : TRIGGER_SHELL_REMOVE;
	if (!in && (s->use == PATH_KEEP || one || is_scratch(s)) &&
	    place_is_temp(&f->policy->place, s->path))
		return TRIGGER_SHELL_TEMP;
	return is_plan(f, s) ? TRIGGER_FILE_WRITE : t;
}

static void
add_plain(struct facts *f, const struct seen *s)
{
	bool in = inside(f, s->path);
	enum trigger t = in ? uses[s->use].inside : uses[s->use].outside;

	if (uses[s->use].sees && (uses[s->use].deep ?
	    protect_secret_below(f->policy, s->path) :
	    protect_secret(f->policy, s->path))) {
		add(f, s, EFFECT_SECRET, TRIGGER_SECRET_READ, TIER_HIGH);
		return;
	}
	if (str_starts(s->path, "/dev/") && !is_sink(s)) {
		/* Write and Edit have one answer for all that is outside. */
		add(f, s, EFFECT_DEVICE, s->use == PATH_TOOL ?
		    TRIGGER_WRITE_OUTSIDE : TRIGGER_SYSTEM,
		    uses[s->use].changes ? TIER_CRITICAL : TIER_HIGH);
		return;
	}
	if (is_sink(s) && s->use != PATH_WIPE && s->use != PATH_DELETE)
		return;
	if (uses[s->use].changes)
		t = change_trigger(f, s, in, t);
	else if (strchr(s->path, VALUE_ANY) != NULL && s->use != PATH_LIST &&
	    !place_is_source(s->path))
		t = TRIGGER_UNKNOWN_COMMAND;	/* reads who knows what */
	add(f, s, uses[s->use].kind, t,
	    in ? uses[s->use].tier_in : uses[s->use].tier_out);
}

/* A hard link to a file of ours is that file under another name. */
static bool
add_linked(struct facts *f, const struct seen *s)
{
	int r;

	if (!uses[s->use].changes || !value_constant(s->path))
		return false;
	r = f->world->other_name(f->world->arg, s->path,
	    f->policy->place.root);
	if (r != 0)
		add(f, s, EFFECT_CONNECTOR, TRIGGER_PERSIST, TIER_CRITICAL);
	return r != 0;
}

/* The path after the world's links; NULL: it cannot be told. */
static const char *
resolve(struct facts *f, const char *cwd, const char *value,
    const char *joined)
{
	char real[WORLD_PATH];
	size_t n = strlen(cwd);
	char *raw;

	if (!value_constant(joined))
		return joined;
	/* Unnormalised, so that ".." behind a link goes where it goes. */
	raw = arena_get(f->arena, n + strlen(value) + 2);
	if (raw == NULL)
		return NULL;
	if (value[0] != '/') {
		memcpy(raw, cwd, n);
		raw[n++] = '/';
	} else {
		n = 0;
	}
	memcpy(raw + n, value, strlen(value));
	if (f->world->resolve(f->world->arg, raw, real) == -1)
		return NULL;
	return arena_text(f->arena, real, strlen(real));
}

const char *
paths_lead(struct facts *f, const char *cwd, const char *value)
{
	const char *joined = NULL;

	value = paths_own(f->arena, cwd, value);
	if (value != NULL)
		joined = paths_join(f->arena, cwd, value);
	return joined == NULL ? NULL : resolve(f, cwd, value, joined);
}

static void
add_at(struct facts *f, enum path_use use, const char *cwd,
    const char *value, const struct site *site)
{
	struct seen s = { .use = use, .site = site };
	const char *joined, *real;

	/* What is half known is compared with every name there is. */
	f->n_paths += value_constant(value) ? 1 : 4;
	if (f->n_paths > FACTS_PATHS) {
		f->cut = f->spent = true;
		return;
	}
	value = paths_own(f->arena, cwd, value);
	joined = s.path = value == NULL ? NULL :
	    paths_join(f->arena, cwd, value);
	if (value == NULL) {
		facts_unknown(f, site->cmd, site->span,
		    "nobody can tell where the path leads");
		return;
	}
	if (joined == NULL) {
		facts_unknown(f, site->cmd, site->span, "the path is too long");
		return;
	}
	s.named = joined;
	if (add_guarded(f, &s))
		return;
	real = resolve(f, cwd, value, joined);
	if (real == NULL) {
		facts_unknown(f, site->cmd, site->span,
		    "nobody can tell where the path leads");
		return;
	}
	if ((is_sink(&s) || str_starts(s.path, "/dev/fd/")) &&
	    !str_starts(real, "/dev/"))
		real = s.path;		/* /dev/stdout is our own terminal */
	s.path = real;
	if (!str_eq(real, joined) && add_guarded(f, &s))
		return;
	if (!add_linked(f, &s))
		add_plain(f, &s);
}

void
paths_add(struct facts *f, enum path_use use, const char *value,
    const struct site *site)
{
	static const char *const nowhere = "/\001";

	if (value[0] == '\0' && use != PATH_TOOL)
		return;			/* "" names nothing: an error */
	if (value[0] == '\0')
		value = "/";
	if (value[0] == '/' && !paths_is_own(value)) {
		add_at(f, use, "/", value, site);
		return;
	}
	for (size_t i = 0; i < site->cwds->n; i++)
		add_at(f, use, site->cwds->dir[i], value, site);
	if (site->cwds->unknown)
		add_at(f, use, nowhere, value, site);
}
