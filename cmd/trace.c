/*
 * sandbox trace: one request's story, from the question to what the agent was
 * told, with the times between.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/statement.h"
#include "cmd/cmd.h"
#include "common/clock.h"
#include "common/id.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

/* What happened so far; times in milliseconds, 0: not yet. */
struct story {
	const char	*id;
	bool		 json;
	int64_t		 first, last;
	int64_t		 asked, decided, started;
	size_t		 questions;	/* how often it was asked for */
};

static void
put_text(const char *label, const cJSON *r, const char *name)
{
	const char *text = json_str(r, name);
	auto_free char *shown = text == NULL || *text == '\0' ? NULL :
	    visible_line(text);

	if (shown != NULL)
		printf("%s%s", label, shown);
}

static void
put_after(const char *what, int64_t from, int64_t to)
{
	if (from != 0 && to >= from)
		printf(", %s %" PRId64 ".%" PRId64 " s", what,
		    (to - from) / 1000, (to - from) / 100 % 10);
}

static void
tell_request(struct story *s, const cJSON *r, int64_t now)
{
	s->asked = s->asked == 0 ? now : s->asked;
	s->questions++;
	fputs("the agent asked for", stdout);
	put_text(" ", r, "tool");
	put_text(": ", r, "summary");
	put_text("\n" "\t\tpolicy said ", r, "decision");
	put_text(", ", r, "tier");
	put_text(", by rule ", r, "rule");
	put_text("\n\t\tsession ", r, "session");
	put_text(" of ", r, "agent");
}

static void
tell_again(struct story *s, const cJSON *r, int64_t now)
{
	(void)now;
	s->questions++;
	fputs("the agent asked for the same again", stdout);
	put_text(", policy said ", r, "decision");
}

static void
tell_approval(struct story *s, const cJSON *r, int64_t now)
{
	struct approval a;
	bool known = json_str(r, "stmt") != NULL &&
	    approval_decode(json_str(r, "stmt"), &a, NULL) == 0;
	char hex[SIGN_PUB_HEX + 1];

	s->decided = now;
	fputs(known && a.decision == DECISION_ALLOW_ONCE ?
	    "a human let it run once, in the agent" :
	    "a human approved it, to run on our side", stdout);
	put_after("after", s->asked, now);
	if (known) {
		hex_put(a.approver, SIGN_PUB, hex);
		printf("\n\t\ttier %s, signed with key %.12s...", a.tier, hex);
	}
	put_text("\n\t\tedited to: ", r, "edited");
	put_text("\n\t\tsaid: ", r, "text");
}

static void
tell_deny(struct story *s, const cJSON *r, int64_t now)
{
	s->decided = now;
	fputs("a human refused it", stdout);
	put_after("after", s->asked, now);
	put_text("\n\t\tsaid: ", r, "text");
}

static void
tell_started(struct story *s, const cJSON *r, int64_t now)
{
	s->started = now;
	fputs("it started", stdout);
	put_text(" (", r, "executor");
	if (json_str(r, "executor") != NULL)
		putchar(')');
}

static void
tell_result(struct story *s, const cJSON *r, int64_t now)
{
	fputs("it ended:", stdout);
	put_text(" ", r, "outcome");
	put_after("after", s->started, now);
	put_text("\n\t\twhy: ", r, "why");
}

static void
tell_collected(struct story *s, const cJSON *r, int64_t now)
{
	(void)r;
	fputs("the agent was told", stdout);
	put_after("in all", s->asked, now);
}

static void
tell_closed(struct story *s, const cJSON *r, int64_t now)
{
	static const struct {
		const char	*outcome, *text;
	} ends[] = {
		{ "not_started", "decided, but never started: nothing ran, "
		  "and the agent must ask again" },
		{ "denied", "a human had refused it; the agent is told now" },
		{ "unknown", "it was started, and how it ended is unknown" },
		{ "uncollected", "nobody came for the answer" },
	};
	const char *outcome = json_str(r, "outcome");

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		if (!str_eq(outcome, ends[i].outcome))
			continue;
		fputs(ends[i].text, stdout);
		put_after("after", s->asked, now);
		s->decided = s->decided == 0 ? now : s->decided;
		return;
	}
	fputs("it was closed without a decision:", stdout);
	put_text(" ", r, "outcome");
	put_after("after", s->asked, now);
}

static const struct {
	const char	*kind;
	void		(*tell)(struct story *, const cJSON *, int64_t now);
} chapters[] = {
	{ "tool.request", tell_request },
	{ "guardrail.decision", tell_again },
	{ "approval", tell_approval },
	{ "deny", tell_deny },
	{ "sandbox.started", tell_started },
	{ "tool.result", tell_result },
	{ "answer.collected", tell_collected },
	{ "request.closed", tell_closed },
};

static int
tell(void *arg, const cJSON *r, const char *line, size_t len)
{
	struct story *s = arg;
	const char *kind = json_str(r, "kind");
	int64_t now = json_int(r, "t_wall_ms", 0);
	char when[21];
	size_t i = 0;

	if (!str_eq(json_str(r, "id"), s->id))
		return 0;
	if (s->json) {
		cmd_put_json_text(line, len);
		return 0;
	}
	s->first = s->first == 0 ? now : s->first;
	clock_format(now, when);
	printf("%.8s +%" PRId64 ".%03" PRId64 "\t", when + 11,
	    (now - s->first) / 1000, (now - s->first) % 1000);
	while (i < ARRAY_LEN(chapters) && !str_eq(kind, chapters[i].kind))
		i++;
	if (i < ARRAY_LEN(chapters))
		chapters[i].tell(s, r, now);
	else
		put_text("", r, "kind");
	put_text("  [record ", r, "seq");
	puts("]");
	s->last = now;
	return 0;
}

static void
end(const struct story *s)
{
	if (s->decided == 0 && s->asked != 0 && s->last == s->asked)
		puts("no human has decided yet");
	else if (s->questions > 1)
		printf("asked for %zu times, decided once\n", s->questions);
}

static int
trace(const struct cmd_ctx *ctx, const char *prefix, struct err *e)
{
	auto_home struct home home = HOME_INIT;
	char id[ID_MAX + 1];
	struct story story = { .id = id, .json = ctx->json };
	auto_free char *with = NULL;

	if (cmd_home(ctx, &home, e) == -1 ||
	    audit_find_id(home.priv, prefix, id, e) == -1)
		return -1;
	with = xasprintf("\"id\":\"%s", id);
	if (!ctx->json)
		printf("request %s\n", id);
	if (audit_walk_with(home.priv, with, tell, &story, e) == -1)
		return -1;
	if (!ctx->json)
		end(&story);
	return 0;
}

int
cmd_trace(struct cmd_ctx *ctx, int argc, char **argv)
{
	struct err e;

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1 || !id_prefix_ok(argv[0]))
		return cmd_usage(ctx, "one request id, or the start of one");
	return trace(ctx, argv[0], &e) == -1 ? cmd_fail(&e) : 0;
}
