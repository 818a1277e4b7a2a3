#include "approver/notify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/spawn.h"
#include "queue/home.h"

#include "common/banned.h"

#define TEXT_MAX	200

extern char **environ;

int
notify_parse(const char *list, struct notify_how *how, struct err *e)
{
	const struct word {
		const char	*name;
		bool		*at;
	} words[] = {
		{ "bell", &how->bell }, { "osc", &how->osc },
		{ "desktop", &how->desktop }, { "none", NULL },
	};
	auto_free char *copy = xstrdup(list);
	char *save = NULL;

	how->bell = how->osc = how->desktop = false;
	for (char *w = strtok_r(copy, ",", &save); w != NULL;
	    w = strtok_r(NULL, ",", &save)) {
		size_t i = 0;

		while (i < ARRAY_LEN(words) && strcmp(words[i].name, w) != 0)
			i++;
		if (i == ARRAY_LEN(words))
			return err_set(e, ERR_USAGE, "'%.40s' is none of bell, "
			    "osc, desktop, none", w);
		if (words[i].at != NULL)
			*words[i].at = true;
	}
	return 0;
}

/* As a person sees them: without links, or an agent's folder could hide. */
static bool
in_a_project(const char *dir, const struct home *const *homes, size_t n)
{
	auto_free char *real = realpath(dir, NULL);

	for (size_t i = 0; real != NULL && i < n; i++) {
		size_t len = strlen(homes[i]->root_path);

		if (strncmp(real, homes[i]->root_path, len) == 0 &&
		    (real[len] == '/' || real[len] == '\0'))
			return true;
	}
	return real == NULL;
}

char *
notify_find(const char *path, const struct home *const *homes, size_t n)
{
	auto_free char *copy = xstrdup(path);
	char *save = NULL;

	for (char *dir = strtok_r(copy, ":", &save); dir != NULL;
	    dir = strtok_r(NULL, ":", &save)) {
		char *file = xasprintf("%s/notify-send", dir);

		if (dir[0] == '/' && access(file, X_OK) == 0 &&
		    !in_a_project(dir, homes, n))
			return file;
		free(file);
	}
	return NULL;
}

void
notify_count(struct notify_state *s, enum tier tier, const char *tool,
    const char *id)
{
	if (s->waiting++ > 0 && tier >= s->tier)
		return;
	s->tier = tier;
	s->tool = tool;
	memcpy(s->id, id, strlen(id) + 1);
}

unsigned
notify_due(struct notify *n, const struct notify_how *how,
    const struct notify_state *s, int64_t now)
{
	unsigned due = 0;

	if (s->waiting == 0) {
		n->told = 0;
		n->first_ms = 0;
		n->later = false;
		return 0;
	}
	if (n->first_ms == 0)
		n->first_ms = now;
	/* Fewer than before: what is new later is new. */
	if (s->waiting < n->told)
		n->told = s->waiting;
	if (s->waiting > n->told && (n->rang_ms == 0 ||
	    now - n->rang_ms >= NOTIFY_GAP_MS)) {
		n->rang_ms = now;
		n->told = s->waiting;
		due |= NOTIFY_SOUND;
	}
	if (!n->later && now - n->first_ms >= how->later_ms) {
		n->later = true;
		due |= NOTIFY_LATER;
	}
	return due;
}

int
notify_patience(const struct notify *n, const struct notify_how *how,
    const struct notify_state *s, int64_t now)
{
	int64_t at = INT64_MAX;

	if (s->waiting == 0)
		return -1;
	if (!n->later)
		at = n->first_ms + how->later_ms;
	if (s->waiting > n->told && n->rang_ms + NOTIFY_GAP_MS < at)
		at = n->rang_ms + NOTIFY_GAP_MS;
	return at == INT64_MAX ? -1 : at <= now ? 0 : (int)(at - now);
}

/* Plain ASCII: a terminal's idea of UTF-8 is not known to its OSC parser. */
static void
add_ascii(const char *text, struct str *ret)
{
	auto_str struct str seen = { 0 };

	str_init(&seen, 6 * TEXT_MAX);
	visible(text, strnlen(text, 40), VISIBLE_LINE, &seen);
	for (size_t i = 0, n; i < seen.len; i += n) {
		uint32_t cp = 0;

		n = utf8_next(seen.s + i, seen.len - i, &cp);
		if (n == 0)
			n = 1;
		if (cp == ';')
			str_add(ret, "<;>");	/* it separates fields there */
		else if (cp < 0x80)
			str_addn(ret, seen.s + i, n);
		else
			str_addf(ret, "<U+%04X>", cp);
	}
}

void
notify_text(const struct notify_state *s, struct str *ret)
{
	static const char *const words[] = {
		[TIER_CRITICAL] = "CRITICAL", [TIER_HIGH] = "HIGH",
		[TIER_MEDIUM] = "MEDIUM", [TIER_LOW] = "LOW",
	};

	str_addf(ret, "sandbox: %zu wait%s, %s, ", s->waiting,
	    s->waiting == 1 ? "s" : "", words[s->tier]);
	add_ascii(s->tool, ret);
}

void
notify_bytes(const struct notify_how *how, const char *text, bool tmux,
    struct str *ret)
{
	const char *esc = tmux ? "\033\033" : "\033";

	if (how->bell)
		str_addc(ret, '\a');
	if (!how->osc)
		return;
	if (tmux)
		str_add(ret, "\033Ptmux;");
	str_addf(ret, "%s]9;%s\a%s]777;notify;sandbox;%s\a", esc, text, esc,
	    text);
	if (tmux)
		str_add(ret, "\033\\");
}

static void
start(const char *path, char *const *argv)
{
	const struct spawn sp = { .path = path, .argv = argv,
	    .envp = environ, .cwd_fd = -1, .session = true, .detach = true };
	pid_t pid;

	spawn(&sp, &pid, NULL);
}

static void
call_later(const struct notify_how *how, const struct notify_state *s,
    const char *text)
{
	auto_free char *id = xstrdup(s->id);
	auto_free char *tier = xstrdup(tier_name(s->tier));
	auto_free char *body = xstrdup(text);
	char name[] = "notify-send", app[] = "--app-name=sandbox", end[] = "--";
	char *to_desktop[] = { name, app, end, body, NULL };
	char *to_program[] = { name, id, tier, NULL };

	if (how->desktop && how->sender != NULL &&
	    (getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL))
		start(how->sender, to_desktop);
	if (how->program != NULL)
		start(how->program, to_program);
}

void
notify_now(struct notify *n, const struct notify_how *how,
    const struct notify_state *s)
{
	unsigned due = notify_due(n, how, s, clock_boot_ms());
	auto_str struct str text = { 0 }, bytes = { 0 };

	if (due == 0)
		return;
	str_init(&text, 2048);
	str_init(&bytes, 8192);
	notify_text(s, &text);
	if ((due & NOTIFY_SOUND) != 0) {
		notify_bytes(how, text.s, getenv("TMUX") != NULL, &bytes);
		io_write_all(STDOUT_FILENO, bytes.s, bytes.len, NULL);
	}
	if ((due & NOTIFY_LATER) != 0)
		call_later(how, s, text.s);
}
