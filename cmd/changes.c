/*
 * sandbox changes: what agents did to files, one line a path.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/human.h"
#include "audit/originals/change.h"
#include "cmd/audit_originals.h"
#include "cmd/cmd.h"
#include "cmd/files.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

struct view {
	const struct cmd_ctx *ctx;
	const char	*session;	/* whole, or NULL */
	const struct deed *only;	/* or NULL */
	char	       **files;
	int		 n_files;
	bool		 diff, verify;
	struct store	*store;
	struct timeline	 time;
	cJSON		*json;
	size_t		 shown;
};

/* --- one change ---------------------------------------------------------- */

static cJSON *
state_json(const struct file_state *s)
{
	static const char *const names[] = {
		[FILE_ABSENT] = "absent", [FILE_REGULAR] = "file",
		[FILE_LINK] = "link", [FILE_DIR] = "folder",
		[FILE_OTHER] = "other",
	};
	cJSON *o = json_object();
	char hex[DIGEST_HEX + 1], mode[8];

	json_add_str(o, "type", names[s->kind]);
	if (s->kind == FILE_ABSENT)
		return o;
	snprintf(mode, sizeof mode, "%04o", (unsigned)s->mode & 07777);
	json_add_str(o, "mode", mode);
	if (s->kind == FILE_LINK)
		json_add_str(o, "to", s->link);
	if (s->kind != FILE_REGULAR)
		return o;
	json_add_int(o, "size", (int64_t)s->size);
	if (s->lost != LOST_NOT) {
		json_add_str(o, "not_kept", file_lost_name(s->lost));
	} else {
		digest_hex(&s->content, hex);
		json_add_str(o, "digest", hex);
	}
	return o;
}

static void
put_json(struct view *v, const struct change *c)
{
	static const char *const kinds[] = { [DEED_CALL] = "call",
		[DEED_RUN] = "run", [DEED_RESTORE] = "restore",
		[DEED_BASELINE] = "baseline" };
	cJSON *o = json_object();
	char when[21];

	clock_format(c->deed->wall_ms, when);
	json_add_int(o, "change", (int64_t)c->deed->seq);
	json_add_str(o, "at", when);
	json_add_str(o, "by", kinds[c->deed->kind]);
	json_add_str(o, "session", c->deed->session);
	json_add_str(o, "agent", c->deed->agent);
	json_add_str(o, "tool", c->deed->tool);
	json_add_str(o, "summary", c->deed->summary);
	json_add_str(o, "request", c->deed->id);
	json_add_str(o, "tool_use_id", c->deed->call);
	json_add_str(o, "path", c->path);
	json_add_str(o, "what", change_word(c));
	json_add(o, "before", state_json(c->was));
	if (c->now != NULL)
		json_add(o, "after", state_json(c->now));
	json_push(v->json, o);
}

static void
put_line(const struct change *c)
{
	auto_free char *path = visible_line(c->path);
	auto_free char *tool = visible_line(c->deed->tool);
	auto_free char *session = visible_line(c->deed->session);
	char when[21];

	clock_format(c->deed->wall_ms, when);
	printf("%s  %6" PRIu64 "  %-11s  %s", when, c->deed->seq,
	    change_word(c), path);
	if (c->deed->kind == DEED_RESTORE)
		printf("  (restore)");
	else
		printf("  (%s, session %.8s)", tool, session);
	if (c->was->lost != LOST_NOT)
		printf("  not kept: %s", file_lost_name(c->was->lost));
	putchar('\n');
}

/* --- --diff -------------------------------------------------------------- */

static int
put_diff(struct view *v, const struct change *c, struct err *e)
{
	auto_str struct str out = { 0 };
	int got;

	str_init(&out, (size_t)CHANGE_TEXT * 16);
	got = change_diff(v->store, c, &out, e);
	if (got == 1)
		puts("  (no text, or too long to show)");
	fputs(out.s, stdout);
	return got == -1 ? -1 : 0;
}

/* --- --verify ------------------------------------------------------------ */

static int
verify(const struct cmd_ctx *ctx, const struct home *home)
{
	auto_json cJSON *o = ctx->json ? json_object() : NULL;
	struct err e;
	int n = audit_originals(home, true, o, &e);

	if (n == -1)
		return cmd_fail(&e);
	if (ctx->json)
		cmd_put_json(o);
	return n == 0 ? 0 : ERR_NEGATIVE;
}

/* --- all of them --------------------------------------------------------- */

static bool
wanted(const struct view *v, const char *path)
{
	for (int i = 0; i < v->n_files; i++) {
		size_t n = strlen(v->files[i]);

		if (strncmp(path, v->files[i], n) == 0 &&
		    (path[n] == '\0' || path[n] == '/'))
			return true;
	}
	return v->n_files == 0;
}

static int
put_change(void *arg, const struct change *c, struct err *e)
{
	struct view *v = arg;

	if (!wanted(v, c->path))
		return 0;
	v->shown++;
	if (v->ctx->json)
		put_json(v, c);
	else
		put_line(c);
	return v->diff ? put_diff(v, c, e) : 0;
}

static int
put_all(struct view *v, struct err *e)
{
	for (size_t i = 0; i < v->time.n; i++) {
		const struct deed *d = &v->time.d[i];

		if (!change_is_kept(&v->time, d) ||
		    (v->only != NULL && d != v->only) ||
		    (v->session != NULL && strcmp(d->session, v->session) != 0))
			continue;
		if (change_each(v->store, d, put_change, v, e) == -1)
			return -1;
	}
	return 0;
}

static int
changes(struct view *v, const struct home *home, const char *session,
    const char *change, struct err *e)
{
	if (v->diff && human_only(home, e) == -1)
		return -1;
	if (store_open(home->priv, false, STORE_SHARED, &v->store, e) == -1)
		return e->code == ERR_SETUP ? 0 : -1;
	if (timeline_read(home->priv, &v->time, e) == -1 ||
	    (session != NULL &&
	    timeline_session(&v->time, session, &v->session, e) == -1) ||
	    (change != NULL &&
	    timeline_find(&v->time, change, &v->only, e) == -1))
		return -1;
	return put_all(v, e);
}

int
cmd_changes(struct cmd_ctx *ctx, int argc, char **argv)
{
	struct view v = { .ctx = ctx };
	const char *session = NULL, *change = NULL;
	const struct opt opts[] = {
		{ "session", 0, OPT_TEXT, "SESSION", "of one session only "
		  "(`last`: the newest)", &session },
		{ "change", 0, OPT_TEXT, "CHANGE", "of one change only",
		  &change },
		{ "diff", 0, OPT_FLAG, NULL, "and which lines", &v.diff },
		{ "verify", 0, OPT_FLAG, NULL, "is all there that was kept, "
		  "unchanged?", &v.verify },
	};
	auto_home struct home home = HOME_INIT;
	struct err e = { 0 };
	int rc;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (files_no_name(session) || files_no_name(change))
		return cmd_usage(ctx, "an empty name names nothing");
	if (ctx->json && v.diff)
		return cmd_usage(ctx, "--diff is for people, --json is not");
	if (cmd_home(ctx, &home, &e) == -1)
		return cmd_fail(&e);
	if (v.verify)
		return verify(ctx, &home);
	v.n_files = argc;
	v.files = files_all(ctx, &home, argc, argv, &e);
	if (v.files == NULL)
		return cmd_fail(&e);
	v.json = json_array();
	rc = changes(&v, &home, session, change, &e);
	if (rc == 0 && ctx->json) {
		auto_json cJSON *o = json_object();

		json_add(o, "changes", v.json);
		v.json = NULL;
		cmd_put_json(o);
	}
	json_free(v.json);
	timeline_clear(&v.time);
	store_free(v.store);
	files_free(v.files, argc);
	if (rc == -1)
		return cmd_fail(&e);
	if (v.shown > 0)
		return 0;
	if (!ctx->json)
		fprintf(stderr, "sandbox: no %schange is kept here\n",
		    argc > 0 || session != NULL || change != NULL ?
		    "such " : "");
	return ERR_NEGATIVE;
}
