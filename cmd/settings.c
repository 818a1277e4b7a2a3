#include "cmd/settings.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/settings_mcp.h"
#include "common/json.h"
#include "common/json_splice.h"
#include "common/mem.h"

#include "common/banned.h"

static bool
is_file(const struct agent *a)
{
	return a->form == AGENT_FILE || a->form == AGENT_FILES;
}

int
settings_parse(const struct agent *a, const struct str *text, cJSON **ret,
    struct err *e)
{
	int rc = a->form == AGENT_JSONC ?
	    json_parse_commented(text->s, text->len, JSON_DEPTH, ret, e) :
	    json_parse(text->s, text->len, JSON_DEPTH, ret, e);

	if (rc == -1)
		return -1;
	if (cJSON_IsObject(*ret))
		return 0;
	json_free(*ret);
	*ret = NULL;
	return err_set(e, ERR_FORMAT, "not an object");
}

/* --- taking out ---------------------------------------------------------- */

typedef char *find_fn(const struct agent *, const cJSON *);

/* The pointer of the first group of ours that must go, or NULL. */
static char *
find_ours(const struct agent *a, const cJSON *v)
{
	const cJSON *event, *group;

	cJSON_ArrayForEach(event, json_get(v, "hooks")) {
		int i = 0;

		cJSON_ArrayForEach(group, event) {
			/* No event name of a client needs escaping. */
			if (agent_group_ours(a, group) &&
			    strpbrk(event->string, "~/") == NULL)
				return xasprintf("/hooks/%s/%d",
				    event->string, i);
			i++;
		}
	}
	return NULL;
}

/* An event list that is empty now and that we may have made. */
static char *
find_empty(const struct agent *a, const cJSON *v)
{
	const cJSON *hooks = json_get(v, "hooks");

	for (const struct registration *r = a->events; r->event != NULL; r++) {
		const cJSON *list = json_get(hooks, r->event);

		if (cJSON_IsArray(list) && cJSON_GetArraySize(list) == 0)
			return xasprintf("/hooks/%s", r->event);
	}
	if (cJSON_IsObject(hooks) && cJSON_GetArraySize(hooks) == 0)
		return xstrdup("/hooks");
	return NULL;
}

static bool
has_key(const struct agent *a, const cJSON *v)
{
	auto_json cJSON *want = NULL;

	return json_parse(a->value, strlen(a->value), 1, &want, NULL) == 0 &&
	    cJSON_Compare(json_get(v, a->key), want, true);
}

/* Our own; a person's would say what holds anyway. */
static char *
find_key(const struct agent *a, const cJSON *v)
{
	return a->key_goes && has_key(a, v) ? xasprintf("/%s", a->key) : NULL;
}

static int
remove_all(const struct agent *a, struct str *text, find_fn *find,
    struct err *e)
{
	for (;;) {
		auto_json cJSON *v = NULL;
		auto_free char *pointer = NULL;

		if (settings_parse(a, text, &v, e) == -1)
			return -1;
		pointer = find(a, v);
		if (pointer == NULL)
			return 0;
		if (json_splice_remove(text, pointer, e) == -1)
			return -1;
	}
}

static int
remove_row(const struct agent *a, struct str *text, struct err *e)
{
	auto_json cJSON *v = NULL;
	auto_free char *ours = NULL;

	if (a->mcp_key != NULL)
		return settings_mcp_remove(a, text, e);
	if (is_file(a)) {
		if (agent_file_ours(a, text->s))
			str_reset(text);
		return 0;
	}
	if (text->len == 0)
		return 0;
	if (settings_parse(a, text, &v, e) == -1)
		return -1;
	ours = find_ours(a, v);
	if (ours == NULL)
		return 0;
	if (remove_all(a, text, find_ours, e) == -1 ||
	    remove_all(a, text, find_key, e) == -1)
		return -1;
	return remove_all(a, text, find_empty, e);
}

/* Hooks and an MCP server may stand in one file: two rows. */
int
settings_remove(const struct agent *a, struct str *text, struct err *e)
{
	for (const struct agent *b = agents; b->name != NULL; b++)
		if (b != a && str_eq(b->file, a->file) &&
		    b->in_home == a->in_home && remove_row(b, text, e) == -1)
			return -1;
	return remove_row(a, text, e);
}

bool
settings_empty(const struct str *text)
{
	const char *p = text->s;

	for (const char *want = "{}"; *p != '\0'; p++)
		if (*p == *want)
			want++;
		else if (strchr(" \t\r\n", *p) == NULL)
			return false;
	return strlen(text->s) == text->len;
}

/* --- putting in ---------------------------------------------------------- */

/* Make sure the container is there, laid out as the file is. */
static int
ensure(const struct agent *a, struct str *text, const char *parent,
    const char *key, const char *value, struct err *e)
{
	auto_json cJSON *v = NULL;
	const cJSON *at;

	if (settings_parse(a, text, &v, e) == -1)
		return -1;
	at = *parent == '\0' ? v : json_get(v, "hooks");
	if (json_get(at, key) != NULL)
		return 0;
	return json_splice_append(text, parent, key, value, e);
}

static int
add_one(const struct agent *a, const struct registration *r,
    const struct registration_place *place, struct str *text, struct err *e)
{
	bool lines = strchr(text->s, '\n') != NULL;
	auto_free char *list = xasprintf("/hooks/%s", r->event);
	auto_json cJSON *group = a->group(a, r, place);
	struct str value;
	int rc = -1;

	str_init(&value, SETTINGS_MAX);
	json_print(group, &value);
	if (ensure(a, text, "", "hooks", lines ? "{\n  }" : "{}", e) == 0 &&
	    ensure(a, text, "/hooks", r->event, lines ? "[\n    ]" : "[]",
	    e) == 0)
		rc = json_splice_append(text, list, NULL, value.s, e);
	str_clear(&value);
	return rc;
}

static int
add_file(const struct agent *a, const struct registration *only,
    const struct registration_place *place, struct str *text, struct err *e)
{
	if (text->len > 0 && !agent_file_ours(a, text->s))
		return err_set(e, ERR_FORMAT, "it is a file of yours");
	str_reset(text);
	a->text(a, only, place, text);
	return 0;
}

int
settings_add(const struct agent *a, const struct registration *only,
    const struct registration_place *place, struct str *text, struct err *e)
{
	if (a->mcp_key != NULL)
		return settings_mcp_add(a, place, text, e);
	if (is_file(a))
		return add_file(a, only, place, text, e);
	if (text->len == 0)
		str_add(text, "{\n}\n");
	if (settings_check(a, only, place, text, false, e) == -1)
		return -1;
	if (settings_check(a, only, place, text, true, NULL) == 0)
		return 0;
	if (remove_all(a, text, find_ours, e) == -1 || (a->key != NULL &&
	    ensure(a, text, "", a->key, a->value, e) == -1))
		return -1;
	for (const struct registration *r = a->events; r->event != NULL; r++)
		if (add_one(a, r, place, text, e) == -1)
			return -1;
	return settings_check(a, only, place, text, true, e);
}

void
settings_by_hand(const struct agent *a, const struct registration_place *place,
    struct str *ret)
{
	auto_json cJSON *v = json_object();
	cJSON *hooks;

	if (a->mcp_key != NULL) {
		settings_mcp_by_hand(a, place, ret);
		return;
	}
	if (is_file(a)) {
		a->text(a, a->events, place, ret);
		return;
	}
	hooks = json_object();
	if (a->key != NULL)
		cJSON_AddRawToObject(v, a->key, a->value);
	for (const struct registration *r = a->events; r->event != NULL; r++) {
		cJSON *list = json_array();

		json_push(list, a->group(a, r, place));
		json_add(hooks, r->event, list);
	}
	json_add(v, "hooks", hooks);
	json_print(v, ret);
	str_addc(ret, '\n');
}

/* --- looking ------------------------------------------------------------- */

/* Each of our events has our group once, and no other of ours. */
static int
check_present(const struct agent *a, const struct registration_place *place,
    const cJSON *hooks, struct err *e)
{
	for (const struct registration *r = a->events; r->event != NULL; r++) {
		auto_json cJSON *want = a->group(a, r, place);
		const cJSON *group;
		int n = 0, ours = 0;

		cJSON_ArrayForEach(group, json_get(hooks, r->event)) {
			n += cJSON_Compare(group, want, true);
			ours += agent_group_ours(a, group);
		}
		if (n != 1 || ours != 1)
			return err_set(e, ERR_SETUP, "our hook for %s is not "
			    "registered as it should be", r->event);
	}
	return 0;
}

/* Beside `off` a client may have a list of single hooks it leaves out. */
static bool
is_left_out(const struct agent *a, const cJSON *v)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json_get(json_get(v, a->off_in), "disabled"))
		if (cJSON_IsString(item) &&
		    agent_command_ours(a, item->valuestring))
			return true;
	return false;
}

/* A member that is there and says something else than what is needed. */
static int
check_members(const struct agent *a, const cJSON *v, bool need, struct err *e)
{
	const cJSON *hooks = json_get(v, "hooks"), *list;

	if (a->key != NULL && (need || json_get(v, a->key) != NULL) &&
	    !has_key(a, v))
		return err_set(e, ERR_FORMAT, "'%s' is not %s", a->key,
		    a->value);
	if (a->off != NULL &&
	    cJSON_IsFalse(json_get(json_get(v, a->off_in), a->off)))
		return err_set(e, ERR_PERMITTED, "'%s.%s' switches our hooks "
		    "off", a->off_in, a->off);
	if (a->off != NULL && is_left_out(a, v))
		return err_set(e, ERR_PERMITTED, "'%s.disabled' names a hook "
		    "of ours", a->off_in);
	if (hooks != NULL && !cJSON_IsObject(hooks))
		return err_set(e, ERR_FORMAT, "'hooks' is not an object");
	for (const struct registration *r = a->events; r->event != NULL; r++) {
		list = json_get(hooks, r->event);
		if (list != NULL && !cJSON_IsArray(list))
			return err_set(e, ERR_FORMAT,
			    "'hooks.%s' is not an array", r->event);
	}
	return 0;
}

int
settings_check(const struct agent *a, const struct registration *only,
    const struct registration_place *place, const struct str *text, bool need,
    struct err *e)
{
	auto_json cJSON *v = NULL;

	if (a->mcp_key != NULL)
		return need ? settings_mcp_check(a, place, text, e) : 0;
	if (is_file(a)) {
		auto_str struct str want = { 0 };

		str_init(&want, SETTINGS_MAX);
		a->text(a, only, place, &want);
		return !need || str_eq(want.s, text->s) ? 0 :
		    err_set(e, ERR_SETUP, "it is not the file init writes");
	}
	if (a->events == registration_claude && place->root != NULL)
		return registration_check(text->s, text->len, place, need, e);
	if (a->events == registration_claude &&
	    registration_check(text->s, text->len, place, false, e) == -1)
		return -1;
	if (settings_parse(a, text, &v, e) == -1 ||
	    check_members(a, v, need, e) == -1)
		return -1;
	return need ? check_present(a, place, json_get(v, "hooks"), e) : 0;
}
