/*
 * The log's end, against everything that was written down elsewhere about
 * where it is: the pin, log.key, checkpoints.
 */
#include "audit/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

/* How the end of the log compares with what was written down elsewhere. */
struct end {
	uint64_t	last;		/* number of the last record */
	uint64_t	synced;		/* the log was on disk up to here */
	bool		has_key;	/* log.key has a seed */
	uint64_t	key;		/* the first record it signs */
	bool		same_boot;
};

static void
find_end(struct check *k, enum verify_kind kind, const char *what,
    uint64_t expected, const char *found)
{
	char want[80];

	snprintf(want, sizeof want, "%s %" PRIu64, what, expected);
	check_find(k, kind, NULL, k->want == 0 ? 0 : k->want - 1, want, found);
}

/*
 * Cut, or replaced by an older one together with its keys: a log.key that is
 * older than the pin says somebody put both back.
 */
static void
find_short(struct check *k, const struct end *end)
{
	const struct logfile *f = k->log;
	bool back = f->pinned && end->has_key &&
	    end->key < f->pin.synced + 1;
	uint64_t upto = f->pinned && f->pin.seq > end->last ? f->pin.seq :
	    end->key - 1;

	find_end(k, back ? VERIFY_ROLLED_BACK : VERIFY_TRUNCATED,
	    "records up to", upto, "the end of the log");
}

/* True: the log is as long as it must be. */
static bool
end_long_enough(struct check *k, const struct end *end)
{
	const struct logfile *f = k->log;
	uint64_t need = end->synced;

	if (f->pinned && end->same_boot && f->pin.seq > need)
		need = f->pin.seq;
	if (!k->any || end->last < need) {
		find_short(k, end);
		return false;
	}
	if (f->pinned && f->pin.seq > end->last)
		find_end(k, VERIFY_TORN, "records up to", f->pin.seq,
		    "the end: they were not synced when the machine stopped");
	return true;
}

static void
end_pin(struct check *k, const struct end *end)
{
	const struct head *pin = &k->log->pin;

	if (!k->log->pinned)
		check_find(k, VERIFY_ROLLED_BACK, NULL, end->last,
		    "audit.head", "no usable pin");
	else if (k->pin_seen && !digest_eq(&k->at_pin, &pin->hash))
		find_end(k, VERIFY_FORKED, "the pinned record", pin->seq,
		    "another record with its number");
	else if (end->same_boot && end->last > pin->seq + 1)
		find_end(k, VERIFY_ROLLED_BACK, "audit.head at", end->last,
		    "a pin put back");
}

static void
end_key(struct check *k, const struct end *end)
{
	auto_key struct chain_key key = { 0 };
	int slot;

	if (k->log->pinned && end->has_key && end->key <= k->log->pin.synced)
		find_end(k, VERIFY_ROLLED_BACK, "log.key from record",
		    k->log->pin.synced + 1, "an older one put back");
	else if (k->waiting == 0 && !key_find(&k->log->slots, k->want, k->next,
	    &key, &slot))
		find_end(k, VERIFY_KEY_CHANGED, "log.key with the key of",
		    end->last + 1, end->has_key ? "another key" : "no key");
}

/* A checkpoint kept elsewhere that the log does not have. */
static void
end_anchor(struct check *k, const struct anchor *a)
{
	const struct note *n = &a->sealed.note;
	unsigned char pub[SIGN_PUB];
	enum verify_kind kind = n->size > k->want ? VERIFY_ROLLED_BACK :
	    VERIFY_FORKED;
	bool ours = strcmp(n->project, k->opt->project) == 0;
	struct finding *f;

	if (a->seen)
		return;
	if (!ours)
		kind = VERIFY_FOREIGN_LOG;
	else if (!sworn_by_approver(&k->sworn, a->sealed.text, a->sealed.sig,
	    pub) || !note_by(&a->sealed, pub))
		kind = VERIFY_EDITED;
	f = check_find(k, kind, NULL, n->size,
	    kind == VERIFY_EDITED ? "an approver's signature" :
	    kind == VERIFY_FOREIGN_LOG ? k->opt->project :
	    "the log this checkpoint was made of",
	    kind == VERIFY_EDITED ? "none that fits" :
	    kind == VERIFY_FOREIGN_LOG ? n->project :
	    kind == VERIFY_FORKED ? "another one" : "an older one");
	if (f != NULL)
		snprintf(f->file, sizeof f->file, "%s", a->where);
}

/* Now it is known which checkpoint speaks of what is gone. */
static void
end_archives(struct check *k)
{
	for (size_t i = 0; i < k->r->n_findings; i++) {
		struct finding *f = &k->r->findings[i];

		if (f->kind != VERIFY_ARCHIVE_MISSING)
			continue;
		if (k->covered > f->seq)
			snprintf(f->found, sizeof f->found, "missing, covered "
			    "by checkpoint %" PRIu64, k->covered);
		else
			snprintf(f->found, sizeof f->found,
			    "missing, no checkpoint covers it");
	}
}

void
check_end(struct check *k, const struct line *last)
{
	const struct logfile *f = k->log;
	struct end end = { 0 };
	struct clock clock;

	check_settle(k);
	end_archives(k);
	for (size_t i = 0; i < k->n_anchors; i++)
		end_anchor(k, &k->anchors[i]);
	end.last = k->want + k->waiting;
	end.last -= end.last > 0;
	end.has_key = key_slots_newest(&f->slots, &end.key);
	end.synced = end.has_key && end.key > 0 ? end.key - 1 : 0;
	if (f->pinned && f->pin.synced > end.synced)
		end.synced = f->pin.synced;
	/* Without a boot id nothing is excused by another boot. */
	end.same_boot = f->pinned && (clock_now(&clock, NULL) == -1 ||
	    strcmp(clock.boot_id, f->pin.boot_id) == 0);
	if (!end_long_enough(k, &end))
		return;
	end_pin(k, &end);
	end_key(k, &end);
	if (k->torn_tail)
		check_find(k, VERIFY_TORN, last, k->want, "a whole line",
		    "what a crash left; the next record closes it");
}
