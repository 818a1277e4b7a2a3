/* policy/protect.c - protected and secret names. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/places.h"
#include "policy/protect.h"
#include "policy/value.h"
#include "common/banned.h"

#define CLOSED	GUARD_CLOSED
#define DENY	GUARD_DENY
#define ASK	GUARD_ASK

static const struct {
	const char	*run;		/* components, '/' between */
	enum guard	 guard;
} guarded[] = {
	{ ".sandbox", CLOSED }, { ".local/state/sandbox", CLOSED },
	{ ".local/share/sandbox", CLOSED },
	{ "etc/sandbox", DENY }, { "bin/sandbox", DENY },
	{ "libexec/sandbox", DENY }, { ".git/hooks", DENY },
	{ ".git/config", DENY }, { ".git/config.worktree", DENY },
	{ ".claude/settings.json", DENY },
	{ ".claude/settings.local.json", DENY }, { ".claude/hooks", DENY },
	{ ".claude.json", DENY }, { "etc/claude-code", DENY },
	{ ".codex/config.toml", DENY }, { ".codex/hooks.json", DENY },
	{ "etc/codex", DENY }, { ".gemini/settings.json", DENY },
	{ ".cursor/hooks.json", DENY }, { ".windsurf/hooks.json", DENY },
	{ ".github/hooks", DENY }, { ".clinerules/hooks", DENY },
	{ ".opencode/plugin", DENY }, { ".opencode/plugins", DENY },
	{ ".config/opencode", DENY }, { ".config/sandbox", DENY },
	{ "opencode.json", DENY }, { "opencode.jsonc", DENY },
	{ ".git", ASK }, { ".gitmodules", ASK }, { ".gitconfig", ASK },
	{ ".claude", ASK }, { ".codex", ASK }, { ".gemini", ASK },
	{ ".cursor", ASK }, { ".opencode", ASK }, { ".windsurf", ASK },
	{ ".clinerules", ASK }, { ".mcp.json", ASK }, { ".envrc", ASK },
	{ ".husky", ASK }, { ".vscode", ASK }, { ".idea", ASK },
	{ ".zed", ASK },
	{ ".bashrc", ASK }, { ".bash_profile", ASK }, { ".bash_login", ASK },
	{ ".bash_logout", ASK }, { ".bash_aliases", ASK },
	{ ".profile", ASK }, { ".zshrc", ASK }, { ".zshenv", ASK },
	{ ".zprofile", ASK }, { ".zlogin", ASK }, { ".inputrc", ASK },
	{ ".ripgreprc", ASK }, { ".npmrc", ASK }, { ".vimrc", ASK },
	{ ".exrc", ASK }, { ".tmux.conf", ASK }, { ".screenrc", ASK },
	{ ".gdbinit", ASK }, { ".ssh", ASK }, { ".gnupg", ASK },
	{ ".config/git", ASK }, { ".config/systemd", ASK },
	{ ".config/autostart", ASK }, { ".config/fish", ASK },
	{ ".config/environment.d", ASK }, { ".cargo/config.toml", ASK },
	{ ".cargo/config", ASK }, { ".pam_environment", ASK },
};

/*
 * Runs of components; the last may hold wild characters.  `strong` ones also
 * count when only a glob could stand for them: `*.json` shall not be a secret
 * because of credentials.json, `.e*v` shall be one because of .env.
 */
static const struct {
	const char	*run;
	bool		 strong;
} secrets[] = {
	{ ".env", true }, { ".env.*", true }, { ".envrc", true },
	{ "*.env", false }, { ".ssh", true }, { ".gnupg", true },
	{ ".aws", true }, { ".azure", true }, { ".kube", true },
	{ ".docker/config.json", true }, { ".dockercfg", true },
	{ ".config/gcloud", true }, { ".config/gh", true },
	{ ".config/op", true }, { ".config/rclone", true },
	{ ".config/google-chrome", true }, { ".config/chromium", true },
	{ ".mozilla", true }, { ".thunderbird", true },
	{ ".password-store", true }, { ".local/share/keyrings", true },
	{ ".netrc", true }, { ".pgpass", true }, { ".my.cnf", true },
	{ ".git-credentials", true }, { ".pypirc", true },
	{ ".npmrc", true }, { ".yarnrc.yml", true }, { ".htpasswd", true },
	{ ".vault-token", true }, { ".terraform.d", true },
	{ ".cargo/credentials*", true }, { ".gem/credentials", true },
	{ ".bash_history", true }, { ".zsh_history", true },
	{ ".python_history", true }, { ".psql_history", true },
	{ ".mysql_history", true }, { ".node_repl_history", true },
	{ "fish_history", true }, { ".claude/.credentials.json", true },
	{ ".codex/auth.json", true }, { ".gemini/oauth_creds.json", true },
	{ "id_rsa", true }, { "id_dsa", true }, { "id_ecdsa", true },
	{ "id_ed25519", true }, { "*.pem", false }, { "*.p12", false },
	{ "*.pfx", false }, { "*.jks", false }, { "*.keystore", false },
	{ "*.kdbx", false }, { "*.key", false }, { "credentials", false },
	{ "credentials.json", false }, { "secrets.json", false },
	{ "secrets.y*ml", false }, { "service-account*.json", false },
	{ "etc/shadow*", true }, { "etc/gshadow*", true },
	{ "etc/sudoers*", true }, { "etc/ssl/private", true },
	{ "etc/krb5.keytab", true }, { "*.tfstate", false },
};

/* Not secrets, although they look like one. */
static const char *const templates[] = {
	".env.example", ".env.sample", ".env.template", ".env.dist",
	".env.defaults", ".env.test.example", ".env.local.example",
	".env.production.example", ".env.development.example", ".ssh/known_hosts",
};

const char *
protect_run(size_t i, enum guard *ret)
{
	if (i >= ARRAY_LEN(guarded))
		return NULL;
	*ret = guarded[i].guard;
	return guarded[i].run;
}

const char *
protect_secret_run(size_t i)
{
	if (i >= ARRAY_LEN(secrets))
		return NULL;
	return secrets[i].strong ? secrets[i].run : "";
}

/* Copy one component of a path; returns what follows its slash. */
static const char *
component(const char *p, char ret[static 256])
{
	size_t len = strcspn(p, "/");
	size_t keep = len < 255 ? len : 255;

	memcpy(ret, p, keep);
	ret[keep] = '\0';
	return p[len] == '/' ? p + len + 1 : p + len;
}

static const char *
behind(const char *p)
{
	p += strcspn(p, "/");
	return *p == '/' ? p + 1 : p;
}

/* `certs*.pem`: whatever the wild card is, `*.pem` it is. */
static bool
ends_so(const char *have, const char *want)
{
	size_t n = strlen(have), m = strlen(want);

	return want[0] == '*' && strchr(want + 1, '*') == NULL && n + 1 >= m &&
	    strcasecmp(have + n + 1 - m, want + 1) == 0;
}

/* How a component can equal a name: 0 not, 1 only by a wild card, 2 yes. */
static int
component_is(const char *have, const char *want)
{
	if (value_constant(have)) {
		if (strchr(want, '*') == NULL)
			return strcasecmp(have, want) == 0 ? 2 : 0;
	} else if (strlen(have) < 2 ||
	    (have[0] == VALUE_ANY && !ends_so(have, want))) {
		return 0;	/* `*` alone names nothing in particular */
	}
	char glob[64];

	memcpy(glob, want, strlen(want) + 1);
	value_from_glob(glob);
	if (!value_meets(have, glob))
		return 0;
	return value_constant(have) || ends_so(have, want) ? 2 : 1;
}

/* Does the run of components stand right here?  As run_find. */
static int
run_here(const char *p, const char *run, const char **ret_tail)
{
	char have[256], want[256];
	int hit = 2;

	while (*run != '\0' && hit != 0) {
		int one;

		if (*p == '\0')
			return 0;
		p = component(p, have);
		run = component(run, want);
		one = component_is(have, want);
		hit = one < hit ? one : hit;
	}
	*ret_tail = p;
	return hit;
}

/*
 * Does the run of components stand anywhere in path?  0 not, 1 a wild card
 * could be it, 2 yes; *ret_tail is what follows it.
 */
static int
run_find(const char *path, const char *run, const char **ret_tail)
{
	/* Without wild cards the run is a part of the text, or nowhere. */
	if (strchr(run, '*') == NULL && value_constant(path) &&
	    strcasestr(path, run) == NULL)
		return 0;
	for (const char *at = path; *at != '\0'; at = behind(at)) {
		int hit;

		/* Most components differ in the first byte already. */
		if (*at >= ' ' && *run != '*' &&
		    tolower((unsigned char)*at) != tolower((unsigned char)*run))
			continue;
		hit = run_here(at, run, ret_tail);
		if (hit != 0)
			return hit;
	}
	return 0;
}

/* `.*` may be .sandbox, but nobody who writes it means that one. */
static bool
pointed(const char *path)
{
	static const char vague[] = {
		'.', '/', VALUE_ANY, VALUE_STAR, VALUE_ONE, '\0'
	};
	char have[256];

	for (const char *p = path; *p != '\0';) {
		p = component(p, have);
		if (!value_constant(have) &&
		    have[strspn(have, vague)] == '\0')
			return false;
	}
	return true;
}

/* Most names begin with a dot; most paths hold none that does. */
static bool
may_hide(const char *path)
{
	return strstr(path, "/.") != NULL || !value_constant(path);
}

enum guard
protect_find(const struct policy *pol, const char *path)
{
	const struct policy_place *at = &pol->place;
	enum guard worst = GUARD_NONE;
	const char *tail = "";
	bool dots = may_hide(path);

	if (place_under(path, at->state) || place_under(path, at->keys))
		return GUARD_CLOSED;
	if (place_under(path, at->libexec))
		worst = GUARD_DENY;
	for (size_t i = 0; i < ARRAY_LEN(guarded); i++) {
		enum guard g = guarded[i].guard;
		int hit = g <= worst || (guarded[i].run[0] == '.' && !dots) ?
		    0 : run_find(path + 1, guarded[i].run, &tail);

		/* A whole work tree is there; what it guards is in the list. */
		if (hit == 2 && g == GUARD_ASK && str_starts(tail,
		    "worktrees/") && str_eq(guarded[i].run, ".claude"))
			hit = run_find(tail, guarded[i].run, &tail);
		if (hit == 1 && !pointed(path))
			g = GUARD_ASK;
		if (hit != 0 && g > worst)
			worst = g;
	}
	for (size_t i = 0; i < pol->protect.n; i++)
		if (value_meets(pol->protect.words[i], path) &&
		    worst < GUARD_ASK)
			worst = GUARD_ASK;
	return worst;
}

bool
protect_below(const struct policy *pol, const char *path)
{
	const struct policy_place *at = &pol->place;

	return place_under(at->root, path) || place_under(at->home, path) ||
	    (at->state != NULL && place_under(at->state, path)) ||
	    (at->keys != NULL && place_under(at->keys, path)) ||
	    (at->libexec != NULL && place_under(at->libexec, path));
}

static bool
is_template(const char *path)
{
	const char *tail;

	for (size_t i = 0; i < ARRAY_LEN(templates); i++)
		if (run_find(path + 1, templates[i], &tail) == 2 &&
		    *tail == '\0')
			return true;
	return str_ends(path, ".pub");
}

/* /proc/N/environ, mem, fd and their like show other programs' memory. */
static bool
is_proc_secret(const char *path)
{
	static const char *const names[] = {
		"environ", "mem", "fd", "fdinfo", "root", "cwd", "maps",
		"map_files", "auxv", "task", "syscall", "stack", "cmdline"
	};
	char name[256];
	const char *p;

	if (!str_starts(path, "/proc/"))
		return false;
	p = component(path + 6, name);
	if (name[0] < '0' || name[0] > '9')
		if (!str_eq(name, "self") && !str_eq(name, "thread-self") &&
		    value_constant(name))
			return str_eq(name, "kcore");
	component(p, name);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (component_is(name, names[i]) != 0)
			return true;
	return false;
}

bool
protect_secret(const struct policy *pol, const char *path)
{
	const char *tail;
	bool dots = may_hide(path);
	/* A pattern for source could meet any name, but means source. */
	bool source = !value_constant(path) && place_is_source(path);

	if (is_template(path))
		return false;
	if (is_proc_secret(path) || (place_under(path, "/root") &&
	    !place_under(path, pol->place.root) && !place_under(path, pol->place.home)))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(secrets) && !source; i++) {
		int hit = secrets[i].run[0] == '.' && !dots ? 0 :
		    run_find(path + 1, secrets[i].run, &tail);

		if (hit == 2 || (hit == 1 && secrets[i].strong))
			return true;
	}
	for (size_t i = 0; i < pol->secret.n; i++)
		if (value_meets(pol->secret.words[i], path))
			return true;
	return false;
}

bool
protect_secret_below(const struct policy *pol, const char *path)
{
	const struct policy_place *at = &pol->place;

	return place_under(at->home, path) || place_under("/etc", path) ||
	    (at->keys != NULL && place_under(at->keys, path)) ||
	    (at->state != NULL && place_under(at->state, path)) ||
	    place_under("/root", path) || place_under("/proc", path) ||
	    protect_secret(pol, path);
}

bool
protect_named(const struct policy *pol, const char *text)
{
	return strcasestr(text, ".sandbox") != NULL ||
	    (pol->place.state != NULL &&
	    strstr(text, pol->place.state) != NULL) ||
	    (pol->place.keys != NULL &&
	    strstr(text, pol->place.keys) != NULL);
}

bool
protect_word(const char *word)
{
	static const char name[] = ".sandbox";

	if (strpbrk(word, " \t\n") != NULL)
		return false;
	for (const char *p = word; (p = strcasestr(p, name)) != NULL; p++) {
		char after = p[sizeof(name) - 1];

		if ((p == word || strchr("/=@:,", p[-1]) != NULL) &&
		    (after == '\0' || after == '/'))
			return true;
	}
	return false;
}
