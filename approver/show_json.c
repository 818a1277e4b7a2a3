#include "approver/show_inside.h"

#include <string.h>

#include "approver/history.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

const char *
show_state_name(enum entry_state s)
{
	static const char *const names[] = {
		[ENTRY_PENDING] = "pending", [ENTRY_CLAIMED] = "claimed",
		[ENTRY_RUNNING] = "running", [ENTRY_ANSWERED] = "answered",
		[ENTRY_CLOSED] = "closed",
	};

	return names[s];
}

const char *
show_tier_mark(enum tier t)
{
	static const char *const marks[] = {
		[TIER_CRITICAL] = "!!!", [TIER_HIGH] = "!!",
		[TIER_MEDIUM] = "!", [TIER_LOW] = ".",
	};

	return marks[t];
}

static cJSON *
effects_json(const struct judgement *j)
{
	cJSON *list = json_array();

	for (size_t i = 0; i < j->n_effects; i++) {
		const struct effect *f = &j->effects[i];
		cJSON *one = json_object(), *span = json_array();
		auto_free char *target = effect_target(f);

		json_push(span, cJSON_CreateNumber(f->span_at));
		json_push(span, cJSON_CreateNumber(f->span_len));
		json_add_str(one, "kind", effect_name(f->kind));
		json_add_str(one, "target", target);
		json_add_str(one, "certainty",
		    f->certainty == CERTAIN_YES ? "certain" : "uncertain");
		json_add(one, "span", span);
		json_push(list, one);
	}
	return list;
}

static cJSON *
history_json(const struct showing *s)
{
	struct past past[HISTORY_MAX];
	size_t n = history_of(s->history, &s->view->req->call_key, &s->now,
	    past);
	cJSON *list = json_array();

	for (size_t i = 0; i < n; i++) {
		cJSON *one = json_object();

		json_add_str(one, "id", past[i].id);
		json_add_int(one, "ago_s", past[i].ago_s);
		json_add_str(one, "exit", past[i].outcome);
		json_push(list, one);
	}
	return list;
}

static cJSON *
similar_json(const struct showing *s)
{
	struct similar like;
	cJSON *j = json_object();

	history_similar(s->history, s->queue, s->view->req, &like);
	json_add_int(j, "session", (int64_t)like.session);
	json_add_int(j, "ran", (int64_t)like.ran);
	json_add_int(j, "allowed", (int64_t)like.allowed);
	json_add_int(j, "denied", (int64_t)like.denied);
	json_add_str(j, "outcome", like.outcome);
	json_add_str(j, "text", like.text);
	return j;
}

static void
add_paste(const struct showing *s, const char *digest, cJSON *j)
{
	auto_free char *paste = xasprintf("sandbox approve%s %s --digest %s",
	    s->options, s->view->req->id, digest);

	json_add_str(j, "paste", paste);
}

cJSON *
show_json(const struct showing *s)
{
	const struct view *v = s->view;
	const struct request *req = v->req;
	char digest[DIGEST_HEX + 1];
	cJSON *j = json_object();

	digest_hex(&v->digest, digest);
	json_add_str(j, "id", req->id);
	json_add_str(j, "digest", digest);
	json_add_str(j, "state", show_state_name(s->state));
	json_add_str(j, "tier", tier_name(v->tier));
	json_add_str(j, "rule", v->verdict.rule);
	json_add_str(j, "why", v->verdict.why);
	json_add_str(j, "tool", req->tool);
	json_add(j, "input", cJSON_Duplicate(req->input, 1));
	json_add_str(j, "cwd", req->cwd);
	json_add_str(j, "dir", v->dir);
	json_add_bool(j, "outside", v->outside);
	json_add_str(j, "project", s->home->root_path);
	json_add_str(j, "session", req->session);
	json_add_str(j, "agent", req->agent);
	json_add_str(j, "agent_says", req->agent_says);
	json_add(j, "effects", effects_json(v->judgement));
	json_add(j, "signals", show_signals_json(s));
	json_add_str(j, "misdescribed", v->misdescribed);
	json_add_int(j, "hidden_chars", (int64_t)v->hidden);
	json_add(j, "scripts", scripts_json(&v->scripts));
	json_add_str(j, "executor",
	    v->executor == NULL ? "allow once" : v->executor->name);
	json_add_int(j, "expires_s", request_left_s(req, &s->now));
	json_add_bool(j, "waiter", s->waiter);
	json_add(j, "same_call", history_json(s));
	json_add(j, "similar", similar_json(s));
	add_paste(s, digest, j);
	return j;
}

cJSON *
show_pending_json(const struct showing *s)
{
	const struct view *v = s->view;
	auto_str struct str summary = { 0 };
	char digest[DIGEST_HEX + 1];
	cJSON *j = json_object();

	str_init(&summary, 1024);
	summary_line(v->req, &summary);
	digest_hex(&v->digest, digest);
	json_add_str(j, "id", v->req->id);
	json_add_str(j, "digest", digest);
	json_add_str(j, "tier", tier_name(v->tier));
	json_add_str(j, "tool", v->req->tool);
	json_add_strn(j, "summary", summary.s, summary.len);
	json_add_int(j, "age_s",
	    (s->now.wall_ms - v->req->created_wall_ms) / 1000);
	json_add_bool(j, "waiter", s->waiter);
	json_add_str(j, "project", s->home->root_path);
	json_add_str(j, "state", show_state_name(s->state));
	return j;
}
