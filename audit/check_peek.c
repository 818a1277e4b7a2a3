#include "audit/check.h"

#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

bool
check_peek(const struct check *k, const struct line *l,
    const unsigned char key[static SIGN_PUB], struct peek *ret)
{
	const struct logset_part *p;
	uint64_t at = l->end;
	auto_free char *buf = NULL;
	struct chain_line c;
	size_t n;
	char *end;

	if (at >= k->log->set.size)
		return false;
	p = logset_find(&k->log->set, at);
	n = p->start + p->size - at < CHAIN_RECORD_MAX + 1 ?
	    (size_t)(p->start + p->size - at) : CHAIN_RECORD_MAX + 1;
	buf = xcalloc(n, 1);
	if (logset_pread(&k->log->set, buf, n, at, NULL) == -1)
		return false;
	end = memchr(buf, '\n', n);
	if (end == NULL || !chain_parse(buf, (size_t)(end - buf), &c))
		return false;
	*ret = (struct peek){ .seq = c.seq, .prev = c.prev,
		.signed_by = sign_ok(key, buf, c.signed_len, c.sig) };
	chain_hash(buf, (size_t)(end - buf), &ret->hash);
	return true;
}

bool
check_seen(const struct check *k, uint64_t seq, uint64_t offset,
    struct digest *ret_hash, unsigned char ret_key[static SIGN_PUB])
{
	struct reader r;
	struct line l;
	bool found = false;

	reader_init(&r, &k->log->set, 0, offset, 1);
	while (!found && reader_next(&r, &l, NULL) == 1) {
		struct chain_line c;

		if (!chain_parse(l.text, l.len, &c))
			continue;
		if (c.seq + 1 == seq)
			memcpy(ret_key, c.next, SIGN_PUB);
		if (c.seq != seq)
			continue;
		chain_hash(l.text, l.len, ret_hash);
		found = true;
	}
	reader_clear(&r);
	return found;
}

bool
check_foreign(const struct check *k, const struct line *l)
{
	auto_json cJSON *record = NULL;
	const char *project;

	if (json_parse(l->text, l->len, JSON_DEPTH, &record, NULL) == -1)
		return false;
	project = json_str(record, "project");
	return project != NULL && strcmp(project, k->opt->project) != 0;
}

bool
check_vouched(const struct check *k, const struct line *l, const cJSON *torn)
{
	uint64_t gap = l->offset - k->end;
	int64_t bytes = json_int(torn, "bytes", -1);
	struct digest said, is;
	char close[LOGFILE_CLOSE_LEN];
	const char *hex = json_str(torn, "hash");

	return bytes > 0 && (uint64_t)bytes + LOGFILE_CLOSE_LEN == gap &&
	    hex != NULL && digest_parse(hex, &said) == 0 &&
	    reader_hash(&k->log->set, k->end, (uint64_t)bytes, &is,
	    NULL) == 0 &&
	    digest_eq(&said, &is) &&
	    logset_pread(&k->log->set, close, sizeof close,
	    l->offset - sizeof close, NULL) == 0 &&
	    memcmp(close, LOGFILE_CLOSE, sizeof close) == 0;
}
