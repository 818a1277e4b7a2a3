/*
 * sandbox doctor: prove instead of inspecting.  The registered hooks are
 * fired with sample events, and each must deny what it has to deny.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approver/desk.h"
#include "approver/human.h"
#include "approver/key.h"
#include "audit/audit.h"
#include "cmd/cmd.h"
#include "cmd/doctor_jail.h"
#include "cmd/door.h"
#include "cmd/door_claude.h"
#include "cmd/door_hooks.h"
#include "cmd/door_repair.h"
#include "cmd/grade.h"
#include "cmd/record.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

enum mark { MARK_OK = 0, MARK_NOTE, MARK_WARN, MARK_FAIL };

struct doctor {
	bool		 json;
	cJSON		*list;		/* with json */
	enum mark	 worst;
	const struct home *home;
	const char	*libexec;
	struct door_place *place;
	const char	*init;		/* connects what is connected again */
};

/* `repair` is what to type; there is one for all that warns or fails. */
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

/* What to type is one of our own commands. */
static void
say_sandbox(struct doctor *d, enum mark mark, const char *what,
    const char *text, const char *words)
{
	auto_free char *repair = repair_sandbox(d->place, words);

	say_repair(d, mark, what, text, repair);
}

static void
say_finding(void *arg, const struct door_finding *f)
{
	/* The same words in the same order. */
	say_repair(arg, (enum mark)f->mark, f->what, f->text, f->repair);
}

/* --- the record, the key, the human --- */

static void
check_audit(struct doctor *d)
{
	auto_free char *text = NULL, *missed = record_missed_text(d->home);
	enum verify_exit is = record_health(d->home, &text);

	if (is == VERIFY_EXIT_OK)
		say(d, MARK_OK, "audit log", text);
	else
		/* Nothing mends it: what it was is for a human to find out. */
		say_sandbox(d, is == VERIFY_EXIT_TORN ? MARK_WARN : MARK_FAIL,
		    "audit log", text, "audit verify --full");
	/* What ran unseen is how one learns that a hook is off. */
	if (missed != NULL)
		say_sandbox(d, MARK_WARN, "hooks that missed", missed,
		    "log --kind hook.missed");
}

/* A key this project does not trust is as good as none. */
static int
check_trusted(const struct doctor *d, struct err *e)
{
	auto_close int dir = key_dir_open(false, e);
	auto_key struct key *k = NULL;
	char hex[SIGN_PUB_HEX + 1];
	struct keyring ring = { 0 };
	bool known;

	if (dir == -1 || key_load(dir, &k, e) == -1 ||
	    home_approvers(d->home, &ring, e) == -1)
		return -1;
	hex_put(key_public(k), SIGN_PUB, hex);
	known = keyring_find(&ring, hex) != NULL;
	keyring_clear(&ring);
	return known ? 0 : err_set(e, ERR_SETUP, "this project trusts another "
	    "approver's key than yours: put that one back, or begin anew, "
	    "without the log that is there");
}

static void
check_grade(struct doctor *d)
{
	auto_free char *anew = repair_sandbox(d->place, "uninstall");
	auto_free char *init = repair_sandbox(d->place, d->init);
	auto_free char *both = xasprintf("%s && %s", anew, init);
	char what[] = "trust grade ?";
	auto_str struct str why = { 0 };
	struct err e = { 0 };
	char is;

	str_init(&why, 1024);
	is = grade(d->home, &why);
	what[sizeof what - 2] = is;
	if (is == '-' && d->home->jailed)
		say_sandbox(d, MARK_FAIL, "approver's key", why.s, "verify");
	else if (is == '-')
		say_repair(d, MARK_FAIL, "approver's key", why.s, both);
	else if (!d->home->jailed && check_trusted(d, &e) == -1)
		say_repair(d, MARK_FAIL, "approver's key", e.text, both);
	else if (is == 'D')
		say_repair(d, MARK_WARN, what, why.s,
		    "sandbox key passphrase");
	else
		say(d, MARK_OK, what, why.s);
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
		say_sandbox(d, MARK_FAIL, "policy", e.text,
		    "audit verify --full");
	else if (!str_eq(last.hex, hex))
		say_sandbox(d, MARK_FAIL, "policy", "the rules in force are "
		    "not the ones that were accepted last", "policy accept");
}

static void
check_desk(struct doctor *d)
{
	auto_desk struct desk desk = { 0 };
	struct err e = { 0 };

	if (desk_open(d->home, d->libexec, &desk, &e) == -1) {
		say_sandbox(d, MARK_FAIL, "policy and queue", e.text, "init");
		return;
	}
	say(d, MARK_OK, "policy and queue", "readable, and ours");
	check_policy(d, desk.policy);
	d->place->observes = policy_mode(desk.policy) == MODE_OBSERVE;
	if (d->place->observes)
		say_sandbox(d, MARK_WARN, "mode", "observe: calls are judged "
		    "and recorded, never blocked; say \"mode\": \"enforce\" in "
		    "'.sandbox/policy.json'", "policy accept");
	say(d, MARK_OK, "a human", home_watch_present(d->home) ?
	    "is watching" : "is not watching just now (sandbox watch)");
}

/* Hooks are fired and servers started; the others are only missed in need. */
static void
check_programs(struct doctor *d)
{
	static const char *const names[] = { "pretooluse", "posttooluse",
		"sessionstart", "configchange", "sandbox-gate",
		"sandbox-runner", "sandbox-mcp", "sandbox-fetch",
		"sandbox-proxy" };
	auto_free char *repair = repair_install(d->place, NULL);

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		auto_free char *path = xasprintf("%s/%s", d->libexec,
		    names[i]);
		struct err e = { 0 };

		if (access(path, X_OK) == 0)
			continue;
		err_sys(&e, "'%s' cannot be started", path);
		say_repair(d, MARK_FAIL, "programs", e.text, repair);
	}
}

/* Every door that was opened; somebody who opened none is told. */
static void
check_doors(struct doctor *d)
{
	const struct door_place *p = d->place;
	const struct agent *claude = agent_find("claude");
	bool any = false;

	for (const struct agent *a = agents; a->name != NULL; a++)
		any = any || door_connected(p, a);
	if (!any)
		say_sandbox(d, MARK_FAIL, "settings", "no agent is connected",
		    "init --claude");
	if (door_connected(p, claude) && !door_shared(p, claude)) {
		door_hooks_check(p);
		door_claude_check(p, CLAUDE_MANAGED);
	}
	door_terminal_check(p);
	door_check(p);
}

/* The words that connect again what is connected. */
static char *
init_words(const struct door_place *p)
{
	struct str s;

	str_init(&s, 4096);
	str_add(&s, "init");
	for (const struct agent *a = agents; a->name != NULL; a++)
		if (door_connected(p, a) && !door_shared(p, a))
			str_addf(&s, "%s --%s", a->mcp_of == NULL ? "" :
			    strstr(s.s, "--mcp") == NULL ? " --mcp" : "",
			    a->mcp_of == NULL ? a->name : a->mcp_of);
	return str_take(&s);
}

/* A shell that stands elsewhere has to be told what it is about. */
static char *
again(const struct cmd_ctx *ctx, const char *root)
{
	auto_free char *here = realpath(".", NULL);
	struct str s;

	str_init(&s, 16 * 1024);
	if (!str_eq(here, root)) {
		str_add(&s, " -C ");
		agent_shell_word(root, &s);
	}
	if (ctx->state != NULL) {
		str_add(&s, " --state ");
		agent_shell_word(ctx->state, &s);
	}
	return str_take(&s);
}

static void
check_jail(struct doctor *d)
{
	auto_str struct str text = { 0 };
	int can;

	str_init(&text, 1024);
	can = doctor_jail(&text);
	if (can == 0)
		say_sandbox(d, MARK_WARN, "jail", text.s, "verify");
	else
		say(d, can == 1 ? MARK_OK : MARK_NOTE, "jail", text.s);
}

/* Below an agent, what it put into $PATH is not started for it. */
static const char *
search_path(const struct home *home)
{
	const char *path = getenv("PATH");

	return home->jailed || human_only(home, NULL) == -1 ? NULL :
	    path == NULL ? "" : path;
}

int
cmd_doctor(struct cmd_ctx *ctx, int argc, char **argv)
{
	auto_home struct home home = HOME_INIT;
	auto_json cJSON *list = json_array();
	auto_free char *libexec = NULL, *behind = NULL, *init = NULL;
	struct err e = { 0 };

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "no operands");
	libexec = cmd_libexec(&e);
	if (libexec == NULL || cmd_home(ctx, &home, &e) == -1)
		return cmd_fail(&e);
	behind = again(ctx, home.root_path);

	struct doctor d = {
		.json = ctx->json, .list = list, .home = &home,
		.libexec = libexec,
	};
	struct door_place place = { .home = &home, .libexec = libexec,
	    .user_home = getenv("HOME"), .search_path = search_path(&home),
	    .again = behind, .say = say_finding, .arg = &d };

	init = home.jailed ? xstrdup("init") : init_words(&place);
	d.place = &place;
	d.init = init;
	if (!home.jailed) {
		check_programs(&d);
		check_desk(&d);
		check_doors(&d);
		check_jail(&d);
		check_audit(&d);
	}
	check_grade(&d);
	if (ctx->json)
		cmd_put_json(list);
	return d.worst == MARK_FAIL ? ERR_NEGATIVE : 0;
}
