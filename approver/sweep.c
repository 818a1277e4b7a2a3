#include "approver/sweep.h"

#include <string.h>
#include <unistd.h>

#include "approver/runner.h"
#include "approver/spool.h"
#include "audit/spool.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

struct pass {
	struct desk		*desk;
	const struct clock	*now;
	size_t			 lost;
	struct err		 err;
	int			 failed;
};

/* What the record says; the other steps change nothing anyone must know. */
static const char *
closed_as(enum sweep_kind kind)
{
	static const struct {
		enum sweep_kind	 kind;
		const char	*name;
	} names[] = {
		{ SWEEP_EXPIRED, "expired" },
		{ SWEEP_NOT_STARTED, "not_started" },
		{ SWEEP_DENIED, "denied" },
		{ SWEEP_UNKNOWN, "unknown" },
		{ SWEEP_UNCOLLECTED, "uncollected" },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].kind == kind)
			return names[i].name;
	return NULL;
}

/* The last output of a run whose runner died: kept, but scrubbed. */
static void
keep_output(const struct home *home, const char *id)
{
	auto_close int dir = fs_open_dir(home->run, id, NULL);
	auto_close int fd = dir == -1 ? -1 :
	    fs_open_own(dir, SPOOL_NAME, NULL, NULL);
	auto_str struct str text = { 0 }, frames = { 0 };
	uint64_t gap;

	if (fd == -1)
		return;
	str_init(&text, RUN_OUTPUT_MAX);
	str_init(&frames, RUN_OUTPUT_MAX);
	if (spool_text(fd, &text, &frames, &gap, NULL) == 0 &&
	    fs_replace(dir, RUN_OUTPUT_NAME, frames.s, frames.len, 0600,
	    NULL) == 0)
		unlinkat(dir, SPOOL_NAME, 0);
}

/* What the agent could read of it goes with the request. */
static void
drop_out(const struct home *home, const char *id)
{
	auto_close int out = fs_open_dir(home->sandbox, "out", NULL);
	auto_free char *name = xasprintf("%s.txt", id);

	if (out != -1)
		unlinkat(out, name, 0);
}

static void
said(void *arg, enum sweep_kind kind, const char *id)
{
	struct pass *p = arg;
	const char *name = closed_as(kind);
	auto_json cJSON *fields = NULL;
	struct event ev = { .kind = "request.closed", .id = id };

	if (kind == SWEEP_REMOVED)
		drop_out(p->desk->home, id);
	if (name == NULL)
		return;
	if (kind == SWEEP_UNKNOWN)
		keep_output(p->desk->home, id);
	if (kind == SWEEP_UNKNOWN || kind == SWEEP_NOT_STARTED)
		p->lost++;
	fields = json_object();
	json_add_str(fields, "outcome", name);
	ev.fields = fields;
	if (p->failed == 0)
		p->failed = audit_append(p->desk->audit, &ev, p->now, NULL,
		    &p->err);
}

/* What hooks that cannot reach the log left for it. */
static int
take_claims(struct desk *d, const struct clock *now, struct err *e)
{
	auto_close int spool = fs_open_dir(d->home->bus, "spool", NULL);
	struct spool_taken got;

	return spool == -1 ? 0 :
	    audit_spool_take(d->audit, spool, now, &got, e);
}

int
sweep_run(struct desk *d, size_t *ret_lost, struct err *e)
{
	struct clock now;
	struct pass p = { .desk = d, .now = &now };

	if (clock_now(&now, e) == -1 ||
	    queue_sweep(d->queue, &now, said, &p, e) == -1 ||
	    take_claims(d, &now, e) == -1)
		return -1;
	if (p.failed == -1) {
		if (e != NULL)
			*e = p.err;
		return -1;
	}
	if (ret_lost != NULL)
		*ret_lost = p.lost;
	return 0;
}
