/* jail/spec_load.c - whose settings are in force. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/glob.h"
#include "jail/spec.h"

#include "common/banned.h"

static const char *const allow_names[SPEC_LISTS] = {
	[SPEC_ALLOW_READ] = "filesystem.allowRead",
	[SPEC_ALLOW_WRITE] = "filesystem.allowWrite",
	[SPEC_ALLOW_SOCKETS] = "network.allowUnixSockets",
	[SPEC_ALLOW_DOMAINS] = "network.allowedDomains",
	[SPEC_ENV_PASS] = "environment.pass",
};

static int
refuse(const char *what, const char *entry, struct err *e)
{
	auto_free char *shown = visible_line(entry);

	return err_set(e, ERR_PERMITTED, "%s: '%.160s' is more than the "
	    "user's settings allow: a project can only tighten them", what,
	    shown);
}

static bool
in_any(const char *path, const struct list *dirs)
{
	for (size_t i = 0; i < dirs->n; i++)
		if (path_in(path, dirs->v[i]))
			return true;
	return false;
}

/*
 * May a project say that `path` is readable?  Where the user's most specific
 * rule about it denies, no.  A pattern can match anywhere: only a user who
 * has the same one, or denies nothing, allows it.
 */
static bool
may_read(const struct spec *user, const char *path)
{
	const struct list *deny = &user->list[SPEC_DENY_READ];
	const struct list *allow = &user->list[SPEC_ALLOW_READ];
	size_t best = 0;

	if (deny->n == 0 || list_has(allow, path))
		return true;
	if (glob_is(path))
		return false;
	for (size_t i = 0; i < allow->n; i++)
		if (path_in(path, allow->v[i]) && strlen(allow->v[i]) > best)
			best = strlen(allow->v[i]);
	for (size_t i = 0; i < deny->n; i++)
		if (glob_is(deny->v[i]) ||
		    path_in(deny->v[i], path) ||
		    (path_in(path, deny->v[i]) && strlen(deny->v[i]) > best))
			return false;
	return true;
}

static int
check_closed(const struct spec *project, const struct list *closed,
    struct err *e)
{
	const struct list *l = &project->list[SPEC_ALLOW_READ];

	for (size_t i = 0; i < l->n && closed != NULL; i++)
		if (in_any(l->v[i], closed))
			return refuse(allow_names[SPEC_ALLOW_READ], l->v[i],
			    e);
	return 0;
}

static bool
may(const struct spec *user, enum spec_list which, const char *entry)
{
	if (which == SPEC_ALLOW_READ)
		return may_read(user, entry);
	if (which == SPEC_ALLOW_WRITE)
		return in_any(entry, &user->list[which]);
	return list_has(&user->list[which], entry);
}

static int
tighten_list(struct spec *user, const struct spec *project,
    enum spec_list which, struct err *e)
{
	const struct list *from = &project->list[which];
	struct list *to = &user->list[which];

	if (allow_names[which] == NULL) {		/* a denial */
		list_join(to, from);
		return 0;
	}
	if (!project->given[which])
		return 0;
	for (size_t i = 0; i < from->n; i++)
		if (!may(user, which, from->v[i]))
			return refuse(allow_names[which], from->v[i], e);
	/* Reading is allowed by default: these only mend denials. */
	if (which != SPEC_ALLOW_READ)
		list_clear(to);
	list_join(to, from);
	return 0;
}

int
spec_tighten(struct spec *user, const struct spec *project, struct err *e)
{
	if (project->git_config && !user->git_config)
		return refuse("filesystem", "allowGitConfig", e);
	if (project->nested && !user->nested)
		return refuse("settings", "allowNestedUserNamespaces", e);
	if (project->plain_http && !user->plain_http)
		return refuse("network", "transparentHttp", e);
	if (project->ask && !user->ask)
		return refuse("network", "ask", e);
	user->git_config = project->git_config;
	user->ask = project->ask;
	user->plain_http = project->plain_http;
	user->nested = project->nested;
	/* Reading first: its answer needs the user's denials alone. */
	if (tighten_list(user, project, SPEC_ALLOW_READ, e) == -1)
		return -1;
	for (enum spec_list i = 0; i < SPEC_LISTS; i++)
		if (i != SPEC_ALLOW_READ &&
		    tighten_list(user, project, i, e) == -1)
			return -1;
	if (project->processes < user->processes)
		user->processes = project->processes;
	if (project->memory != 0 &&
	    (user->memory == 0 || project->memory < user->memory))
		user->memory = project->memory;
	return 0;
}

/* Links are followed: dotfile managers link a user's settings. */
static int
read_file(const char *path, const struct spec_place *place, struct spec *ret,
    struct err *e)
{
	auto_free char *shown = visible_line(path);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	auto_str struct str text = { 0 };

	if (fd == -1) {
		int sys = errno;

		err_sys(e, "cannot open the settings '%.120s'", shown);
		if (e != NULL)
			e->sys = sys;
		return -1;
	}
	str_init(&text, SPEC_MAX);
	if (io_read_all(fd, SPEC_MAX, &text, e) == -1 ||
	    spec_parse(text.s, text.len, place, ret, e) == -1)
		return err_add(e, "settings '%.120s'", shown);
	return 0;
}

/* 1: it was read, 0: there is none. */
static int
read_if_there(const char *path, const struct spec_place *place,
    struct spec *ret, struct err *e)
{
	struct err own = { 0 };

	if (read_file(path, place, ret, &own) == 0)
		return 1;
	if (own.sys == ENOENT || own.sys == ENOTDIR)
		return 0;
	if (e != NULL)
		*e = own;
	return -1;
}

void
spec_protect(const char *file, const struct spec_place *place,
    struct spec *s)
{
	static const char *const users[] = {
		"~/.config/sandbox", "~/.srt-settings.json",
	};
	struct list *deny = &s->list[SPEC_DENY_WRITE];

	for (size_t i = 0; i < ARRAY_LEN(users); i++) {
		list_add(deny, path_normal(users[i], place->cwd,
		    place->home));
		if (place->account != NULL)
			list_add(deny, path_normal(users[i], place->cwd,
			    place->account));
	}
	if (file != NULL)
		list_add(deny, path_normal(file, place->cwd, place->home));
}

static int
load(const char *file, const struct spec_place *place, struct spec *ret,
    struct err *e)
{
	auto_free char *own = xasprintf("%s/.config/sandbox/jail.json",
	    place->home);
	auto_free char *srt = xasprintf("%s/.srt-settings.json", place->home);
	auto_free char *ours = xasprintf("%s/.sandbox/jail.json", place->cwd);
	auto_spec struct spec project = { 0 };
	int user, rc;

	spec_init(ret);
	spec_init(&project);
	if (file != NULL)
		return read_file(file, place, ret, e);
	user = read_if_there(own, place, ret, e);
	if (user == 0)
		user = read_if_there(srt, place, ret, e);
	if (user == -1)
		return -1;
	rc = read_if_there(ours, place, &project, e);
	if (rc != 1)
		return rc;
	if (user == 0)
		list_add(&ret->list[SPEC_ALLOW_WRITE], xstrdup(place->cwd));
	rc = check_closed(&project, place->closed, e);
	if (rc == 0)
		rc = spec_tighten(ret, &project, e);
	if (rc == -1) {
		spec_clear(ret);
		spec_init(ret);
		return err_add(e, "'.sandbox/jail.json'");
	}
	/* Without a user's file nothing is allowed that was not asked for. */
	if (user == 0 && !project.given[SPEC_ALLOW_WRITE])
		list_clear(&ret->list[SPEC_ALLOW_WRITE]);
	return 0;
}

int
spec_load(const char *file, const struct spec_place *place, struct spec *ret,
    struct err *e)
{
	if (load(file, place, ret, e) == -1)
		return -1;
	spec_protect(file, place, ret);
	return 0;
}
