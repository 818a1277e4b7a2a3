/* policy/expand.c - what a word can become. */
#include <string.h>

#include "common/str.h"
#include "policy/places.h"
#include "policy/protect.h"
#include "policy/remember.h"
#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

struct build {
	struct walk	*w;
	struct state	*st;
	struct span	 span;
	char		*out;
	size_t		 n, room;
	bool		 many, open;	/* open: nothing more is known */
	bool		 split, part, glob, text;
};

static void
put(struct build *b, const char *text)
{
	size_t len = strlen(text);

	if (b->open)
		return;
	if (len >= b->room - b->n) {
		b->out[b->n++] = VALUE_ANY;
		b->open = true;
		return;
	}
	memcpy(b->out + b->n, text, len);
	b->n += len;
}

static void
put_any(struct build *b, bool quoted)
{
	static const char any[] = { VALUE_ANY, '\0' };

	put(b, any);
	b->many = b->many || !quoted;
}

static void
put_number(struct build *b)
{
	put(b, VALUE_NUMBER);
}

static void
unknown(const struct build *b, const char *why)
{
	facts_unknown(b->w->f, NULL, b->span, why);
}

/* Unquoted, a value is split and its wild cards are tried. */
static bool
splits(const char *value)
{
	if (str_eq(value, VALUE_NUMBER))
		return false;
	return value[0] == '\0' || strpbrk(value, " \t\n*?[\\") != NULL ||
	    !value_constant(value);
}

/* Variables whose names say that they hold a secret. */
static void
note_secret(struct build *b, const char *name)
{
	static const char *const marks[] = {
		"KEY", "TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL",
		"PRIVATE", "AUTH"
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strcasestr(name, marks[i]) != NULL) {
			facts_effect(b->w->f, EFFECT_SECRET, name, NULL,
			    b->span);
			return;
		}
}

/* Names that a glob found, of text: without quotes they are mostly those. */
static bool
names_text(const char *v)
{
	char path[256] = "/";

	if (value_constant(v) || strlen(v) > sizeof(path) - 2 ||
	    strpbrk(v, " \t\n*?[\\\001") != NULL)
		return false;
	memcpy(path + 1, v, strlen(v) + 1);
	return place_is_text(path);
}

/* zsh takes `$a[x]` for a subscript, and calculates it. */
static void
note_subscript(const struct build *b, const struct sh_part *next)
{
	bool glob = next != NULL && next->kind == SH_GLOB;
	if (next == NULL || (!glob && next->kind != SH_TEXT) ||
	    (next->text[0] != '[' && !(glob && next->text[0] == '+')))
		return;
	if (state_text(b->st) || b->st->lost || b->w->given ||
	    strpbrk(next->text, "+$`") != NULL)
		unknown(b, "a subscript that may run code");
}

/* ... and `$x:h` for the directory of x. */
static bool
is_modified(const struct sh_part *next)
{
	return next != NULL && next->kind == SH_TEXT &&
	    next->text[0] == ':' && next->text[1] != '\0' &&
	    strchr("aAcePhtrslu", next->text[1]) != NULL &&
	    !shell_is_name(next->text + 1, 2);
}

static void
put_param(struct build *b, const struct sh_part *p)
{
	const char *v = is_modified(p->next) ? NULL :
	    state_var(b->w, b->st, p->text);

	note_subscript(b, p->next);
	if (v == NULL && state_var(b->w, b->st, p->text) == NULL)
		note_secret(b, p->text);
	if (v != NULL && names_text(v) &&
	    (!p->quoted || state_is_split(b->w, p->text))) {
		b->many = true;
		b->split = b->split || !p->quoted;
		b->part = true;
		put(b, v);
		return;
	}
	if (str_eq(p->text, "#") || str_eq(p->text, "?")) {
		put_number(b);
		return;
	}
	b->text = b->text || (v != NULL && !value_constant(v)) ||
	    (strchr("@*", p->text[0]) != NULL && state_text(b->st));
	if (v == NULL || (!p->quoted && splits(v)) || str_eq(p->text, "@"))
		put_any(b, p->quoted && !str_eq(p->text, "@"));
	else
		put(b, v);
}

/* Operators that evaluate text as code, or set the variable. */
static void
put_expand(struct build *b, const struct sh_part *p)
{
	const char *op = p->text + strlen(p->name);

	expand_parts(b->w, b->st, p->inner);
	if (state_var(b->w, b->st, p->name) == NULL)
		note_secret(b, p->name);
	else
		b->text = true;
	b->text = b->text || p->inner != NULL;
	if (protect_named(b->w->f->policy, p->text))
		facts_effect(b->w->f, EFFECT_CONNECTOR, p->text, NULL,
		    b->span);
	if (str_eq(p->name, "#")) {
		size_t n = strcspn(op, "[");

		if (!shell_is_name(op, n) || (op[n] != '\0' &&
		    !str_eq(op + n, "[@]") && !str_eq(op + n, "[*]")))
			unknown(b, "${#...} of more than a name");
		put_number(b);
		return;
	}
	if (p->name[0] == '\0' || str_eq(p->name, "!") || op[0] == '@' ||
	    (op[0] == '[' && op[1] != '@' && op[1] != '*' &&
	    op[1 + strspn(op + 1, "0123456789")] != ']'))
		unknown(b, "a ${...} that is evaluated as code");
	else if (op[0] == ':' && strchr("-=?+", op[1]) == NULL &&
	    op[strspn(op, ":0123456789 -")] != '\0')
		unknown(b, "a ${...} that calculates");
	if (op[0] == '=' || (op[0] == ':' && op[1] == '=')) {
		static const char any[] = { VALUE_ANY, '\0' };

		if (state_grave(p->name))
			unknown(b, "it sets a variable that programs obey");
		state_set(b->w, b->st, p->name, any);
	}
	put_any(b, p->quoted && strchr(op, '@') == NULL);
}

static void
put_tilde(struct build *b, const struct sh_part *p)
{
	const char *home = state_var(b->w, b->st, "HOME");

	if (p->text[0] == '\0' && home != NULL)
		put(b, home);
	else
		put_any(b, true);
}

static void
put_glob(struct build *b, const struct sh_part *p)
{
	static const char star[] = { VALUE_STAR, '\0' };
	static const char one[] = { VALUE_ONE, '\0' };

	b->many = b->glob = true;
	if (p->text[0] == '+') {
		put_any(b, true);
		b->open = true;
	} else {
		put(b, p->text[0] == '*' ? star : one);
	}
}

static void
put_body(struct build *b, const struct sh_node *body)
{
	b->w->f->shape |= REMEMBER_SUBSTITUTES;
	walk_own(b->w, body, b->st);
}

static void
put_subst(struct build *b, const struct sh_part *p)
{
	const char *known = output_of(b->w, b->st, p->body);
	const struct sh_node *n = p->body != NULL ? p->body->kids : NULL;
	const struct names *names = NULL;

	b->w->names = NULL;
	put_body(b, p->body);
	if (n != NULL && n->next == NULL)
		names = n->kind == SH_PIPE ? b->w->names :
		    names_printed(b->w, n, NULL);
	if (known == NULL && b->n == 0 && p->next == NULL &&
	    names_word(names) != NULL) {
		put(b, names_word(names));
		b->many = b->split = !p->quoted;
		return;
	}
	if (known != NULL && (p->quoted || !splits(known) || known[0] == '/'))
		put(b, known);
	else
		put_any(b, p->quoted);
	b->text = b->text || known == NULL;
}

/* {a,b}: the word becomes several; does one of them name what is ours? */
static void
put_brace(struct build *b, const struct sh_part *p)
{
	char word[256];
	size_t at = b->n;

	for (p = p->next; p != NULL && p->kind == SH_TEXT; p = p->next)
		for (const char *t = p->text; *t != '\0'; t++) {
			if (strchr("{},", *t) != NULL) {
				at = *t == '}' ? at : b->n;
				continue;
			}
			if (at >= sizeof(word) - 1)
				break;
			memcpy(word, b->out, b->n < at ? b->n : at);
			word[at++] = *t;
			word[at] = '\0';
			if (protect_word(word))
				facts_effect(b->w->f, EFFECT_CONNECTOR,
				    ".sandbox", NULL, b->span);
		}
	put_any(b, false);
	b->open = true;
}

static void
put_part(struct build *b, const struct sh_part *p)
{
	switch (p->kind) {
	case SH_TEXT:
		put(b, p->text);
		break;
	case SH_GLOB:
		put_glob(b, p);
		break;
	case SH_TILDE:
		put_tilde(b, p);
		break;
	case SH_BRACE:
		put_brace(b, p);
		break;
	case SH_PARAM:
		put_param(b, p);
		break;
	case SH_EXPAND:
		put_expand(b, p);
		break;
	case SH_SUBST:
		put_subst(b, p);
		break;
	case SH_PROC:
		put_body(b, p->body);
		put(b, "/dev/fd/63");
		break;
	case SH_CALC:
	default:
		expand_parts(b->w, b->st, p->inner);
		if (!calc_safe(b->w, b->st, p->text))
			unknown(b, "a calculation that may run code");
		put_number(b);
	}
}

/* Enough for the text and a few variables; more is "anything". */
static size_t
room_for(const struct sh_part *parts)
{
	size_t n = 64;

	for (const struct sh_part *p = parts; p != NULL; p = p->next)
		n += p->kind == SH_TEXT ? strlen(p->text) : 256;
	return n;
}

struct arg
expand_word(struct walk *w, struct state *st, const struct sh_word *word)
{
	struct build b = { .w = w, .st = st,
	    .span = walk_span(w, word->at, word->len) };

	if (word->text != NULL)
		return (struct arg){ word->text, false, b.span, false };
	b.room = room_for(word->parts);
	b.out = arena_get(w->f->arena, b.room + 2);
	if (b.out == NULL)
		return (struct arg){ "\001", true, b.span, true };
	for (const struct sh_part *p = word->parts; p != NULL; p = p->next)
		put_part(&b, p);
	if (b.glob && str_eq(b.out, VALUE_NUMBER))	/* ?* is any name */
		return (struct arg){ "\002", b.many, b.span, b.text };
	return (struct arg){ b.out, b.split ? ARG_SPLIT : b.part ? ARG_PART :
	    b.many, b.span, b.text };
}

void
expand_parts(struct walk *w, struct state *st, const struct sh_part *parts)
{
	struct sh_part only;

	for (const struct sh_part *p = parts; p != NULL; p = p->next) {
		struct sh_word word = { .parts = &only };

		if (p->kind == SH_TEXT)
			continue;
		only = *p;
		only.next = NULL;
		expand_word(w, st, &word);
	}
}
