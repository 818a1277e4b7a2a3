#include "approver/seal.h"

#include "audit/checkpoint.h"

#include "common/banned.h"

/* After a failure: verifying may take a second, and nothing got better. */
#define AGAIN_MS	300000

static int
seal(const struct desk *d, struct signer *s, const struct clock *now,
    struct err *e)
{
	const struct checkpoint_order o = { .project = d->home->project,
		.genesis = d->home->genesis, .believed = &d->approvers,
		.seed = key_seed(s->key), .clock = now };
	auto_str struct str note = { 0 };

	str_init(&note, NOTE_MAX);
	return audit_checkpoint(d->home->priv, &o, &note, e);
}

void
seal_log(const struct desk *d, struct signer *s)
{
	static int64_t not_before;
	struct clock now;
	struct err e;

	if (s == NULL || (key_is_locked_kind(s->key) && !s->held) ||
	    clock_now(&now, &e) == -1 || now.boot_ms < not_before ||
	    !audit_checkpoint_due(d->home->priv, &now) ||
	    signer_ready(s, NULL, &e) == -1)
		return;
	if (seal(d, s, &now, &e) == -1)
		not_before = now.boot_ms + AGAIN_MS;
	signer_done(s);
}
