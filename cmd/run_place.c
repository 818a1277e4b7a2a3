#include "cmd/run_place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mem.h"
#include "common/str.h"
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
run_place_project(const char *cwd)
{
	auto_free char *dir = xstrdup(cwd);

	for (;;) {
		auto_free char *mark = xasprintf("%s/.sandbox", dir);
		char *slash = strrchr(dir, '/');
		struct stat st;

		if (lstat(mark, &st) == 0 && S_ISDIR(st.st_mode) &&
		    st.st_uid == geteuid())
			return mem_steal(&dir);
		if (slash == NULL || slash == dir)
			return NULL;
		*slash = '\0';
	}
}

void
run_place_closed(const struct spec_place *place, struct list *ret)
{
	static const struct { const char *variable, *below; } t[] = {
		{ "XDG_STATE_HOME", ".local/state" },
		{ "XDG_DATA_HOME", ".local/share" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const char *dir = getenv(t[i].variable);

		list_add(ret, xasprintf("%s/%s/sandbox", place->home,
		    t[i].below));
		if (place->account != NULL)
			list_add(ret, xasprintf("%s/%s/sandbox",
			    place->account, t[i].below));
		if (dir != NULL && dir[0] == '/')
			list_add(ret, xasprintf("%s/sandbox", dir));
	}
}
