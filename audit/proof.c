#include "audit/export.h"
#include "audit/statement.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

struct proof {
	uint64_t	 at;		/* which record */
	bool		 found, decision;
	struct digest	 record;
	struct tree_range before, behind;
	struct str	 line;
};

/* The decision, else the last record of that id. */
static int
proof_find(struct export *x, struct proof *p, struct err *e)
{
	struct reader rd;
	struct line l;
	int got;

	reader_all(&rd, &x->log.set);
	while ((got = reader_next(&rd, &l, e)) == 1) {
		struct chain_line c;
		bool decision;

		if (!l.ended || !chain_parse(l.text, l.len, &c) ||
		    memmem(l.text, l.len, x->id_text, strlen(x->id_text)) ==
		    NULL)
			continue;
		decision = chain_kind_is(&c, "approval") ||
		    chain_kind_is(&c, "deny");
		if (p->decision && !decision)
			continue;
		p->found = true;
		p->decision = p->decision || decision;
		p->at = c.seq;
	}
	reader_clear(&rd);
	return got;
}

static int
proof_read(struct export *x, struct proof *p, struct err *e)
{
	struct reader rd;
	struct line l;
	int got;

	tree_begin(&p->before, 0);
	tree_begin(&p->behind, p->at + 1);
	reader_all(&rd, &x->log.set);
	while ((got = reader_next(&rd, &l, e)) == 1) {
		struct chain_line c;
		struct digest d;

		if (!l.ended || !chain_parse(l.text, l.len, &c) ||
		    c.seq != x->all.to || c.seq >= x->cp.note.size)
			continue;
		chain_hash(l.text, l.len, &d);
		tree_add(&x->all, &d);
		if (c.seq == p->at) {
			p->record = d;
			str_addn(&p->line, l.text, l.len);
		} else {
			tree_add(c.seq < p->at ? &p->before : &p->behind, &d);
		}
	}
	reader_clear(&rd);
	return got == -1 ? -1 : export_check(x, e);
}

static void
proof_write(const struct export *x, const struct proof *p, struct str *ret)
{
	struct digest path[TREE_PATH];
	size_t n = tree_path(&p->before, &p->behind, path);

	str_add(ret, PROOF_TITLE "extra ");
	note_base64(p->line.s, p->line.len, ret);
	str_addf(ret, "\nindex %" PRIu64 "\n", p->at);
	for (size_t i = 0; i < n; i++) {
		note_base64(path[i].b, DIGEST_BYTES, ret);
		str_addc(ret, '\n');
	}
	str_addc(ret, '\n');
	export_seal(x, ret);
}

int
audit_proof(int privfd, const char *project, const char *id,
    struct str *ret, struct err *e)
{
	struct export x = { .log = LOGFILE_INIT };
	struct proof p = { 0 };
	int rc = export_begin(privfd, project, &x, e);

	str_init(&p.line, CHAIN_RECORD_MAX);
	snprintf(x.id_text, sizeof x.id_text, "\"id\":\"%s\"", id);
	if (rc == 0)
		rc = proof_find(&x, &p, e);
	if (rc == 0 && !p.found)
		rc = err_set(e, ERR_NO_ID, "the log knows no request '%s'",
		    id);
	else if (rc == 0 && p.at >= x.cp.note.size)
		rc = err_set(e, ERR_SETUP, "the last checkpoint does not "
		    "cover it; run `sandbox audit checkpoint`");
	if (rc == 0)
		rc = proof_read(&x, &p, e);
	if (rc == 0)
		proof_write(&x, &p, ret);
	str_clear(&p.line);
	export_finish(&x);
	return rc == -1 ? err_add(e, "proof") : 0;
}

/* --- and its check --- */

/* The line that begins with `word`; *p moves behind it. */
static bool
take_line(const char **p, const char *end, const char *word,
    struct str *ret)
{
	const char *lf = memchr(*p, '\n', (size_t)(end - *p));
	size_t n = strlen(word);

	if (lf == NULL || (size_t)(lf - *p) < n || memcmp(*p, word, n) != 0)
		return false;
	str_reset(ret);
	str_addn(ret, *p + n, (size_t)(lf - *p) - n);
	*p = lf + 1;
	return true;
}

/* The path's hashes, up to the empty line. */
static bool
take_path(const char **p, const char *end, struct digest path[TREE_PATH],
    size_t *ret_n)
{
	auto_str struct str text = { 0 };

	str_init(&text, 4096);
	for (*ret_n = 0; take_line(p, end, "", &text); (*ret_n)++) {
		if (text.len == 0)
			return true;
		if (*ret_n == TREE_PATH || note_base64_get(text.s, text.len,
		    path[*ret_n].b, DIGEST_BYTES) == -1)
			return false;
	}
	return false;
}

struct parsed {
	struct str	record;
	struct tree_claim claim;
	struct digest	path[TREE_PATH];
	struct sealed	cp;
};

static const char *
parse_proof(const char *data, size_t len, struct parsed *ret)
{
	const char *p = data + sizeof PROOF_TITLE - 1, *end = data + len;
	auto_str struct str text = { 0 };
	char again[24];
	size_t most;

	str_init(&text, 2 * CHAIN_RECORD_MAX);
	if (!take_line(&p, end, "extra ", &text))
		return "no record in it";
	most = text.len / 4 * 3;
	for (size_t n = most; n + 2 >= most && n > 0; n--) {
		auto_free char *raw = xcalloc(n + 1, 1);

		if (note_base64_get(text.s, text.len, raw, n) == 0)
			str_addn(&ret->record, raw, n);
	}
	if (ret->record.len == 0)
		return "the record is not base64";
	if (!take_line(&p, end, "index ", &text) ||
	    sscanf(text.s, "%13" SCNu64, &ret->claim.index) != 1)
		return "no index";
	snprintf(again, sizeof again, "%" PRIu64, ret->claim.index);
	if (strcmp(again, text.s) != 0)
		return "no index";
	if (!take_path(&p, end, ret->path, &ret->claim.n))
		return "a hash that is none";
	return note_open(p, (size_t)(end - p), &ret->cp, NULL) == -1 ?
	    "no checkpoint" : NULL;
}

/* Whose key it is: asked for, or the one an approval itself names. */
static bool
key_of_record(const struct parsed *p, unsigned char ret[SIGN_PUB])
{
	auto_json cJSON *record = NULL;
	struct approval a;
	const char *stmt;

	if (json_parse(p->record.s, p->record.len, JSON_DEPTH, &record, NULL)
	    == -1)
		return false;
	stmt = json_str(record, "stmt");
	if (stmt == NULL || approval_decode(stmt, &a, NULL) == -1)
		return false;
	memcpy(ret, a.approver, SIGN_PUB);
	return true;
}

static const char *
judge_proof(struct parsed *p, const unsigned char *key, struct evidence *ret)
{
	unsigned char pub[SIGN_PUB];
	struct chain_line c;

	if (!chain_parse(p->record.s, p->record.len, &c) ||
	    c.seq != p->claim.index)
		return "the record is not the one of that index";
	if (key != NULL)
		memcpy(pub, key, SIGN_PUB);
	else if (!key_of_record(p, pub))
		return "the record names no approver: give the key";
	if (!note_by(&p->cp, pub))
		return "the checkpoint is not signed by that key";
	memcpy(ret->approver, pub, SIGN_PUB);
	chain_hash(p->record.s, p->record.len, &p->claim.record);
	p->claim.size = p->cp.note.size;
	p->claim.root = p->cp.note.root;
	p->claim.path = p->path;
	return tree_path_ok(&p->claim) ? NULL :
	    "the hashes do not lead from the record to the checkpoint";
}

void
evidence_proof(const char *data, size_t len, const unsigned char *key,
    struct evidence *ret)
{
	struct parsed p = { .claim = { .index = 0 } };
	const char *why;

	ret->single = true;
	str_init(&p.record, CHAIN_RECORD_MAX);
	why = parse_proof(data, len, &p);
	if (why == NULL)
		why = judge_proof(&p, key, ret);
	ret->good = why == NULL;
	ret->records = 1;
	ret->covered = p.cp.note.size;
	memcpy(ret->project, p.cp.note.project, sizeof ret->project);
	if (why != NULL) {
		snprintf(ret->member, sizeof ret->member, "proof");
		snprintf(ret->why, sizeof ret->why, "%s", why);
	}
	str_clear(&p.record);
}
