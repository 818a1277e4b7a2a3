#include "cmd/codex_trust.h"

#include <ctype.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/install.h"
#include "cmd/settings.h"
#include "cmd/toml.h"
#include "common/digest.h"
#include "common/mem.h"

#include "common/banned.h"

/* PreToolUse -> pre_tool_use */
static char *
snake(const char *event)
{
	struct str s;

	str_init(&s, 100);
	for (const char *p = event; *p != '\0'; p++) {
		if (isupper((unsigned char)*p) && p != event)
			str_addc(&s, '_');
		str_addc(&s, (char)tolower((unsigned char)*p));
	}
	return str_take(&s);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(cJSON *const *)a)->string,
	    (*(cJSON *const *)b)->string);
}

/* The entry with what is left out filled in, its keys in order. */
static cJSON *
sorted_entry(const cJSON *entry)
{
	auto_json cJSON *full = cJSON_Duplicate(entry, true);
	cJSON *ret = json_object(), *member, *list[16];
	size_t n = 0;

	if (json_get(full, "async") == NULL)
		json_add_bool(full, "async", false);
	cJSON_ArrayForEach(member, full)
		if (n < ARRAY_LEN(list))
			list[n++] = member;
	qsort(list, n, sizeof *list, by_name);
	for (size_t i = 0; i < n; i++)
		json_add(ret, list[i]->string, cJSON_Duplicate(list[i], true));
	return ret;
}

/* "sha256:..." with quotes, as it stands in the file. */
static char *
hash_of(const char *event, const cJSON *group)
{
	unsigned char sum[crypto_hash_sha256_BYTES];
	char hex[sizeof sum * 2 + 1];
	auto_json cJSON *id = json_object();
	cJSON *list = json_array();
	auto_str struct str text = { 0 };

	json_push(list, sorted_entry(cJSON_GetArrayItem(json_get(group,
	    "hooks"), 0)));
	json_add_str(id, "event_name", event);
	json_add(id, "hooks", list);
	str_init(&text, SETTINGS_MAX);
	json_print(id, &text);
	crypto_hash_sha256(sum, (const unsigned char *)text.s, text.len);
	hex_put(sum, sizeof sum, hex);
	return xasprintf("\"sha256:%s\"", hex);
}

static int
check_value(const struct str *config, const struct str *path,
    const char *want, struct err *e)
{
	auto_str struct str got = { 0 };

	str_init(&got, 4096);
	if (!toml_get(config->s, config->len, path->s, &got))
		return err_set(e, ERR_SETUP, "not yet");
	return str_eq(got.s, want) ? 0 : err_set(e, ERR_SETUP, "differs");
}

static int
check_folder(const struct str *config, const char *root, struct err *e)
{
	auto_str struct str path = { 0 };

	str_init(&path, 8192);
	str_add(&path, "/projects");
	toml_path_add(&path, root, strlen(root));
	str_add(&path, "/trust_level");
	return check_value(config, &path, "\"trusted\"", e) == 0 ? 0 :
	    err_set(e, ERR_SETUP, "Codex does not trust this folder and skips "
	    "its hooks without a word");
}

/* Which of the event's groups is ours. */
static int
index_of(const struct agent *a, const cJSON *groups)
{
	const cJSON *group;
	int i = 0;

	cJSON_ArrayForEach(group, groups) {
		if (agent_group_ours(a, group))
			return i;
		i++;
	}
	return -1;
}

/* -1: not trusted as it is now, -2: trusted and switched off. */
static int
check_hook(const struct agent *a, const struct str *config, const char *file,
    const cJSON *hooks, const struct registration *r)
{
	const cJSON *groups = json_get(hooks, r->event);
	int i = index_of(a, groups);
	auto_free char *event = snake(r->event);
	auto_free char *key = xasprintf("%s:%s:%d:0", file, event, i);
	auto_free char *want = hash_of(event, cJSON_GetArrayItem(groups, i));
	auto_str struct str path = { 0 }, on = { 0 };

	str_init(&path, 8192);
	str_add(&path, "/hooks/state");
	toml_path_add(&path, key, strlen(key));
	str_init(&on, 8192);
	str_addf(&on, "%s/enabled", path.s);
	str_add(&path, "/trusted_hash");
	return i == -1 || check_value(config, &path, want, NULL) == -1 ? -1 :
	    check_value(config, &on, "false", NULL) == 0 ? -2 : 0;
}

static int
check_hooks(const struct agent *a, const char *root,
    const struct str *config, struct err *e)
{
	auto_free char *file = xasprintf("%s/%s", root, a->file);
	auto_json cJSON *v = NULL;
	struct target t;
	int rc;

	if (target_read(root, a->file, SETTINGS_MAX, &t, e) == -1)
		return -1;
	rc = json_parse(t.text.s, t.text.len, JSON_DEPTH, &v, e);
	target_clear(&t);
	for (const struct registration *r = a->events; rc == 0 &&
	    r->event != NULL; r++) {
		int is = check_hook(a, config, file, json_get(v, "hooks"), r);

		if (is == -1)
			rc = err_set(e, ERR_SETUP, "nobody trusted our hook "
			    "for %s as it is now: Codex skips it without a "
			    "word", r->event);
		else if (is == -2)
			rc = err_set(e, ERR_SETUP, "our hook for %s is "
			    "switched off in /hooks", r->event);
	}
	return rc;
}

/* Of `{ web = true, hooks = false }` the word behind hooks. */
static bool
inline_off(const struct str *table)
{
	const char *p = strstr(table->s, "hooks");

	if (p == NULL)
		return false;
	p += strlen("hooks");
	p += strspn(p, " \t\"'=");
	return str_starts(p, "false");
}

int
codex_hooks_on(const char *dir, const char *file, struct err *e)
{
	auto_str struct str alone = { 0 }, table = { 0 };
	struct target t;
	bool off;

	/* What cannot be read is said by whoever has to change it. */
	if (target_read(dir, file, SETTINGS_MAX, &t, NULL) == -1)
		return 0;
	str_init(&alone, 64);
	str_init(&table, 4096);
	off = (toml_get(t.text.s, t.text.len, "/features/hooks", &alone) &&
	    str_eq(alone.s, "false")) ||
	    (toml_get(t.text.s, t.text.len, "/features", &table) &&
	    inline_off(&table));
	target_clear(&t);
	return off ? err_set(e, ERR_PERMITTED, "'%s': 'features.hooks' "
	    "switches all hooks off", file) : 0;
}

int
codex_trust_check(const struct agent *a, const char *root,
    const char *codex_home, struct err *e)
{
	struct target t;
	int rc;

	if (target_read(codex_home, "config.toml", SETTINGS_MAX, &t, e) == -1)
		return -1;
	rc = toml_scan(t.text.s, t.text.len, NULL, NULL, e);
	if (rc == -1)
		err_add(e, "%s/config.toml", codex_home);
	else
		rc = check_folder(&t.text, root, e);
	if (rc == 0)
		rc = check_hooks(a, root, &t.text, e);
	target_clear(&t);
	return rc;
}
