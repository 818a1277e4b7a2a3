/*
 * Secrets that have neither a shape of their own nor a name one would look
 * for elsewhere: signatures in URLs, bots' tokens, and strings that are too
 * random to be anything else.
 */
#include "audit/scrub_rules.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define VALUE_LEAST	8
#define VALUE_MOST	2048
#define BOT_LEAST	35
#define RANDOM_LEAST	32
#define RANDOM_MOST	128

/* In a URL, where a plain word of that name would be code or prose. */
static const char *const query_names[] = {
	"sig", "signature", "x-amz-signature", "x-amz-security-token",
	"x-amz-credential", "x-goog-signature", "code", "ticket", "sid",
	"jwt", "id_token", "hapikey", "appkey", "key",
};

static bool
in_value(char c)
{
	return isalnum((unsigned char)c) || (c != '\0' &&
	    strchr("-_.~%+/=", c) != NULL);
}

bool
scrub_query(const char *text, size_t len, size_t at, struct hit *ret)
{
	if (text[at] != '?' && text[at] != '&')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(query_names); i++) {
		const char *name = query_names[i];
		size_t k = strlen(name), from = at + 1 + k + 1, n = 0;
		bool digit = false;

		if (from >= len || text[from - 1] != '=' ||
		    strncasecmp(text + at + 1, name, k) != 0)
			continue;
		while (from + n < len && n < VALUE_MOST &&
		    in_value(text[from + n])) {
			digit = digit || isdigit((unsigned char)text[from + n]);
			n++;
		}
		if (n < VALUE_LEAST + 8 || !digit)
			return false;
		*ret = (struct hit){ .keep = k + 2, .len = n, .kind = "url" };
		return true;
	}
	return false;
}

/* 8 to 10 digits, a colon, 35 characters; bot tokens begin with AA. */
bool
scrub_bot(const char *text, size_t len, size_t at, struct hit *ret)
{
	size_t digits = 0, n = 0, from;

	if (!isdigit((unsigned char)text[at]))
		return false;
	while (at + digits < len && digits <= 10 &&
	    isdigit((unsigned char)text[at + digits]))
		digits++;
	from = at + digits + 1;
	if (digits < 8 || digits > 10 || from + BOT_LEAST > len ||
	    text[from - 1] != ':' || text[from] != 'A' ||
	    text[from + 1] != 'A')
		return false;
	while (from + n < len && n <= BOT_LEAST &&
	    (isalnum((unsigned char)text[from + n]) ||
	    text[from + n] == '-' || text[from + n] == '_'))
		n++;
	if (n != BOT_LEAST)
		return false;
	*ret = (struct hit){ .keep = digits + 1, .len = n,
		.kind = "bot-token" };
	return true;
}

/* --- too random --- */

enum class { NONE, UPPER, LOWER, DIGIT, SIGN };

static enum class
class_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return UPPER;
	if (c >= 'a' && c <= 'z')
		return LOWER;
	if (c >= '0' && c <= '9')
		return DIGIT;
	return c == '+' || c == '/' || c == '_' || c == '-' || c == '=' ?
	    SIGN : NONE;
}

/* What stands before random text that is public: hashes, keys, data. */
static const char *const public_words[] = {
	"sha1", "sha2", "sha3", "sha5", "sha-", "SHA", "md5", "h1:", "hash",
	"digest", "integrity", "checksum", "base64,", "ssh-", "etag", "ETag",
	"public", "Public", "fingerprint", "cert", "Cert", "nonce", "commit",
	"signature", "blob", "-----", "CSP", "ecdsa-", "pub:", "mappings",
};

struct counts {
	size_t	of[5];
	size_t	changes;	/* from one class to another */
	size_t	longest;	/* run of lower-case letters */
};

static void
count(const char *s, size_t n, struct counts *ret)
{
	size_t lower = 0;

	*ret = (struct counts){ .changes = 0 };
	for (size_t i = 0; i < n; i++) {
		enum class c = class_of(s[i]);

		ret->of[c]++;
		ret->changes += i > 0 && c != class_of(s[i - 1]);
		lower = c == LOWER ? lower + 1 : 0;
		if (lower > ret->longest)
			ret->longest = lower;
	}
}

/*
 * Words, even glued together and numbered, change between upper case, lower
 * case and digits at most every third character; random text does at two of
 * three.
 */
static bool
looks_random(const char *s, size_t n)
{
	struct counts c;

	count(s, n, &c);
	return c.of[UPPER] >= 5 && c.of[LOWER] >= 5 && c.of[DIGIT] >= 3 &&
	    c.changes * 20 >= n * 9 && c.longest <= 6 &&
	    c.of[SIGN] * 8 <= n;
}

/* A line of nothing but base64 is a line of a larger thing. */
static bool
whole_line(const char *text, size_t len, size_t at, size_t n)
{
	size_t start = at, end = at + n;

	while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t'))
		start--;
	return (start == 0 || text[start - 1] == '\n') &&
	    (end == len || text[end] == '\n' || text[end] == '\\') &&
	    (n == 64 || n == 76 || n == 70 || n == 72);
}

/* In a path or an assignment, behind a word: `/var/lib/TOKEN`, `x=TOKEN`. */
static bool
behind_word(const char *text, size_t at)
{
	size_t n = 1;

	if (text[at - 1] != '/' && text[at - 1] != '=')
		return false;
	while (n < at && n < RANDOM_LEAST) {
		enum class c = class_of(text[at - 1 - n]);

		if (c == NONE || text[at - 1 - n] == '/')
			return true;
		if (c == UPPER && text[at - 1] == '/')
			return false;
		if (c == DIGIT)
			return false;
		n++;
	}
	return n == at;
}

bool
scrub_random(const char *text, size_t len, size_t at, struct hit *ret)
{
	size_t n = 0;

	if (!isalnum((unsigned char)text[at]) ||
	    (at > 0 && (class_of(text[at - 1]) != NONE ||
	    text[at - 1] == '.') && !behind_word(text, at)))
		return false;
	while (at + n < len && n <= RANDOM_MOST &&
	    class_of(text[at + n]) != NONE)
		n++;
	if (n < RANDOM_LEAST || n > RANDOM_MOST ||
	    !looks_random(text + at, n) || whole_line(text, len, at, n))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(public_words); i++) {
		if (scrub_line_has(text, at, public_words[i]))
			return false;
	}
	*ret = (struct hit){ .len = n, .kind = "random" };
	return true;
}
