#include "jail/profile.h"

#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"
#include "common/str.h"
#include "common/visible.h"
#include "policy/protect.h"

#include "common/banned.h"

static const struct profile {
	const char	*name;
	bool		 writes;	/* the project */
	bool		 caches;
} profiles[] = {
	{ "project", true, false },
	{ "read-only", false, false },
	{ "build", true, true },
};

/* Below home.  What lies there is run or linked later: only `build` may. */
static const char *const caches[] = {
	".cache", ".npm", ".cargo/registry", ".cargo/git", ".rustup",
	".m2", ".gradle", "go/pkg", ".ivy2", ".sbt", ".nuget/packages",
	".bun/install/cache", ".local/share/pnpm", ".ccache",
};

/* Their programs do not start when they cannot read them. */
static const char *const needed[] = { ".npmrc", ".yarnrc.yml",
	".m2/settings.xml", ".m2/settings-security.xml",
	".gradle/gradle.properties" };

static bool
is_needed(const char *run)
{
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (strcmp(needed[i], run) == 0)
			return true;
	return false;
}

/* A file of a project's own, as opposed to one of the user's. */
static bool
is_anywhere(const char *run)
{
	return str_starts(run, ".env") || str_starts(run, "id_");
}

static void
hide_secrets(struct spec *s, const struct spec_place *place)
{
	const char *run;

	for (size_t i = 0; (run = protect_secret_run(i)) != NULL; i++) {
		if (is_anywhere(run))
			list_add(&s->list[SPEC_DENY_READ],
			    xasprintf("%s/**/%s", place->cwd, run));
		else if (run[0] == '.' && !is_needed(run))
			list_add(&s->list[SPEC_DENY_READ],
			    xasprintf("%s/%s", place->home, run));
	}
	/* Templates look like them. */
	list_add(&s->list[SPEC_ALLOW_READ], xasprintf("%s/**/.env.example",
	    place->cwd));
	list_add(&s->list[SPEC_ALLOW_READ], xasprintf("%s/**/.env.sample",
	    place->cwd));
}

static void
fill(const struct profile *p, const struct spec_place *place, struct spec *s)
{
	spec_init(s);
	s->registries = p->writes;
	hide_secrets(s, place);
	if (p->writes)
		list_add(&s->list[SPEC_ALLOW_WRITE], xstrdup(place->cwd));
	for (size_t i = 0; i < ARRAY_LEN(caches) && p->caches; i++) {
		auto_free char *path = xasprintf("%s/%s", place->home,
		    caches[i]);

		if (access(path, F_OK) == 0)
			list_add(&s->list[SPEC_ALLOW_WRITE],
			    mem_steal(&path));
	}
}

int
profile_load(const char *name, const struct spec_place *place,
    struct spec *ret, struct err *e)
{
	auto_free char *shown = visible_line(name);
	auto_free char *own = xasprintf("%s/.config/sandbox/profiles/%s.json",
	    place->home, name);

	if (!fs_name_ok(name))
		return err_set(e, ERR_USAGE, "'%.40s' is no profile's name",
		    shown);
	if (access(own, F_OK) == 0)
		return spec_load(own, place, ret, e);
	for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
		if (strcmp(profiles[i].name, name) == 0) {
			fill(&profiles[i], place, ret);
			spec_protect(NULL, place, ret);
			return 0;
		}
	return err_set(e, ERR_USAGE, "there is no profile '%.40s': project, "
	    "read-only, build, or one in ~/.config/sandbox/profiles", shown);
}
