/* policy/input.c - what the fields of a tool's call say. */
#include <string.h>

#include "common/mem.h"
#include "policy/field.h"
#include "policy/glob.h"
#include "policy/hosts.h"
#include "policy/input.h"
#include "policy/line.h"
#include "policy/paths.h"
#include "policy/shell/shell.h"
#include "policy/tools.h"
#include "policy/value.h"
#include "common/banned.h"

static void
add_as_written(struct facts *f, enum path_use use, const char *path)
{
	const struct cwds cwds = { { f->call->cwd }, 1, false };
	const struct site site = { &cwds, NULL, { 0, 0 } };

	paths_add(f, use, path, &site);
}

/* As it is written, and as the client may take it: the worse one counts. */
static void
add_file(struct facts *f, enum path_use use, const char *path)
{
	const struct span all = { 0, 0 };
	struct field_path p;

	if (path == NULL) {
		facts_unknown(f, NULL, all, "it names no single path");
		return;
	}
	if (!value_constant(path) || field_path_read(f, path, &p) == -1) {
		facts_unknown(f, NULL, all,
		    "the path holds control characters");
		return;
	}
	add_as_written(f, use, path);
	if (p.other != NULL)
		add_as_written(f, use, p.other);
	if (p.odd)
		facts_unknown(f, NULL, all, "a client may take the path for "
		    "another place");
}

static void
add_fetch(struct facts *f, const char *url)
{
	const struct span all = { 0, 0 };

	if (url == NULL || !host_of_url(url, f->host))
		facts_effect(f, EFFECT_NET, "an address that cannot be read",
		    NULL, all);
	else if (!host_allowed(f->policy, f->host))
		facts_effect(f, EFFECT_NET, f->host, NULL, all);
	else if (!host_port_usual(url))
		facts_effect(f, EFFECT_NET, url, NULL, all);
}

/* The tools of `sandbox mcp`: they judge for themselves. */
static bool
is_our_own(const char *tool)
{
	static const char *const own[] = { "run_privileged",
		"request_path_access", "fetch_url", "check_request",
		"sandbox_status" };

	if (!str_starts(tool, "mcp__sandbox__"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (str_eq(tool + strlen("mcp__sandbox__"), own[i]))
			return true;
	return false;
}

static void
add_unknown_tool(struct facts *f)
{
	struct fact new = {
		.effect = { .kind = EFFECT_UNKNOWN, .target = "" },
		.trigger = TRIGGER_UNKNOWN_TOOL, .tier = TIER_MEDIUM,
		.why = "nothing is known about what this tool does"
	};

	facts_add(f, &new);
}

static const char *const dir_names[] = { "path", "dir_path", "directory" };

/* The call's directories; false: none is named. */
static bool
add_dirs(struct facts *f, enum path_use use, const char **ret_last)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(dir_names); i++) {
		const cJSON *j = json_get(f->call->input, dir_names[i]);

		if (j == NULL || cJSON_IsNull(j))
			continue;
		any = true;
		if (cJSON_IsString(j))
			*ret_last = j->valuestring;
		add_file(f, use, cJSON_GetStringValue(j));
	}
	return any;
}

static void
add_list(struct facts *f)
{
	/* A pattern may name the place as well: Glob "../x**.c". */
	static const char *const patterns[] = { "pattern", "glob" };
	const char *dir, *text;

	add_dirs(f, PATH_LIST, &dir);
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
		if ((text = json_str(f->call->input, patterns[i])) != NULL &&
		    strchr(text, '/') != NULL)
			add_file(f, PATH_LIST, text);
}

/* It shows lines of everything below, as grep -r does. */
static void
add_search(struct facts *f)
{
	static const char *const globs[] = { "glob", "include",
		"include_pattern", "file_pattern" };
	const struct span all = { 0, 0 };
	const char *text, *dir = ".";
	const cJSON *field;

	if (!add_dirs(f, PATH_TREE, &dir))
		add_file(f, PATH_TREE, dir);
	for (size_t i = 0; i < ARRAY_LEN(globs); i++)
		if ((text = json_str(f->call->input, globs[i])) == NULL)
			continue;
		else if (glob_closed(f->policy, dir, text))
			facts_effect(f, EFFECT_CONNECTOR, text, NULL, all);
		else if (glob_secret(f->policy, dir, text))
			facts_effect(f, EFFECT_SECRET, text, NULL, all);
	cJSON_ArrayForEach(field, f->call->input)
		if (cJSON_IsArray(field) || cJSON_IsObject(field))
			facts_unknown(f, NULL, all, "it names files in a way "
			    "that is not known");
}

/*
 * Some shells are told where to run; the event's directory is then not it.
 * *told is where so far: of two fields, nobody knows which one counts.
 */
static void
add_place(struct facts *f, const cJSON *field, const cJSON **told)
{
	const char *dir = cJSON_GetStringValue(field);
	struct field_path p = { 0 };

	if (*told != NULL && cJSON_Compare(*told, field, true))
		return;
	if (*told != NULL)
		facts_unknown(f, NULL, (struct span){ 0, 0 },
		    "it names two places to run in");
	*told = field;
	if (dir != NULL && value_constant(dir) &&
	    field_path_read(f, dir, &p) == 0 && p.other == NULL && !p.odd) {
		add_as_written(f, PATH_LIST, dir);
		dir = paths_join(f->arena, f->own.cwd, dir);
	} else {
		if (p.other != NULL)
			add_as_written(f, PATH_LIST, p.other);
		dir = NULL;
	}
	if (dir == NULL || !value_constant(dir))
		facts_unknown(f, NULL, (struct span){ 0, 0 },
		    "it runs in a place that is not known");
	else
		f->own.cwd = dir;
}

/* A number or a switch names nothing; an empty text or list neither. */
static bool
says_nothing(const cJSON *field)
{
	return cJSON_IsString(field) ? field->valuestring[0] == '\0' :
	    cJSON_IsArray(field) || cJSON_IsObject(field) ?
	    cJSON_GetArraySize(field) == 0 : true;
}

/* An environment, another shell, input: whatever is not known to be none. */
static void
add_shell_fields(struct facts *f)
{
	const struct tool *t = tool_find(f->call->tool);
	const struct span all = { 0, 0 };
	const cJSON *field, *told = NULL;

	cJSON_ArrayForEach(field, f->call->input) {
		const char *name = field->string;

		if (cJSON_IsNull(field) || tool_listed(t->subject, name))
			continue;
		if (tool_listed(TOOL_SHELL_DIRS, name))
			add_place(f, field, &told);
		else if (!says_nothing(field) && !tool_calm(name) &&
		    !(str_eq(name, "shell") && cJSON_IsString(field) &&
		    tool_is_shell(field->valuestring)))
			facts_unknown(f, NULL, all, "a field of the call may "
			    "change what runs");
	}
}

static void
add_shell(struct facts *f, const char *line)
{
	auto_str struct str words = { 0 };

	str_init(&words, SHELL_MAX);
	add_shell_fields(f);
	if (line == NULL && call_words(f->call, &words))
		line = words.full ? NULL :
		    arena_text(f->arena, words.s, words.len);
	if (line == NULL)
		facts_unknown(f, NULL, (struct span){ 0, 0 },
		    "it names no single command line");
	else
		line_add(f, line);
}

void
input_add(struct facts *f)
{
	const char *about = call_subject(f->call);

	switch (call_kind(f->call)) {
	case CALL_SHELL:
		add_shell(f, about);
		break;
	case CALL_WRITE:
	case CALL_EDIT:
	case CALL_NOTEBOOK:
		/* Asked for by name, as a command that writes there is. */
		add_file(f, str_eq(f->call->tool, "path_write") ?
		    PATH_WRITE : PATH_TOOL, about);
		break;
	case CALL_READ:
		add_file(f, PATH_READ, about);
		break;
	case CALL_LIST:
		add_list(f);
		break;
	case CALL_SEARCH:
		add_search(f);
		break;
	case CALL_FETCH:
		add_fetch(f, about);
		break;
	case CALL_WEBSEARCH:
		facts_effect(f, EFFECT_NET, "a web search", NULL,
		    (struct span){ 0, 0 });
		break;
	case CALL_DELEGATE:
	case CALL_HARMLESS:
		break;
	case CALL_MCP:
		if (!is_our_own(f->call->tool))
			add_unknown_tool(f);
		break;
	case CALL_UNKNOWN:
	default:
		add_unknown_tool(f);
	}
}
