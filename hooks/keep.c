/*
 * What a call is about to change is kept first, and what it changed is noted
 * behind it.  A call that changes nothing never opens the store.
 */
#include <stdlib.h>
#include <string.h>

#include "audit/originals/originals.h"
#include "common/mem.h"
#include "hooks/gate.h"

#include "common/banned.h"

/* Held until the gate closes: what is kept, but not yet recorded, stays. */
static int
open_store(struct gate *g, struct err *e)
{
	if (g->store != NULL)
		return 0;
	if (originals_open(g->home.priv, g->home.root, g->home.root_path,
	    ORIGINALS_HOOK, &g->store, e) == -1)
		return -1;
	originals_budget(g->store,
	    (uint64_t)policy_limits(g->policy)->originals_mb << 20);
	return 0;
}

int
gate_keep(struct gate *g, struct err *e)
{
	struct originals_target t[JUDGEMENT_EFFECTS];
	size_t n = 0;

	g->originals[0] = '\0';
	g->lost = false;
	/* `sandbox run --agent` kept the project when it began. */
	if (g->home.jailed)
		return 0;
	for (size_t i = 0; i < g->judgement->n_effects; i++) {
		const struct effect *f = &g->judgement->effects[i];

		if (effect_changes(f))
			t[n++] = (struct originals_target){ f->target,
			    f->named, f->whole };
	}
	if (n == 0)
		return 0;
	return open_store(g, e) == -1 ? -1 :
	    originals_before(g->store, t, n, g->originals,
	    &g->lost, e);
}

/* Value of `"originals":"..."` in a line of the log. */
static bool
find_field(const char *line, size_t len, char ret[static DIGEST_HEX + 1])
{
	static const char name[] = "\"" ORIGINALS_FIELD "\":\"";
	const char *p = memmem(line, len, name, sizeof name - 1);
	struct digest d;

	if (p == NULL)
		return false;
	p += sizeof name - 1;
	if (line + len - p < DIGEST_HEX)
		return false;
	memcpy(ret, p, DIGEST_HEX);
	ret[DIGEST_HEX] = '\0';
	return digest_parse(ret, &d) == 0;
}

void
gate_find_kept(struct gate *g, const char *log, size_t len,
    const struct str *call)
{
	const char *end = log + len, *p = log;

	g->originals[0] = '\0';
	while ((p = memmem(p, (size_t)(end - p), call->s, call->len)) != NULL) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (nl == NULL)
			nl = end;
		/* An earlier record of the call names it, a later one wins. */
		find_field(p, (size_t)(nl - p), g->originals);
		p = nl;
	}
}

void
gate_note_changes(struct gate *g)
{
	g->changed[0] = '\0';
	if (g->originals[0] == '\0' || open_store(g, NULL) == -1)
		return;
	/* If it fails, the originals are there all the same. */
	if (originals_after(g->store, g->originals, g->changed, NULL) == -1)
		g->changed[0] = '\0';
}

void
gate_collect(struct gate *g)
{
	const struct policy_limits *l = policy_limits(g->policy);
	const struct originals_keep keep = {
		.bytes = (uint64_t)l->originals_mb << 20,
		.ms = (int64_t)l->originals_days * 24 * 3600 * 1000,
	};
	struct originals_gone gone;

	if (!g->home.jailed && originals_collect_due(g->home.priv, &g->now,
	    &keep))
		originals_collect(g->home.priv, g->audit, &g->now, &keep,
		    &gone, NULL);
}

int
gate_keep_baseline(struct gate *g, const struct hook_input *in, struct err *e)
{
	auto_json cJSON *fields = NULL;
	struct baseline b = { 0 };

	if (g->home.jailed || in->call.session == NULL ||
	    in->call.session[0] == '\0')
		return 0;
	if (open_store(g, e) == -1 || originals_baseline(g->store,
	    in->call.session, g->now.wall_ms, &b, e) == -1)
		return -1;
	if (b.list[0] == '\0')
		return 0;
	fields = json_object();
	json_add_str(fields, "what", "baseline");
	json_add_str(fields, ORIGINALS_FIELD, b.list);
	json_add_int(fields, "files", (int64_t)b.files);
	json_add_bool(fields, "cut", b.cut);
	return gate_note(g, in, "file.snapshot", fields, e) == -1 ? -1 :
	    originals_baseline_noted(g->store, in->call.session, &b, e);
}
