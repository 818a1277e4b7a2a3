#include "cmd/door_mcp.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/door_repair.h"
#include "cmd/fire.h"
#include "cmd/install.h"
#include "cmd/settings.h"
#include "cmd/settings_mcp.h"
#include "common/mem.h"

#include "common/banned.h"

#define SECONDS	20
#define WORDS	16

static const char list_tools[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
    "\"name\":\"sandbox-doctor\",\"version\":\"1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n";

static void
say(const struct door_place *p, const struct agent *a, enum door_mark mark,
    const char *text, const char *repair)
{
	auto_free char *label = xasprintf("%s: MCP server", a->name);

	door_say(p, mark, label, text, repair);
}

static int
read_file(const struct door_place *p, const struct agent *a,
    struct target *ret, struct err *e)
{
	auto_free char *root = a->in_home ? agent_home(a, p->user_home) :
	    xstrdup(p->home->root_path);

	if (root == NULL)
		return err_set(e, ERR_SETUP, "there is no home");
	return target_read(root, a->file, SETTINGS_MAX, ret, e);
}

bool
door_mcp_connected(const struct door_place *p, const struct agent *a)
{
	auto_str struct str rest = { 0 };
	struct target t = { 0 };
	struct err e;
	bool found;

	if (a->mcp_key == NULL || read_file(p, a, &t, &e) == -1)
		return false;
	str_init(&rest, SETTINGS_MAX);
	str_addn(&rest, t.text.s, t.text.len);
	found = t.exists && settings_mcp_remove(a, &rest, &e) == 0 &&
	    rest.len != t.text.len;
	target_clear(&t);
	return found;
}

int
door_mcp_registered(const struct door_place *p, const struct agent *a,
    struct err *e)
{
	const struct registration_place place = { .libexec = p->libexec,
	    .root = p->home->root_path, .state = p->home->priv_path };
	struct target t = { 0 };
	int rc;

	if (read_file(p, a, &t, e) == -1)
		return -1;
	rc = settings_mcp_check(a, &place, &t.text, e);
	target_clear(&t);
	return rc;
}

/* The command line of the entry, which is ours to the byte. */
static cJSON *
command_line(const struct agent *a, const struct registration_place *place)
{
	cJSON *entry = a->entry(place), *line = json_array();
	const cJSON *list = json_get(entry, "command"), *w;

	if (cJSON_IsString(list)) {
		json_push_str(line, list->valuestring);
		list = json_get(entry, "args");
	}
	cJSON_ArrayForEach(w, list) {
		json_push_str(line, w->valuestring);
	}
	json_free(entry);
	return line;
}

/* The last line it said must be the list, with a tool that asks a human. */
static int
check_answer(const struct str *out, struct err *e)
{
	const char *line = strstr(out->s, "{\"jsonrpc\":\"2.0\",\"id\":2,");
	auto_json cJSON *v = NULL;
	const cJSON *tool;
	bool found = false;

	if (line == NULL || json_parse(line, strcspn(line, "\n"), JSON_DEPTH,
	    &v, e) == -1)
		return err_set(e, ERR_NEGATIVE, "it does not list its tools");
	cJSON_ArrayForEach(tool, json_get(json_get(v, "result"), "tools"))
		found = found || str_eq(json_str(tool, "name"),
		    "run_privileged");
	return found ? 0 : err_set(e, ERR_NEGATIVE, "it lists other tools");
}

static int
start_it(const struct agent *a, const struct registration_place *place,
    struct err *e)
{
	auto_json cJSON *line = command_line(a, place);
	char *argv[WORDS + 1] = { NULL };
	struct fired f;
	const cJSON *w;
	size_t n = 0;
	int rc;

	cJSON_ArrayForEach(w, line)
		if (n < WORDS)
			argv[n++] = w->valuestring;
	if (fire(argv[0], argv, list_tools, SECONDS, &f, e) == -1)
		return -1;
	rc = f.exit != 0 ? err_set(e, ERR_NEGATIVE, "it ended with %d",
	    f.exit) : check_answer(&f.out, e);
	str_clear(&f.out);
	return rc;
}

/* Hooks let the tools of our server pass, by its name. */
static void
check_taken(const struct door_place *p, const struct agent *a)
{
	struct target t = { 0 };
	struct err e = { 0 };

	if (read_file(p, a, &t, &e) == -1)
		return;
	if (settings_mcp_taken(a, &t.text)) {
		auto_str struct str look = { 0 };
		auto_free char *text = xasprintf("%s: a server that is not "
		    "ours is called 'sandbox', and a model takes its word for "
		    "a human's", t.path);

		str_init(&look, 16 * 1024);
		str_add(&look, "${EDITOR:-vi} ");
		agent_shell_word(t.path, &look);
		str_add(&look, "   # take it out, or call it otherwise");
		say(p, a, DOOR_FAIL, text, look.s);
	}
	target_clear(&t);
}

void
door_mcp_check(const struct door_place *p, const struct agent *a)
{
	const struct registration_place place = { .libexec = p->libexec,
	    .root = p->home->root_path, .state = p->home->priv_path };
	auto_free char *init = NULL, *install = NULL;
	struct err e = { 0 };

	check_taken(p, a);
	if (!door_mcp_connected(p, a))
		return;
	init = repair_registration(p, a);
	install = repair_install(p, NULL);
	if (door_mcp_registered(p, a, &e) == -1)
		say(p, a, DOOR_FAIL, e.text, init);
	else if (start_it(a, &place, &e) == -1)
		say(p, a, DOOR_FAIL, e.text, install);
	else
		say(p, a, DOOR_OK, "as configured, it lists its tools", NULL);
}
