#include "jail/env.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "common/mem.h"

#include "common/banned.h"

static const char *const passed[] = {
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM",
	"TERMINFO", "LANG", "LANGUAGE", "LC_*", "TZ", "PWD", "EDITOR",
	"VISUAL", "PAGER", "LESS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR*",
	"COLUMNS", "LINES", "CI", "DEBIAN_FRONTEND", "MANPATH", "INFOPATH",
	"XDG_CONFIG_*", "XDG_CACHE_HOME", "XDG_DATA_*", "XDG_STATE_HOME",
	"CC", "CXX", "CPP", "LD", "AR", "CFLAGS", "CXXFLAGS", "CPPFLAGS",
	"LDFLAGS", "MAKEFLAGS", "MAKELEVEL", "PKG_CONFIG*", "CMAKE_*",
	"NODE_ENV", "NODE_PATH", "NODE_OPTIONS", "NVM_DIR", "VOLTA_HOME",
	"PNPM_HOME", "BUN_INSTALL", "DENO_DIR", "PYTHON*", "VIRTUAL_ENV",
	"CONDA_PREFIX", "PYENV_ROOT", "PIP_CACHE_DIR", "GOPATH", "GOROOT",
	"GOFLAGS", "GOCACHE", "GOMODCACHE", "CGO_*", "CARGO_HOME",
	"RUSTUP_HOME", "RUST_*", "RUSTFLAGS", "JAVA_HOME", "JDK_HOME",
	"MAVEN_OPTS", "GRADLE_*", "ANDROID_HOME", "RUBYLIB", "GEM_*",
	"RBENV_ROOT", "PERL5LIB", "GHCUP_*", "DOTNET_*", "NIX_*",
	"LOCALE_ARCHIVE", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_TERMINAL_PROMPT",
};

static const char *const secret[] = {
	"*TOKEN*", "*SECRET*", "*PASSW*", "*PASSPHRASE*", "*CREDENTIAL*",
	"*API_KEY*", "*APIKEY*", "*ACCESS_KEY*", "*PRIVATE_KEY*", "*_KEY",
	"*_PAT", "*AUTH*", "*COOKIE*", "*_DSN", "*DATABASE_URL*",
};

static bool
in_table(const char *name, const char *const *table, size_t n, int flags)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(table[i], name, flags) == 0)
			return true;
	return false;
}

static bool
passes(const struct spec *spec, const char *name)
{
	const struct list *deny = &spec->list[SPEC_ENV_DENY];
	const struct list *more = &spec->list[SPEC_ENV_PASS];

	if (in_table(name, (const char *const *)deny->v, deny->n, 0))
		return false;
	if (list_has(more, name))
		return true;
	/* "GIT_AUTHOR_NAME" is no secret. */
	if (in_table(name, secret, ARRAY_LEN(secret), FNM_CASEFOLD) &&
	    strncmp(name, "GIT_AUTHOR_", 11) != 0)
		return false;
	return in_table(name, passed, ARRAY_LEN(passed), 0) ||
	    in_table(name, (const char *const *)more->v, more->n, 0);
}

const char *
env_get(const struct list *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < env->n; i++)
		if (strncmp(env->v[i], name, n) == 0 && env->v[i][n] == '=')
			return env->v[i] + n + 1;
	return NULL;
}

void
env_make(const struct spec *spec, char *const *environ, const struct list *set,
    struct list *ret)
{
	list_join(ret, set);
	for (; *environ != NULL; environ++) {
		const char *eq = strchr(*environ, '=');

		if (eq == NULL)
			continue;

		auto_free char *name = xstrndup(*environ,
		    (size_t)(eq - *environ));

		/* Twice the same name: what the shell would see first. */
		if (passes(spec, name) && env_get(ret, name) == NULL)
			list_add(ret, xstrdup(*environ));
	}
}
