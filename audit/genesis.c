/*
 * The first record, and the one that mends a chain whose keys are gone.  Both
 * introduce a key that no record before them named, so both carry the
 * approver's signature over that key.
 */
#include "audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "audit/logfile.h"
#include "audit/reader.h"
#include "audit/sworn.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define LOG_NEW	"audit.jsonl.new"
#define LOG	"audit.jsonl"

static void
fresh_key(struct chain_key *ret)
{
	unsigned char seed[SIGN_SEED];

	randombytes_buf(seed, sizeof seed);
	key_make(seed, ret);
	sodium_memzero(seed, sizeof seed);
}

static void
add_pub(struct str *stmt, const unsigned char *pub)
{
	char hex[SIGN_PUB_HEX + 1];

	hex_put(pub, SIGN_PUB, hex);
	stmt_add(stmt, hex);
}

/* The statement gets its last field, the approver, and is signed. */
static cJSON *
signed_fields(struct str *stmt, const unsigned char *approver_seed,
    const unsigned char *key)
{
	unsigned char pub[SIGN_PUB];
	char sig[SIGN_SIG_HEX + 1], hex[SIGN_PUB_HEX + 1];
	cJSON *o = json_object();

	sign_public(approver_seed, pub);
	add_pub(stmt, pub);
	sign_make(approver_seed, stmt->s, stmt->len, sig);
	hex_put(key, SIGN_PUB, hex);
	json_add_str(o, "key", hex);
	json_add_str(o, "stmt", stmt->s);
	json_add_str(o, "stmt_sig", sig);
	return o;
}

static cJSON *
genesis_fields(const struct audit_birth *b, const unsigned char *key)
{
	auto_str struct str stmt = { 0 };
	struct digest d;
	char hex[DIGEST_HEX + 1], wall[24];
	cJSON *o;

	str_init(&stmt, 4096);
	stmt_add(&stmt, "sandbox-genesis-v1");
	stmt_add(&stmt, b->project);
	digest_of(b->root, strlen(b->root), NULL, &d);
	digest_hex(&d, hex);
	stmt_add(&stmt, hex);
	add_pub(&stmt, key);
	snprintf(wall, sizeof wall, "%" PRId64, b->clock->wall_ms);
	stmt_add(&stmt, wall);
	o = signed_fields(&stmt, b->approver_seed, key);
	json_add_str(o, "root", b->root);
	return o;
}

static int
publish(int privfd, int dirfd, const struct chain_key *next,
    const struct head *head, const struct str *line, struct err *e)
{
	unsigned char slots[KEY_SLOTS * KEY_SLOT_BYTES];
	auto_str struct str pin = { 0 };
	int r;

	key_slots_encode(1, next->seed, slots);
	r = fs_replace(privfd, "log.key", slots, sizeof slots, 0600, e);
	sodium_memzero(slots, sizeof slots);
	if (r == -1)
		return -1;
	str_init(&pin, 4096);
	head_encode(head, &pin);
	if (fs_replace(privfd, "audit.head", pin.s, pin.len, 0600, e) == -1)
		return -1;
	unlinkat(dirfd, LOG_NEW, 0);
	if (fs_write_new(dirfd, LOG_NEW, line->s, line->len, true, e) == -1 ||
	    fs_rename_new(dirfd, LOG_NEW, dirfd, LOG, e) == -1)
		return -1;
	if (fsync(dirfd) == -1)
		return err_sys(e, "cannot sync 'audit'");
	return 0;
}

/* This one line is the beginning that would be made, by the same approver. */
static bool
is_beginning(const struct str *text, const struct audit_birth *b)
{
	unsigned char key[SIGN_PUB], named[SIGN_PUB], signer[SIGN_PUB];
	const struct keyring nobody = { 0 };
	auto_json cJSON *record = NULL;
	struct sworn s;

	if (text->len == 0 || memchr(text->s, '\n', text->len) != text->s +
	    text->len - 1 || json_parse(text->s, text->len - 1, JSON_DEPTH,
	    &record, NULL) == -1)
		return false;
	sworn_init(&s, b->project, &nobody);
	sign_public(b->approver_seed, signer);
	sworn_trust(&s, signer);
	return str_eq(json_str(record, "root"), b->root) &&
	    sworn_genesis_key(&s, record, key, named) == 0 &&
	    memcmp(named, signer, SIGN_PUB) == 0 &&
	    sworn_signed(&s, record, signer);
}

/*
 * 1: whoever began this log was ended before it was noted, and nothing came
 * behind it; -1: there is another.
 */
static int
find_log(int dir, const struct audit_birth *b, struct digest *ret_genesis,
    struct err *e)
{
	auto_str struct str text = { 0 };

	if (faccessat(dir, LOG, F_OK, AT_SYMLINK_NOFOLLOW) == -1)
		return 0;
	str_init(&text, CHAIN_RECORD_MAX + 1);
	if (fs_read_own(dir, LOG, CHAIN_RECORD_MAX + 1, &text, NULL) == -1 ||
	    !is_beginning(&text, b))
		return err_set(e, ERR_PERMITTED,
		    "there is an audit log already");
	chain_hash(text.s, text.len - 1, ret_genesis);
	return 1;
}

static int
open_log_dir(int privfd, struct err *e)
{
	auto_close int dir = fs_make_private(privfd, "audit", e);

	if (dir == -1)
		return -1;
	if (flock(dir, LOCK_EX) == -1)
		return err_sys(e, "cannot lock 'audit'");
	return fd_steal(&dir);
}

int
audit_genesis(int privfd, const struct audit_birth *b,
    struct digest *ret_genesis, struct err *e)
{
	auto_key struct chain_key key = { 0 }, next = { 0 };
	auto_str struct str line = { 0 };
	auto_json cJSON *fields = NULL;
	auto_close int dir = -1;
	struct head head = { 0 };
	struct event ev = { .kind = "genesis" };
	struct record r = { .project = b->project, .event = &ev,
		.clock = b->clock };
	int found;

	if (digest_setup(e) == -1 || (dir = open_log_dir(privfd, e)) == -1 ||
	    (found = find_log(dir, b, ret_genesis, e)) == -1)
		return err_add(e, "audit");
	if (found == 1)
		return 0;
	fresh_key(&key);
	key_next(&key, &next);
	fields = genesis_fields(b, key.pub);
	ev.fields = fields;
	str_init(&line, CHAIN_RECORD_MAX + 1);
	if (record_build(&r, &key, next.pub, &line, e) == -1)
		return err_add(e, "audit");
	chain_hash(line.s, line.len, &head.hash);
	memcpy(head.boot_id, b->clock->boot_id, sizeof head.boot_id);
	str_addc(&line, '\n');
	if (publish(privfd, dir, &next, &head, &line, e) == -1)
		return err_add(e, "audit");
	*ret_genesis = head.hash;
	return 0;
}

/* The last line that is a record, and what lies behind it. */
static int
find_tail(struct logfile *f, struct err *e)
{
	struct reader rd;
	struct line l;
	bool any = false;
	uint64_t end = 0;
	int got;

	logset_one(f->log, f->size, &f->set);
	reader_all(&rd, &f->set);
	while ((got = reader_next(&rd, &l, e)) == 1) {
		struct chain_line c;

		if (!l.ended || !chain_parse(l.text, l.len, &c))
			continue;
		f->tail = (struct tail){ .seq = c.seq, .prev = c.prev };
		chain_hash(l.text, l.len, &f->tail.hash);
		end = l.offset + l.len + 1;
		any = true;
	}
	reader_clear(&rd);
	if (got == -1)
		return -1;
	if (!any)
		return err_set(e, ERR_FORMAT, "no record is left to resume");
	f->tail.torn.bytes = f->size - end;
	return f->tail.torn.bytes == 0 ? 0 :
	    reader_hash(&f->set, end, f->tail.torn.bytes, &f->tail.torn.hash,
	    e);
}

static cJSON *
resume_fields(const struct logfile *f, const char *project,
    const unsigned char *approver_seed)
{
	auto_str struct str stmt = { 0 };
	char hex[DIGEST_HEX + 1], seq[24];
	cJSON *o;

	str_init(&stmt, 4096);
	stmt_add(&stmt, "sandbox-resume-v1");
	stmt_add(&stmt, project);
	snprintf(seq, sizeof seq, "%" PRIu64, f->tail.seq + 1);
	stmt_add(&stmt, seq);
	digest_hex(&f->tail.hash, hex);
	stmt_add(&stmt, hex);
	add_pub(&stmt, f->now.pub);
	o = signed_fields(&stmt, approver_seed, f->now.pub);
	if (f->pinned) {
		digest_hex(&f->pin.hash, hex);
		json_add_int(o, "pin_seq", (int64_t)f->pin.seq);
		json_add_str(o, "pin_hash", hex);
	}
	return o;
}

/* What is missing is made anew; what is there is kept and locked. */
static int
mend_files(int privfd, struct err *e)
{
	static const char *const names[] = { "log.key", "audit.head" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (faccessat(privfd, names[i], F_OK, AT_SYMLINK_NOFOLLOW) ==
		    0)
			continue;
		if (fs_write_new(privfd, names[i], "", 0, true, e) == -1)
			return -1;
	}
	return 0;
}

int
audit_resume(int privfd, const char *project,
    const unsigned char approver_seed[static SIGN_SEED],
    const struct clock *clock, struct err *e)
{
	auto_logfile struct logfile f = LOGFILE_INIT;
	auto_json cJSON *fields = NULL;
	struct event ev = { .kind = "chain.resume" };

	if (digest_setup(e) == -1 || mend_files(privfd, e) == -1 ||
	    logfile_open(privfd, true, &f, e) == -1)
		return err_add(e, "audit");
	if (logfile_tail(&f, NULL) == 0 && logfile_ready(&f, clock, NULL) == 0)
		return err_set(e, ERR_PERMITTED,
		    "the audit log is not closed, there is nothing to resume");
	if (find_tail(&f, e) == -1)
		return err_add(e, "audit");
	fresh_key(&f.now);
	fields = resume_fields(&f, project, approver_seed);
	ev.fields = fields;
	if (logfile_put(&f, project, &ev, clock, e) == -1)
		return err_add(e, "audit");
	return 0;
}
