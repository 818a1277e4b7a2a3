/*
 * sandbox stats: how much a human is asked, how fast they answer, what would
 * spare them most questions, and what is refused most.
 *
 * Somebody who approves nearly everything within seconds does not read: that
 * is said, because it is what an attacker waits for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/originals/timeline.h"
#include "cmd/cmd.h"
#include "cmd/files.h"
#include "cmd/stats.h"
#include "common/clock.h"
#include "common/mem.h"

#include "common/banned.h"

#define GROUPS_MAX	4096
#define FAST_MS		3000

static struct group *
group(struct groups *gs, const char *name)
{
	struct group *g;

	for (size_t i = 0; i < gs->n; i++) {
		if (strncmp(gs->g[i].name, name, NAME_MAX_ - 1) == 0)
			return &gs->g[i];
	}
	if (gs->n == GROUPS_MAX)
		return &gs->g[GROUPS_MAX - 1];
	if (gs->n == gs->cap) {
		gs->cap = gs->cap == 0 ? 32 : gs->cap * 2;
		gs->g = xrealloc(gs->g, gs->cap, sizeof *gs->g);
	}
	g = &gs->g[gs->n++];
	*g = (struct group){ .calls = 0 };
	snprintf(g->name, sizeof g->name, "%s", name);
	return g;
}

static const char *
text_of(const cJSON *r, const char *name)
{
	const char *text = json_str(r, name);

	return text == NULL ? "" : text;
}

/* "Bash npm run": the tool, and the program with its first word. */
static void
likeness(const cJSON *r, char ret[NAME_MAX_])
{
	const char *s = text_of(r, "summary");
	size_t n = strcspn(s, " \n");

	if (s[n] == ' ' && s[n + 1] != '-' && s[n + 1] != '/' &&
	    strchr("'\"$", s[n + 1]) == NULL)
		n += 1 + strcspn(s + n + 1, " \n");
	snprintf(ret, NAME_MAX_, "%s %.*s", text_of(r, "tool"), (int)n, s);
}

static void
see_call(struct stats *s, const cJSON *r)
{
	bool refused = str_eq(json_str(r, "decision"), "deny");
	char name[2 * NAME_MAX_];

	s->calls++;
	group(&s->sessions, text_of(r, "session"))->calls++;
	if (!refused)
		return;
	s->refused++;
	snprintf(name, sizeof name, "rule %s", text_of(r, "rule"));
	group(&s->refusals, name)->refused++;
	group(&s->sessions, text_of(r, "session"))->refused++;
}

static void
see_question(struct stats *s, const cJSON *r)
{
	struct question *q = &s->open[s->n_open++ % OPEN_MAX];
	const char *id = text_of(r, "id");

	*q = (struct question){ .asked_ms = json_int(r, "t_wall_ms", 0) };
	snprintf(q->id, sizeof q->id, "%s", id);
	snprintf(q->session, sizeof q->session, "%s", text_of(r, "session"));
	likeness(r, q->what);
	s->calls++;
	s->asked++;
	group(&s->kinds, q->what)->asked++;
	group(&s->sessions, q->session)->calls++;
	group(&s->sessions, q->session)->asked++;
}

static struct question *
find_question(struct stats *s, const char *id)
{
	size_t n = s->n_open < OPEN_MAX ? s->n_open : OPEN_MAX;

	for (size_t i = 0; i < n; i++) {
		if (str_eq(s->open[i].id, id))
			return &s->open[i];
	}
	return NULL;
}

static void
see_time(struct stats *s, int64_t took)
{
	if (took < 0)
		return;
	if (s->n_took == s->cap_took) {
		s->cap_took = s->cap_took == 0 ? 64 : s->cap_took * 2;
		s->took_ms = xrealloc(s->took_ms, s->cap_took,
		    sizeof *s->took_ms);
	}
	s->took_ms[s->n_took++] = took;
	s->fast += took < FAST_MS;
}

static void
see_decision(struct stats *s, const cJSON *r, bool approved)
{
	struct question *q = find_question(s, text_of(r, "id"));

	s->approved += approved;
	s->denied += !approved;
	if (q == NULL)
		return;
	group(&s->kinds, q->what)->approved += approved;
	group(&s->kinds, q->what)->denied += !approved;
	group(&s->sessions, q->session)->approved += approved;
	group(&s->sessions, q->session)->denied += !approved;
	if (approved)
		see_time(s, json_int(r, "t_wall_ms", 0) - q->asked_ms);
}

static int
see(void *arg, const cJSON *r, const char *line, size_t len)
{
	struct stats *s = arg;
	const char *kind = text_of(r, "kind");

	(void)line;
	(void)len;
	if (json_int(r, "t_wall_ms", 0) < s->since_ms ||
	    str_eq(json_str(r, "session"), SESSION_DOCTOR))
		return 0;
	if (str_eq(kind, "tool.request"))
		see_question(s, r);
	else if (str_eq(kind, "allow") || str_eq(kind, "observe") ||
	    str_eq(kind, "contain") || (str_eq(kind, "guardrail.decision") &&
	    json_str(r, "id") == NULL))
		see_call(s, r);
	else if (str_eq(kind, "approval") || str_eq(kind, "deny"))
		see_decision(s, r, str_eq(kind, "approval"));
	s->missed += str_eq(kind, "hook.missed");
	return 0;
}

static int
gather(const struct cmd_ctx *ctx, const char *since, struct stats *s,
    struct err *e)
{
	auto_home struct home home = HOME_INIT;
	struct clock now;

	if (clock_now(&now, e) == -1)
		return -1;
	if (since != NULL && !files_time(since, now.wall_ms, &s->since_ms))
		return err_set(e, ERR_USAGE, "--since takes "
		    "2026-11-29T17:41:02Z, or 90s, 10m, 2h ago");
	return cmd_home(ctx, &home, e) == -1 ? -1 :
	    audit_walk(home.priv, see, s, e);
}

int
cmd_stats(struct cmd_ctx *ctx, int argc, char **argv)
{
	const char *since = NULL;
	const struct opt opts[] = {
		{ "since", 0, OPT_TEXT, "TIME", "only from then on", &since },
	};
	struct stats *s;
	struct err e;
	int rc;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "no operands");
	s = xcalloc(1, sizeof *s);
	rc = gather(ctx, since, s, &e);
	if (rc == 0)
		stats_print(s, ctx->json);
	free(s->sessions.g);
	free(s->kinds.g);
	free(s->refusals.g);
	free(s->took_ms);
	free(s);
	return rc == -1 ? cmd_fail(&e) : 0;
}
