/* What an agent may know about its gate. */
#include "hooks/mcp/mcp.h"

#include <string.h>

#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define LISTED_MAX	20

static const char *
state_name(enum entry_state s)
{
	static const char *const names[] = {
		[ENTRY_PENDING] = "pending", [ENTRY_CLAIMED] = "claimed",
		[ENTRY_RUNNING] = "running", [ENTRY_ANSWERED] = "answered",
		[ENTRY_CLOSED] = "closed",
	};

	return names[s];
}

static cJSON *
entry_json(const struct entry *en)
{
	const struct call call = { .tool = en->req.tool,
	    .input = en->req.input, .cwd = en->req.cwd };
	auto_str struct str summary = { 0 };
	auto_free char *shown = NULL;
	cJSON *o = json_object();

	str_init(&summary, 1024);
	call_summary(&call, &summary);
	shown = visible_line(summary.s);
	json_add_str(o, "request_id", en->req.id);
	json_add_str(o, "state", state_name(en->state));
	json_add_str(o, "summary", shown);
	return o;
}

/* Newest last; what is more than a screenful is only counted. */
static cJSON *
requests(const struct mcp_door *d, size_t *ret_waiting, size_t *ret_answers)
{
	cJSON *list = json_array();
	struct entries all = { 0 };

	if (queue_list(d->q, &d->g.now, false, &all, NULL) == -1)
		all = (struct entries){ 0 };
	for (size_t i = 0; i < all.n; i++) {
		*ret_answers += all.e[i].state == ENTRY_ANSWERED;
		*ret_waiting += all.e[i].state == ENTRY_PENDING;
		if (all.n - i <= LISTED_MAX)
			json_push(list, entry_json(&all.e[i]));
	}
	entries_clear(&all);
	return list;
}

static cJSON *
say(const struct mcp_door *d)
{
	bool watched = home_watch_present(&d->g.home);
	size_t waiting = 0, answers = 0;
	cJSON *facts = json_object(), *list;
	auto_free char *root = visible_line(d->g.home.root_path);
	auto_str struct str text = { 0 };

	list = requests(d, &waiting, &answers);
	str_init(&text, 4096);
	str_addf(&text, "The gate is up in %s. %s %zu requests wait, %zu "
	    "answers are to be collected with check_request.", root, watched ?
	    "A human is watching." : "Nobody is watching now: ask the human "
	    "to run `sandbox watch`.", waiting, answers);
	json_add_str(facts, "root", root);
	json_add_bool(facts, "watched", watched);
	json_add_int(facts, "waiting", (int64_t)waiting);
	json_add_int(facts, "answers", (int64_t)answers);
	json_add(facts, "requests", list);
	return mcp_say("ok", text.s, facts);
}

cJSON *
mcp_say_status(struct mcp *m, const struct rpc *r)
{
	char client[MCP_NAME_MAX + 1];
	struct mcp_door d;
	struct err e = { 0 };
	cJSON *said;

	if (mcp_place_open(m, &e) == -1 || mcp_door_open(m, mcp_client(m, r,
	    client), m->place->home.root_path, &d, &e) == -1)
		return mcp_say_error(e.text);
	said = say(&d);
	mcp_door_close(&d);
	return said;
}
