#include "jail/gitconfig.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/mem.h"

#include "common/banned.h"

#define WORD_MAX	64

enum value { ANY, ADDRESS /* of a repository */ };

static const struct {
	const char	*section, *key;
	enum value	 value;
} allowed[] = {
	{ "core", "repositoryformatversion", ANY }, { "core", "bare", ANY },
	{ "core", "filemode", ANY }, { "core", "logallrefupdates", ANY },
	{ "core", "ignorecase", ANY }, { "core", "precomposeunicode", ANY },
	{ "core", "symlinks", ANY }, { "core", "autocrlf", ANY },
	{ "core", "eol", ANY }, { "core", "safecrlf", ANY },
	{ "core", "sparsecheckout", ANY },
	{ "core", "sparsecheckoutcone", ANY },
	{ "extensions", "objectformat", ANY },
	{ "extensions", "refstorage", ANY },
	{ "remote", "url", ADDRESS }, { "remote", "pushurl", ADDRESS },
	{ "remote", "fetch", ANY }, { "remote", "tagopt", ANY },
	{ "branch", "remote", ADDRESS }, { "branch", "merge", ANY },
	{ "branch", "rebase", ANY }, { "submodule", "url", ADDRESS },
	{ "submodule", "active", ANY }, { "user", "name", ANY },
	{ "user", "email", ANY }, { "init", "defaultbranch", ANY },
	{ "pull", "rebase", ANY }, { "pull", "ff", ANY },
	{ "push", "default", ANY }, { "fetch", "prune", ANY },
	{ "gc", "auto", ANY },
};

/* "ext::sh -c ..." names a program; so does what begins with a dash. */
static bool
value_ok(enum value kind, const char *v, size_t len)
{
	if (memchr(v, '"', len) != NULL || memchr(v, '\\', len) != NULL)
		return false;
	return kind == ANY || (len > 0 && v[0] != '-' &&
	    memmem(v, len, "::", 2) == NULL);
}

static size_t
blanks(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && (p[n] == ' ' || p[n] == '\t'))
		n++;
	return n;
}

/* A run of letters, digits and dashes, copied; its length, 0 if too long. */
static size_t
word(const char *p, size_t len, char ret[static WORD_MAX])
{
	size_t n = 0;

	while (n < len && n < WORD_MAX - 1 &&
	    (isalnum((unsigned char)p[n]) || p[n] == '-')) {
		ret[n] = p[n];
		n++;
	}
	ret[n] = '\0';
	return n == WORD_MAX - 1 ? 0 : n;
}

/* `[name]` or `[name "what is called so"]` and nothing behind it. */
static bool
take_header(const char *p, size_t len, char section[static WORD_MAX])
{
	size_t n;

	if (len == 0 || *p != '[')
		return false;
	n = word(++p, --len, section);
	if (n == 0)
		return false;
	p += n;
	len -= n;
	n = blanks(p, len);
	p += n;
	len -= n;
	if (n > 0 && len > 0 && *p == '"') {
		const char *end = memchr(p + 1, '"', len - 1);

		if (end == NULL ||
		    memchr(p, '\\', (size_t)(end - p)) != NULL)
			return false;
		len -= (size_t)(end + 1 - p);
		p = end + 1;
	}
	return len > 0 && *p == ']' && blanks(p + 1, len - 1) == len - 1;
}

static bool
take_key(const char *p, size_t len, const char *section)
{
	char key[WORD_MAX];
	size_t n = word(p, len, key);

	if (n == 0)
		return false;
	p += n;
	len -= n;
	n = blanks(p, len);
	if (n == len || p[n] != '=')
		return false;
	p += n + 1;
	len -= n + 1;
	n = blanks(p, len);
	for (size_t i = 0; i < ARRAY_LEN(allowed); i++)
		if (strcasecmp(allowed[i].section, section) == 0 &&
		    strcasecmp(allowed[i].key, key) == 0)
			return value_ok(allowed[i].value, p + n, len - n);
	return false;
}

static bool
has_control(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)p[i] < ' ' && p[i] != '\t')
			return true;
	return false;
}

/* What a line is about, without what may be a value. */
static void
name(struct str *to, const char *line, size_t len)
{
	char key[WORD_MAX];
	bool header = len > 0 && *line == '[';
	size_t n = word(line + header, len - header, key);

	if (header)
		str_addf(to, "[%s]", key);
	else if (n > 0 && memchr(line + n, '=', len - n) != NULL)
		str_add(to, key);
	else
		str_add(to, "...");
}

size_t
gitconfig_filter(const char *text, size_t len, struct str *ret,
    struct str *ret_left)
{
	char section[WORD_MAX] = "";
	size_t dropped = 0;

	while (len > 0) {
		const char *nl = memchr(text, '\n', len);
		size_t all = nl == NULL ? len : (size_t)(nl - text) + 1;
		size_t n = nl == NULL ? len : all - 1;
		size_t lead = blanks(text, n);
		const char *p = text + lead;
		bool keep = n == lead;		/* a blank line */

		if (!keep && !has_control(text, n) && *p == '[') {
			keep = take_header(p, n - lead, section);
			/* Under a header we cannot read nothing is kept. */
			if (!keep)
				section[0] = '\0';
		} else if (!keep && !has_control(text, n)) {
			keep = take_key(p, n - lead, section);
		}
		if (keep) {
			str_addn(ret, text, n);
			str_addc(ret, '\n');
		} else {
			if (dropped++ > 0)
				str_add(ret_left, ", ");
			name(ret_left, p, n - lead);
		}
		text += all;
		len -= all;
	}
	return dropped;
}
