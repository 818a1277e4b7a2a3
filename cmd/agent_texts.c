#include "cmd/agent_texts.h"

#include <string.h>

#include "common/mem.h"
#include "templates/templates.h"

#include "common/banned.h"

#define COMMAND_MAX	(32 * 1024)

static void
add_command(cJSON *entry, const char *key, const struct agent *a,
    const struct registration *r, const struct registration_place *place)
{
	auto_str struct str command = { 0 };

	str_init(&command, COMMAND_MAX);
	agent_command(a, r, place, &command);
	json_add_str(entry, key, command.s);
}

cJSON *
agent_claude_group(const struct agent *a, const struct registration *r,
    const struct registration_place *place)
{
	cJSON *group, *entry;

	if (place->libexec != NULL)
		return registration_group(r, place);
	group = agent_nested_group(a, r, place);
	entry = cJSON_GetArrayItem(json_get(group, "hooks"), 0);
	if (r->block)
		json_add_str(entry, "onFailure", "block");
	return group;
}

cJSON *
agent_nested_group(const struct agent *a, const struct registration *r,
    const struct registration_place *place)
{
	cJSON *group = json_object(), *list = json_array();
	cJSON *entry = json_object();

	if (r->matcher != NULL)
		json_add_str(group, "matcher", r->matcher);
	json_add_str(entry, "type", "command");
	add_command(entry, "command", a, r, place);
	json_add_int(entry, "timeout", (int64_t)r->timeout_s * a->per_second);
	if (r->status != NULL)
		json_add_str(entry, "statusMessage", r->status);
	json_push(list, entry);
	json_add(group, "hooks", list);
	return group;
}

cJSON *
agent_flat_group(const struct agent *a, const struct registration *r,
    const struct registration_place *place)
{
	cJSON *entry = json_object();

	add_command(entry, "command", a, r, place);
	json_add_int(entry, "timeout", (int64_t)r->timeout_s * a->per_second);
	if (r->block)
		json_add_bool(entry, "failClosed", true);
	return entry;
}

cJSON *
agent_shown_group(const struct agent *a, const struct registration *r,
    const struct registration_place *place)
{
	cJSON *entry = json_object();

	add_command(entry, "command", a, r, place);
	json_add_bool(entry, "show_output", r->block);
	return entry;
}

cJSON *
agent_bash_group(const struct agent *a, const struct registration *r,
    const struct registration_place *place)
{
	cJSON *entry = json_object();

	json_add_str(entry, "type", "command");
	add_command(entry, "bash", a, r, place);
	json_add_int(entry, "timeoutSec", r->timeout_s);
	return entry;
}

void
agent_script_text(const struct agent *a, const struct registration *r,
    const struct registration_place *place, struct str *ret)
{
	str_addf(ret, "#!/bin/sh\n# Written by `sandbox init --%s`; `sandbox "
	    "uninstall` takes it out again.\n", a->name);
	agent_line(a, r, place, ret);
	str_addf(ret, " ||\n\techo '{\"cancel\":%s,\"errorMessage\":"
	    "\"sandbox: the hook did not end well, nothing was executed\"}'\n",
	    r->block ? "true" : "false");
}

/* In the template @WORDS@ is the command line, as a list of strings. */
void
agent_plugin_text(const struct agent *a, const struct registration *r,
    const struct registration_place *place, struct str *ret)
{
	static const char mark[] = "@WORDS@";
	const char *at = strstr(template_opencode_js, mark);
	auto_free char *program = xasprintf("%s/%s", place->libexec,
	    r->program);
	const char *const words[] = { program, "--client", a->name,
	    "--event", r->event, "--root", place->root, "--state",
	    place->state };

	if (at == NULL)
		BUG("a template without its mark");
	str_addn(ret, template_opencode_js,
	    (size_t)(at - template_opencode_js));
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		str_add(ret, i == 0 ? "\n  " : ",\n  ");
		json_quote(words[i], strlen(words[i]), ret);
	}
	str_add(ret, at + strlen(mark));
}
