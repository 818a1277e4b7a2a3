/*
 * tests/unit/model_bed.h - a screen's model, and keys for it.
 *
 *	begin("abC")		three wait, the last is critical; a is drawn
 *	scan("bC")		the queue has these now
 *	press('a', now)		one key; what it wants, `act` has the rest
 *	burst("jja", now)	typed ahead: all at once
 */
#ifndef TESTS_MODEL_BED_H
#define TESTS_MODEL_BED_H

#include "approver/model.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static struct model m;
static struct model_act act;

static inline struct digest
bytes(unsigned char c)
{
	struct digest d = { { c } };

	return d;
}

static inline void
judged(struct model_item *it, enum tier tier, struct digest d)
{
	model_judged(it, &(struct model_look){ .tier = tier, .digest = &d,
	    .line = it->id, .command = it->id, .like = "like" });
}

/* One scan: a letter is a waiting id, a capital one of tier critical. */
static inline void
scan(const char *ids)
{
	for (; *ids != '\0'; ids++) {
		const char id[] = { *ids, '\0' };
		struct digest d = bytes((unsigned char)*ids);
		struct model_item *it = model_meet(&m, 0, id, "s", AT_WAITS);

		ck_assert_ptr_nonnull(it);
		if (!it->judged)
			judged(it, *ids < 'a' ? TIER_CRITICAL : TIER_MEDIUM,
			    d);
	}
	model_met(&m, 0);
}

static inline void
begin(const char *ids)
{
	model_clear(&m);
	model_init(&m);
	scan(ids);
	model_drew(&m, 0, 5, 5, 0);
}

static inline enum model_do
press(int key, int64_t now)
{
	model_keys(&m, &key, 1, now, &act);
	return act.what;
}

static inline enum model_do
burst(const char *keys, int64_t now)
{
	int k[64];
	size_t n = 0;

	for (; keys[n] != '\0'; n++)
		k[n] = (unsigned char)keys[n];
	model_keys(&m, k, n, now, &act);
	return act.what;
}

#endif
