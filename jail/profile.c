#include "jail/profile.h"

#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"
#include "common/str.h"
#include "common/visible.h"
#include "jail/glob.h"
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

/*
 * Beside policy's secrets that count for certain.  Of the names that policy
 * only asks about, those that tests bring along (*.pem, *.key, *.p12) stay:
 * they are public far more often than not.
 */
static const char *const of_projects[] = {
	".git-credentials", ".netrc", ".pgpass", ".aws/credentials",
	"config/master.key", "*.tfstate", "*.tfstate.backup",
	"service-account*.json", "credentials.json", "secrets.json",
	"secrets.yml", "secrets.yaml",
};
static const char *const of_homes[] = {
	/* logins of programs */
	".config/git/credentials", ".config/github-copilot",
	".config/glab-cli", ".config/hub", ".config/containers/auth.json",
	".config/helm/registry.json", ".config/sops", ".config/age",
	".config/doctl", ".config/stripe", ".config/netlify", ".netlify",
	".config/filezilla", ".config/heroku", ".fly", ".vercel",
	".local/share/com.vercel.cli", ".local/share/opencode/auth.json",
	".ansible/vault_pass", ".claude.json",
	".config/Code/User/globalStorage",
	".databrickscfg", ".snowsql", ".kaggle", ".huggingface",
	".cache/huggingface/token", ".cache/huggingface/stored_tokens",
	".terraformrc", ".s3cfg", ".boto", ".msmtprc", ".mbsyncrc",
	/* browsers, mail, passwords, wallets, the screen */
	".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi",
	".config/opera", ".config/evolution", ".config/Bitwarden",
	"snap/firefox", "snap/chromium", "snap/thunderbird", "snap/brave",
	".local/share/kwalletd", ".local/share/evolution", ".pki",
	".bitcoin", ".electrum", ".ethereum", ".config/solana", ".Xauthority",
	".ICEauthority",
};

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

/* The directory means itself, whatever characters are in its name. */
static void
add_below(struct list *l, const char *dir, const char *between,
    const char *run)
{
	auto_free char *base = glob_quote(dir);
	bool pattern = *between != '\0' || glob_is(run) || glob_is(dir);

	list_add(l, xasprintf("%s%s/%s", strcmp(dir, "/") == 0 ? "" :
	    pattern ? base : dir, between, run));
}

static void
hide_in_home(struct spec *s, const char *home)
{
	struct list *deny = &s->list[SPEC_DENY_READ];
	const char *run;

	for (size_t i = 0; (run = protect_secret_run(i)) != NULL; i++)
		if (run[0] == '.' && !is_anywhere(run) && !is_needed(run))
			add_below(deny, home, "", run);
	for (size_t i = 0; i < ARRAY_LEN(of_homes); i++)
		add_below(deny, home, "", of_homes[i]);
}

static void
hide_secrets(struct spec *s, const struct spec_place *place)
{
	struct list *deny = &s->list[SPEC_DENY_READ];
	struct list *allow = &s->list[SPEC_ALLOW_READ];
	const char *run;

	for (size_t i = 0; (run = protect_secret_run(i)) != NULL; i++)
		if (is_anywhere(run))
			add_below(deny, place->cwd, "/**", run);
	for (size_t i = 0; i < ARRAY_LEN(of_projects); i++)
		add_below(deny, place->cwd, "/**", of_projects[i]);
	hide_in_home(s, place->home);
	if (place->account != NULL)
		hide_in_home(s, place->account);
	/* Templates look like them. */
	add_below(allow, place->cwd, "/**", ".env.example");
	add_below(allow, place->cwd, "/**", ".env.sample");
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

static int
no_project(const char *cwd, struct err *e)
{
	auto_free char *shown = visible_line(cwd);

	return err_set(e, ERR_USAGE, "'%.100s' is not in a project: no "
	    "directory from there up has a `.sandbox` of yours. `sandbox "
	    "init` makes one; `--profile read-only` and `--settings` need "
	    "none", shown);
}

int
profile_load(const char *name, const struct spec_place *place,
    bool is_project, struct spec *ret, struct err *e)
{
	auto_free char *shown = visible_line(name);
	auto_free char *own = xasprintf("%s/.config/sandbox/profiles/%s.json",
	    place->home, name);

	if (!fs_name_ok(name))
		return err_set(e, ERR_USAGE, "'%.40s' is no profile's name",
		    shown);
	if (access(own, F_OK) == 0)
		return spec_load(own, place, ret, e);
	for (size_t i = 0; i < ARRAY_LEN(profiles); i++) {
		if (strcmp(profiles[i].name, name) != 0)
			continue;
		if (profiles[i].writes && !is_project)
			return no_project(place->cwd, e);
		fill(&profiles[i], place, ret);
		spec_protect(NULL, place, ret);
		return 0;
	}
	return err_set(e, ERR_USAGE, "there is no profile '%.40s': project, "
	    "read-only, build, or one in ~/.config/sandbox/profiles", shown);
}
