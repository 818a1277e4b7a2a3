/*
 * sandbox log, sandbox trace: the audit log as a person reads it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "cmd/cmd.h"
#include "common/clock.h"
#include "common/id.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define SHOWN_MAX	10000

struct filter {
	const char	*kind;		/* NULL: every kind */
	const char	*session;
	const char	*id;		/* exact request id */
};

/* The last `max` lines that pass, in a ring. */
struct tail {
	const struct filter *filter;
	char		**lines;
	size_t		  max, n;	/* n counts all that passed */
};

static bool
passes(const struct filter *f, const cJSON *record)
{
	return (f->kind == NULL || str_eq(json_str(record, "kind"), f->kind)) &&
	    (f->session == NULL ||
	    str_eq(json_str(record, "session"), f->session)) &&
	    (f->id == NULL || str_eq(json_str(record, "id"), f->id));
}

static int
keep(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct tail *t = arg;

	if (!passes(t->filter, record))
		return 0;
	char **slot = &t->lines[t->n++ % t->max];

	free(*slot);
	*slot = xstrndup(line, len);
	return 0;
}

static void
put(const char *label, const cJSON *record, const char *name)
{
	const char *text = json_str(record, name);
	auto_free char *shown = text == NULL || *text == '\0' ? NULL :
	    visible_line(text);

	if (shown != NULL)
		printf("%s%s", label, shown);
}

static void
put_record(const cJSON *r)
{
	char when[21];
	const char *id = json_str(r, "id");

	clock_format(json_int(r, "t_wall_ms", 0), when);
	printf("%s ", when);
	put(" ", r, "seq");
	put("  ", r, "kind");
	if (id != NULL)
		printf("  %.8s", id);
	put("  ", r, "decision");
	put("/", r, "tier");
	put("  ", r, "tool");
	put("  ", r, "outcome");
	put("  ", r, "summary");
	put("  rule ", r, "rule");
	put("  by ", r, "approver");
	putchar('\n');
}

static void
put_line(const char *line, bool json)
{
	auto_json cJSON *record = NULL;
	struct err e;

	if (json) {
		cmd_put_json_text(line, strlen(line));
		return;
	}
	if (json_parse(line, strlen(line), JSON_DEPTH, &record, &e) == 0)
		put_record(record);
}

static size_t
print_matching(const struct cmd_ctx *ctx, const struct filter *f, size_t max,
    const struct home *home, struct err *e)
{
	struct tail t = {
		.filter = f, .max = max,
		.lines = xcalloc(max, sizeof *t.lines),
	};
	int rc = audit_walk(home->priv, keep, &t, e);
	size_t shown = t.n < max ? t.n : max;

	for (size_t i = t.n - shown; i < t.n; i++)
		put_line(t.lines[i % max], ctx->json);
	for (size_t i = 0; i < max; i++)
		free(t.lines[i]);
	free(t.lines);
	return rc == -1 ? SIZE_MAX : shown;
}

int
cmd_log(struct cmd_ctx *ctx, int argc, char **argv)
{
	int count = 40;
	struct filter f = { 0 };
	const struct opt opts[] = {
		{ "count", 'n', OPT_COUNT, "COUNT",
		  "how many, the newest (default 40)", &count },
		{ "kind", 0, OPT_TEXT, "KIND", "only records of this kind",
		  &f.kind },
		{ "session", 0, OPT_TEXT, "ID", "only this agent session",
		  &f.session },
	};
	auto_home struct home home = HOME_INIT;
	struct err e;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0 || count < 1 || count > SHOWN_MAX)
		return cmd_usage(ctx, "-n takes 1 to %d", SHOWN_MAX);
	if (cmd_home(ctx, &home, &e) == -1)
		return cmd_fail(&e);

	size_t shown = print_matching(ctx, &f, (size_t)count, &home, &e);

	if (shown == SIZE_MAX)
		return cmd_fail(&e);
	return shown > 0 ? 0 : ERR_NEGATIVE;
}

/* --- trace: the same walk for one id, found by prefix --- */

struct search {
	const char	*prefix;
	char		 found[ID_MAX + 1];
	bool		 several;
};

static int
match(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct search *s = arg;
	const char *id = json_str(record, "id");

	(void)line;
	(void)len;
	if (id == NULL || strlen(id) > ID_MAX || !str_starts(id, s->prefix))
		return 0;
	if (*s->found == '\0')
		memcpy(s->found, id, strlen(id) + 1);
	else if (strcmp(s->found, id) != 0)
		s->several = true;
	return 0;
}

int
cmd_trace(struct cmd_ctx *ctx, int argc, char **argv)
{
	auto_home struct home home = HOME_INIT;
	struct search s = { 0 };
	struct filter f = { .id = s.found };
	struct err e;

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1 || !id_prefix_ok(argv[0]))
		return cmd_usage(ctx, "one request id, or the start of one");
	if (cmd_home(ctx, &home, &e) == -1)
		return cmd_fail(&e);
	s.prefix = argv[0];
	if (audit_walk(home.priv, match, &s, &e) == -1)
		return cmd_fail(&e);
	if (*s.found == '\0' || s.several) {
		err_set(&e, ERR_NO_ID, *s.found == '\0' ?
		    "the log knows no request '%s'" :
		    "several requests begin with '%s'", argv[0]);
		return cmd_fail(&e);
	}
	if (!ctx->json)
		printf("request %s\n", s.found);
	if (print_matching(ctx, &f, SHOWN_MAX, &home, &e) == SIZE_MAX)
		return cmd_fail(&e);
	return 0;
}
