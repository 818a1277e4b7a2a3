#include "audit/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/check.h"
#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

/* A crash is no reason to refuse, nor is what an approver vouched for. */
static bool
is_sound(const struct verify_report *r)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		enum verify_kind k = r->findings[i].kind;

		if (k != VERIFY_TORN && k != VERIFY_RESUMED &&
		    k != VERIFY_ARCHIVE_MISSING)
			return false;
	}
	return r->more == 0;
}

static int
unsound(const struct verify_report *r, struct err *e)
{
	return err_set(e, ERR_PERMITTED, "the log is not what was written "
	    "(%s); run `sandbox audit verify`", r->n_findings == 0 ?
	    "too much is wrong" : verify_kind_name(r->findings[0].kind));
}

/* Records that came while the log was verified; the lock is held now. */
static int
catch_up(struct check *k, struct logfile *f, int privfd, struct err *e)
{
	struct reader rd;
	struct line l;
	int got;

	if (logset_open(privfd, f->log, f->size, &f->set, e) == -1)
		return -1;
	k->log = f;
	k->order.signed_from = k->order.sworn_from = 0;
	reader_init(&rd, &f->set, k->end, f->set.size, 1);
	while ((got = reader_next(&rd, &l, e)) == 1)
		check_line(k, &l);
	reader_clear(&rd);
	if (got == -1)
		return -1;
	if (!is_sound(k->r) || k->want != f->tail.seq + 1 ||
	    !digest_eq(&k->hash, &f->tail.hash) || k->tree.to != k->want)
		return unsound(k->r, e);
	return 0;
}

static int
put(struct logfile *f, struct check *k, const struct checkpoint_order *o,
    struct str *ret, struct err *e)
{
	struct note n = { .size = k->want, .chain = k->hash };
	auto_str struct str text = { 0 };
	auto_json cJSON *fields = json_object();
	struct event ev = { .kind = "checkpoint", .fields = fields };
	unsigned char pub[SIGN_PUB], by[SIGN_PUB];
	char sig[SIGN_SIG_HEX + 1];

	memcpy(n.project, o->project, sizeof n.project);
	tree_root(&k->tree, &n.root);
	str_init(&text, NOTE_MAX);
	note_encode(&n, &text);
	sign_make(o->seed, text.s, text.len, sig);
	sign_public(o->seed, pub);
	/* Whom the log does not know would only spoil it. */
	if (!sworn_by_approver(&k->sworn, text.s, sig, by))
		return err_set(e, ERR_PERMITTED,
		    "this key is not one of the approvers the log names");
	json_add_str(fields, "stmt", text.s);
	json_add_str(fields, "stmt_sig", sig);
	if (logfile_put(f, o->project, &ev, o->clock, e) == -1)
		return -1;
	note_seal(text.s, sig, pub, ret);
	return 0;
}

/* Is the last record a checkpoint already? */
static bool
is_fresh(const struct check *k)
{
	return k->covered > 0 && k->covered + 1 == k->want;
}

static int
append(int privfd, struct check *k, const struct checkpoint_order *o,
    struct str *ret, struct err *e)
{
	auto_close int dir = fs_open_dir(privfd, "audit", e);
	auto_logfile struct logfile f = LOGFILE_INIT;
	const struct logfile *read = k->log;
	size_t start = ret->len;
	int rc;

	if (dir == -1 || logfile_open(privfd, true, &f, e) == -1 ||
	    logfile_tail(&f, e) == -1 ||
	    logfile_ready(&f, o->clock, e) == -1)
		return -1;
	rc = catch_up(k, &f, privfd, e);
	k->log = read;
	if (rc == -1)
		return -1;
	if (is_fresh(k) && fs_read_own(dir, CHECKPOINT_FILE, NOTE_MAX, ret,
	    NULL) == 0)
		return 0;
	if (put(&f, k, o, ret, e) == -1)
		return -1;
	return fs_replace(dir, CHECKPOINT_FILE, ret->s + start,
	    ret->len - start, 0600, e);
}

int
audit_checkpoint(int privfd, const struct checkpoint_order *o,
    struct str *ret, struct err *e)
{
	const struct keyring nobody = { 0 };
	const struct verify_options opt = { .project = o->project,
		.genesis = o->genesis, .approvers = &nobody,
		.believed = o->believed };
	struct verified v;
	int rc;

	if (verify_begin(privfd, &opt, &v, e) == -1)
		return err_add(e, "audit");
	rc = is_sound(&v.report) ? append(privfd, &v.check, o, ret, e) :
	    unsound(&v.report, e);
	verify_end(&v);
	return rc == -1 ? err_add(e, "audit") : 0;
}

int
audit_checkpoint_last(int privfd, struct sealed *ret, struct err *e)
{
	auto_close int dir = fs_open_dir(privfd, "audit", e);
	auto_str struct str text = { 0 };

	str_init(&text, NOTE_MAX);
	if (dir == -1)
		return -1;
	if (fs_read_own(dir, CHECKPOINT_FILE, NOTE_MAX, &text, e) == -1) {
		if (e != NULL && e->sys == ENOENT)
			return err_set(e, ERR_SETUP, "there is no checkpoint "
			    "yet; run `sandbox audit checkpoint`");
		return -1;
	}
	return note_open(text.s, text.len, ret, e);
}

bool
audit_checkpoint_due(int privfd, const struct clock *now)
{
	auto_close int pin = fs_open_own(privfd, "audit.head", NULL, NULL);
	struct sealed last;
	struct head head;
	struct stat st;
	uint64_t since;
	int64_t age;

	if (pin == -1 || head_read(pin, &head, NULL) == -1)
		return false;
	/* Without one the folder's age is the log's. */
	if (audit_checkpoint_last(privfd, &last, NULL) == -1) {
		since = head.seq;
		if (fstatat(privfd, "audit", &st, AT_SYMLINK_NOFOLLOW) == -1)
			return false;
	} else {
		/* It is one record behind what it covers. */
		since = head.seq > last.note.size ?
		    head.seq - last.note.size : 0;
		if (fstatat(privfd, "audit/" CHECKPOINT_FILE, &st,
		    AT_SYMLINK_NOFOLLOW) == -1)
			return false;
	}
	age = now->wall_ms - (int64_t)st.st_mtim.tv_sec * 1000;
	return since >= CHECKPOINT_EVERY || (since > 0 &&
	    (age >= CHECKPOINT_MS || age < -CHECKPOINT_MS));
}
