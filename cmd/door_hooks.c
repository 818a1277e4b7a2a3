#include "cmd/door_hooks.h"

#include <stdlib.h>
#include <string.h>

#include "audit/originals/timeline.h"
#include "cmd/door_repair.h"
#include "cmd/fire.h"
#include "cmd/install.h"
#include "cmd/settings.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define FIRE_SECONDS	20

/* --- the registered hooks --- */

/* What a hook must do with its sample. */
enum must { MUST_DENY, MUST_EXIT_2, MUST_BE_QUIET, MUST_END_WELL };

struct sample {
	const char	*event;
	const char	*label;
	enum must	 must;
	const char	*fields;	/* behind the common ones; NULL: no
					   input at all */
};

static const struct sample samples[] = {
	{ "PreToolUse", "PreToolUse denies", MUST_DENY,
	  "\"tool_name\":\"Bash\",\"tool_use_id\":\"doctor\","
	  "\"tool_input\":{\"command\":\"sandbox approve doctor\"}" },
	{ "PreToolUse", "PreToolUse, no input", MUST_DENY, NULL },
	{ "PreSkillShellCommand", "skill lines denied", MUST_DENY,
	  "\"tool_name\":\"Bash\",\"tool_use_id\":\"doctor\","
	  "\"tool_input\":{\"command\":\"sandbox approve doctor\"}" },
	{ "UserPromptSubmit", "UserPromptSubmit", MUST_BE_QUIET,
	  "\"prompt\":\"hello\"" },
	/* Without an id, so that it is not counted as a call nobody judged. */
	{ "PostToolUse", "PostToolUse", MUST_END_WELL,
	  "\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"/dev/null\"},"
	  "\"tool_response\":{}" },
	{ "SessionStart", "SessionStart", MUST_END_WELL,
	  "\"source\":\"startup\"" },
	{ "ConfigChange", "ConfigChange, no input", MUST_EXIT_2, NULL },
};

static bool
is_denial(const struct fired *f)
{
	auto_json cJSON *v = NULL;
	const cJSON *inner;

	if (f->exit != 0 || json_parse(f->out.s, f->out.len, JSON_DEPTH, &v,
	    NULL) == -1)
		return false;
	inner = json_get(v, "hookSpecificOutput");
	return str_eq(json_str(inner, "permissionDecision"), "deny") &&
	    json_str(inner, "permissionDecisionReason") != NULL;
}

static char *
sample_input(const struct door_place *p, const struct sample *s)
{
	auto_str struct str cwd = { 0 };

	str_init(&cwd, 8192);
	if (s->fields == NULL)
		return xstrdup("");
	json_quote(p->home->root_path, strlen(p->home->root_path), &cwd);
	/*
	 * Nothing begins: of a start without a session no baseline is taken.
	 * It would hold what an agent has just broken as how it was found.
	 */
	return xasprintf("{\"session_id\":\"%s\","
	    "\"transcript_path\":\"/dev/null\",\"cwd\":%s,"
	    "\"hook_event_name\":\"%s\",%s}",
	    str_eq(s->event, "SessionStart") ? "" : SESSION_DOCTOR, cwd.s,
	    s->event, s->fields);
}

/* What a prompt is blocked for is a thing that init can mend. */
static void
judge(const struct door_place *p, const struct sample *s,
    const struct fired *f)
{
	auto_free char *install = repair_install(p, NULL);
	auto_free char *init = repair_sandbox(p, "init");
	auto_json cJSON *v = NULL;
	const char *why = NULL;

	if (json_parse(f->out.s, f->out.len, JSON_DEPTH, &v, NULL) == 0)
		why = json_str(v, "reason");
	if (s->must == MUST_DENY && is_denial(f))
		door_say(p, DOOR_OK, s->label, "one complete denial", NULL);
	else if (s->must == MUST_DENY && p->observes && f->exit == 0 &&
	    f->out.len == 0)
		door_say(p, DOOR_OK, s->label, "let pass: the policy observes",
		    NULL);
	else if (s->must == MUST_EXIT_2 && f->exit == 2)
		door_say(p, DOOR_OK, s->label, "refused", NULL);
	else if (s->must == MUST_DENY || s->must == MUST_EXIT_2)
		door_say(p, DOOR_FAIL, s->label, "the hook did not deny: do "
		    "not let an agent work here", install);
	else if (f->exit == 0 && s->must == MUST_BE_QUIET && why != NULL)
		door_say(p, DOOR_FAIL, s->label, why, init);
	else if (f->exit != 0 || (s->must == MUST_BE_QUIET && f->out.len > 0))
		door_say(p, DOOR_FAIL, s->label, "the hook failed", install);
	else
		door_say(p, DOOR_OK, s->label, "fired", NULL);
}

static void
fire_sample(const struct door_place *p, const struct sample *s)
{
	const struct registration *r = registration_claude;
	struct fired f;
	struct err e;

	while (strcmp(r->event, s->event) != 0)
		r++;

	auto_free char *path = xasprintf("%s/%s", p->libexec, r->program);
	auto_free char *input = sample_input(p, s);
	auto_free char *event = xstrdup(s->event);
	char *const argv[] = {
		path, (char []){ "--client" }, (char []){ "claude" },
		(char []){ "--event" }, event, (char []){ "--root" },
		p->home->root_path, (char []){ "--state" },
		p->home->priv_path, NULL
	};

	if (fire(path, argv, input, FIRE_SECONDS, &f, &e) == -1) {
		auto_free char *install = repair_install(p, NULL);

		door_say(p, DOOR_FAIL, s->label, e.text, install);
		return;
	}
	judge(p, s, &f);
	str_clear(&f.out);
}

/* --- settings in every layer --- */

/* A hook beside ours may change a call behind our judgement. */
static void
check_neighbours(const struct door_place *p, const struct target *t)
{
	auto_json cJSON *v = NULL;
	const cJSON *group;

	if (json_parse(t->text.s, t->text.len, JSON_DEPTH, &v, NULL) == -1)
		return;
	cJSON_ArrayForEach(group, json_get(json_get(v, "hooks"),
	    "PreToolUse")) {
		auto_str struct str look = { 0 };
		auto_free char *text = NULL;

		if (agent_group_ours(agent_find("claude"), group))
			continue;
		str_init(&look, 16 * 1024);
		str_add(&look, "${EDITOR:-vi} ");
		agent_shell_word(t->path, &look);
		str_add(&look, "   # know what it does, or take it out");
		text = xasprintf("%s: another program is called before every "
		    "tool and could rewrite what was judged", t->path);
		door_say(p, DOOR_WARN, "other hooks", text, look.s);
		return;
	}
}

/* Ours is there, and the file is one the client takes. */
static void
check_own(const struct door_place *p)
{
	const struct agent *a = agent_find("claude");
	auto_free char *repair = repair_registration(p, a);
	struct err e = { 0 };
	struct target t;

	if (door_registered(p, a, &e) == -1) {
		door_say(p, DOOR_FAIL, "settings", e.text, repair);
		return;
	}
	if (target_read(p->home->root_path, a->file, SETTINGS_MAX, &t, &e) ==
	    -1)
		return;
	door_say(p, DOOR_OK, "settings", t.path, NULL);
	check_neighbours(p, &t);
	target_clear(&t);
}

static void
check_layer(const struct door_place *p, const char *dir, const char *file)
{
	const struct registration_place place = {
		.libexec = p->libexec, .root = p->home->root_path,
		.state = p->home->priv_path,
	};
	auto_free char *repair = repair_move(dir, file);
	struct target t;
	struct err e = { 0 };

	if (target_read(dir, file, SETTINGS_MAX, &t, &e) == -1) {
		door_say(p, DOOR_FAIL, "settings", e.text, repair);
		return;
	}
	if (t.exists && registration_check(t.text.s, t.text.len, &place,
	    false, &e) == -1) {
		err_add(&e, "%s/%s", dir, file);
		door_say(p, DOOR_FAIL, "settings", e.text, repair);
	} else if (t.exists) {
		door_say(p, DOOR_OK, "settings", t.path, NULL);
		check_neighbours(p, &t);
	}
	target_clear(&t);
}

void
door_hooks_check(const struct door_place *p)
{
	const char *dir = getenv("CLAUDE_CONFIG_DIR");
	auto_free char *user = home_user_dir();

	check_own(p);
	check_layer(p, p->home->root_path, ".claude/settings.json");
	if (dir != NULL && dir[0] == '/')
		check_layer(p, dir, "settings.json");
	else if (user != NULL && strcmp(user, p->home->root_path) != 0)
		check_layer(p, user, ".claude/settings.json");
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		fire_sample(p, &samples[i]);
}
