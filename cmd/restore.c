/*
 * sandbox restore: give back what was changed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/human.h"
#include "audit/originals/undo.h"
#include "cmd/cmd.h"
#include "cmd/files.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

struct asked {
	const char	*to, *request, *session;
	bool		 certain, dry;
	char	       **files;
	int		 n_files;
};

/* What that led to. */
struct found {
	const char	*session;	/* or NULL */
	int64_t		 began_ms;
	const struct deed *last;	/* of the files' changes, or NULL */
	bool		 goes_on;	/* it is a restore that was
					   interrupted */
};

/* --- what is wanted ------------------------------------------------------ */

static int
find_to(struct undo *w, const struct restore_ask *ask, const char *to,
    struct err *e)
{
	const struct deed *d;
	struct err why;
	int64_t at;

	if (files_time(to, w->now.wall_ms, &at))
		return restore_want_time(ask, at, &w->want, e);
	if (timeline_find(&w->time, to, &d, &why) == -1)
		return err_set(e, ERR_NO_ID, "%.200s; a time is "
		    FILES_TIME_FORMS, why.text);
	return restore_want_until(ask, d, &w->want, e);
}

static int
find_session(struct undo *w, const struct restore_ask *ask,
    const struct asked *a, struct found *ret, struct err *e)
{
	if (timeline_session(&w->time, a->session, &ret->session, e) == -1)
		return -1;
	ret->began_ms = timeline_session_began(&w->time, ret->session);
	return restore_want_session(ask, ret->session, a->certain, &w->want,
	    e);
}

static int
find(struct undo *w, const struct asked *a, struct found *ret, struct err *e)
{
	const struct restore_ask ask = { .store = w->store, .time = &w->time,
	    .only = a->files, .n_only = (size_t)a->n_files };
	const struct deed *d;
	int got;

	if (a->to != NULL)
		return find_to(w, &ask, a->to, e);
	if (a->request != NULL)
		return timeline_find(&w->time, a->request, &d, e) == -1 ? -1 :
		    restore_want_deed(&ask, d, &w->want, e);
	if (a->session != NULL)
		return find_session(w, &ask, a, ret, e);
	got = restore_want_last(&ask, w->rootfd, &w->want, &ret->last, e);
	ret->goes_on = got == 1;
	return got == -1 ? -1 : 0;
}

/* --- telling ------------------------------------------------------------- */

static const char *const words[] = {
	[STEP_SAME] = "", [STEP_WRITE] = "write", [STEP_REMOVE] = "remove",
	[STEP_LINK] = "link", [STEP_FOLDER] = "folder", [STEP_MODE] = "mode",
	[STEP_REFUSED] = "refused",
};

static void
put_item(const struct restore_item *it, bool failed)
{
	auto_free char *path = visible_line(it->path);
	auto_free char *why = visible_line(it->why);

	if (it->why[0] == '\0')
		printf("%-8s %s\n", words[it->step], path);
	else
		printf("%-8s %s: %s\n", failed ? "failed" : words[it->step],
		    path, why);
}

/* What would be done; or, when it was tried, what was. */
static void
put_items(const struct restore *r, bool dry)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct restore_item *it = &r->items[i];
		bool failed = it->step != STEP_REFUSED && it->why[0] != '\0';

		if (failed || it->step == STEP_REFUSED || it->done ||
		    (dry && it->step != STEP_SAME))
			put_item(it, failed);
	}
}

static void
put_found(const struct found *f)
{
	char when[21];

	if (f->session != NULL) {
		auto_free char *name = visible_line(f->session);

		clock_format(f->began_ms, when);
		printf("session  %s, which began %s\n", name, when);
	}
	if (f->goes_on)
		printf("going on with restore %" PRIu64 ", which was "
		    "interrupted\n", f->last->seq);
}

static void
put_nothing(const struct undo *w, const struct found *f)
{
	if (w->plan.refused > 0)
		puts("nothing can be done");
	else if (f->goes_on)
		printf("nothing to do: it had come to its end; `sandbox "
		    "restore --request %" PRIu64 "` takes it back\n",
		    f->last->seq);
	else if (f->last != NULL)
		printf("nothing to do: all of it is as it was before change %"
		    PRIu64 "; --to goes further back\n", f->last->seq);
	else
		puts("nothing to do: all of it is as it was");
}

static void
put_json(const struct restore *r, const struct found *f, bool dry,
    uint64_t seq)
{
	auto_json cJSON *o = json_object();
	cJSON *list = json_array();
	char when[21];

	for (size_t i = 0; i < r->n; i++) {
		const struct restore_item *it = &r->items[i];
		cJSON *j;

		if (it->step == STEP_SAME)
			continue;
		j = json_object();
		json_add_str(j, "path", it->path);
		json_add_str(j, "step", words[it->step]);
		json_add_bool(j, "done", it->done);
		if (it->why[0] != '\0')
			json_add_str(j, "why", it->why);
		json_push(list, j);
	}
	json_add_bool(o, "dry_run", dry);
	if (f->session != NULL) {
		clock_format(f->began_ms, when);
		json_add_str(o, "session", f->session);
		json_add_str(o, "began", when);
	}
	if (seq != 0)
		json_add_int(o, "change", (int64_t)seq);
	json_add(o, "paths", list);
	cmd_put_json(o);
}

/* --- doing it ------------------------------------------------------------ */

static void
put_way_back(const struct restore *r, uint64_t seq)
{
	size_t done = 0;

	for (size_t i = 0; i < r->n; i++)
		done += r->items[i].done;
	if (done == 0)
		return;
	printf("what was there is kept: `sandbox restore --request %" PRIu64
	    "` takes this back\n", seq);
}

/* Some of it may be done: then that is said, too. */
static int
give_up(const struct cmd_ctx *ctx, const struct undo *w, const struct found *f,
    uint64_t seq, const struct err *e)
{
	if (ctx->json) {
		put_json(&w->plan, f, false, seq);
	} else {
		put_items(&w->plan, false);
		put_way_back(&w->plan, seq);
	}
	fflush(stdout);
	return cmd_fail(e);
}

static int
conclude(const struct cmd_ctx *ctx, struct undo *w, const struct found *f,
    bool dry)
{
	uint64_t seq = 0;
	struct err e;

	if (!ctx->json)
		put_found(f);
	if (!dry && w->plan.steps > 0 && undo_run(w, &seq, &e) == -1)
		return give_up(ctx, w, f, seq, &e);
	if (ctx->json) {
		put_json(&w->plan, f, dry, seq);
	} else {
		put_items(&w->plan, dry);
		if (w->plan.steps == 0)
			put_nothing(w, f);
		else if (!dry)
			put_way_back(&w->plan, seq);
	}
	/* Before undo_close: who reads it knows that it was done. */
	fflush(stdout);
	return w->plan.refused == 0 ? 0 : ERR_NEGATIVE;
}

static int
restore(const struct cmd_ctx *ctx, struct home *home, const struct asked *a)
{
	auto_undo struct undo w = { 0 };
	struct found f = { 0 };
	struct err e;

	if (human_only(home, &e) == -1 || undo_open(&w, home->priv, home->root,
	    home->project, &e) == -1 || find(&w, a, &f, &e) == -1)
		return cmd_fail(&e);
	if (w.want.cut)
		fprintf(stderr, "sandbox: the project was too large to keep "
		    "all of it at the session's start\n");
	if (undo_plan(&w, &e) == -1)
		return cmd_fail(&e);
	return conclude(ctx, &w, &f, a->dry);
}

int
cmd_restore(struct cmd_ctx *ctx, int argc, char **argv)
{
	struct asked a = { 0 };
	const struct opt opts[] = {
		{ "to", 0, OPT_TEXT, "TIME|CHANGE",
		  "as it was then, or before that change", &a.to },
		{ "request", 0, OPT_TEXT, "CHANGE",
		  "all that one change did", &a.request },
		{ "session", 0, OPT_TEXT, "SESSION",
		  "all that a session did (`last`: the newest)", &a.session },
		{ "certain", 0, OPT_FLAG, NULL, "of a session, only what its "
		  "calls were known to change", &a.certain },
		{ "dry-run", 'n', OPT_FLAG, NULL, "only say what would be "
		  "done", &a.dry },
	};
	auto_home struct home home = HOME_INIT;
	struct err e;
	int status;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if ((a.to != NULL) + (a.request != NULL) + (a.session != NULL) > 1)
		return cmd_usage(ctx, "one of --to, --request, --session");
	if (files_no_name(a.to) || files_no_name(a.request) ||
	    files_no_name(a.session))
		return cmd_usage(ctx, "an empty name names nothing");
	if (argc == 0 && a.to == NULL && a.request == NULL &&
	    a.session == NULL)
		return cmd_usage(ctx, "which file, change or session?");
	if (cmd_home(ctx, &home, &e) == -1)
		return cmd_fail(&e);
	a.n_files = argc;
	a.files = files_all(ctx, &home, argc, argv, &e);
	if (a.files == NULL)
		return cmd_fail(&e);
	status = restore(ctx, &home, &a);
	files_free(a.files, argc);
	return status;
}
