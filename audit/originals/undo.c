#include "audit/originals/undo.h"

#include "audit/originals/originals.h"
#include "common/mem.h"

#include "common/banned.h"

int
undo_open(struct undo *u, int privfd, int rootfd, const char *project,
    struct err *e)
{
	*u = (struct undo){ .rootfd = rootfd };
	if (clock_now(&u->now, e) == -1 ||
	    audit_open(privfd, project, &u->audit, e) == -1)
		return -1;
	/* Before the log is read: what it names then stays. */
	if (store_open(privfd, false, STORE_SHARED, &u->store, e) == -1)
		return e == NULL || e->code != ERR_SETUP ? -1 : err_set(e,
		    ERR_NO_ID, "no change is kept here, so nothing can be "
		    "given back");
	return timeline_read(privfd, &u->time, e);
}

void
undo_close(struct undo *u)
{
	if (u->done)
		store_let_go(u->store, &u->wanted);
	restore_clear(&u->plan);
	file_list_clear(&u->want);
	timeline_clear(&u->time);
	store_free(u->store);
	audit_free(u->audit);
}

int
undo_plan(struct undo *u, struct err *e)
{
	restore_want_tidy(u->rootfd, &u->want);
	return restore_plan(u->store, u->rootfd, &u->want, &u->plan, e);
}

static int
record(struct undo *u, const char *kind, const struct digest *kept,
    const struct digest *left, uint64_t *ret_seq, struct err *e)
{
	auto_json cJSON *fields = json_object();
	const struct event ev = { .kind = kind, .fields = fields };
	char hex[DIGEST_HEX + 1];

	json_add_str(fields, "what", "restore");
	digest_hex(kept, hex);
	json_add_str(fields, ORIGINALS_FIELD, hex);
	if (left == NULL) {
		digest_hex(&u->wanted, hex);
		json_add_str(fields, WANTED_FIELD, hex);
	} else {
		digest_hex(left, hex);
		json_add_str(fields, CHANGED_FIELD, hex);
		json_add_int(fields, "files", (int64_t)u->plan.steps);
		json_add_int(fields, "failed", (int64_t)u->plan.refused);
	}
	return clock_now(&u->now, e) == -1 ? -1 :
	    audit_append(u->audit, &ev, &u->now, ret_seq, e);
}

/* Kept, recorded and on the disk before the first path is touched. */
int
undo_run(struct undo *u, uint64_t *ret_seq, struct err *e)
{
	struct digest kept, left;

	if (restore_keep(u->store, &u->plan, &kept, e) == -1 ||
	    file_list_put(u->store, &u->want, NULL, &u->wanted, e) == -1 ||
	    store_hold(u->store, &u->wanted, e) == -1 ||
	    store_sync(u->store, e) == -1 ||
	    record(u, "file.snapshot", &kept, NULL, ret_seq, e) == -1 ||
	    restore_run(u->store, u->rootfd, &u->plan, e) == -1 ||
	    restore_left(u->store, &u->plan, &left, e) == -1 ||
	    record(u, "file.restored", &kept, &left, NULL, e) == -1)
		return -1;
	u->done = true;
	return 0;
}
