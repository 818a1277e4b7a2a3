#include "hooks/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/mem.h"
#include "hooks/wire.h"

#include "common/banned.h"

#define WORDS_MAX	4096	/* of what the agent says it is for */

static void
take_locale(const char *list, struct request *req)
{
	auto_free char *copy = xstrdup(list == NULL ? "" : list);
	char *save = NULL;

	for (char *w = strtok_r(copy, " ", &save); w != NULL;
	    w = strtok_r(NULL, " ", &save)) {
		char *value = strchr(w, '=');

		if (value == NULL || !wire_locale_ok(w))
			continue;
		*value++ = '\0';
		if (strcmp(w, "LANG") == 0 && req->lang == NULL)
			req->lang = xstrdup(value);
		else if (strcmp(w, "TZ") == 0 && req->tz == NULL)
			req->tz = xstrdup(value);
		else if (str_starts(w, "LC_") && json_get(req->lc, w) == NULL)
			json_add_str(req->lc, w, value);
	}
	if (req->lang == NULL)
		req->lang = xstrdup("");
	if (req->tz == NULL)
		req->tz = xstrdup("");
}

int
question_make(const struct gate *g, const struct hook_input *in,
    struct request *req, struct err *e)
{
	const struct call *call = &in->call;
	const char *says = in->reason;
	struct stat st;

	if (stat(call->cwd, &st) == -1)
		return err_sys(e, "the working directory '%s'", call->cwd);
	snprintf(req->project, sizeof req->project, "%s", g->home.project);
	req->origin = xstrdup(g->args->origin == NULL ? "hook" :
	    g->args->origin);
	req->agent = xstrdup(call->client);
	req->session = xstrdup(call->session);
	req->agent_id = xstrdup(call->agent_id == NULL ? "" : call->agent_id);
	req->tool_use_id = xstrdup(in->tool_use_id);
	req->tool = xstrdup(call->tool);
	req->input = cJSON_Duplicate(call->input, true);
	req->cwd = xstrdup(call->cwd);
	req->cwd_dev = st.st_dev;
	req->cwd_ino = st.st_ino;
	req->lc = json_object();
	take_locale(g->args->locale, req);
	req->agent_says = xstrdup(strlen(says) <= WORDS_MAX ? says : "");
	req->ttl_s = policy_limits(g->policy)->request_ttl_s;
	call_key(call, &req->call_key);
	return req->input == NULL ?
	    err_set(e, ERR_SYSTEM, "out of memory") : 0;
}

bool
question_same(const struct gate *g, const struct hook_input *in,
    const struct request *req)
{
	const struct call theirs = { .client = req->agent,
	    .session = req->session,
	    .agent_id = req->agent_id[0] == '\0' ? NULL : req->agent_id,
	    .tool = req->tool, .input = req->input, .cwd = req->cwd };
	const struct call *call = &in->call;
	struct digest ours, other;
	struct stat st;

	call_key(call, &ours);
	call_key(&theirs, &other);
	return digest_eq(&ours, &other) && strcmp(req->cwd, call->cwd) == 0 &&
	    strcmp(req->project, g->home.project) == 0 &&
	    stat(call->cwd, &st) == 0 && st.st_dev == req->cwd_dev &&
	    st.st_ino == req->cwd_ino;
}
