#include "audit/chain.h"

#include <inttypes.h>
#include <string.h>

#include "common/banned.h"

#define P_SEQ	"{\"v\":1,\"seq\":\""
#define P_PREV	"\",\"prev\":\""
#define P_NEXT	"\",\"next\":\""
#define P_KIND	"\",\"kind\":\""
#define P_SIG	",\"sig\":\""
#define P_END	"\"}"
#define LEN(s)	(sizeof(s) - 1)

#define SEQ_DIGITS	12
#define KIND_MAX	32
#define TAIL_LEN	(LEN(P_SIG) + SIGN_SIG_HEX + LEN(P_END))

void
chain_put_prefix(uint64_t seq, const struct digest *prev,
    const unsigned char next[static SIGN_PUB], struct str *ret)
{
	char hex[DIGEST_HEX + 1];

	str_addf(ret, P_SEQ "%012" PRIu64, seq);
	digest_hex(prev, hex);
	str_add(ret, P_PREV);
	str_add(ret, hex);
	hex_put(next, SIGN_PUB, hex);
	str_add(ret, P_NEXT);
	str_add(ret, hex);
	str_add(ret, P_KIND);
}

void
chain_put_sig(const unsigned char sig[static SIGN_SIG], struct str *ret)
{
	char hex[SIGN_SIG_HEX + 1];

	hex_put(sig, SIGN_SIG, hex);
	str_add(ret, P_SIG);
	str_add(ret, hex);
	str_add(ret, P_END);
}

/* Step over `word` at *p when it is there. */
static bool
skip(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

/*
 * One more than the value of a lower-case digit; 0 for every other byte.
 * libsodium's reader takes the same time for all input, which the public
 * lines of a log need not pay for.
 */
static const unsigned char digit_value[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6,
	['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static bool
take_hex(const char **p, const char *end, unsigned char *ret, size_t bytes)
{
	const unsigned char *s = (const unsigned char *)*p;
	bool good = true;

	if ((size_t)(end - *p) < bytes * 2)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		unsigned high = digit_value[s[2 * i]];
		unsigned low = digit_value[s[2 * i + 1]];

		good &= high != 0 && low != 0;
		ret[i] = (unsigned char)((high - 1) << 4 | (low - 1));
	}
	*p += bytes * 2;
	return good;
}

/* Whatever has a tail is long enough for this. */
_Static_assert(sizeof P_SEQ - 1 + SEQ_DIGITS <= TAIL_LEN, "a short tail");

static bool
take_seq(const char **p, uint64_t *ret)
{
	uint64_t v = 0;

	for (int i = 0; i < SEQ_DIGITS; i++, (*p)++) {
		if (**p < '0' || **p > '9')
			return false;
		v = v * 10 + (uint64_t)(**p - '0');
	}
	*ret = v;
	return true;
}

static bool
take_kind(const char *p, const char *end, size_t *ret_len)
{
	size_t n = 0;

	while (p + n < end && n <= KIND_MAX &&
	    ((p[n] >= 'a' && p[n] <= 'z') || p[n] == '.'))
		n++;
	*ret_len = n;
	return n > 0 && n <= KIND_MAX && p + n < end && p[n] == '"';
}

bool
chain_parse(const char *line, size_t len, struct chain_line *ret)
{
	struct chain_line c = { 0 };
	const char *p = line, *end = line + len;
	unsigned char sig[SIGN_SIG];

	if (len < TAIL_LEN || len > CHAIN_RECORD_MAX ||
	    !skip(&p, end, P_SEQ) || !take_seq(&p, &c.seq) ||
	    !skip(&p, end, P_PREV) || !take_hex(&p, end, c.prev.b, 32) ||
	    !skip(&p, end, P_NEXT) || !take_hex(&p, end, c.next, 32) ||
	    !skip(&p, end, P_KIND) || !take_kind(p, end, &c.kind_len))
		return false;
	c.kind = p;
	p += c.kind_len + 1;
	if ((size_t)(end - p) < TAIL_LEN)
		return false;
	p = end - TAIL_LEN;
	c.signed_len = (size_t)(p - line);
	if (!skip(&p, end, P_SIG))
		return false;
	memcpy(c.sig, p, SIGN_SIG_HEX);
	if (!take_hex(&p, end, sig, SIGN_SIG) || !skip(&p, end, P_END))
		return false;
	*ret = c;
	return true;
}

void
chain_hash(const char *line, size_t len, struct digest *ret)
{
	digest_of(line, len, "sandbox-audit-v1", ret);
}

bool
chain_kind_is(const struct chain_line *c, const char *kind)
{
	return c->kind_len == strlen(kind) &&
	    memcmp(c->kind, kind, c->kind_len) == 0;
}
