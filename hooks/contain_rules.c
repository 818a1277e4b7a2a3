#include "hooks/contain_rules.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define FILE_MAX	(1 << 20)
#define LOOK_BACK	(4 << 20)	/* bytes of a transcript */
#define FILES_MAX	100	/* of a directory */

/* Is there a rule in this text?  What cannot be read is one. */
typedef bool says_fn(const struct str *);

/* Does a list of a client's rules speak of its shell, or of every tool? */
static bool
names_shell(const cJSON *rules, const char *shell)
{
	const cJSON *r;

	if (rules != NULL && !cJSON_IsArray(rules))
		return true;
	cJSON_ArrayForEach(r, rules)
		if (!cJSON_IsString(r) || str_starts(r->valuestring, shell) ||
		    strchr(r->valuestring, '*') == r->valuestring)
			return true;
	return false;
}

static bool
claude_says(const struct str *text)
{
	auto_json cJSON *root = NULL;
	const cJSON *p;

	if (json_parse(text->s, text->len, JSON_DEPTH, &root, NULL) == -1)
		return true;	/* whatever it says there */
	p = json_get(root, "permissions");
	return p != NULL && (names_shell(json_get(p, "deny"), "Bash") ||
	    names_shell(json_get(p, "ask"), "Bash"));
}

/* `prefix_rule(..., decision = "prompt")`: allow alone is no obstacle. */
static bool
codex_says(const struct str *text)
{
	return strlen(text->s) != text->len ||
	    strstr(text->s, "forbidden") != NULL ||
	    strstr(text->s, "prompt") != NULL;
}

static bool
gemini_says(const struct str *text)
{
	static const char shell[] = "run_shell_command", old[] = "ShellTool";
	static const char *const lists[] = { "exclude", "core" };
	static const char *const olds[] = { "excludeTools", "coreTools" };
	auto_json cJSON *root = NULL;
	const cJSON *tools, *l;

	if (json_parse_commented(text->s, text->len, JSON_DEPTH, &root,
	    NULL) == -1)
		return true;
	tools = json_get(root, "tools");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		l = tools == NULL ? NULL : json_get(tools, lists[i]);
		if (names_shell(l, shell) || names_shell(l, old))
			return true;
		l = json_get(root, olds[i]);
		if (names_shell(l, shell) || names_shell(l, old))
			return true;
	}
	return false;
}

/* Rules of its policy engine, in TOML. */
static bool
gemini_policy_says(const struct str *text)
{
	return strlen(text->s) != text->len ||
	    strstr(text->s, "deny") != NULL ||
	    strstr(text->s, "ask_user") != NULL;
}

static const struct place {
	const char	*client;
	const char	*path;		/* %r the project, %h home */
	const char	*ending;	/* of its files; NULL: a file */
	says_fn		*says;
} places[] = {
	{ "claude", "%r/.claude/settings.local.json", NULL, claude_says },
	{ "claude", "%r/.claude/settings.json", NULL, claude_says },
	{ "claude", "%h/.claude/settings.json", NULL, claude_says },
	{ "claude", "/etc/claude-code/managed-settings.json", NULL,
	  claude_says },
	{ "claude", "/etc/claude-code/managed-settings.d", ".json",
	  claude_says },
	{ "codex", "%r/.codex/rules", ".rules", codex_says },
	{ "codex", "%h/.codex/rules", ".rules", codex_says },
	{ "codex", "/etc/codex/rules", ".rules", codex_says },
	{ "gemini", "%r/.gemini/settings.json", NULL, gemini_says },
	{ "gemini", "%h/.gemini/settings.json", NULL, gemini_says },
	{ "gemini", "/etc/gemini-cli/settings.json", NULL, gemini_says },
	{ "gemini", "/etc/gemini-cli/system-defaults.json", NULL,
	  gemini_says },
	{ "gemini", "%r/.gemini/policies", ".toml", gemini_policy_says },
	{ "gemini", "%h/.gemini/policies", ".toml", gemini_policy_says },
	{ "gemini", "/etc/gemini-cli/policies", ".toml", gemini_policy_says },
};

static bool
file_says(const char *path, says_fn *says)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
	    O_NOCTTY);
	auto_str struct str text = { 0 };

	if (fd == -1)
		return faccessat(AT_FDCWD, path, F_OK, 0) == 0;
	str_init(&text, FILE_MAX);
	return io_read_all(fd, FILE_MAX, &text, NULL) == -1 || says(&text);
}

static bool
dir_says(const char *dir, const struct place *p)
{
	auto_close int fd = fs_open_dir_follow(dir, NULL);
	struct fs_names names = { 0 };
	size_t more = 0;
	bool has;

	if (fd == -1)
		return false;
	if (fs_list(fd, fs_name_ok, FILES_MAX, &names, &more, NULL) == -1)
		return true;
	has = more > 0;
	for (size_t i = 0; i < names.n && !has; i++) {
		auto_free char *path = xasprintf("%s/%s", dir,
		    names.names[i]);

		has = str_ends(names.names[i], p->ending) &&
		    file_says(path, p->says);
	}
	fs_names_clear(&names);
	return has;
}

bool
contain_boxed(const char *client, const char *transcript)
{
	static const char turn[] = "\"type\":\"turn_context\"";
	static const char free_of[] = "\"sandbox_policy\":{\"type\":"
	    "\"danger-full-access\"";
	auto_close int fd = -1;
	auto_free char *text = NULL;
	const char *last = NULL, *p;
	struct stat st;
	off_t at;

	if (strcmp(client, "codex") != 0)
		return false;
	fd = transcript == NULL || transcript[0] != '/' ? -1 :
	    open(transcript, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return true;
	at = st.st_size > LOOK_BACK ? st.st_size - LOOK_BACK : 0;
	text = xcalloc((size_t)(st.st_size - at) + 1, 1);
	if (io_pread_full(fd, text, (size_t)(st.st_size - at), at, NULL) == -1)
		return true;
	for (p = text; (p = strstr(p, turn)) != NULL; p++)
		last = p;
	p = last == NULL ? NULL : strstr(last, free_of);
	return p == NULL || memchr(last, '\n', (size_t)(p - last)) != NULL;
}

bool
contain_rules(const char *client, const char *root, const char *home)
{
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const struct place *p = &places[i];
		const char *above = str_starts(p->path, "%r") ? root : home;
		bool absolute = p->path[0] == '/';
		auto_free char *path = NULL;

		if (strcmp(p->client, client) != 0)
			continue;
		path = absolute ? xstrdup(p->path) :
		    xasprintf("%s%s", above, p->path + 2);
		if (p->ending == NULL ? file_says(path, p->says) :
		    dir_says(path, p))
			return true;
	}
	return false;
}
