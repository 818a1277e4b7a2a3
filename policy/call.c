/* policy/call.c - what a call is about, its one line, its key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "policy/call.h"
#include "policy/tools.h"
#include "common/banned.h"

#define SUMMARY_MAX	200

enum call_kind
call_kind(const struct call *c)
{
	const struct tool *t = tool_find(c->tool);

	if (t != NULL)
		return t->kind;
	return str_starts(c->tool, "mcp__") ? CALL_MCP : CALL_UNKNOWN;
}

/* Codex hands over an argument vector; only `SHELL -lc TEXT` is a line. */
static const char *
subject_of_vector(const cJSON *v)
{
	const cJSON *shell, *opt, *text;

	if (cJSON_GetArraySize(v) != 3)
		return NULL;
	shell = cJSON_GetArrayItem(v, 0);
	opt = cJSON_GetArrayItem(v, 1);
	text = cJSON_GetArrayItem(v, 2);
	if (!cJSON_IsString(shell) || !cJSON_IsString(opt) ||
	    !cJSON_IsString(text))
		return NULL;
	if (!str_eq(opt->valuestring, "-lc") &&
	    !str_eq(opt->valuestring, "-c"))
		return NULL;
	return tool_is_shell(shell->valuestring) ? text->valuestring : NULL;
}

/* The one field that says what the call is about, or NULL. */
static const cJSON *
call_field(const struct call *c)
{
	const struct tool *t = tool_find(c->tool);
	const cJSON *field, *found = NULL;

	if (t == NULL || t->subject == NULL)
		return NULL;
	cJSON_ArrayForEach(field, c->input) {
		if (field->string == NULL ||
		    !tool_listed(t->subject, field->string))
			continue;
		if (found != NULL)
			return NULL;	/* two subjects: nobody knows which */
		found = field;
	}
	return found;
}

/* A program and its words. */
static bool
is_vector(const cJSON *v)
{
	const cJSON *word;

	if (!cJSON_IsArray(v) || v->child == NULL)
		return false;
	cJSON_ArrayForEach(word, v)
		if (!cJSON_IsString(word))
			return false;
	return true;
}

bool
call_words(const struct call *c, struct str *ret)
{
	const cJSON *v = call_field(c), *word;

	if (call_kind(c) != CALL_SHELL || !is_vector(v))
		return false;
	cJSON_ArrayForEach(word, v) {
		const char *p = word->valuestring;

		str_add(ret, word == v->child ? "'" : " '");
		for (; *p != '\0'; p++)
			if (*p == '\'')
				str_add(ret, "'\\''");
			else
				str_addc(ret, *p);
		str_addc(ret, '\'');
	}
	return true;
}

const char *
call_subject(const struct call *c)
{
	const struct tool *t = tool_find(c->tool);
	const cJSON *found = call_field(c);

	if (found == NULL)
		return NULL;
	if (cJSON_IsString(found))
		return found->valuestring;
	if (cJSON_IsArray(found) && t->kind == CALL_SHELL)
		return subject_of_vector(found);
	return NULL;
}

int
call_from_hook(const cJSON *obj, struct call *ret, struct err *e)
{
	struct call c = { 0 };
	const char *text;

	if (!cJSON_IsObject(obj))
		return err_set(e, ERR_FORMAT, "the hook's input is no object");
	c.tool = json_str(obj, "tool_name");
	c.input = json_get(obj, "tool_input");
	c.cwd = json_str(obj, "cwd");
	if (c.tool == NULL || c.tool[0] == '\0')
		return err_set(e, ERR_FORMAT, "tool_name is missing");
	if (!cJSON_IsObject(c.input))
		return err_set(e, ERR_FORMAT, "tool_input is no object");
	if (c.cwd == NULL || c.cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "cwd is no absolute path");
	c.session = json_str(obj, "session_id");
	c.agent_id = json_str(obj, "agent_id");
	text = call_subject(&c);
	if (call_kind(&c) == CALL_SHELL && text == NULL &&
	    !is_vector(call_field(&c)))
		return err_set(e, ERR_FORMAT, "the command is no text");
	*ret = c;
	return 0;
}

static size_t
content_bytes(const struct call *c)
{
	static const char *const names[] = {
		"content", "contents", "file_text", "new_string", "new_source"
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *text = json_str(c->input, names[i]);

		if (text != NULL)
			return strlen(text);
	}
	return 0;
}

void
call_summary(const struct call *c, struct str *ret)
{
	const char *about = call_subject(c);
	auto_str struct str words = { 0 };
	struct str s;
	size_t len;

	str_init(&s, 4 * SUMMARY_MAX);
	str_init(&words, SUMMARY_MAX + 4);
	if (about == NULL && call_words(c, &words))
		about = words.s;
	switch (call_kind(c)) {
	case CALL_SHELL:
		str_addn(&s, about != NULL ? about : c->tool,
		    strnlen(about != NULL ? about : c->tool, SUMMARY_MAX + 4));
		break;
	case CALL_WRITE:
	case CALL_EDIT:
	case CALL_NOTEBOOK:
		str_addf(&s, "%.80s %.300s (%zu bytes)", c->tool,
		    about != NULL ? about : "?", content_bytes(c));
		break;
	case CALL_UNKNOWN:
	case CALL_READ:
	case CALL_LIST:
	case CALL_SEARCH:
	case CALL_FETCH:
	case CALL_WEBSEARCH:
	case CALL_DELEGATE:
	case CALL_HARMLESS:
	case CALL_MCP:
	default:
		str_addf(&s, "%.80s%s%.300s", c->tool,
		    about != NULL ? " " : "", about != NULL ? about : "");
	}
	len = s.len;
	if (len > SUMMARY_MAX) {
		len = SUMMARY_MAX;
		while (len > 0 && ((unsigned char)s.s[len] & 0xc0) == 0x80)
			len--;
	}
	str_addn(ret, s.s, len);
	str_clear(&s);
}

static void
key_add(struct digest_state *st, const char *name, const char *bytes,
    size_t len)
{
	char num[24];
	int n = snprintf(num, sizeof(num), "%zu", len);

	digest_add(st, name, strlen(name) + 1);
	digest_add(st, num, (size_t)n + 1);
	digest_add(st, bytes, len);
}

static void
key_add_text(struct digest_state *st, const char *name, const char *text)
{
	key_add(st, name, text != NULL ? text : "",
	    text != NULL ? strlen(text) : 0);
}

static int
by_name(const void *a, const void *b)
{
	const cJSON *const *x = a, *const *y = b;

	return strcmp((*x)->string, (*y)->string);
}

static void
key_add_field(struct digest_state *st, const cJSON *field)
{
	struct str s;

	if (cJSON_IsString(field)) {
		key_add_text(st, field->string, field->valuestring);
		return;
	}
	str_init(&s, (size_t)64 << 20);
	json_print(field, &s);
	key_add(st, field->string, s.s, s.len);
	str_clear(&s);
}

void
call_key(const struct call *c, struct digest *ret)
{
	const struct tool *t = tool_find(c->tool);
	const char *want = t != NULL ? t->fields : NULL;
	struct digest_state st;
	size_t n = 0, max = (size_t)cJSON_GetArraySize(c->input);
	const cJSON **fields, *field;

	digest_begin(&st, "sandbox-call-v1");
	key_add_text(&st, "client", c->client);
	key_add_text(&st, "session", c->session);
	key_add_text(&st, "agent_id", c->agent_id);
	key_add_text(&st, "tool", c->tool);
	fields = xcalloc(max + 1, sizeof(*fields));
	cJSON_ArrayForEach(field, c->input)
		if (field->string != NULL &&
		    (want == NULL || tool_listed(want, field->string) ||
		    (t->kind == CALL_SHELL && !tool_calm(field->string))))
			fields[n++] = field;
	qsort(fields, n, sizeof(*fields), by_name);
	for (size_t i = 0; i < n; i++)
		key_add_field(&st, fields[i]);
	free(fields);
	digest_end(&st, ret);
}
