#include "cmd/run_agent.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"
#include "audit/originals/originals.h"
#include "audit/spool.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define FILE_MAX	(4 << 20)

/* A file of the user's, below home, and its copy in the agent's place. */
struct copy {
	const char	*from, *to;
	const char	*instead;	/* when there is none; NULL: no copy */
	bool		 login;		/* copied once, and the agent's then */
};

static const struct profile {
	const char	*name;		/* and of its program */
	/* Where it looks for its directories; "" is the place itself. */
	struct { const char *variable, *below; } dirs[5];
	struct copy	 copies[6];
	const char	*hosts[6];
	const char	*pass[8];
	/* A file that it wants to write in a folder of the project that it
	   cannot write, unless it is there. */
	const char	*folder, *file, *text;
} profiles[] = {
	{ .name = "claude",
	  .dirs = { { "CLAUDE_CONFIG_DIR", "" } },
	  .copies = {
	    { ".claude/settings.json", "settings.json", "{}\n", false },
	    { ".claude/CLAUDE.md", "CLAUDE.md", NULL, false },
	    { ".claude/.credentials.json", ".credentials.json", NULL, true } },
	  .hosts = { "api.anthropic.com", "claude.ai", "platform.claude.com",
	    "console.anthropic.com" },
	  .pass = { "ANTHROPIC_*", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
	    "CLAUDE_*", "CLAUDE_CODE_OAUTH_TOKEN", "DISABLE_*" } },
	{ .name = "codex",
	  .dirs = { { "CODEX_HOME", "" } },
	  .copies = {
	    { ".codex/config.toml", "config.toml", "", false },
	    { ".codex/hooks.json", "hooks.json", "{}\n", false },
	    { ".codex/AGENTS.md", "AGENTS.md", NULL, false },
	    { ".codex/auth.json", "auth.json", NULL, true } },
	  .hosts = { "api.openai.com", "chatgpt.com", "auth.openai.com" },
	  .pass = { "OPENAI_*", "OPENAI_API_KEY", "CODEX_*",
	    "CODEX_API_KEY" } },
	{ .name = "gemini",
	  .dirs = { { "GEMINI_CLI_HOME", "" } },
	  .copies = {
	    { ".gemini/settings.json", ".gemini/settings.json", "{}\n",
	      false },
	    { ".gemini/trustedFolders.json", ".gemini/trustedFolders.json",
	      "{}\n", false },
	    { ".gemini/GEMINI.md", ".gemini/GEMINI.md", NULL, false },
	    { ".gemini/oauth_creds.json", ".gemini/oauth_creds.json", NULL,
	      true },
	    { ".gemini/google_accounts.json", ".gemini/google_accounts.json",
	      NULL, true } },
	  .hosts = { "generativelanguage.googleapis.com",
	    "cloudcode-pa.googleapis.com", "oauth2.googleapis.com",
	    "accounts.google.com" },
	  .pass = { "GEMINI_*", "GEMINI_API_KEY", "GOOGLE_*",
	    "GOOGLE_API_KEY", "NO_BROWSER" } },
	{ .name = "opencode",
	  .dirs = { { "XDG_CONFIG_HOME", "config" },
	    { "XDG_DATA_HOME", "data" }, { "XDG_STATE_HOME", "state" },
	    { "XDG_CACHE_HOME", "cache" } },
	  .copies = {
	    { ".config/opencode/opencode.json",
	      "config/opencode/opencode.json", "{}\n", false },
	    { ".local/share/opencode/auth.json", "data/opencode/auth.json",
	      NULL, true } },
	  .hosts = { "opencode.ai", "models.dev" },
	  .pass = { "OPENCODE_*", "OPENCODE_API_KEY" },
	  .folder = ".opencode", .file = ".gitignore",
	  .text = "node_modules\npackage.json\npackage-lock.json\nbun.lock\n"
	    ".gitignore\n" },
};

struct run_agent {
	const struct profile	*p;
	const struct home	*home;
	struct audit		*audit;
	char			*libexec;
	char			*path;		/* the place */
	int			 dir;
	struct jail_gifts	 gifts;
	struct list		 set;
	bool			 started;	/* and it is on record */
};

static const struct profile *
find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	return NULL;
}

/* A directory of ours alone below another, through no link; made if need be. */
static int
descend(int from, const char *path, struct err *e)
{
	auto_free char *text = xstrdup(path);
	auto_close int at = openat(from, ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	char *save = NULL;

	for (char *w = strtok_r(text, "/", &save); w != NULL && at != -1;
	    w = strtok_r(NULL, "/", &save)) {
		int next = fs_make_private(at, w, e);

		close(at);
		at = next;
	}
	return fd_steal(&at);
}

/* Links are followed where a user wrote them: dotfile managers do. */
static int
read_users(const char *path, struct str *ret, struct err *e)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
	    O_NOCTTY);
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return 0;
	return io_read_all(fd, FILE_MAX, ret, e) == -1 ? -1 : 1;
}

static int
copy_one(struct run_agent *a, const struct copy *c, const char *user_home,
    struct err *e)
{
	auto_free char *from = xasprintf("%s/%s", user_home, c->from);
	const char *slash = strrchr(c->to, '/');
	const char *name = slash == NULL ? c->to : slash + 1;
	auto_free char *above = slash == NULL ? xstrdup("") :
	    xstrndup(c->to, (size_t)(slash - c->to));
	auto_close int dir = descend(a->dir, above, e);
	auto_str struct str text = { 0 };
	int there;

	if (dir == -1)
		return -1;
	if (c->login && faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	str_init(&text, FILE_MAX);
	there = read_users(from, &text, e);
	if (there == -1)
		return -1;
	/* One that is gone must not live on as a copy the agent wrote. */
	if (there == 0 && c->instead == NULL) {
		if (!c->login)
			unlinkat(dir, name, 0);
		return 0;
	}
	if (there == 0)
		str_add(&text, c->instead);
	if (fs_replace(dir, name, text.s, text.len, 0600, e) == -1)
		return err_add(e, "'%s'", c->to);
	if (!c->login)
		list_add(&a->gifts.held, xasprintf("%s/%s", a->path, c->to));
	return 0;
}

/* <base>/sandbox-agents/<project>/<agent>, 0700 all the way. */
static int
make_place(struct run_agent *a, const char *base, struct err *e)
{
	const char *key = strrchr(a->home->priv_path, '/') + 1;
	auto_free char *below = xasprintf(RUN_AGENT_PLACES "/%s/%s", key,
	    a->p->name);
	auto_close int at = fs_open_dir_follow(base, e);

	if (at == -1)
		return -1;
	a->dir = descend(at, below, e);
	if (a->dir == -1)
		return err_add(e, "the agent's place '%s/%s'", base, below);

	auto_str struct str real = { 0 };

	str_init(&real, 4096);
	if (fs_path_of(a->dir, &real, e) == -1)
		return -1;
	a->path = str_take(&real);
	return 0;
}

static int
fill_place(struct run_agent *a, const char *user_home, struct err *e)
{
	const struct profile *p = a->p;

	for (size_t i = 0; i < ARRAY_LEN(p->dirs) &&
	    p->dirs[i].variable != NULL; i++) {
		auto_close int fd = descend(a->dir, p->dirs[i].below, e);

		if (fd == -1)
			return -1;
		list_add(&a->set, xasprintf("%s=%s%s%s", p->dirs[i].variable,
		    a->path, *p->dirs[i].below == '\0' ? "" : "/",
		    p->dirs[i].below));
	}
	for (size_t i = 0; i < ARRAY_LEN(p->copies) &&
	    p->copies[i].from != NULL; i++)
		if (copy_one(a, &p->copies[i], user_home, e) == -1)
			return -1;
	return 0;
}

static int
satisfy(const struct run_agent *a, struct err *e)
{
	const struct profile *p = a->p;
	auto_close int dir = p->folder == NULL ? -1 :
	    fs_open_dir(a->home->root, p->folder, NULL);

	if (dir == -1 || faccessat(dir, p->file, F_OK,
	    AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	return fs_write_new(dir, p->file, p->text, strlen(p->text), false, e);
}

/* What of the connector is there inside. */
static void
give(struct run_agent *a)
{
	const struct home *h = a->home;

	list_add(&a->gifts.open, xstrdup(a->path));
	list_add(&a->gifts.open, xasprintf("%s/.sandbox/escalations",
	    h->root_path));
	list_add(&a->gifts.shown, xasprintf("%s/record.json", h->priv_path));
	list_add(&a->gifts.shown, xasprintf("%s/view", h->priv_path));
	list_add(&a->gifts.shown, xstrdup(a->libexec));
}

/* The hooks inside cannot keep what calls change: it is kept as it is now. */
static int
keep(struct run_agent *a, struct err *e)
{
	auto_json cJSON *fields = json_object();
	const struct event started = { .kind = "sandbox.started",
	    .agent = a->p->name, .fields = fields };
	struct originals *store = NULL;
	struct baseline b = { 0 };
	auto_free char *session = NULL;
	struct clock now;
	int rc;

	if (clock_now(&now, e) == -1 || originals_open(a->home->priv,
	    a->home->root, a->home->root_path, ORIGINALS_RUNNER, &store, e) ==
	    -1)
		return -1;
	session = xasprintf("jail-%d-%lld", (int)getpid(),
	    (long long)now.boot_ms);
	rc = originals_baseline(store, session, now.wall_ms, &b, e);
	json_add_str(fields, "what", "agent");
	if (b.list[0] != '\0')
		json_add_str(fields, ORIGINALS_FIELD, b.list);
	if (rc == 0)
		rc = audit_append(a->audit, &started, &now, NULL, e);
	originals_close(store);
	return rc;
}

static int
open_all(struct run_agent *a, const struct cmd_ctx *ctx,
    const char *user_home, struct err *e)
{
	auto_free char *base = cmd_state_base(ctx);

	a->libexec = cmd_libexec(e);
	if (a->libexec == NULL || base == NULL)
		return -1;
	if (make_place(a, base, e) == -1 ||
	    fill_place(a, user_home, e) == -1 || satisfy(a, e) == -1 ||
	    audit_open(a->home->priv, a->home->project, &a->audit, e) == -1 ||
	    keep(a, e) == -1)
		return -1;
	a->started = true;
	give(a);
	return 0;
}

int
run_agent_open(const struct cmd_ctx *ctx, const char *name,
    const char *user_home, const struct home *home, struct run_agent **ret,
    struct err *e)
{
	const struct profile *p = find(name);
	struct run_agent *a;

	if (p == NULL)
		return err_set(e, ERR_USAGE, "no agent of that name: claude, "
		    "codex, gemini, opencode");
	a = xcalloc(1, sizeof *a);
	*a = (struct run_agent){ .p = p, .home = home, .dir = -1 };
	if (open_all(a, ctx, user_home, e) == -1) {
		run_agent_close(a, -1);
		return -1;
	}
	*ret = a;
	return 0;
}

static void
record_end(struct run_agent *a, int status)
{
	auto_json cJSON *fields = json_object();
	const struct event ended = { .kind = "sandbox.completed",
	    .agent = a->p->name, .fields = fields };
	struct clock now;

	json_add_str(fields, "what", "agent");
	json_add_int(fields, "status", status);
	if (clock_now(&now, NULL) == 0)
		audit_append(a->audit, &ended, &now, NULL, NULL);
}

void
run_agent_close(struct run_agent *a, int status)
{
	if (a == NULL)
		return;
	if (a->started) {
		run_agent_claims(a);
		record_end(a, status);
	}
	audit_free(a->audit);
	list_clear(&a->gifts.open);
	list_clear(&a->gifts.shown);
	list_clear(&a->gifts.held);
	list_clear(&a->set);
	mem_close_fd(&a->dir);
	free(a->libexec);
	free(a->path);
	free(a);
}

void
run_agent_spec(const struct run_agent *a, struct spec *s)
{
	const struct profile *p = a->p;

	for (size_t i = 0; i < ARRAY_LEN(p->hosts) && p->hosts[i] != NULL; i++)
		list_add(&s->list[SPEC_ALLOW_DOMAINS], xstrdup(p->hosts[i]));
	for (size_t i = 0; i < ARRAY_LEN(p->pass) && p->pass[i] != NULL; i++)
		list_add(&s->list[SPEC_ENV_PASS], xstrdup(p->pass[i]));
}

void
run_agent_jail(const struct run_agent *a, struct jail *jail,
    struct list *closed)
{
	jail->gifts = &a->gifts;
	jail->set = &a->set;
	list_add(closed, xstrdup(a->home->priv_path));
	if (a->home->keys_path != NULL)
		list_add(closed, xstrdup(a->home->keys_path));
}

void
run_agent_claims(struct run_agent *a)
{
	auto_close int spool = fs_open_dir(a->home->bus, "spool", NULL);
	struct spool_taken got;
	struct clock now;

	/* What cannot be taken now waits for the next time, or for a watch. */
	if (spool != -1 && clock_now(&now, NULL) == 0)
		audit_spool_take(a->audit, spool, &now, &got, NULL);
}
