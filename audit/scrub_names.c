/*
 * Values that are secret because of what stands before them.
 */
#include "audit/scrub_rules.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define NAME_LONGEST	64
#define VALUE_LONGEST	2048
#define LINE_LONGEST	256

/* The last word of a name decides: password_file and token_count are not. */
static const char *const last_words[] = {
	"password", "passwd", "passphrase", "passwort", "secret", "token",
	"apikey", "credential", "credentials", "authtoken", "accesstoken",
	"accesskey", "secretkey", "privatekey", "clientsecret", "accountkey",
	"sharedaccesskey", "pgpassword", "pass", "pwd", "auth", "passw",
	"dsn_password", "kennwort", "bearer", "webhook_secret", "pat",
	"becomepass", "storepass", "keypass", "storepassword", "keypassword",
	"psk",
};

/* "key" is secret only behind one of these. */
static const char *const key_words[] = {
	"api", "access", "secret", "private", "account", "encryption",
	"signing", "master", "auth", "license", "deploy", "service", "session",
	"cookie", "storage", "subscription", "app", "preshared",
};

/* Options have these names too: only what a person cannot say is a secret. */
static const char *const weak_words[] = {
	"auth", "credential", "credentials", "pat",
};

static const char *const harmless[] = {
	"true", "false", "null", "none", "nil", "undefined", "yes", "no",
	"string", "str", "int", "required", "optional", "changeme", "redacted",
	"hidden", "example", "placeholder", "unset", "empty", "default",
	"string;", "input", "self", "this", "file", "stdin", "prompt",
};

static bool
word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool
span_is(struct span s, const char *word)
{
	return strlen(word) == s.len && strncasecmp(s.s, word, s.len) == 0;
}

/* Split the last word off: at _ - . or where camelCase has its hump. */
static struct span
take_last_word(struct span *name)
{
	size_t n = name->len;
	struct span out;

	while (n > 0 && strchr("_-.", name->s[n - 1]) == NULL) {
		n--;
		if (n > 0 && isupper((unsigned char)name->s[n]) &&
		    islower((unsigned char)name->s[n - 1]))
			break;
	}
	out = (struct span){ name->s + n, name->len - n };
	while (n > 0 && strchr("_-.", name->s[n - 1]) != NULL)
		n--;
	name->len = n;
	return out;
}

bool
scrub_name_secret(struct span name)
{
	struct span last;

	while (name.len > 0 && isdigit((unsigned char)name.s[name.len - 1]))
		name.len--;
	last = take_last_word(&name);
	for (size_t i = 0; i < ARRAY_LEN(last_words); i++) {
		if (span_is(last, last_words[i]))
			return true;
	}
	/* SECRET_KEY_BASE, AWS_SECRET_ACCESS_KEY_ID's neighbours */
	if (span_is(last, "base"))
		last = take_last_word(&name);
	if (!span_is(last, "key"))
		return false;
	last = take_last_word(&name);
	for (size_t i = 0; i < ARRAY_LEN(key_words); i++) {
		if (span_is(last, key_words[i]))
			return true;
	}
	return false;
}

bool
scrub_value_harmless(struct span v)
{
	size_t digits = 0, same = 0;

	if (v.len < 4 || strchr("$<{%*[(&@", v.s[0]) != NULL ||
	    (v.s[0] == '!' && islower((unsigned char)v.s[1])) ||
	    strncmp(v.s, "ENC[", 4) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++) {
		if (span_is(v, harmless[i]))
			return true;
	}
	for (size_t i = 0; i < v.len; i++) {
		digits += isdigit((unsigned char)v.s[i]) != 0;
		same += v.s[i] == v.s[0];
	}
	/* 4096, xxxxxxxx, your-key-here */
	return (digits == v.len && v.len < 6) || same == v.len ||
	    (v.len > 5 && (strncasecmp(v.s, "your-", 5) == 0 ||
	    strncasecmp(v.s, "your_", 5) == 0));
}

/* Unquoted words that are code or prose rather than a value. */
static bool
bare_harmless(struct span name, struct span v, bool spaced)
{
	bool letters = true;
	struct span all = name, last = take_last_word(&all);

	for (size_t i = 0; i < ARRAY_LEN(weak_words); i++)
		spaced = spaced || span_is(last, weak_words[i]);
	if (memmem(v.s, v.len, "env", 3) != NULL ||
	    memmem(v.s, v.len, "->", 2) != NULL ||
	    (v.len == name.len && strncasecmp(v.s, name.s, v.len) == 0))
		return true;
	for (size_t i = 0; i < v.len; i++) {
		if (!isalpha((unsigned char)v.s[i]) &&
		    strchr("_.,;:-", v.s[i]) == NULL)
			letters = false;
	}
	return letters && spaced;
}

/*
 * The value at p; *ret_open: how many characters its quote has.  A bare one
 * that is a path, a reference or a call is none, and is not read to its end:
 * a text may hold a thousand names before one.
 */
static struct span
take_value(const char *p, size_t len, size_t *ret_open)
{
	size_t open = 0, n = 0;
	char quote = '\0';

	*ret_open = 0;
	if (len > 0 && p[0] == '\\')
		open++;
	else if (len > 1 && strchr("brfu", p[0]) != NULL &&
	    (p[1] == '"' || p[1] == '\''))
		open++;
	if (len > open && strchr("\"'`", p[open]) != NULL && p[open] != '\0')
		quote = p[open++];
	else
		open = 0;
	p += open;
	len -= open;
	if (open == 0 && len > 0 && strchr("$<{%*[(&@/.", p[0]) != NULL)
		return (struct span){ p, 0 };
	while (n < len && n < VALUE_LONGEST && p[n] != '\n') {
		if (quote != '\0' ? p[n] == quote ||
		    (p[n] == '\\' && n + 1 < len && p[n + 1] == quote) :
		    isspace((unsigned char)p[n]) ||
		    strchr("\"'`,;&|<>)}]\\", p[n]) != NULL)
			break;
		if (open == 0 && p[n] == '(')
			return (struct span){ p, 0 };
		n++;
	}
	*ret_open = open;
	return (struct span){ p, n };
}

/* What the words before it say about how a name goes on. */
struct manner {
	bool	flag;		/* a blank is enough: --name, setx NAME */
	bool	element;	/* <name> */
	bool	argument;	/* define('NAME', */
};

/* `name = `, `"name": `, `name => `, `--name `; the length, 0 for none. */
static size_t
take_separator(const char *p, size_t len, const struct manner *m,
    bool *ret_spaced)
{
	size_t n = 0, before;

	*ret_spaced = false;
	if (m->element)
		return len > 0 && p[0] == '>' ? 1 : 0;

	if (n < len && p[n] == '\\')
		n++;
	if (n < len && (p[n] == '"' || p[n] == '\''))
		n++;
	if (n < len && p[n] == ']')
		n++;
	before = n;
	while (n < len && (p[n] == ' ' || p[n] == '\t'))
		n++;
	if (n < len && (p[n] == '=' || p[n] == ':' ||
	    (m->argument && p[n] == ','))) {
		n++;
		if (n < len && (p[n] == '>' || p[n] == '='))
			n++;
	} else if (!m->flag || n == before) {
		return 0;
	}
	before = n;
	while (n < len && (p[n] == ' ' || p[n] == '\t'))
		n++;
	*ret_spaced = n > before && !m->flag && !m->argument;
	return n;
}

bool
scrub_line_has(const char *text, size_t at, const char *word)
{
	size_t back = at < LINE_LONGEST ? at : LINE_LONGEST;
	const char *start = text + at - back;
	const char *nl = memrchr(start, '\n', back);

	if (nl != NULL)
		start = nl + 1;
	return memmem(start, (size_t)(text + at - start), word, strlen(word))
	    != NULL;
}

/* `next` stands behind the name. */
static struct manner
manner_of(const char *text, size_t at, char next)
{
	return (struct manner){
		.flag = (at >= 2 && text[at - 1] == '-' &&
		    text[at - 2] == '-') || (next == ' ' &&
		    (scrub_line_has(text, at, "machine ") ||	/* .netrc */
		    scrub_line_has(text, at, "setx ") ||
		    scrub_line_has(text, at, "set -x "))),	/* fish */
		.element = at > 0 && text[at - 1] == '<',
		.argument = next == '\'' && scrub_line_has(text, at,
		    "define("),
	};
}

bool
scrub_named(const char *text, size_t len, size_t at, struct hit *ret)
{
	struct span name = { text + at, 0 }, v;
	size_t sep, open;
	struct manner m;
	bool spaced = false;

	if ((at > 0 && word_char(text[at - 1]) && text[at - 1] != '-') ||
	    (!isalpha((unsigned char)text[at]) && text[at] != '_'))
		return false;
	while (name.len < len - at && name.len < NAME_LONGEST &&
	    word_char(name.s[name.len]))
		name.len++;
	if (!scrub_name_secret(name))
		return false;
	m = manner_of(text, at, at + name.len < len ? name.s[name.len] : '\0');
	sep = take_separator(name.s + name.len, len - at - name.len, &m,
	    &spaced);
	if (sep == 0)
		return false;
	v = take_value(name.s + name.len + sep, len - at - name.len - sep,
	    &open);
	if (scrub_value_harmless(v) ||
	    (open == 0 && bare_harmless(name, v, spaced)))
		return false;
	*ret = (struct hit){ .keep = (size_t)(v.s - name.s), .len = v.len,
		.kind = "value" };
	return true;
}

bool
scrub_header(const char *text, size_t len, size_t at, struct hit *ret)
{
	static const char *const words[] = { "bearer ", "basic ", "token " };
	static const size_t least[] = { 16, 8, 20 };
	size_t n = 0;

	if (strchr("bBtT", text[at]) == NULL || text[at] == '\0' ||
	    (at > 0 && isalnum((unsigned char)text[at - 1])))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t k = strlen(words[i]);
		bool odd = false;

		if (len - at <= k || strncasecmp(text + at, words[i], k) != 0)
			continue;
		for (n = 0; at + k + n < len; n++) {
			char c = text[at + k + n];

			if (!isalnum((unsigned char)c) &&
			    (c == '\0' || strchr("-._~+/=", c) == NULL))
				break;
			odd = odd || !islower((unsigned char)c);
		}
		if (n < least[i] || !odd)
			return false;
		*ret = (struct hit){ .keep = k, .len = n, .kind = "header" };
		return true;
	}
	return false;
}

bool
scrub_url(const char *text, size_t len, size_t at, struct hit *ret)
{
	size_t p = at + 3, colon = 0;

	if (len - at < 7 || memcmp(text + at, "://", 3) != 0)
		return false;
	for (; p < len && p - at < 512; p++) {
		char c = text[p];

		if (c == '@')
			break;
		if (c == ':' && colon == 0)
			colon = p + 1;
		else if (c == '\0' || strchr("/?# \t\n\"'<>[", c) != NULL)
			return false;
	}
	if (p == len || text[p] != '@' || colon == 0 || colon == p ||
	    strchr("$<{*", text[colon]) != NULL)
		return false;
	*ret = (struct hit){ .keep = colon - at, .len = p - colon,
		.kind = "url" };
	return true;
}

/* Options that mean something else to most programs. */
static const struct {
	const char	*flag, *program;
	bool		 pair;		/* name:secret */
} flags[] = {
	{ "-u ", "curl", true }, { "--user ", "curl", true },
	{ "--user=", "curl", true }, { "--proxy-user ", "curl", true },
	{ "-p ", "sshpass", false }, { "-p ", " login", false },
	{ "-p", "mysql", false }, { "-a ", "redis-cli", false },
	{ "-P ", "bcp ", false }, { "-P ", "sqlcmd", false },
	{ "-w ", "ldap", false }, { "-passin pass:", "openssl", false },
	{ "-passout pass:", "openssl", false }, { "-k ", "openssl enc", false },
	{ "-storepass ", "keytool", false }, { "-keypass ", "keytool", false },
};

bool
scrub_user_flag(const char *text, size_t len, size_t at, struct hit *ret)
{
	if (at == 0 || text[at] != '-' ||
	    !isspace((unsigned char)text[at - 1]))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		size_t k = strlen(flags[i].flag), open;
		const char *colon;
		struct span v;

		if (len - at <= k || memcmp(text + at, flags[i].flag, k) != 0 ||
		    !scrub_line_has(text, at, flags[i].program))
			continue;
		v = take_value(text + at + k, len - at - k, &open);
		colon = flags[i].pair ? memchr(v.s, ':', v.len) : v.s - 1;
		if (colon == NULL)
			return false;
		v.len -= (size_t)(colon + 1 - v.s);
		v.s = colon + 1;
		*ret = (struct hit){ .keep = (size_t)(v.s - (text + at)),
			.len = v.len, .kind = "value" };
		return !scrub_value_harmless(v);
	}
	return false;
}
