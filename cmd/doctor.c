/*
 * sandbox doctor: prove instead of inspecting.  The registered hooks are
 * fired with sample events, and each must deny what it has to deny.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/desk.h"
#include "audit/audit.h"
#include "cmd/cmd.h"
#include "cmd/doctor_jail.h"
#include "cmd/door.h"
#include "cmd/door_claude.h"
#include "cmd/fire.h"
#include "cmd/grade.h"
#include "cmd/install.h"
#include "cmd/record.h"
#include "cmd/settings.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define FIRE_SECONDS	20

enum mark { MARK_OK = 0, MARK_NOTE, MARK_WARN, MARK_FAIL };

struct doctor {
	bool		 json;
	cJSON		*list;		/* with json */
	enum mark	 worst;
	const struct home *home;
	const char	*libexec;
};

static void
say_repair(struct doctor *d, enum mark mark, const char *what,
    const char *text, const char *repair)
{
	static const char *const words[] = { "ok", "note", "warn", "FAIL" };
	auto_free char *shown = visible_line(text);
	auto_free char *way = repair == NULL ? NULL : visible_line(repair);

	if (mark > d->worst)
		d->worst = mark;
	if (d->json) {
		cJSON *o = json_object();

		json_add_str(o, "check", what);
		json_add_str(o, "result", words[mark]);
		json_add_str(o, "text", text);
		json_add_str(o, "repair", repair);
		json_push(d->list, o);
		return;
	}
	printf("%-4s  %-22s %s\n", words[mark], what, shown);
	if (way != NULL)
		printf("%-4s  %-22s repair: %s\n", "", "", way);
}

static void
say(struct doctor *d, enum mark mark, const char *what, const char *text)
{
	say_repair(d, mark, what, text, NULL);
}

/* --- the registered hooks --- */

/* What a hook must do with its sample. */
enum must { MUST_DENY, MUST_BE_QUIET, MUST_END_WELL };

struct sample {
	const char	*event;
	const char	*label;
	enum must	 must;
	const char	*fields;	/* behind the common ones; NULL: no input
					   at all */
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
sample_input(const struct doctor *d, const struct sample *s)
{
	auto_str struct str cwd = { 0 };

	str_init(&cwd, 8192);
	if (s->fields == NULL)
		return xstrdup("");
	json_quote(d->home->root_path, strlen(d->home->root_path), &cwd);
	return xasprintf("{\"session_id\":\"sandbox-doctor\","
	    "\"transcript_path\":\"/dev/null\",\"cwd\":%s,"
	    "\"hook_event_name\":\"%s\",%s}", cwd.s, s->event, s->fields);
}

static void
fire_sample(struct doctor *d, const struct sample *s,
    const struct registration *r)
{
	auto_free char *path = xasprintf("%s/%s", d->libexec, r->program);
	auto_free char *input = sample_input(d, s);
	auto_free char *event = xstrdup(s->event);
	char *const argv[] = {
		path, (char []){ "--client" }, (char []){ "claude" },
		(char []){ "--event" }, event, (char []){ "--root" },
		d->home->root_path, (char []){ "--state" },
		d->home->priv_path, NULL
	};
	struct fired f;
	struct err e;

	if (fire(path, argv, input, FIRE_SECONDS, &f, &e) == -1) {
		say(d, MARK_FAIL, s->label, e.text);
		return;
	}
	if (s->must == MUST_DENY)
		say(d, is_denial(&f) ? MARK_OK : MARK_FAIL, s->label,
		    is_denial(&f) ? "one complete denial" :
		    "the hook did not deny: do not let an agent work here");
	else if (f.exit != 0 || (s->must == MUST_BE_QUIET && f.out.len > 0))
		say(d, MARK_FAIL, s->label, f.out.len > 0 ? f.out.s :
		    "the hook failed");
	else
		say(d, MARK_OK, s->label, "fired");
	str_clear(&f.out);
}

static void
fire_all(struct doctor *d)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		const struct registration *r = registration_claude;

		while (strcmp(r->event, samples[i].event) != 0)
			r++;
		fire_sample(d, &samples[i], r);
	}
}

/* --- settings in every layer --- */

/* A hook beside ours may change a call behind our judgement. */
static void
check_neighbours(struct doctor *d, const struct target *t, const char *name)
{
	auto_json cJSON *v = NULL;
	const cJSON *group;

	if (json_parse(t->text.s, t->text.len, JSON_DEPTH, &v, NULL) == -1)
		return;
	cJSON_ArrayForEach(group, json_get(json_get(v, "hooks"),
	    "PreToolUse")) {
		auto_free char *text = NULL;

		if (agent_group_ours(agent_find("claude"), group))
			continue;
		text = xasprintf("%s: another program is called before every "
		    "tool and could rewrite what was judged: know what it "
		    "does", name);
		say(d, MARK_WARN, "other hooks", text);
		return;
	}
}

static void
check_layer(struct doctor *d, const char *root, const char *file, bool need)
{
	const struct registration_place place = {
		.libexec = d->libexec, .root = d->home->root_path,
		.state = d->home->priv_path,
	};
	auto_free char *name = xasprintf("%s/%s", root, file);
	struct target t;
	struct err e = { 0 };

	if (target_read(root, file, SETTINGS_MAX, &t, &e) == -1) {
		say(d, MARK_FAIL, "settings", e.text);
		return;
	}
	if (!t.exists && need)
		say(d, MARK_FAIL, "settings", "no hooks are registered: "
		    "`sandbox init --claude`");
	else if (t.exists && registration_check(t.text.s, t.text.len, &place,
	    need, &e) == -1) {
		err_add(&e, "%s", name);
		say(d, MARK_FAIL, "settings", e.text);
	} else if (t.exists) {
		say(d, MARK_OK, "settings", name);
		check_neighbours(d, &t, name);
	}
	target_clear(&t);
}

/* --- the doors of all agents --- */

static void
say_finding(void *arg, const struct door_finding *f)
{
	/* The same words in the same order. */
	say_repair(arg, (enum mark)f->mark, f->what, f->text, f->repair);
}

static void
check_settings(struct doctor *d)
{
	auto_free char *user = home_user_dir();

	check_layer(d, d->home->root_path, ".claude/settings.local.json",
	    true);
	check_layer(d, d->home->root_path, ".claude/settings.json", false);
	if (user != NULL && strcmp(user, d->home->root_path) != 0)
		check_layer(d, user, ".claude/settings.json", false);
}

/* --- the record, the key, the human --- */

static void
check_audit(struct doctor *d)
{
	auto_free char *text = NULL, *missed = record_missed_text(d->home);
	enum verify_exit is = record_health(d->home, &text);

	say(d, is == VERIFY_EXIT_OK ? MARK_OK :
	    is == VERIFY_EXIT_TORN ? MARK_WARN : MARK_FAIL, "audit log",
	    text);
	/* What ran unseen is how one learns that a hook is off. */
	if (missed != NULL)
		say(d, MARK_WARN, "hooks that missed", missed);
}

static void
check_grade(struct doctor *d)
{
	char what[] = "trust grade ?";
	auto_str struct str why = { 0 };
	char is;

	str_init(&why, 1024);
	is = grade(d->home, &why);
	what[sizeof what - 2] = is;
	say(d, is == '-' ? MARK_FAIL : is == 'D' ? MARK_WARN : MARK_OK,
	    is == '-' ? "approver's key" : what, why.s);
}

struct last_accept {
	char	hex[DIGEST_HEX + 1];
};

/* The third word of the statement is H(policy). */
static int
note_accept(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct last_accept *last = arg;
	const char *stmt = json_str(record, "stmt");

	(void)line;
	(void)len;
	if (str_eq(json_str(record, "kind"), "policy.accept") && stmt != NULL)
		sscanf(stmt, "%*s %*s %64s", last->hex);
	return 0;
}

/* An older seal put back is as well signed as the newest. */
static void
check_policy(struct doctor *d, const struct policy *policy)
{
	struct last_accept last;
	char hex[DIGEST_HEX + 1];
	struct err e = { 0 };
	struct digest none;

	/* As policy_builtin() has it, when nobody accepted one. */
	digest_of("", 0, NULL, &none);
	digest_hex(&none, last.hex);
	digest_hex(policy_digest(policy), hex);
	if (audit_walk(d->home->priv, note_accept, &last, &e) == -1)
		say(d, MARK_FAIL, "policy", e.text);
	else if (!str_eq(last.hex, hex))
		say(d, MARK_FAIL, "policy", "the rules in force are not the "
		    "ones that were accepted last: `sandbox policy diff`");
}

static void
check_desk(struct doctor *d)
{
	auto_desk struct desk desk = { 0 };
	struct err e = { 0 };

	if (desk_open(d->home, d->libexec, &desk, &e) == -1) {
		say(d, MARK_FAIL, "policy and queue", e.text);
		return;
	}
	say(d, MARK_OK, "policy and queue", "readable, and ours");
	check_policy(d, desk.policy);
	if (policy_mode(desk.policy) == MODE_OBSERVE)
		say(d, MARK_WARN, "mode", "observe: calls are judged and "
		    "recorded, never blocked");
	say(d, MARK_OK, "a human", home_watch_present(d->home) ?
	    "is watching" : "is not watching just now (sandbox watch)");
}

/* Every door that was opened; somebody who opened none is told. */
static void
check_doors(struct doctor *d)
{
	const struct door_place p = { .home = d->home, .libexec = d->libexec,
	    .user_home = getenv("HOME"), .search_path = getenv("PATH"),
	    .say = say_finding, .arg = d };
	bool any = false;

	for (const struct agent *a = agents; a->name != NULL; a++)
		any = any || door_connected(&p, a);
	if (!any)
		say_repair(d, MARK_FAIL, "settings", "no agent is connected",
		    "sandbox init --claude");
	if (door_connected(&p, agent_find("claude")) &&
	    !door_shared(&p, agent_find("claude"))) {
		check_settings(d);
		door_claude_check(&p, CLAUDE_MANAGED);
		fire_all(d);
	}
	door_terminal_check(&p);
	door_check(&p);
}

int
cmd_doctor(struct cmd_ctx *ctx, int argc, char **argv)
{
	auto_home struct home home = HOME_INIT;
	auto_json cJSON *list = json_array();
	static const enum mark marks[] = { MARK_NOTE, MARK_WARN, MARK_OK };
	auto_str struct str jail = { 0 };
	int can;
	struct err e = { 0 };

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "no operands");

	auto_free char *libexec = cmd_libexec(&e);

	if (libexec == NULL || cmd_home(ctx, &home, &e) == -1)
		return cmd_fail(&e);

	struct doctor d = {
		.json = ctx->json, .list = list, .home = &home,
		.libexec = libexec,
	};

	if (!home.jailed) {
		check_desk(&d);
		check_doors(&d);
		str_init(&jail, 1024);
		can = doctor_jail(&jail);
		say(&d, marks[can + 1], "jail", jail.s);
		check_audit(&d);
	}
	check_grade(&d);
	if (ctx->json)
		cmd_put_json(list);
	return d.worst == MARK_FAIL ? ERR_NEGATIVE : 0;
}
