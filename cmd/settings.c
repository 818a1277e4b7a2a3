#include "cmd/settings.h"

#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_splice.h"
#include "common/mem.h"

#include "common/banned.h"

static int
parse(const struct str *text, cJSON **ret, struct err *e)
{
	if (json_parse(text->s, text->len, JSON_DEPTH, ret, e) == -1)
		return -1;
	if (cJSON_IsObject(*ret))
		return 0;
	json_free(*ret);
	*ret = NULL;
	return err_set(e, ERR_FORMAT, "not an object");
}

/* The pointer of the first group of ours that must go, or NULL. */
static char *
find_ours(const cJSON *v)
{
	const cJSON *event, *group;

	cJSON_ArrayForEach(event, json_get(v, "hooks")) {
		int i = 0;

		cJSON_ArrayForEach(group, event) {
			/* No event name of a client needs escaping. */
			if (registration_ours(group) &&
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
find_empty(const cJSON *v)
{
	const cJSON *hooks = json_get(v, "hooks");

	for (const struct registration *r = registration_claude;
	    r->event != NULL; r++) {
		const cJSON *list = json_get(hooks, r->event);

		if (cJSON_IsArray(list) && cJSON_GetArraySize(list) == 0)
			return xasprintf("/hooks/%s", r->event);
	}
	if (cJSON_IsObject(hooks) && cJSON_GetArraySize(hooks) == 0)
		return xstrdup("/hooks");
	return NULL;
}

/* Our own `false`; a person's would say what holds anyway. */
static char *
find_off(const cJSON *v)
{
	return cJSON_IsFalse(json_get(v, "disableAllHooks")) ?
	    xstrdup("/disableAllHooks") : NULL;
}

static int
remove_all(struct str *text, char *(*find)(const cJSON *), struct err *e)
{
	for (;;) {
		auto_json cJSON *v = NULL;
		auto_free char *pointer = NULL;

		if (parse(text, &v, e) == -1)
			return -1;
		pointer = find(v);
		if (pointer == NULL)
			return 0;
		if (json_splice_remove(text, pointer, e) == -1)
			return -1;
	}
}

int
settings_claude_remove(struct str *text, struct err *e)
{
	auto_json cJSON *v = NULL;
	auto_free char *ours = NULL;

	if (parse(text, &v, e) == -1)
		return -1;
	ours = find_ours(v);
	if (ours == NULL)
		return 0;
	if (remove_all(text, find_ours, e) == -1 ||
	    remove_all(text, find_off, e) == -1)
		return -1;
	return remove_all(text, find_empty, e);
}

/* Make sure the container is there, laid out as the file is. */
static int
ensure(struct str *text, const char *parent, const char *key,
    const char *empty, struct err *e)
{
	auto_json cJSON *v = NULL;
	const cJSON *at;

	if (parse(text, &v, e) == -1)
		return -1;
	at = *parent == '\0' ? v : json_get(v, "hooks");
	if (json_get(at, key) != NULL)
		return 0;
	return json_splice_append(text, parent, key, empty, e);
}

static int
add_one(struct str *text, const struct registration *r,
    const struct registration_place *place, struct err *e)
{
	bool lines = strchr(text->s, '\n') != NULL;
	auto_free char *list = xasprintf("/hooks/%s", r->event);
	auto_json cJSON *group = registration_group(r, place);
	struct str value;
	int rc = -1;

	str_init(&value, SETTINGS_MAX);
	json_print(group, &value);
	if (ensure(text, "", "hooks", lines ? "{\n  }" : "{}", e) == 0 &&
	    ensure(text, "/hooks", r->event, lines ? "[\n    ]" : "[]",
	    e) == 0)
		rc = json_splice_append(text, list, NULL, value.s, e);
	str_clear(&value);
	return rc;
}

int
settings_claude_add(struct str *text, const struct registration_place *place,
    struct err *e)
{
	if (text->len == 0)
		str_add(text, "{\n}\n");
	if (registration_check(text->s, text->len, place, false, e) == -1)
		return -1;
	if (registration_check(text->s, text->len, place, true, NULL) == 0)
		return 0;
	if (remove_all(text, find_ours, e) == -1 ||
	    ensure(text, "", "disableAllHooks", "false", e) == -1)
		return -1;
	for (const struct registration *r = registration_claude;
	    r->event != NULL; r++)
		if (add_one(text, r, place, e) == -1)
			return -1;
	return registration_check(text->s, text->len, place, true, e);
}
