#include "hooks/dialect/parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

const char *
dialect_text(const cJSON *o, const char *name)
{
	const char *s = json_str(o, name);

	return s == NULL ? "" : s;
}

int
dialect_begin(const struct dialect *d, const char *event, const cJSON *o,
    struct hook_input *ret, struct err *e)
{
	enum hook_kind kind = dialect_kind(d, event);

	*ret = (struct hook_input){ .event = event, .kind = kind,
	    .tool_use_id = "", .reason = "", .source = "", .path = "" };
	if (kind == HOOK_NONE)
		return err_set(e, ERR_USAGE, "no event of that name");
	if (!cJSON_IsObject(o))
		return err_set(e, ERR_FORMAT, "the input is not an object");
	ret->call.client = d->name;
	return 0;
}

static const struct json_field common_fields[] = {
	{ "session_id", JSON_STRING, true, 256 },
	{ "hook_event_name", JSON_STRING, true, 64 },
	{ "cwd", JSON_STRING, true, 4095 },
	{ "agent_id", JSON_STRING, false, 256 },
	{ "tool_use_id", JSON_STRING, false, 256 },
	{ "duration_ms", JSON_ANY, false, 0 },
	{ "source", JSON_STRING, false, 64 },
	{ "file_path", JSON_STRING, false, 4095 },
};

static const struct json_field tool_fields[] = {
	{ "tool_name", JSON_STRING, true, 256 },
	{ "tool_input", JSON_OBJECT, true, 0 },
};

static int64_t
duration(const cJSON *o)
{
	double d;

	return json_number(json_get(o, "duration_ms"), &d) && d > 0 &&
	    d < 1e12 ? (int64_t)d : 0;
}

int
dialect_common(const cJSON *o, struct hook_input *in, struct err *e)
{
	if (json_check(o, common_fields, ARRAY_LEN(common_fields), false,
	    e) == -1)
		return -1;
	if (!str_eq(json_str(o, "hook_event_name"), in->event))
		return err_set(e, ERR_FORMAT, "'hook_event_name' is not %s, "
		    "which is registered", in->event);
	in->call.session = json_str(o, "session_id");
	in->call.agent_id = json_str(o, "agent_id");
	in->call.cwd = json_str(o, "cwd");
	in->tool_use_id = dialect_text(o, "tool_use_id");
	in->duration_ms = duration(o);
	in->source = dialect_text(o, "source");
	in->path = dialect_text(o, "file_path");
	if (in->call.cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "'cwd' is not absolute");
	return 0;
}

int
dialect_named_tool(const struct dialect *d, const cJSON *o,
    struct hook_input *in, struct err *e)
{
	if (in->kind != HOOK_BEFORE && in->kind != HOOK_AFTER)
		return 0;
	if (json_check(o, tool_fields, ARRAY_LEN(tool_fields), false, e) == -1)
		return -1;
	return dialect_tool(d, json_str(o, "tool_name"),
	    json_get(o, "tool_input"), in, e);
}

/* A value that was made while reading. */
static cJSON *
keep(struct hook_input *in, cJSON *owned)
{
	if (in->made == NULL)
		in->made = json_array();
	json_push(in->made, owned);
	return owned;
}

static const char *
keep_text(struct hook_input *in, const char *text)
{
	cJSON *list = json_array();

	json_push_str(list, text);
	return keep(in, list)->child->valuestring;
}

const cJSON *
dialect_unpack(struct hook_input *in, const char *text, struct err *e)
{
	cJSON *v;

	if (json_parse(text, strlen(text), JSON_DEPTH, &v, e) == -1)
		return NULL;
	keep(in, v);
	if (!cJSON_IsObject(v)) {
		err_set(e, ERR_FORMAT, "not an object");
		return NULL;
	}
	return v;
}

const char *
dialect_mcp_name(struct hook_input *in, const char *server, const char *tool)
{
	auto_free char *name = xasprintf("mcp__%s__%s", server, tool);

	return keep_text(in, name);
}

/* --- translation --------------------------------------------------------- */

/* What a field is called with us: NULL when the table does not know it. */
static char *
our_name(const char *fields, const char *theirs)
{
	size_t n = strlen(theirs);
	const char *p = fields;

	while (*p != '\0') {
		size_t word = strcspn(p, " ");

		if (strncmp(p, theirs, n) == 0 && p[n] == '=')
			return xstrndup(p + n + 1, word - n - 1);
		if (word == n && strncmp(p, theirs, n) == 0)
			return xstrdup(theirs);
		p += word + strspn(p + word, " ");
	}
	return NULL;
}

static bool
has_subject(const struct dialect_tool *t, const cJSON *input)
{
	auto_free char *first = xstrndup(t->fields, strcspn(t->fields, "= "));

	return json_get(input, first) != NULL;
}

/* -1: the directory cannot be understood, whatever else is in there. */
static int
take_directory(struct hook_input *in, const cJSON *value, struct err *e)
{
	auto_free char *path = NULL, *real = NULL;

	if (!cJSON_IsString(value))
		return err_set(e, ERR_FORMAT, "'%.40s' is not a text",
		    value->string);
	if (value->valuestring[0] == '\0')
		return 0;
	path = value->valuestring[0] == '/' ? xstrdup(value->valuestring) :
	    xasprintf("%s/%s", in->call.cwd, value->valuestring);
	real = realpath(path, NULL);
	if (real == NULL)
		return err_sys(e, "the directory '%s'", path);
	in->call.cwd = keep_text(in, real);
	return 0;
}

/* 1: translated; 0: not a call of ours, but for its directory; -1: refused. */
static int
translate(const struct dialect_tool *t, const cJSON *input, cJSON *ret,
    struct hook_input *in, struct err *e)
{
	const cJSON *field;
	int known = 1, directories = 0;

	cJSON_ArrayForEach(field, input) {
		auto_free char *name = our_name(t->fields, field->string);

		if (cJSON_IsNull(field))
			continue;
		if (name == NULL) {
			known = 0;
		} else if (strcmp(name, "@cwd") == 0) {
			if (directories++ > 0)
				return err_set(e, ERR_FORMAT, "the call names "
				    "two directories");
			if (take_directory(in, field, e) == -1)
				return -1;
		} else if (*name != '\0') {
			if (json_get(ret, name) != NULL)
				known = 0;
			json_add(ret, name, cJSON_Duplicate(field, true));
		}
	}
	return known;
}

int
dialect_tool(const struct dialect *d, const char *tool, const cJSON *input,
    struct hook_input *in, struct err *e)
{
	const struct dialect_tool *t = d->tools;

	if (tool[0] == '\0')
		return err_set(e, ERR_FORMAT, "the tool has no name");
	in->call.tool = tool;
	in->call.input = input;
	in->reason = dialect_text(input, "description");
	for (; t != NULL && t->theirs != NULL; t++) {
		cJSON *ours;
		int rc;

		if (strcmp(t->theirs, tool) != 0 || !has_subject(t, input))
			continue;
		ours = keep(in, json_object());
		rc = translate(t, input, ours, in, e);
		if (rc == 1) {
			in->call.tool = t->ours;
			in->call.input = ours;
		}
		return rc == -1 ? -1 : 0;
	}
	return 0;
}
