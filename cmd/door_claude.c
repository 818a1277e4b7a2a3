#include "cmd/door_claude.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/door_repair.h"
#include "cmd/door_version.h"
#include "cmd/install.h"
#include "cmd/settings.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define DROP_INS_MAX	100

/* --- the machine's settings --- */

/* Are hooks of ours among the machine's? */
static bool
is_managed(const struct door_place *p, const char *dir)
{
	const struct registration_place place = { .libexec = p->libexec };
	const struct agent *a = agent_find("claude");
	struct target t = { 0 };
	struct err e = { 0 };
	bool is;

	if (target_read(dir, "managed-settings.d/50-sandbox.json",
	    SETTINGS_MAX, &t, &e) == -1)
		return false;
	is = t.exists && settings_check(a, a->events, &place, &t.text, true,
	    &e) == 0;
	target_clear(&t);
	return is;
}

static bool
is_on(const cJSON *v, const char *name)
{
	return json_get(v, name) != NULL && !cJSON_IsFalse(json_get(v, name));
}

static void
check_managed_text(const struct door_place *p, const char *dir,
    const char *file, const struct str *text)
{
	auto_free char *move = repair_move(dir, file);
	auto_free char *away = xasprintf("sudo %s", move);
	auto_free char *name = xasprintf("%s/%s", dir, file);
	auto_json cJSON *v = NULL;
	auto_free char *said = NULL;
	struct err e = { 0 };

	if (json_parse(text->s, text->len, JSON_DEPTH, &v, &e) == -1) {
		said = xasprintf("%s: %s: the client refuses to start, or "
		    "goes on without them", name, e.text);
		door_say(p, DOOR_FAIL, "managed settings", said, away);
	} else if (is_on(v, "disableAllHooks")) {
		said = xasprintf("%s: 'disableAllHooks' ends all hooks", name);
		door_say(p, DOOR_FAIL, "managed settings", said, away);
	} else if (is_on(v, "allowManagedHooksOnly") &&
	    !is_managed(p, CLAUDE_MANAGED)) {
		said = xasprintf("%s: 'allowManagedHooksOnly' ends the hooks "
		    "of projects", name);
		door_say(p, DOOR_FAIL, "managed settings", said,
		    "sudo sandbox init --managed --claude");
	} else {
		door_say(p, DOOR_OK, "managed settings", name, NULL);
	}
}

static void
check_managed_file(const struct door_place *p, const char *dir,
    const char *file)
{
	auto_free char *move = repair_move(dir, file);
	auto_free char *away = xasprintf("sudo %s", move);
	auto_close int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_close int fd = at == -1 ? -1 : fs_open_plain(at, file, NULL,
	    NULL);
	auto_str struct str text = { 0 };
	struct err e = { 0 };

	if (fd == -1)
		return;
	str_init(&text, SETTINGS_MAX);
	if (io_read_all(fd, SETTINGS_MAX, &text, &e) == -1)
		door_say(p, DOOR_FAIL, "managed settings", e.text, away);
	else
		check_managed_text(p, dir, file, &text);
}

static bool
is_json(const char *name)
{
	return name[0] != '.' && str_ends(name, ".json");
}

static void
check_managed(const struct door_place *p, const char *dir)
{
	auto_free char *more = xasprintf("%s/managed-settings.d", dir);
	auto_close int at = open(more, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_names names = { 0 };

	check_managed_file(p, dir, "managed-settings.json");
	if (at == -1 || fs_list(at, is_json, DROP_INS_MAX, &names, NULL,
	    NULL) == -1)
		return;
	for (size_t i = 0; i < names.n; i++)
		check_managed_file(p, more, names.names[i]);
	fs_names_clear(&names);
}

/* --- the client --- */

static void
check_variables(const struct door_place *p)
{
	const char *simple = getenv("CLAUDE_CODE_SIMPLE");
	const char *dir = getenv("CLAUDE_CONFIG_DIR");
	auto_free char *text = NULL;

	if (simple != NULL && simple[0] != '\0')
		door_say(p, DOOR_FAIL, "claude: variables",
		    "CLAUDE_CODE_SIMPLE is set: a client started from here "
		    "runs no hooks of a project", "unset CLAUDE_CODE_SIMPLE");
	if (dir == NULL || dir[0] == '\0')
		return;
	text = xasprintf("CLAUDE_CONFIG_DIR is '%s': the user's settings are "
	    "read from there", dir);
	door_say(p, DOOR_NOTE, "claude: variables", text, NULL);
}

static void
check_version(const struct door_place *p)
{
	static const struct version blocks = { { 2, 1, 295 } };
	const struct agent *a = agent_find("claude");
	struct version is, measured;
	auto_free char *text = NULL;
	int order;

	if (!version_parse(a->measured, &measured) || !version_ask("claude",
	    p->search_path, p->home->root_path, &is)) {
		text = version_unknown("claude", p->search_path, a->measured);
		door_say(p, DOOR_NOTE, "claude: version", text, NULL);
		return;
	}
	text = xasprintf("%u.%u.%u, measured with %s", is.part[0], is.part[1],
	    is.part[2], a->measured);
	order = version_compare(&is, &measured);
	if (version_compare(&is, &blocks) < 0) {
		auto_free char *old = xasprintf("%s: before 2.1.295 a hook "
		    "that fails does not block", text);

		door_say(p, DOOR_WARN, "claude: version", old, a->update);
	} else {
		door_say(p, order == 0 ? DOOR_OK : DOOR_NOTE, "claude: version",
		    text, NULL);
	}
}

void
door_claude_check(const struct door_place *p, const char *managed)
{
	check_managed(p, managed);
	check_variables(p);
	check_version(p);
}

/* --- the terminal --- */

void
door_terminal_check(const struct door_place *p)
{
	auto_free char *tmux = xasprintf("/tmp/tmux-%u", (unsigned)geteuid());
	auto_free char *screen = xasprintf("/run/screen/S-%u",
	    (unsigned)geteuid());
	bool in = getenv("TMUX") != NULL || getenv("STY") != NULL;

	if (in || access(tmux, F_OK) == 0 || access(screen, F_OK) == 0)
		door_say(p, DOOR_WARN, "terminal", in ? "this terminal is in "
		    "tmux or screen: code that already runs as you can type "
		    "into it, and into a watch there" : "tmux or screen of "
		    "yours runs: code that already runs as you can type into "
		    "it",
		    "sandbox run --agent claude -- claude   # or your agent: "
		    "the jail hides their sockets");
}
