#include "cmd/settings_mcp.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/settings.h"
#include "cmd/toml.h"
#include "cmd/toml_block.h"
#include "common/json.h"
#include "common/json_splice.h"
#include "common/mem.h"

#include "common/banned.h"

#define NAME	"sandbox"
#define BEGIN	"# sandbox init --mcp: begin\n"
#define END	"# sandbox init --mcp: end\n"
#define WORDS	6

/* --- the command line ---------------------------------------------------- */

/* The program that init itself is. */
static char *
front(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);

	return n <= 0 ? xstrdup(NAME) : xstrndup(path, (size_t)n);
}

/* <base>/sandbox/<key> without its last two parts. */
static char *
base_of(const char *state)
{
	char *base = xstrdup(state);

	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(base, '/');

		if (slash != NULL)
			*slash = '\0';
	}
	return base;
}

static cJSON *
words(const struct registration_place *place, bool with_program)
{
	auto_free char *program = front();
	auto_free char *base = base_of(place->state);
	const char *const all[WORDS] = { program, "mcp", "-C", place->root,
	    "--state", base };
	cJSON *list = json_array();

	for (size_t i = with_program ? 0 : 1; i < WORDS; i++)
		json_push_str(list, all[i]);
	return list;
}

cJSON *
mcp_entry(const struct registration_place *place)
{
	auto_free char *program = front();
	cJSON *o = json_object();

	json_add_str(o, "command", program);
	json_add(o, "args", words(place, false));
	return o;
}

static cJSON *
with(const char *key, const char *value,
    const struct registration_place *place)
{
	auto_free char *program = front();
	cJSON *o = json_object();

	json_add_str(o, key, value);
	json_add_str(o, "command", program);
	json_add(o, "args", words(place, false));
	return o;
}

cJSON *
mcp_entry_typed(const struct registration_place *place)
{
	return with("type", "stdio", place);
}

cJSON *
mcp_entry_custom(const struct registration_place *place)
{
	return with("source", "custom", place);
}

cJSON *
mcp_entry_local(const struct registration_place *place)
{
	cJSON *o = json_object();

	json_add_str(o, "type", "local");
	json_add(o, "command", words(place, true));
	json_add_bool(o, "enabled", true);
	return o;
}

/* --- JSON ---------------------------------------------------------------- */

/* Does it start a program named sandbox as an MCP server? */
static bool
is_ours(const cJSON *entry)
{
	const cJSON *command = json_get(entry, "command");
	const cJSON *args = json_get(entry, "args"), *first, *second;

	if (cJSON_IsArray(command)) {
		first = cJSON_GetArrayItem(command, 0);
		second = cJSON_GetArrayItem(command, 1);
	} else {
		first = command;
		second = cJSON_GetArrayItem(args, 0);
	}
	return cJSON_IsString(first) && cJSON_IsString(second) &&
	    (str_eq(first->valuestring, NAME) ||
	    str_ends(first->valuestring, "/" NAME)) &&
	    str_eq(second->valuestring, "mcp");
}

static int
parse(const struct agent *a, const struct str *text, cJSON **ret,
    struct err *e)
{
	const cJSON *servers;

	if (settings_parse(a, text, ret, e) == -1)
		return -1;
	servers = json_get(*ret, a->mcp_key);
	if (servers == NULL || cJSON_IsObject(servers))
		return 0;
	json_free(*ret);
	*ret = NULL;
	return err_set(e, ERR_FORMAT, "'%s' in it is not an object",
	    a->mcp_key);
}

/* `all`: the last one takes its container along, which we may have made. */
static int
json_remove(const struct agent *a, struct str *text, bool all, struct err *e)
{
	auto_free char *list = xasprintf("/%s", a->mcp_key);
	auto_free char *one = xasprintf("%s/" NAME, list);
	auto_json cJSON *v = NULL;
	const cJSON *servers;

	if (text->len == 0)
		return 0;
	if (parse(a, text, &v, e) == -1)
		return -1;
	servers = json_get(v, a->mcp_key);
	if (!is_ours(json_get(servers, NAME)))
		return 0;
	return json_splice_remove(text, all &&
	    cJSON_GetArraySize(servers) == 1 ? list : one, e);
}

static int
json_append(const struct agent *a, const struct registration_place *place,
    struct str *text, struct err *e)
{
	auto_free char *list = xasprintf("/%s", a->mcp_key);
	auto_json cJSON *v = NULL, *entry = a->entry(place);
	auto_str struct str value = { 0 };
	bool lines = strchr(text->s, '\n') != NULL;

	str_init(&value, SETTINGS_MAX);
	json_print(entry, &value);
	if (parse(a, text, &v, e) == -1)
		return -1;
	if (json_get(json_get(v, a->mcp_key), NAME) != NULL)
		return err_set(e, ERR_FORMAT, "it has another server named '"
		    NAME "'");
	if (json_get(v, a->mcp_key) == NULL && json_splice_append(text, "",
	    a->mcp_key, lines ? "{\n  }" : "{}", e) == -1)
		return -1;
	return json_splice_append(text, list, NAME, value.s, e);
}

static int
json_present(const struct agent *a, const struct registration_place *place,
    const struct str *text, struct err *e)
{
	auto_json cJSON *v = NULL, *want = a->entry(place);

	if (parse(a, text, &v, e) == -1)
		return -1;
	return cJSON_Compare(json_get(json_get(v, a->mcp_key), NAME), want,
	    true) ? 0 : err_set(e, ERR_SETUP, "our MCP server is not there as "
	    "it should be");
}

/* --- TOML ---------------------------------------------------------------- */

/* JSON's strings and lists of them are TOML's too. */
static void
toml_text(const struct agent *a, const struct registration_place *place,
    struct str *ret)
{
	auto_json cJSON *args = words(place, false);
	auto_free char *program = front();

	str_addf(ret, BEGIN "[%s." NAME "]\ncommand = ", a->mcp_key);
	json_quote(program, strlen(program), ret);
	str_add(ret, "\nargs = ");
	json_print(args, ret);
	str_add(ret, "\ntool_timeout_sec = 3600\n" END);
}

struct seek {
	const char	*servers, *one;		/* paths */
	const char	*why;
};

/* Is our name, or the table it goes into, taken by something else? */
static void
seek(void *arg, const struct toml_event *ev)
{
	struct seek *s = arg;
	size_t n = strlen(s->one);

	if (strncmp(ev->path, s->one, n) == 0 &&
	    (ev->path[n] == '\0' || ev->path[n] == '/'))
		s->why = "it has another server named '" NAME "'";
	else if (strcmp(ev->path, s->servers) == 0 &&
	    (!ev->is_table || ev->is_list))
		s->why = "its servers are not in a table";
}

/* A table at the end belongs to the top, whatever stands before it. */
static int
toml_admit(const struct agent *a, const struct str *text, struct err *e)
{
	auto_free char *servers = xasprintf("/%s", a->mcp_key);
	auto_free char *one = xasprintf("%s/" NAME, servers);
	struct seek s = { .servers = servers, .one = one };

	if (toml_scan(text->s, text->len, seek, &s, e) == -1)
		return -1;
	return s.why == NULL ? 0 : err_set(e, ERR_FORMAT, "%s", s.why);
}

static int
toml_remove(const struct agent *a, struct str *text, struct err *e)
{
	auto_free char *table = xasprintf("/%s/" NAME, a->mcp_key);
	const struct toml_block ours = { BEGIN, END, table };

	return toml_block_remove(&ours, text, e);
}

static int
toml_append(const struct agent *a, const struct registration_place *place,
    struct str *text, struct err *e)
{
	auto_str struct str block = { 0 };

	str_init(&block, SETTINGS_MAX);
	toml_text(a, place, &block);
	if (toml_remove(a, text, e) == -1 || toml_admit(a, text, e) == -1)
		return -1;
	return toml_block_append(text, &block, e);
}

static int
toml_present(const struct agent *a, const struct registration_place *place,
    const struct str *text, struct err *e)
{
	auto_free char *table = xasprintf("/%s/" NAME, a->mcp_key);
	const struct toml_block ours = { BEGIN, END, table };
	auto_str struct str want = { 0 };
	size_t at, len;
	int there;

	str_init(&want, SETTINGS_MAX);
	toml_text(a, place, &want);
	there = toml_block_find(&ours, text, &at, &len, e);
	if (there == -1)
		return -1;
	return there == 1 && len == want.len &&
	    memcmp(text->s + at, want.s, len) == 0 ? 0 :
	    err_set(e, ERR_SETUP, "our MCP server is not there as it should "
	    "be");
}

/* --- both ---------------------------------------------------------------- */

int
settings_mcp_check(const struct agent *a,
    const struct registration_place *place, const struct str *text,
    struct err *e)
{
	return a->form == AGENT_TOML ? toml_present(a, place, text, e) :
	    json_present(a, place, text, e);
}

int
settings_mcp_remove(const struct agent *a, struct str *text, struct err *e)
{
	return a->form == AGENT_TOML ? toml_remove(a, text, e) :
	    json_remove(a, text, true, e);
}

int
settings_mcp_add(const struct agent *a, const struct registration_place *place,
    struct str *text, struct err *e)
{
	if (settings_mcp_check(a, place, text, NULL) == 0)
		return 0;
	if (a->form != AGENT_TOML && text->len == 0)
		str_add(text, "{\n}\n");
	if (a->form == AGENT_TOML)
		return toml_append(a, place, text, e);
	return json_remove(a, text, false, e) == -1 ? -1 :
	    json_append(a, place, text, e);
}

bool
settings_mcp_taken(const struct agent *a, const struct str *text)
{
	auto_str struct str rest = { 0 };
	auto_json cJSON *v = NULL;
	const cJSON *one;

	if (a->form != AGENT_TOML) {
		if (text->len == 0 || parse(a, text, &v, NULL) == -1)
			return false;
		one = json_get(json_get(v, a->mcp_key), NAME);
		return one != NULL && !is_ours(one);
	}
	str_init(&rest, text->max);
	str_addn(&rest, text->s, text->len);
	return toml_remove(a, &rest, NULL) == 0 && toml_scan(rest.s, rest.len,
	    NULL, NULL, NULL) == 0 && toml_admit(a, &rest, NULL) == -1;
}

void
settings_mcp_by_hand(const struct agent *a,
    const struct registration_place *place, struct str *ret)
{
	auto_json cJSON *v = NULL;
	cJSON *list;

	if (a->form == AGENT_TOML) {
		toml_text(a, place, ret);
		return;
	}
	v = json_object();
	list = json_object();
	json_add(list, NAME, a->entry(place));
	json_add(v, a->mcp_key, list);
	json_print(v, ret);
	str_addc(ret, '\n');
}
