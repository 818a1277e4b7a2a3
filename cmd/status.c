/*
 * sandbox status: is the gate up, what waits, what runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/desk.h"
#include "audit/verify.h"
#include "cmd/accept.h"
#include "cmd/cmd.h"
#include "cmd/door.h"
#include "cmd/grade.h"
#include "cmd/record.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

struct status {
	size_t		waiting, running, answered;
	size_t		foreign, aside, more;
	size_t		missed;		/* tools that ran unjudged, a week */
	char		last_missed[21];
	bool		watched;	/* a watch holds its lock */
	bool		hooked;		/* an agent is connected, and the files
					   of all that are say what they must */
	struct {
		bool	connected, fine;
		char	why_not[320];
	}		agents[AGENT_MAX];	/* as agents[] */
	const char	*policy;	/* "accepted", "built-in", "edited" */
	const char	*mode;
};

static void
count(const struct entries *list, struct status *s)
{
	for (size_t i = 0; i < list->n; i++) {
		enum entry_state state = list->e[i].state;

		s->waiting += state == ENTRY_PENDING;
		s->running += state == ENTRY_CLAIMED ||
		    state == ENTRY_RUNNING;
		s->answered += state == ENTRY_ANSWERED;
	}
	s->foreign = list->foreign;
	s->aside = list->aside;
	s->more = list->more;
}

static void
look_at_agents(const struct home *home, const char *libexec, struct status *s)
{
	const struct door_place p = { .home = home, .libexec = libexec,
	    .user_home = getenv("HOME") };
	bool any = false, all = true;

	for (int i = 0; agents[i].name != NULL; i++) {
		struct err e = { 0 };

		s->agents[i].connected = door_connected(&p, &agents[i]);
		if (!s->agents[i].connected)
			continue;
		s->agents[i].fine = door_registered(&p, &agents[i], &e) == 0;
		memcpy(s->agents[i].why_not, e.text,
		    sizeof s->agents[i].why_not);
		any = true;
		all = all && s->agents[i].fine;
	}
	s->hooked = any && all;
}

/* "ok", or what is wrong with the log first of all. */
static const char *
look_at_log(const struct home *home)
{
	const struct keyring nobody = { 0 };	/* as `audit verify` */
	struct verify_report r = { 0 };
	const struct verify_options o = {
		.project = home->project, .genesis = home->genesis,
		.approvers = &nobody, .fast = true,
	};

	if (audit_verify(home->priv, &o, &r, NULL) == -1)
		return "unreadable";
	if (r.exit == VERIFY_EXIT_OK)
		return "ok";
	return r.n_findings > 0 ? verify_kind_name(r.findings[0].kind) :
	    "not ok";
}

static int
look_at_policy(const struct home *home, const struct policy *p,
    struct status *s, struct err *e)
{
	auto_str struct str accepted = { 0 }, edited = { 0 };

	str_init(&accepted, POLICY_MAX);
	str_init(&edited, POLICY_MAX);
	if (accept_read_accepted(home, &accepted, e) == -1)
		return -1;
	s->policy = accepted.len == 0 ? "built-in" : "accepted";
	if (accept_read_edited(home, &edited, NULL) == 0 &&
	    !str_eq(accepted.s, edited.s))
		s->policy = "edited";
	s->mode = policy_mode(p) == MODE_OBSERVE ? "observe" : "enforce";
	return 0;
}

static int
look(const struct cmd_ctx *ctx, struct home *home, bool line,
    struct status *ret, struct err *e)
{
	auto_free char *libexec = cmd_libexec(e);
	auto_desk struct desk desk = { 0 };
	struct entries list;
	struct clock now;

	if (libexec == NULL || cmd_home(ctx, home, e) == -1 ||
	    desk_open(home, libexec, &desk, e) == -1 ||
	    clock_now(&now, e) == -1 ||
	    look_at_policy(home, desk.policy, ret, e) == -1 ||
	    queue_list(desk.queue, &now, false, &list, e) == -1)
		return -1;
	count(&list, ret);
	entries_clear(&list);
	ret->watched = home_watch_present(home);
	look_at_agents(home, libexec, ret);
	return line ? 0 : record_missed(home, &ret->missed,
	    ret->last_missed, e);
}

static void
add_agents(cJSON *v, const struct status *s)
{
	cJSON *list = json_array();

	for (int i = 0; agents[i].name != NULL; i++) {
		cJSON *o = json_object();

		if (!s->agents[i].connected) {
			json_free(o);
			continue;
		}
		json_add_str(o, "name", agents[i].name);
		json_add_bool(o, "registered", s->agents[i].fine);
		json_add_str(o, "why_not", s->agents[i].why_not);
		json_push(list, o);
	}
	json_add(v, "agents", list);
	json_add_bool(v, "connected", s->hooked);
}

static void
print_agents(const struct status *s)
{
	bool any = false;

	for (int i = 0; agents[i].name != NULL; i++) {
		auto_free char *why = visible_line(s->agents[i].why_not);

		if (!s->agents[i].connected)
			continue;
		any = true;
		printf("%-8s %s%s\n", agents[i].name, !s->agents[i].fine ?
		    "NOT connected: " : agents[i].mcp_key != NULL ?
		    "MCP server registered" : "hooks registered", why);
	}
	if (!any)
		puts("agents   NOT connected: no agent is "
		    "(sandbox init --claude)");
}

static void
print_json(const struct status *s, const struct home *home)
{
	auto_json cJSON *v = json_object();

	json_add_str(v, "root", home->root_path);
	json_add_str(v, "state", home->priv_path);
	json_add_str(v, "project", home->project);
	json_add_str(v, "mode", s->mode);
	json_add_str(v, "policy", s->policy);
	add_agents(v, s);
	json_add_bool(v, "watched", s->watched);
	json_add_int(v, "waiting", (int64_t)s->waiting);
	json_add_int(v, "running", (int64_t)s->running);
	json_add_int(v, "answered", (int64_t)s->answered);
	json_add_int(v, "foreign_files", (int64_t)s->foreign);
	json_add_int(v, "set_aside", (int64_t)s->aside);
	json_add_int(v, "more", (int64_t)s->more);
	json_add_int(v, "hooks_missed", (int64_t)s->missed);
	cmd_put_json(v);
}

static void
print_text(const struct status *s, const struct home *home)
{
	auto_free char *root = visible_line(home->root_path);

	printf("project  %s\nprivate  %s\n", root, home->priv_path);
	printf("mode     %s\n", s->mode);
	printf("policy   %s\n", strcmp(s->policy, "edited") != 0 ? s->policy :
	    "accepted; '.sandbox/" POLICY_FILE "' differs from it and is not "
	    "in force (sandbox policy diff)");
	print_agents(s);
	printf("watch    %s\n", s->watched ? "a human is watching" :
	    "nobody is watching (sandbox watch)");
	printf("queue    %zu waiting, %zu running, %zu answered\n",
	    s->waiting, s->running, s->answered);
	if (s->more > 0)
		printf("         %zu more than the policy lets wait\n",
		    s->more);
	if (s->foreign + s->aside > 0)
		printf("         %zu files that are no requests, %zu damaged "
		    "ones set aside\n", s->foreign, s->aside);
	if (s->missed > 0)
		printf("missed   %zu tools ran within a week that no hook of "
		    "ours had judged, last %s (sandbox log --kind hook.missed)"
		    "\n", s->missed, s->last_missed);
}

int
cmd_status(struct cmd_ctx *ctx, int argc, char **argv)
{
	bool line = false;
	const struct opt opts[] = {
		{ "line", 0, OPT_FLAG, NULL, "one line, for status bars",
		  &line },
	};
	auto_home struct home home = HOME_INIT;
	struct status s = { 0 };
	struct err e = { 0 };

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "no operands");
	if (look(ctx, &home, line, &s, &e) == -1)
		return cmd_fail(&e);
	if (line)
		printf("sandbox: %zu waiting, %zu running, grade %c, audit %s, "
		    "%s\n", s.waiting, s.running, grade(&home, NULL),
		    look_at_log(&home), !s.hooked ? "NOT connected" :
		    s.watched ? "watched" : "not watched");
	else if (ctx->json)
		print_json(&s, &home);
	else
		print_text(&s, &home);
	return 0;
}
