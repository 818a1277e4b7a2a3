/* What the run is about to change is kept; afterwards what it changed. */
#include <stdlib.h>

#include "approver/run.h"
#include "audit/originals/originals.h"
#include "common/mem.h"
#include "policy/policy.h"

#include "common/banned.h"

/* What a call does is the same under every policy. */
static int
judge(const struct run *r, const cJSON *input, struct judgement *j,
    struct err *e)
{
	const struct call call = { .client = r->job.req.agent,
	    .tool = r->job.req.tool, .input = input, .cwd = r->job.req.cwd };
	auto_free char *user = home_user_dir();
	const struct policy_place place = { .project = r->home.project,
	    .root = r->home.root_path, .home = user == NULL ? "/" : user,
	    .state = r->home.priv_path, .keys = r->home.keys_path,
	    .libexec = r->home.priv_path, .approvers = &r->approvers };
	struct policy *p = NULL;

	if (policy_builtin(&place, &p, e) == -1)
		return -1;
	policy_decide(p, &world_real, &call, j);
	policy_free(p);
	return 0;
}

static int
record(const struct run *r, const char *kind, const char *changed,
    struct err *e)
{
	auto_json cJSON *fields = json_object();
	const struct event ev = { .kind = kind, .session = r->job.req.session,
	    .agent = r->job.req.agent, .id = r->job.req.id,
	    .fields = fields };
	struct clock now;

	json_add_str(fields, "what", "run");
	json_add_str(fields, "tool", r->job.req.tool);
	json_add_str(fields, ORIGINALS_FIELD, r->kept);
	if (changed[0] != '\0')
		json_add_str(fields, CHANGED_FIELD, changed);
	return clock_now(&now, e) == -1 ? -1 :
	    audit_append(r->audit, &ev, &now, NULL, e);
}

static int
open_store(const struct run *r, struct originals **ret, struct err *e)
{
	return originals_open(r->home.priv, r->home.root, r->home.root_path,
	    ORIGINALS_RUNNER, ret, e);
}

static int
keep(struct run *r, const struct judgement *j, struct err *e)
{
	struct originals_target t[JUDGEMENT_EFFECTS];
	struct originals *o = NULL;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < j->n_effects; i++)
		if (effect_changes(&j->effects[i]))
			t[n++] = (struct originals_target){
			    j->effects[i].target, j->effects[i].named,
			    j->effects[i].whole };
	if (n == 0)
		return 0;
	if (open_store(r, &o, e) == -1)
		return -1;
	rc = originals_before(o, t, n, r->kept, NULL, e);
	if (rc == 0 && r->kept[0] != '\0')
		rc = record(r, "file.snapshot", "", e);
	originals_close(o);
	return rc;
}

int
run_keep(struct run *r, const cJSON *input, struct err *e)
{
	struct judgement *j = judgement_new();
	int rc = judge(r, input, j, e);

	if (rc == 0)
		rc = keep(r, j, e);
	judgement_free(j);
	return rc;
}

void
run_note_changes(struct run *r)
{
	struct originals *o = NULL;
	char changed[DIGEST_HEX + 1] = "";

	if (r->kept[0] == '\0' || open_store(r, &o, NULL) == -1)
		return;
	if (originals_after(o, r->kept, changed, NULL) == 0)
		record(r, "file.changed", changed, NULL);
	originals_close(o);
}
