/*
 * sandbox log: the audit log as a person reads it.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "approver/logtail.h"
#include "audit/audit.h"
#include "audit/event.h"
#include "cmd/cmd.h"
#include "cmd/files.h"
#include "common/clock.h"
#include "common/mem.h"

#include "common/banned.h"

#define SHOWN_MAX	10000
#define FOLLOW_MS	200
#define LINE_MAX_SHOWN	(8 * 1024 * 1024)

/* What a record must be to be shown; NULL and the ends of time: anything. */
struct filter {
	const char	*kind, *session, *tool, *verdict, *path, *text;
	int64_t		 since_ms, until_ms;
};

/* The last `max` lines that pass, in a ring. */
struct tail {
	const struct filter *filter;
	bool		  json;
	char		**lines;
	size_t		  max, n;	/* n counts all that passed */
};

static bool
is(const char *want, const cJSON *record, const char *name)
{
	return want == NULL || str_eq(json_str(record, name), want);
}

/* A verdict is what policy said, or what a human did. */
static bool
has_verdict(const struct filter *f, const cJSON *record)
{
	return f->verdict == NULL || is(f->verdict, record, "decision") ||
	    is(f->verdict, record, "kind");
}

static bool
has(const char *want, const cJSON *record, const char *name)
{
	const char *text = json_str(record, name);

	return text != NULL && strstr(text, want) != NULL;
}

static bool
passes(const struct filter *f, const cJSON *record, const char *line,
    size_t len)
{
	int64_t when = json_int(record, "t_wall_ms", 0);

	return when >= f->since_ms && when <= f->until_ms &&
	    is(f->kind, record, "kind") &&
	    is(f->session, record, "session") &&
	    is(f->tool, record, "tool") && has_verdict(f, record) &&
	    (f->path == NULL || has(f->path, record, "summary") ||
	    has(f->path, record, "path")) &&
	    (f->text == NULL ||
	    memmem(line, len, f->text, strlen(f->text)) != NULL);
}

static void
put_record(const cJSON *r)
{
	auto_str struct str text = { 0 };

	str_init(&text, LINE_MAX_SHOWN);
	log_line(r, &text);
	puts(text.s);
}

static void
put_line(const char *line, size_t len, bool json)
{
	auto_json cJSON *record = NULL;

	if (json)
		cmd_put_json_text(line, len);
	else if (json_parse(line, len, JSON_DEPTH, &record, NULL) == 0)
		put_record(record);
}

static int
keep(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct tail *t = arg;
	char **slot;

	if (!passes(t->filter, record, line, len))
		return 0;
	slot = &t->lines[t->n++ % t->max];
	free(*slot);
	*slot = xstrndup(line, len);
	return 0;
}

static int
show(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct tail *t = arg;

	if (passes(t->filter, record, line, len))
		put_line(line, len, t->json);
	return 0;
}

static int
print_tail(struct tail *t, const struct home *home, uint64_t *ret_at,
    struct err *e)
{
	int rc = audit_walk_on(home->priv, ret_at, keep, t, e);
	size_t shown = t->n < t->max ? t->n : t->max;

	for (size_t i = t->n - shown; i < t->n; i++) {
		const char *line = t->lines[i % t->max];

		put_line(line, strlen(line), t->json);
	}
	return rc;
}

/* The pin moves with every record: look at it, not at the log. */
static int
follow(struct tail *t, const struct home *home, uint64_t at, struct err *e)
{
	struct timespec seen = { 0 };
	struct stat st;

	for (;;) {
		if (fflush(stdout) == EOF)
			return 0;
		if (fstatat(home->priv, "audit.head", &st,
		    AT_SYMLINK_NOFOLLOW) == -1)
			return err_sys(e, "cannot stat 'audit.head'");
		if (memcmp(&seen, &st.st_mtim, sizeof seen) != 0 &&
		    audit_walk_on(home->priv, &at, show, t, e) == -1)
			return -1;
		seen = st.st_mtim;
		poll(NULL, 0, FOLLOW_MS);
	}
}

/* As it stands in a line: a quote is \", a backslash is \\. */
static char *
as_written(const char *text)
{
	auto_str struct str s = { 0 };

	str_init(&s, strlen(text) * 6 + 3);
	json_quote(text, strlen(text), &s);
	return xstrndup(s.s + 1, s.len - 2);
}

static int
times(const char *since, const char *until, struct filter *f, struct err *e)
{
	struct clock now;

	if (clock_now(&now, e) == -1)
		return -1;
	if ((since != NULL && !files_time(since, now.wall_ms, &f->since_ms)) ||
	    (until != NULL && !files_time(until, now.wall_ms, &f->until_ms)))
		return err_set(e, ERR_USAGE, "a time is "
		    "2026-11-29T17:41:02Z, or 90s, 10m, 2h ago");
	return 0;
}

/* Nothing was shown: is it that there is none, or no such kind? */
static void
say_none(const struct filter *f)
{
	const char *name;

	fputs("sandbox: no record like that", stderr);
	if (f->kind != NULL &&
	    event_kind_find(f->kind, strlen(f->kind)) == NULL) {
		fputs("; the kinds are", stderr);
		for (size_t i = 0; (name = event_kind_name(i)) != NULL; i++)
			fprintf(stderr, " %s", name);
	}
	fputc('\n', stderr);
}

static int
run(const struct cmd_ctx *ctx, const struct filter *f, size_t max, bool on)
{
	auto_home struct home home = HOME_INIT;
	struct tail t = { .filter = f, .json = ctx->json, .max = max };
	uint64_t at = 0;
	struct err e;
	int rc;

	if (cmd_home(ctx, &home, &e) == -1)
		return cmd_fail(&e);
	t.lines = xcalloc(max, sizeof *t.lines);
	rc = print_tail(&t, &home, &at, &e);
	if (rc == 0 && on)
		rc = follow(&t, &home, at, &e);
	for (size_t i = 0; i < max; i++)
		free(t.lines[i]);
	free(t.lines);
	if (rc == -1)
		return cmd_fail(&e);
	if (t.n > 0)
		return 0;
	say_none(f);
	return ERR_NEGATIVE;
}

int
cmd_log(struct cmd_ctx *ctx, int argc, char **argv)
{
	int count = 40;
	bool on = false;
	const char *since = NULL, *until = NULL;
	struct filter f = { .until_ms = INT64_MAX };
	const struct opt opts[] = {
		{ "count", 'n', OPT_COUNT, "COUNT",
		  "how many, the newest (default 40)", &count },
		{ "follow", 'f', OPT_FLAG, NULL, "and what comes, until "
		  "interrupted", &on },
		{ "kind", 0, OPT_TEXT, "KIND", "only records of this kind",
		  &f.kind },
		{ "session", 0, OPT_TEXT, "ID", "only this agent session",
		  &f.session },
		{ "tool", 0, OPT_TEXT, "TOOL", "only calls of this tool",
		  &f.tool },
		{ "verdict", 0, OPT_TEXT, "WORD", "only allow, observe, "
		  "contain, escalate, deny, or approval", &f.verdict },
		{ "path", 0, OPT_TEXT, "PART", "only calls that name a path "
		  "with this part", &f.path },
		{ "text", 0, OPT_TEXT, "TEXT", "only records with this text "
		  "anywhere", &f.text },
		{ "since", 0, OPT_TEXT, "TIME", "from then on", &since },
		{ "until", 0, OPT_TEXT, "TIME", "up to then", &until },
	};
	auto_free char *text = NULL;
	struct err e;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0 || count < 1 || count > SHOWN_MAX)
		return cmd_usage(ctx, "-n takes 1 to %d", SHOWN_MAX);
	if (times(since, until, &f, &e) == -1)
		return cmd_fail(&e);
	if (f.text != NULL) {
		text = as_written(f.text);
		f.text = text;
	}
	return run(ctx, &f, (size_t)count, on);
}
