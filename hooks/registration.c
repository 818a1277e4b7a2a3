#include "hooks/registration.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define DAY	86400

const struct registration registration_claude[] = {
	{ "PreToolUse", "pretooluse", "*", DAY, true,
	  "sandbox: waiting for a decision" },
	{ "PreSkillShellCommand", "pretooluse", NULL, DAY, true,
	  "sandbox: waiting for a decision" },
	{ "PostToolUse", "posttooluse", "*", 60, false, NULL },
	{ "PostToolUseFailure", "posttooluse", "*", 60, false, NULL },
	{ "SessionStart", "sessionstart", NULL, 60, false, NULL },
	{ "SessionEnd", "sessionstart", NULL, 60, false, NULL },
	{ "UserPromptSubmit", "sessionstart", NULL, 60, true, NULL },
	{ "ConfigChange", "configchange", NULL, 60, true, NULL },
	{ NULL, NULL, NULL, 0, false, NULL }
};

cJSON *
registration_group(const struct registration *r,
    const struct registration_place *place)
{
	cJSON *group = json_object(), *list = json_array();
	cJSON *entry = json_object(), *args = json_array();
	auto_free char *command = xasprintf("%s/%s", place->libexec,
	    r->program);
	bool search = place->root == NULL;
	const char *const words[] = {
		"--client", "claude", "--event", r->event,
		search ? "--from" : "--root",
		/* The client puts its project in there, without a shell. */
		search ? "${CLAUDE_PROJECT_DIR}" : place->root,
		"--state", place->state
	};

	if (r->matcher != NULL)
		json_add_str(group, "matcher", r->matcher);
	json_add_str(entry, "type", "command");
	json_add_str(entry, "command", command);
	for (size_t i = 0; i < ARRAY_LEN(words) - (search ? 2 : 0); i++)
		json_push_str(args, words[i]);
	json_add(entry, "args", args);
	json_add_int(entry, "timeout", r->timeout_s);
	if (r->block)
		json_add_str(entry, "onFailure", "block");
	if (r->status != NULL)
		json_add_str(entry, "statusMessage", r->status);
	json_push(list, entry);
	json_add(group, "hooks", list);
	return group;
}

bool
registration_is(const cJSON *group, const struct registration *r,
    const struct registration_place *place)
{
	auto_json cJSON *want = registration_group(r, place);

	return cJSON_Compare(group, want, true);
}

bool
registration_ours(const cJSON *group)
{
	const cJSON *entry = cJSON_GetArrayItem(json_get(group, "hooks"), 0);
	const cJSON *args = json_get(entry, "args");
	const char *command = json_str(entry, "command");
	const char *base = command == NULL ? NULL : strrchr(command, '/');
	const cJSON *first = cJSON_GetArrayItem(args, 0);

	if (base == NULL || cJSON_GetArraySize(json_get(group, "hooks")) != 1 ||
	    cJSON_GetArraySize(args) < 6 || !cJSON_IsString(first) ||
	    strcmp(first->valuestring, "--client") != 0)
		return false;
	for (const struct registration *r = registration_claude;
	    r->event != NULL; r++)
		if (strcmp(base + 1, r->program) == 0)
			return true;
	return false;
}

bool
registration_env_bad(const char *name)
{
	static const char *const prefixes[] = {
		"LD_", "GIT_", "XDG_", "PYTHON", "DYLD_", "BASH_FUNC_",
		"OPENSSL_", "RUSTUP_", "GROFF_", "GLIBC_",
		"CLAUDE_CODE_SHELL"	/* and _PREFIX: before every command */
	};
	static const char *const names[] = {
		"PATH", "HOME", "NODE_OPTIONS", "BASH_ENV", "ENV", "IFS",
		"SHELL", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB",
		"GCONV_PATH", "LOCPATH", "PROMPT_COMMAND", "CLAUDE_CODE_SIMPLE",
		"CLAUDE_CONFIG_DIR", "CLAUDE_ENV_FILE", "CLAUDE_PID",
		"SANDBOX_CLIENT",
		/* The shell's own: what a word means, where `cd x` leads. */
		"BASHOPTS", "SHELLOPTS", "PS4", "CDPATH", "GLOBIGNORE",
		"ZDOTDIR", "POSIXLY_CORRECT",
		/* Programs that only read would run what these say. */
		"LESSOPEN", "LESSCLOSE", "RIPGREP_CONFIG_PATH", "TAR_OPTIONS",
		"MANROFFOPT", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
		"_JAVA_OPTIONS", "DOCKER_CONFIG", "YARN_RC_FILENAME",
		"CC", "CXX", "GOFLAGS", "GOROOT", "GOENV", "GOTOOLCHAIN",
		/* And `git commit` and `git fetch` these. */
		"EDITOR", "VISUAL", "SSH_ASKPASS"
	};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (str_starts(name, prefixes[i]))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* --- the client's own rules: one violation drops the whole file --- */

static int
check_entry(const cJSON *entry, struct err *e)
{
	static const char *const types[] = {
		"command", "prompt", "agent", "http", "mcp_tool"
	};
	const char *type = json_str(entry, "type");
	const cJSON *timeout = json_get(entry, "timeout");
	double seconds;
	size_t i = 0;

	while (i < ARRAY_LEN(types) && !str_eq(type, types[i]))
		i++;
	if (i == ARRAY_LEN(types))
		return err_set(e, ERR_FORMAT, "a hook of unknown type");
	if (str_eq(type, "command") && json_str(entry, "command") == NULL)
		return err_set(e, ERR_FORMAT, "a hook without a command");
	if (timeout != NULL && (!json_number(timeout, &seconds) ||
	    seconds <= 0))
		return err_set(e, ERR_FORMAT,
		    "a hook's timeout is not a number above 0");
	return 0;
}

static int
check_group(const cJSON *group, struct err *e)
{
	const cJSON *matcher = json_get(group, "matcher");
	const cJSON *entries = json_get(group, "hooks"), *entry;

	if (!cJSON_IsObject(group) || !cJSON_IsArray(entries))
		return err_set(e, ERR_FORMAT, "a hook group without a list");
	if (matcher != NULL && !cJSON_IsString(matcher))
		return err_set(e, ERR_FORMAT, "a matcher that is no string");
	cJSON_ArrayForEach(entry, entries)
		if (check_entry(entry, e) == -1)
			return -1;
	return 0;
}

static int
check_hooks(const cJSON *hooks, struct err *e)
{
	const cJSON *event, *group;

	if (hooks == NULL)
		return 0;
	if (!cJSON_IsObject(hooks))
		return err_set(e, ERR_FORMAT, "'hooks' is not an object");
	cJSON_ArrayForEach(event, hooks) {
		if (!cJSON_IsArray(event))
			return err_set(e, ERR_FORMAT,
			    "'hooks.%.40s' is not an array", event->string);
		cJSON_ArrayForEach(group, event)
			if (check_group(group, e) == -1)
				return err_add(e, "'hooks.%.40s'",
				    event->string);
	}
	return 0;
}

static int
check_permissions(const cJSON *permissions, struct err *e)
{
	static const char *const lists[] = { "allow", "deny", "ask" };
	const cJSON *item;

	if (permissions == NULL)
		return 0;
	if (!cJSON_IsObject(permissions))
		return err_set(e, ERR_FORMAT, "'permissions' is not an object");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const cJSON *list = json_get(permissions, lists[i]);

		if (list != NULL && !cJSON_IsArray(list))
			return err_set(e, ERR_FORMAT,
			    "'permissions.%s' is not an array", lists[i]);
		cJSON_ArrayForEach(item, list)
			if (!cJSON_IsString(item))
				return err_set(e, ERR_FORMAT,
				    "'permissions.%s' holds more than strings",
				    lists[i]);
	}
	return 0;
}

static int
check_env(const cJSON *env, struct err *e)
{
	const cJSON *v;

	if (env == NULL)
		return 0;
	if (!cJSON_IsObject(env))
		return err_set(e, ERR_FORMAT, "'env' is not an object");
	cJSON_ArrayForEach(v, env) {
		if (!cJSON_IsString(v))
			return err_set(e, ERR_FORMAT,
			    "'env.%.60s' is not a string", v->string);
		if (registration_env_bad(v->string))
			return err_set(e, ERR_PERMITTED, "'env.%.60s' changes "
			    "what programs do, hooks and helpers included",
			    v->string);
	}
	return 0;
}

static int
check_present(const cJSON *hooks, const struct registration_place *place,
    struct err *e)
{
	const struct registration *r;
	const cJSON *group;

	for (r = registration_claude; r->event != NULL; r++) {
		bool found = false;

		cJSON_ArrayForEach(group, json_get(hooks, r->event))
			found = found || registration_is(group, r, place);
		if (!found)
			return err_set(e, ERR_SETUP, "our hook for %s is not "
			    "registered", r->event);
	}
	return 0;
}

int
registration_check(const char *text, size_t len,
    const struct registration_place *place, bool need, struct err *e)
{
	auto_json cJSON *v = NULL;

	if (json_parse(text, len, JSON_DEPTH, &v, e) == -1)
		return -1;
	if (!cJSON_IsObject(v))
		return err_set(e, ERR_FORMAT, "not an object");

	const cJSON *off = json_get(v, "disableAllHooks");

	if (check_hooks(json_get(v, "hooks"), e) == -1 ||
	    check_permissions(json_get(v, "permissions"), e) == -1 ||
	    check_env(json_get(v, "env"), e) == -1)
		return -1;
	if (off != NULL && !cJSON_IsFalse(off))
		return err_set(e, ERR_PERMITTED,
		    "'disableAllHooks' switches our hooks off");
	if (!need)
		return 0;
	if (off == NULL)
		return err_set(e, ERR_SETUP, "'disableAllHooks' is not set to "
		    "false here, and another settings file could set it");
	return check_present(json_get(v, "hooks"), place, e);
}
