/*
 * Our side could not do its work: that must not go unsaid.  Where the log
 * cannot be reached (hidden by a jail, read-only, full, held by another), what
 * happened is left as a claim in the project's folder, which proves nothing
 * but is better than silence.
 */
#include "audit/spool.h"
#include "common/fs.h"
#include "common/mem.h"
#include "hooks/gate.h"

#include "common/banned.h"

/* What is claimed to have happened; a refused call did not. */
static const char *const claimed[] = {
	[HOOK_NONE] = "hook.failed",
	[HOOK_BEFORE] = "hook.failed",
	[HOOK_AFTER] = "tool.done",
	[HOOK_SESSION_START] = "session.start",
	[HOOK_SESSION_END] = "session.end",
	[HOOK_PROMPT] = "hook.failed",
	[HOOK_CONFIG] = "config.changed",
};

static cJSON *
describe(const struct hook_input *in, const struct err *why)
{
	cJSON *fields = json_object();

	json_add_str(fields, "event", in->event);
	if (in->kind == HOOK_BEFORE || in->kind == HOOK_AFTER) {
		gate_add_call(fields, &in->call);
		json_add_str(fields, "tool_use_id", in->tool_use_id);
	}
	if (in->source[0] != '\0')
		gate_add_scrubbed(fields, "source", in->source);
	if (in->path[0] != '\0')
		gate_add_scrubbed(fields, "path", in->path);
	gate_add_scrubbed(fields, "why", why->text);
	return fields;
}

/*
 * Without the private directory only the registration says which folder is
 * ours; a search would take any.
 */
static int
open_spool(const struct gate *g, const struct gate_args *args, struct err *e)
{
	auto_close int root = g->home.bus != -1 || args->root == NULL ? -1 :
	    fs_open_dir_follow(args->root, e);
	auto_close int fd = -1;

	if (g->home.bus != -1)
		fd = fs_open_dir(g->home.bus, "spool", e);
	else if (root != -1)
		fd = fs_open_dir(root, ".sandbox/escalations/spool", e);
	return fd == -1 || fs_check_private(fd, "spool", e) == -1 ? -1 :
	    fd_steal(&fd);
}

static bool
leave_claim(const struct gate *g, const struct gate_args *args,
    const struct event *ev)
{
	auto_close int spool = open_spool(g, args, NULL);
	struct clock now;

	return spool != -1 && clock_now(&now, NULL) == 0 &&
	    audit_spool_put(spool, ev, &now, NULL) == 0;
}

bool
gate_failed(struct gate *g, const struct gate_args *args,
    const struct hook_input *in, const struct err *why)
{
	auto_json cJSON *fields = NULL;
	struct event ev = { .session = in->call.session,
	    .agent = in->call.client };

	/* Refused on purpose, and recorded where it was. */
	if (why->code == ERR_PERMITTED && !g->deaf)
		return true;
	fields = describe(in, why);
	ev.fields = fields;
	ev.kind = "hook.failed";
	if (g->audit != NULL && !g->deaf &&
	    gate_note(g, in, ev.kind, fields, NULL) == 0)
		return true;
	ev.kind = claimed[in->kind];
	return leave_claim(g, args, &ev);
}

void
gate_take_claims(struct gate *g)
{
	auto_close int spool = g->audit == NULL ? -1 :
	    fs_open_dir(g->home.bus, "spool", NULL);
	struct spool_taken got;

	/* What stays is taken by the next one, or by watch. */
	if (spool != -1)
		audit_spool_take(g->audit, spool, &g->now, &got, NULL);
}
