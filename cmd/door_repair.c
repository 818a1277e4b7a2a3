#include "cmd/door_repair.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/install.h"
#include "cmd/settings.h"
#include "common/mem.h"

#include "common/banned.h"

#define INSTALLED	"/libexec/sandbox"

char *
repair_sandbox(const struct door_place *p, const char *words)
{
	return xasprintf("sandbox %s%s", words, p->again);
}

static void
add_move(const char *dir, const char *file, struct str *ret)
{
	auto_free char *path = xasprintf("%s/%s", dir, file);
	auto_free char *away = xasprintf("%s.bad", path);

	str_add(ret, "mv ");
	agent_shell_word(path, ret);
	str_addc(ret, ' ');
	agent_shell_word(away, ret);
}

char *
repair_move(const char *dir, const char *file)
{
	struct str s;

	str_init(&s, 16 * 1024);
	add_move(dir, file, &s);
	return str_take(&s);
}

static bool
can_edit(const struct door_place *p, const struct agent *a,
    const struct registration *only, const char *dir, const char *file)
{
	const struct registration_place here = { .libexec = p->libexec,
	    .root = p->home->root_path, .state = p->home->priv_path };
	const struct registration_place anywhere = { .libexec = NULL };
	struct target t = { 0 };
	struct err e = { 0 };
	bool fine;

	if (target_read(dir, file, SETTINGS_MAX, &t, &e) == -1)
		return false;
	fine = strlen(t.text.s) == t.text.len && settings_add(a, only,
	    door_shared(p, a) ? &anywhere : &here, &t.text, &e) == 0;
	target_clear(&t);
	return fine;
}

/* Of an agent with one file for all its events `only` is the first. */
static void
add_file(const struct door_place *p, const struct agent *a,
    const struct registration *only, struct str *ret)
{
	auto_free char *dir = a->in_home ? agent_home(a, p->user_home) :
	    xstrdup(p->home->root_path);
	auto_free char *file = xasprintf("%s%s", door_file(p, a),
	    a->form == AGENT_FILES ? only->event : "");

	if (dir == NULL || can_edit(p, a, only, dir, file))
		return;
	add_move(dir, file, ret);
	str_add(ret, " && ");
}

char *
repair_registration(const struct door_place *p, const struct agent *a)
{
	auto_free char *words = xasprintf("init %s--%s",
	    a->mcp_of != NULL ? "--mcp " : door_shared(p, a) ? "--shared " :
	    "", a->mcp_of != NULL ? a->mcp_of : a->name);
	auto_free char *line = repair_sandbox(p, words);
	struct str s;

	str_init(&s, 64 * 1024);
	if (a->form != AGENT_FILES)
		add_file(p, a, a->events, &s);
	else
		for (const struct registration *r = a->events;
		    r->event != NULL; r++)
			add_file(p, a, r, &s);
	str_add(&s, line);
	return str_take(&s);
}

char *
repair_install(const struct door_place *p, const struct agent *a)
{
	size_t n = strlen(p->libexec), tail = strlen(INSTALLED);
	struct str s;

	str_init(&s, 16 * 1024);
	str_add(&s, "make install");
	/* A shared hook looks in a few places only. */
	if (a != NULL && door_shared(p, a))
		str_add(&s, " PREFIX=\"$HOME/.local\"");
	else if (n > tail && str_ends(p->libexec, INSTALLED)) {
		auto_free char *prefix = xstrndup(p->libexec, n - tail);

		str_add(&s, " PREFIX=");
		agent_shell_word(prefix, &s);
	}
	str_add(&s, "   # where sandbox's source is");
	return str_take(&s);
}
