#include "approver/fetch/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

/* --- what it says it is -------------------------------------------------- */

/* The type without its parameters. */
static size_t
type_len(const char *type)
{
	return strcspn(type, "; \t");
}

static bool
type_is(const char *type, size_t len, const char *want)
{
	return strlen(want) == len && strncasecmp(type, want, len) == 0;
}

static bool
type_ends(const char *type, size_t len, const char *want)
{
	size_t n = strlen(want);

	return len > n && strncasecmp(type + len - n, want, n) == 0;
}

enum text_kind
text_kind(const char *type)
{
	static const char *const plain[] = { "application/json",
	    "application/xml", "application/javascript", "application/yaml",
	    "application/x-yaml", "application/toml", "application/x-ndjson",
	    "application/x-sh", "application/sql" };
	size_t len;

	if (type == NULL)
		return TEXT_NONE;
	len = type_len(type);
	if (type_is(type, len, "text/html") ||
	    type_is(type, len, "application/xhtml+xml"))
		return TEXT_HTML;
	if (strncasecmp(type, "text/", 5) == 0 ||
	    type_ends(type, len, "+json") || type_ends(type, len, "+xml"))
		return TEXT_PLAIN;
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		if (type_is(type, len, plain[i]))
			return TEXT_PLAIN;
	return TEXT_NONE;
}

bool
text_is_latin1(const char *type)
{
	const char *p = type == NULL ? NULL : strcasestr(type, "charset=");

	if (p == NULL)
		return false;
	p += 8;
	p += *p == '"';
	return strncasecmp(p, "iso-8859-1", 10) == 0 ||
	    strncasecmp(p, "windows-1252", 12) == 0 ||
	    strncasecmp(p, "latin1", 6) == 0;
}

static void
add_code_point(uint32_t cp, struct str *ret)
{
	if (cp == 0 || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		cp = 0xfffd;
	if (cp < 0x80) {
		str_addc(ret, (char)cp);
	} else if (cp < 0x800) {
		str_addc(ret, (char)(0xc0 | cp >> 6));
		str_addc(ret, (char)(0x80 | (cp & 63)));
	} else if (cp < 0x10000) {
		str_addc(ret, (char)(0xe0 | cp >> 12));
		str_addc(ret, (char)(0x80 | (cp >> 6 & 63)));
		str_addc(ret, (char)(0x80 | (cp & 63)));
	} else {
		str_addc(ret, (char)(0xf0 | cp >> 18));
		str_addc(ret, (char)(0x80 | (cp >> 12 & 63)));
		str_addc(ret, (char)(0x80 | (cp >> 6 & 63)));
		str_addc(ret, (char)(0x80 | (cp & 63)));
	}
}

void
text_from_latin1(const char *p, size_t len, struct str *ret)
{
	for (size_t i = 0; i < len; i++)
		add_code_point((unsigned char)p[i], ret);
}

/* --- HTML ---------------------------------------------------------------- */

struct html {
	const char	*p, *end;
	struct str	*out;
	bool		 pre;		/* white space as it stands */
};

static bool
at(const struct html *h, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(h->end - h->p) >= n && strncasecmp(h->p, word, n) == 0;
}

/* To behind `word`, or to the end. */
static void
skip_past(struct html *h, const char *word)
{
	while (h->p < h->end && !at(h, word))
		h->p++;
	h->p += h->p < h->end ? strlen(word) : 0;
}

/* One line feed, two at most. */
static void
new_line(struct str *out, bool blank)
{
	while (out->len > 0 && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	if (out->len == 0)
		return;
	if (out->s[out->len - 1] != '\n')
		str_addc(out, '\n');
	if (blank && (out->len < 2 || out->s[out->len - 2] != '\n'))
		str_addc(out, '\n');
}

static const struct element {
	const char	*name;
	bool		 hidden;	/* with all that is in it */
	bool		 blank;		/* a line of its own, perhaps empty */
} elements[] = {
	{ "script", true, false }, { "style", true, false },
	{ "noscript", true, false }, { "template", true, false },
	{ "svg", true, false }, { "br", false, false },
	{ "p", false, true }, { "div", false, false }, { "li", false, false },
	{ "tr", false, false }, { "h1", false, true }, { "h2", false, true },
	{ "h3", false, true }, { "h4", false, true }, { "h5", false, true },
	{ "h6", false, true }, { "pre", false, true }, { "ul", false, false },
	{ "ol", false, false }, { "table", false, true },
	{ "section", false, true }, { "article", false, true },
	{ "title", false, true }, { "blockquote", false, true },
};

static const struct element *
element_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(elements); i++)
		if (strlen(elements[i].name) == len &&
		    strncasecmp(elements[i].name, name, len) == 0)
			return &elements[i];
	return NULL;
}

/* Behind the > that ends this tag; quotes may hold others. */
static void
skip_tag(struct html *h)
{
	char quote = '\0';

	for (; h->p < h->end; h->p++) {
		if (quote != '\0')
			quote = *h->p == quote ? '\0' : quote;
		else if (*h->p == '"' || *h->p == '\'')
			quote = *h->p;
		else if (*h->p == '>')
			break;
	}
	h->p += h->p < h->end;
}

static void
tag(struct html *h)
{
	const char *name;
	const struct element *el;
	bool close;
	size_t n = 0;

	if (at(h, "<!--")) {
		skip_past(h, "-->");
		return;
	}
	h->p++;
	close = h->p < h->end && *h->p == '/';
	h->p += close;
	name = h->p;
	while (name + n < h->end && isalnum((unsigned char)name[n]))
		n++;
	el = element_find(name, n);
	skip_tag(h);
	if (el == NULL)
		return;
	if (el->hidden && !close) {
		auto_free char *end = xasprintf("</%s", el->name);

		skip_past(h, end);
		skip_tag(h);
		return;
	}
	if (strcmp(el->name, "pre") == 0)
		h->pre = !close;
	new_line(h->out, el->blank);
	if (strcmp(el->name, "li") == 0 && !close)
		str_add(h->out, "* ");
}

static void
entity(struct html *h)
{
	static const struct {
		const char	*name;
		uint32_t	 cp;
	} known[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
	    { "&quot;", '"' }, { "&apos;", '\'' }, { "&nbsp;", ' ' },
	    { "&ndash;", 0x2013 }, { "&mdash;", 0x2014 },
	    { "&hellip;", 0x2026 }, { "&copy;", 0xa9 } };
	const char *p = h->p + 2;
	uint32_t cp = 0;
	bool hex = at(h, "&#x");

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (at(h, known[i].name)) {
			add_code_point(known[i].cp, h->out);
			h->p += strlen(known[i].name);
			return;
		}
	if (at(h, "&#")) {
		for (p += hex; p < h->end && cp < 0x200000 && (hex ?
		    isxdigit((unsigned char)*p) : isdigit((unsigned char)*p));
		    p++)
			cp = cp * (hex ? 16 : 10) + (uint32_t)(isdigit(
			    (unsigned char)*p) ? *p - '0' :
			    tolower((unsigned char)*p) - 'a' + 10);
		if (p < h->end && *p == ';') {
			add_code_point(cp, h->out);
			h->p = p + 1;
			return;
		}
	}
	str_addc(h->out, *h->p++);
}

static void
character(struct html *h)
{
	unsigned char c = (unsigned char)*h->p++;
	struct str *out = h->out;

	if (!isspace(c) || h->pre)
		str_addc(out, (char)c);
	else if (out->len > 0 && out->s[out->len - 1] != ' ' &&
	    out->s[out->len - 1] != '\n')
		str_addc(out, ' ');
}

void
text_from_html(const char *p, size_t len, struct str *ret)
{
	auto_str struct str out = { 0 };
	struct html h = { .p = p, .end = p + len, .out = &out };

	str_init(&out, len * 2 + 64);
	while (h.p < h.end)
		if (*h.p == '<' && h.p + 1 < h.end &&
		    (isalpha((unsigned char)h.p[1]) ||
		    strchr("/!?", h.p[1]) != NULL))
			tag(&h);
		else if (*h.p == '&')
			entity(&h);
		else
			character(&h);
	while (out.len > 0 && isspace((unsigned char)out.s[out.len - 1]))
		out.s[--out.len] = '\0';
	new_line(&out, false);
	utf8_clean(out.s, out.len, ret);
}
