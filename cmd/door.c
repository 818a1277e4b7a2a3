#include "cmd/door.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/codex_trust.h"
#include "cmd/door_mcp.h"
#include "cmd/door_repair.h"
#include "cmd/door_sample.h"
#include "cmd/door_version.h"
#include "cmd/envfile.h"
#include "cmd/install.h"
#include "cmd/settings.h"
#include "common/mem.h"

#include "common/banned.h"

#define FIRE_SECONDS	20

static const struct registration_place anywhere = { .libexec = NULL };

static const char *
shared_name(const struct agent *a)
{
	return a->shared_file != NULL ? a->shared_file : a->file;
}

const char *
door_file(const struct door_place *p, const struct agent *a)
{
	return door_shared(p, a) ? shared_name(a) : a->file;
}

bool
door_shared(const struct door_place *p, const struct agent *a)
{
	struct target t;
	struct err e;
	bool is;

	if (a->project_var == NULL || target_read(p->home->root_path,
	    shared_name(a), SETTINGS_MAX, &t, &e) == -1)
		return false;
	is = t.exists && settings_check(a, a->events, &anywhere, &t.text, true,
	    &e) == 0;
	target_clear(&t);
	return is;
}

static struct registration_place
place_of(const struct door_place *p, const struct agent *a)
{
	const struct registration_place here = { .libexec = p->libexec,
	    .root = p->home->root_path, .state = p->home->priv_path };

	return door_shared(p, a) ? anywhere : here;
}

void
door_say(const struct door_place *p, enum door_mark mark, const char *what,
    const char *text, const char *repair)
{
	const struct door_finding f = { mark, what, text, repair };

	p->say(p->arg, &f);
}

static void
say(const struct door_place *p, const struct agent *a, enum door_mark mark,
    const char *what, const char *text)
{
	auto_free char *label = xasprintf("%s: %s", a->name, what);

	door_say(p, mark, label, text, NULL);
}

static void
fail(const struct door_place *p, const struct agent *a, const char *what,
    const char *text, const char *repair)
{
	auto_free char *label = xasprintf("%s: %s", a->name, what);
	const struct door_finding f = { DOOR_FAIL, label, text, repair };

	p->say(p->arg, &f);
}

/* --- files --- */

typedef int file_fn(const struct door_place *, const struct agent *,
    const struct registration *only, const struct target *, struct err *);

/* Every file of the agent, until one says -1. */
static int
each_file(const struct door_place *p, const struct agent *a, file_fn *fn,
    struct err *e)
{
	for (const struct registration *r = a->events; r->event != NULL; r++) {
		auto_free char *file = xasprintf("%s%s", door_file(p, a),
		    a->form == AGENT_FILES ? r->event : "");
		struct target t;
		int rc;

		if (target_read(p->home->root_path, file, SETTINGS_MAX, &t,
		    e) == -1)
			return -1;
		rc = fn(p, a, r, &t, e);
		target_clear(&t);
		if (rc == -1)
			return err_add(e, "'%s'", file);
		if (a->form != AGENT_FILES)
			break;
	}
	return 0;
}

static int
check_file(const struct door_place *p, const struct agent *a,
    const struct registration *only, const struct target *t, struct err *e)
{
	const struct registration_place place = place_of(p, a);

	if (!t->exists)
		return err_set(e, ERR_SETUP, "there is no such file");
	return settings_check(a, only, &place, &t->text, true, e);
}

/* ERR_NEGATIVE where one of our entries is. */
static int
find_entry(const struct door_place *p, const struct agent *a,
    const struct registration *only, const struct target *t, struct err *e)
{
	auto_str struct str rest = { 0 };

	(void)p;
	(void)only;
	str_init(&rest, SETTINGS_MAX);
	str_addn(&rest, t->text.s, t->text.len);
	if (settings_remove(a, &rest, NULL) == -1)
		return 0;
	return rest.len == t->text.len ? 0 : err_set(e, ERR_NEGATIVE, "ours");
}

int
door_registered(const struct door_place *p, const struct agent *a,
    struct err *e)
{
	return a->mcp_key != NULL ? door_mcp_registered(p, a, e) :
	    each_file(p, a, check_file, e);
}

bool
door_connected(const struct door_place *p, const struct agent *a)
{
	struct install record;
	struct err e = { 0 };
	bool found = false;

	if (a->mcp_key != NULL)
		return door_mcp_connected(p, a);
	if (install_load(p->home->priv, &record, &e) == 0)
		for (size_t i = 0; i < record.n; i++)
			found = found || str_eq(record.f[i].agent, a->name);
	install_clear(&record);
	return found || (each_file(p, a, find_entry, &e) == -1 &&
	    e.code == ERR_NEGATIVE);
}

/* --- firing --- */

/* With what a client has around it: it looks for project and programs. */
static void
shared_line(const struct door_place *p, const struct agent *a,
    const struct registration *r, struct str *ret)
{
	str_add(ret, "export HOME=");
	agent_shell_word(p->user_home == NULL ? "/" : p->user_home, ret);
	str_add(ret, "; cd ");
	agent_shell_word(p->home->root_path, ret);
	str_addf(ret, "; %s=\"$PWD\"; ", a->project_var);
	agent_command(a, r, &anywhere, ret);
}

/* The command line as the client runs it, for one event. */
static int
fire_event(const struct door_place *p, const struct agent *a,
    const struct registration *r, const char *input, struct fired *ret,
    struct err *e)
{
	static char sh[] = "/bin/sh", dash_c[] = "-c";
	const struct registration_place place = place_of(p, a);
	auto_free char *script = xasprintf("%s/%s%s", p->home->root_path,
	    a->file, r->event);
	auto_str struct str line = { 0 };
	char *const itself[] = { script, NULL };

	str_init(&line, 64 * 1024);
	if (a->form == AGENT_FILES)
		return fire(script, itself, input, FIRE_SECONDS, ret, e);
	if (a->form == AGENT_FILE)
		agent_line(a, r, &place, &line);
	else if (place.libexec == NULL)
		shared_line(p, a, r, &line);
	else
		agent_command(a, r, &place, &line);

	char *const argv[] = { sh, dash_c, line.s, NULL };

	return fire(sh, argv, input, FIRE_SECONDS, ret, e);
}

static void
fire_one(const struct door_place *p, const struct agent *a,
    const struct door_sample *s, bool with_input)
{
	auto_free char *input = with_input ? door_sample_input(s,
	    p->home->root_path) : xstrdup("");
	auto_free char *label = xasprintf("%s %s", s->event, with_input ?
	    "refuses" : "refuses no input");
	const struct registration *r = a->events;
	auto_free char *install = repair_install(p, a);
	struct fired f;
	struct err e = { 0 };

	while (strcmp(r->event, s->event) != 0)
		r++;
	if (fire_event(p, a, r, input, &f, &e) == -1) {
		fail(p, a, label, e.text, install);
		return;
	}
	if (door_sample_refused(s, &f))
		say(p, a, DOOR_OK, label, "one complete refusal");
	else if (p->observes && with_input && f.exit == 0)
		say(p, a, DOOR_OK, label, "let pass: the policy observes");
	else
		fail(p, a, label, "the hook did not refuse: do not let an "
		    "agent work here", install);
	str_clear(&f.out);
}

/* --- one agent --- */

static void
check_env(const struct door_place *p, const struct agent *a)
{
	for (size_t i = 0; i < ARRAY_LEN(a->env_files); i++) {
		auto_str struct str path = { 0 };
		auto_free char *file = NULL, *repair = NULL;
		struct err e = { 0 };
		unsigned line = 0;

		if (a->env_files[i] == NULL || envfile_check(
		    p->home->root_path, a->env_files[i], &line, &e) == 0)
			continue;
		file = xasprintf("%s/%s", p->home->root_path, a->env_files[i]);
		str_init(&path, 16 * 1024);
		agent_shell_word(file, &path);
		repair = line > 0 ? xasprintf("sed -i.bad %ud %s", line,
		    path.s) : repair_move(p->home->root_path,
		    a->env_files[i]);
		fail(p, a, "variables of hooks", e.text, repair);
	}
}

/* What holds for every project of the user, and of the machine. */
static void
check_layers(const struct door_place *p, const struct agent *a)
{
	const struct { const char *dir, *file; } layers[] = {
		{ p->user_home, a->file },
		{ a->machine, "settings.json" },
		{ a->machine, "system-defaults.json" },
	};

	for (size_t i = 0; i < ARRAY_LEN(layers); i++) {
		const char *dir = layers[i].dir, *file = layers[i].file;
		auto_free char *repair = NULL;
		struct target t = { 0 };
		struct err e = { 0 };

		if (a->machine == NULL || dir == NULL ||
		    str_eq(dir, p->home->root_path))
			continue;
		if (target_read(dir, file, SETTINGS_MAX, &t, &e) == -1 ||
		    (t.exists && settings_check(a, a->events, &anywhere,
		    &t.text, false, &e) == -1)) {
			err_add(&e, "%s/%s", dir, file);
			repair = repair_move(dir, file);
			fail(p, a, "settings", e.text, repair);
		}
		target_clear(&t);
	}
}

static void
check_trust(const struct door_place *p, const struct agent *a)
{
	const char *var = getenv("CODEX_HOME");
	auto_free char *dir = var != NULL && var[0] == '/' ? xstrdup(var) :
	    p->user_home == NULL ? NULL : xasprintf("%s/.codex",
	    p->user_home);
	const char *const files[][2] = { { dir, "config.toml" },
	    { p->home->root_path, ".codex/config.toml" } };
	struct err e = { 0 };

	if (!str_eq(a->name, "codex") || dir == NULL)
		return;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		auto_free char *repair = repair_move(files[i][0],
		    files[i][1]);

		if (codex_hooks_on(files[i][0], files[i][1], &e) == -1) {
			err_add(&e, "%s", files[i][0]);
			fail(p, a, "settings", e.text, repair);
		}
	}
	if (codex_trust_check(a, p->home->root_path, dir, &e) == 0)
		say(p, a, DOOR_OK, "trust", "folder and hooks are trusted");
	else
		fail(p, a, "trust", e.text, "codex   # trust the folder; then "
		    "/hooks, and t");
}

/* What was measured holds for that version; older ones lack things. */
static void
check_version(const struct door_place *p, const struct agent *a)
{
	struct version is, measured;
	auto_free char *text = NULL;
	enum door_mark mark = DOOR_OK;

	if (a->measured == NULL || a->program == NULL) {
		say(p, a, DOOR_NOTE, "version", "written after its "
		    "documentation, no copy of it was run");
		return;
	}
	if (!version_parse(a->measured, &measured) || !version_ask(a->program,
	    p->search_path, p->home->root_path, &is)) {
		text = version_unknown(a->program, p->search_path,
		    a->measured);
		say(p, a, DOOR_NOTE, "version", text);
		return;
	}
	text = xasprintf("%u.%u.%u, measured with %s", is.part[0], is.part[1],
	    is.part[2], a->measured);
	if (version_compare(&is, &measured) < 0)
		mark = DOOR_WARN;
	else if (version_compare(&is, &measured) > 0)
		mark = DOOR_NOTE;

	auto_free char *label = xasprintf("%s: version", a->name);
	const struct door_finding f = { mark, label, text,
	    mark == DOOR_WARN ? a->update : NULL };

	p->say(p->arg, &f);
}

static void
check_agent(const struct door_place *p, const struct agent *a)
{
	const struct door_sample *s = door_sample(a->name);
	struct err e = { 0 };

	if (door_registered(p, a, &e) == -1) {
		auto_free char *repair = repair_registration(p, a);

		fail(p, a, "registered", e.text, repair);
		return;
	}
	say(p, a, DOOR_OK, "registered", door_shared(p, a) ? shared_name(a) :
	    a->file);
	check_env(p, a);
	check_layers(p, a);
	if (s == NULL)
		BUG("an agent without a sample");
	fire_one(p, a, s, true);
	fire_one(p, a, s, false);
	check_trust(p, a);
	check_version(p, a);
	if (a->not_covered != NULL)
		say(p, a, DOOR_NOTE, "not covered", a->not_covered);
}

void
door_check(const struct door_place *p)
{
	for (const struct agent *a = agents; a->name != NULL; a++)
		if (a->mcp_key != NULL)
			door_mcp_check(p, a);
		else if ((a->events != registration_claude ||
		    door_shared(p, a)) &&
		    door_connected(p, a))
			check_agent(p, a);
}
