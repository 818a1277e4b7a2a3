#include "cmd/run_place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/run_agent.h"
#include "common/mem.h"
#include "common/str.h"
#include "jail/glob.h"
#include "queue/home.h"

#include "common/banned.h"

char *
run_place_home(void)
{
	const char *home = getenv("HOME");
	auto_free char *account = NULL;
	struct stat st;

	if (home != NULL && home[0] == '/' && stat(home, &st) == 0 &&
	    st.st_uid == geteuid())
		return realpath(home, NULL);
	account = home_user_dir();
	return account == NULL ? xstrdup("/") : mem_steal(&account);
}

char *
run_place_account(const char *home)
{
	auto_free char *account = home_user_dir();
	auto_free char *real = account == NULL ? NULL :
	    realpath(account, NULL);

	return real == NULL || str_eq(real, home) ? NULL : mem_steal(&real);
}

char *
run_place_project(const char *cwd, const char *named)
{
	auto_free char *dir = xstrdup(cwd);

	for (;;) {
		auto_free char *mark = xasprintf("%s/.sandbox", dir);
		char *slash = strrchr(dir, '/');
		struct stat st;

		if (lstat(mark, &st) == 0 && S_ISDIR(st.st_mode) &&
		    st.st_uid == geteuid() &&
		    (named == NULL || strcmp(dir, named) == 0))
			return mem_steal(&dir);
		if (slash == NULL || slash == dir)
			return NULL;
		*slash = '\0';
	}
}

static void
deny(struct spec *s, const char *path)
{
	list_add(&s->list[SPEC_DENY_WRITE], glob_is(path) ? glob_quote(path) :
	    xstrdup(path));
}

void
run_place_programs(struct spec *s)
{
	static const char *const names[] = {
		"sandbox", "sandbox-gate", "sandbox-runner", "sandbox-proxy",
		"sandbox-mcp", "sandbox-fetch", "pretooluse", "posttooluse",
		"sessionstart", "configchange",
	};
	auto_free char *dir = cmd_libexec(NULL);
	auto_free char *self = realpath("/proc/self/exe", NULL);

	for (size_t i = 0; dir != NULL && i < ARRAY_LEN(names); i++) {
		auto_free char *path = xasprintf("%s/%s", dir, names[i]);

		deny(s, path);
	}
	if (self != NULL)
		deny(s, self);
}

/* Below a home, and below the place that a variable names instead. */
static void
add_closed(struct list *l, const struct spec_place *place,
    const char *variable, const char *below, const char *name)
{
	auto_free char *text = xasprintf("~/%s/%s", below, name);
	const char *dir = getenv(variable);

	list_add(l, path_normal(text, "/", place->home));
	if (place->account != NULL)
		list_add(l, path_normal(text, "/", place->account));
	if (dir != NULL && dir[0] == '/')
		list_add(l, xasprintf("%s/%s", dir, name));
}

void
run_place_closed(const struct spec_place *place, struct list *ret)
{
	static const struct { const char *variable, *below, *name; } t[] = {
		{ "XDG_STATE_HOME", ".local/state", "sandbox" },
		{ "XDG_STATE_HOME", ".local/state", RUN_AGENT_PLACES },
		{ "XDG_DATA_HOME", ".local/share", "sandbox" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		add_closed(ret, place, t[i].variable, t[i].below, t[i].name);
}
