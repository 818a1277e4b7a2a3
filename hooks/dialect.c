#include "hooks/dialect.h"

#include <string.h>

#include "common/mem.h"
#include "hooks/wire.h"

#include "common/banned.h"

static const struct dialect *const dialects[] = {
	&dialect_claude, &dialect_codex, &dialect_gemini, &dialect_cursor,
	&dialect_windsurf, &dialect_copilot, &dialect_cline, &dialect_opencode,
};

const struct dialect *
dialect_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
		if (str_eq(dialects[i]->name, name))
			return dialects[i];
	return NULL;
}

void
reply_init(struct reply *r)
{
	r->status = 0;
	str_init(&r->out, WIRE_REPLY / 2);
	str_init(&r->err, WIRE_REPLY / 4);
}

void
reply_clear(struct reply *r)
{
	str_clear(&r->out);
	str_clear(&r->err);
}

void
hook_input_clear(struct hook_input *in)
{
	json_free(in->made);
	in->made = NULL;
}

static const struct dialect_event *
event_find(const struct dialect *d, const char *name)
{
	for (const struct dialect_event *ev = d->events; ev->name != NULL;
	    ev++)
		if (str_eq(ev->name, name))
			return ev;
	return NULL;
}

enum hook_kind
dialect_kind(const struct dialect *d, const char *event)
{
	const struct dialect_event *ev = event_find(d, event);

	return ev == NULL ? HOOK_NONE : ev->kind;
}

/* `value` is JSON. */
static void
fill_json(const char *template, const struct str *value, struct reply *r)
{
	const char *p = template, *at;

	if (template == NULL)
		return;
	for (; (at = strchr(p, '@')) != NULL; p = at + 1) {
		str_addn(&r->out, p, (size_t)(at - p));
		str_addn(&r->out, value->s, value->len);
	}
	str_add(&r->out, p);
}

static void
fill(const char *template, const char *text, struct reply *r)
{
	auto_str struct str quoted = { 0 };

	str_init(&quoted, WIRE_REPLY / 2);
	json_quote(text, strlen(text), &quoted);
	fill_json(template, &quoted, r);
}

void
dialect_refuse(const struct dialect *d, const char *event, const char *text,
    struct reply *r)
{
	const struct dialect_event *ev = event_find(d, event);

	if (ev != NULL && !str_eq(ev->refuse, REFUSE_EXIT)) {
		fill(ev->refuse, text, r);
		return;
	}
	r->status = 2;
	str_addf(&r->err, "%s\n", text);
}

void
dialect_allow(const struct dialect *d, const char *event, struct reply *r)
{
	const struct dialect_event *ev = event_find(d, event);

	if (ev != NULL)
		fill(ev->allow, "allowed by sandbox", r);
}

void
dialect_contain(const struct dialect *d, const cJSON *input, bool planning,
    struct reply *r)
{
	auto_str struct str whole = { 0 };

	str_init(&whole, WIRE_REPLY / 2);
	json_print(input, &whole);
	fill_json(planning ? d->contain_planning : d->contain, &whole, r);
}

void
dialect_rewrite(const struct dialect *d, const cJSON *response,
    struct reply *r)
{
	auto_str struct str whole = { 0 };

	str_init(&whole, WIRE_REPLY / 2);
	json_print(response, &whole);
	fill_json(d->rewrite, &whole, r);
}

void
dialect_tell(const struct dialect *d, const char *event, const char *text,
    struct reply *r)
{
	const struct dialect_event *ev = event_find(d, event);

	if (ev != NULL)
		fill(ev->tell, text, r);
}

void
dialect_finish(const struct dialect *d, const char *event, struct reply *r)
{
	const struct dialect_event *ev = event_find(d, event);

	if (ev != NULL && r->status == 0 && r->out.len == 0)
		fill(ev->quiet, "", r);
}
