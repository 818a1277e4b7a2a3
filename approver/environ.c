#include "approver/environ.h"

#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define VARS_MAX	64
#define LOCALE_MAX	64

static const char *const kept[] = {
	"DBUS_SESSION_BUS_ADDRESS", "HOME", "HTTPS_PROXY", "HTTP_PROXY",
	"LOGNAME", "NO_PROXY", "SHELL", "SSH_AUTH_SOCK", "TMPDIR",
	"USER", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "http_proxy", "https_proxy",
	"no_proxy",
};

static const char *const lc_names[] = {
	"LC_ADDRESS", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION",
	"LC_MEASUREMENT", "LC_MESSAGES", "LC_MONETARY", "LC_NAME",
	"LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME",
};

/*
 * A locale or zone is a name; one with a slash at the front, a colon or ".."
 * is a file of the agent's choice that the C library would read.
 */
static bool
name_ok(const char *v)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@+,/-";
	size_t n = strlen(v);

	return n > 0 && n <= LOCALE_MAX && strspn(v, ok) == n &&
	    v[0] != '/' && strstr(v, "..") == NULL;
}

static const char *
own_value(char *const *own, const char *name)
{
	size_t n = strlen(name);

	for (; *own != NULL; own++)
		if (strncmp(*own, name, n) == 0 && (*own)[n] == '=')
			return *own + n + 1;
	return NULL;
}

static int
by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

char *
environ_path(char *const *own)
{
	static const char usual[] =
	    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	const char *path = own_value(own, "PATH");
	struct str s;

	if (path == NULL || !utf8_ok(path, strlen(path)))
		path = usual;
	str_init(&s, strlen(path) + sizeof usual);
	while (*path != '\0') {
		size_t n = strcspn(path, ":");

		if (path[0] == '/' && s.len > 0)
			str_addc(&s, ':');
		if (path[0] == '/')
			str_addn(&s, path, n);
		path += n + (path[n] == ':');
	}
	/* An empty PATH would be the current directory. */
	if (s.len == 0)
		str_add(&s, usual);
	return str_take(&s);
}

char **
environ_make(char *const *own, const struct request *req)
{
	auto_free char *path = environ_path(own);
	char **out = xcalloc(VARS_MAX, sizeof *out);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		const char *v = own_value(own, kept[i]);

		/* It travels as JSON and is hashed: text or not at all. */
		if (v != NULL && utf8_ok(v, strlen(v)))
			out[n++] = xasprintf("%s=%s", kept[i], v);
	}
	out[n++] = xasprintf("PATH=%s", path);
	out[n++] = xstrdup("TERM=dumb");
	if (req->lang != NULL && name_ok(req->lang))
		out[n++] = xasprintf("LANG=%s", req->lang);
	if (req->tz != NULL && name_ok(req->tz))
		out[n++] = xasprintf("TZ=%s", req->tz);
	for (size_t i = 0; i < ARRAY_LEN(lc_names); i++) {
		const char *v = req->lc == NULL ? NULL :
		    json_str(req->lc, lc_names[i]);

		if (v != NULL && name_ok(v))
			out[n++] = xasprintf("%s=%s", lc_names[i], v);
	}
	qsort(out, n, sizeof *out, by_text);
	return out;
}

void
environ_free(char **env)
{
	for (char **p = env; p != NULL && *p != NULL; p++)
		free(*p);
	free(env);
}

void
environ_digest(char *const *env, struct digest *ret)
{
	struct digest_state st;

	digest_begin(&st, "sandbox-environment-v1");
	for (; *env != NULL; env++)
		digest_add_field(&st, *env, strlen(*env));
	digest_end(&st, ret);
}
