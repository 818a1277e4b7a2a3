#include "audit/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "audit/check.h"
#include "common/mem.h"

#include "common/banned.h"

/* A larger log gets every signature only in full mode. */
#define SMALL_LOG	20000
#define RECENT		10000

static const struct {
	const char	*name;
	enum verify_exit exit;
} kinds[] = {
	[VERIFY_OK] = { "ok", VERIFY_EXIT_OK },
	[VERIFY_EDITED] = { "edited", VERIFY_EXIT_TAMPERED },
	[VERIFY_MISSING] = { "missing", VERIFY_EXIT_TAMPERED },
	[VERIFY_INSERTED] = { "inserted", VERIFY_EXIT_TAMPERED },
	[VERIFY_REORDERED] = { "reordered", VERIFY_EXIT_TAMPERED },
	[VERIFY_DUPLICATE_SEQ] = { "duplicate_seq", VERIFY_EXIT_TAMPERED },
	[VERIFY_FORKED] = { "forked", VERIFY_EXIT_TAMPERED },
	[VERIFY_TRUNCATED] = { "truncated", VERIFY_EXIT_TRUNCATED },
	[VERIFY_ROLLED_BACK] = { "rolled_back", VERIFY_EXIT_TRUNCATED },
	[VERIFY_KEY_CHANGED] = { "key_changed", VERIFY_EXIT_KEY },
	[VERIFY_FOREIGN_LOG] = { "foreign_log", VERIFY_EXIT_TAMPERED },
	[VERIFY_UNSIGNED_DECISION] = { "unsigned_decision",
	    VERIFY_EXIT_TAMPERED },
	[VERIFY_BAD_SIGNATURE] = { "bad_signature", VERIFY_EXIT_TAMPERED },
	[VERIFY_TORN] = { "torn", VERIFY_EXIT_TORN },
	[VERIFY_RESUMED] = { "resumed", VERIFY_EXIT_KEY },
};

const char *
verify_kind_name(enum verify_kind k)
{
	return kinds[k].name;
}

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

static void
check_end(struct check *k, const struct line *last)
{
	const struct logfile *f = k->log;
	struct end end = { 0 };
	struct clock clock;

	check_settle(k);
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

/* The gravest of them; the findings past the table were of lines. */
static enum verify_exit
worst(const struct verify_report *r)
{
	static const enum verify_exit order[] = { VERIFY_EXIT_TAMPERED,
		VERIFY_EXIT_KEY, VERIFY_EXIT_TRUNCATED, VERIFY_EXIT_TORN };

	if (r->more > 0)
		return VERIFY_EXIT_TAMPERED;
	for (size_t o = 0; o < ARRAY_LEN(order); o++) {
		for (size_t i = 0; i < r->n_findings; i++) {
			if (!r->findings[i].closed &&
			    kinds[r->findings[i].kind].exit == order[o])
				return order[o];
		}
	}
	return VERIFY_EXIT_OK;
}

static int
read_lines(struct check *k, struct err *e)
{
	struct reader rd;
	struct line l = { 0 }, last = { .text = "" };
	int got = 0;

	if (k->log->log != -1) {
		reader_init(&rd, k->log->log, k->log->size);
		while ((got = reader_next(&rd, &l, e)) == 1) {
			check_line(k, &l);
			last = l;
		}
		last.text = "";		/* its buffer goes */
		last.len = 0;
		reader_clear(&rd);
	}
	if (got == -1)
		return -1;
	check_end(k, &last);
	return 0;
}

int
audit_verify(int privfd, const struct verify_options *opt,
    struct verify_report *ret, struct err *e)
{
	auto_logfile struct logfile f = LOGFILE_INIT;
	struct verify_report r = { 0 };
	struct check k;
	int rc;

	if (digest_setup(e) == -1 || logfile_open(privfd, false, &f, e) == -1)
		return err_add(e, "audit");
	logfile_unlock(&f);
	check_init(&k, opt, &f, &r);
	if (!opt->full && f.log != -1 && logfile_tail(&f, NULL) == 0 &&
	    f.tail.seq >= SMALL_LOG)
		k.skip_below = f.tail.seq - RECENT;
	rc = read_lines(&k, e);
	r.signatures += k.sworn.signatures;
	check_clear(&k);
	if (rc == -1)
		return err_add(e, "audit");
	r.exit = worst(&r);
	*ret = r;
	return 0;
}
