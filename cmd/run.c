/*
 * sandbox run: a command inside walls.
 *
 * Its exit status is the command's.  Our own failures are told apart as
 * shells' and containers' users know them: 125 nothing ran, 126 not a program,
 * 127 no such program.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/run_agent.h"
#include "common/mem.h"
#include "common/visible.h"
#include "jail/enter.h"
#include "jail/net.h"
#include "jail/profile.h"

#include "common/banned.h"

#define CLAIMS_MS	1000

enum { EXIT_NOTHING = 125, EXIT_NO_PROGRAM = 126, EXIT_NOT_FOUND = 127 };

struct run {
	const char	*settings, *profile, *agent, *user, *line;
	bool		 report, debug;
	bool		 dropped;	/* root has become somebody */
	const struct cmd_ctx *ctx;
	struct home	 home;		/* with an agent: the project */
	struct run_agent *in;		/* the agent, or NULL */
	struct jail_beside beside;
};

/* What nobody inside may read, whatever the settings say. */
static void
add_closed(struct list *l, const char *home)
{
	static const struct { const char *variable, *below; } t[] = {
		{ "XDG_STATE_HOME", ".local/state" },
		{ "XDG_DATA_HOME", ".local/share" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const char *dir = getenv(t[i].variable);

		list_add(l, xasprintf("%s/%s/sandbox", home, t[i].below));
		if (dir != NULL && dir[0] == '/')
			list_add(l, xasprintf("%s/sandbox", dir));
	}
}

/* $HOME if it is ours, else the one of the password database. */
static char *
find_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *pw;
	struct stat st;

	if (home != NULL && home[0] == '/' && stat(home, &st) == 0 &&
	    st.st_uid == geteuid())
		return realpath(home, NULL);
	pw = getpwuid(geteuid());
	home = pw != NULL && pw->pw_dir[0] == '/' ? pw->pw_dir : "/";
	return xstrdup(home);
}

static void
print_note(void *arg, const char *line)
{
	auto_free char *shown = visible_line(line);
	unsigned *count = arg;

	(*count)++;
	fprintf(stderr, "sandbox: %s\n", shown);
}

static int
exit_for(const struct err *e)
{
	if (e->code == ERR_LOST)
		return 137;
	if (e->code == ERR_SYSTEM && e->sys == ENOENT)
		return EXIT_NOT_FOUND;
	return e->code == ERR_SYSTEM && e->sys != 0 ? EXIT_NO_PROGRAM :
	    EXIT_NOTHING;
}

static char *
find_proxy(struct err *e)
{
	auto_free char *dir = cmd_libexec(e);

	return dir == NULL ? NULL : xasprintf("%s/sandbox-proxy", dir);
}

/* The nearest directory above that is a project of ours, else cwd itself. */
static char *
find_project(const char *cwd)
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
			return xstrdup(cwd);
		*slash = '\0';
	}
}

static int
load(const struct run *r, const struct spec_place *place, struct spec *ret,
    struct err *e)
{
	auto_free char *project = NULL;
	struct spec_place at = *place;

	if (r->profile != NULL && r->settings != NULL)
		return err_set(e, ERR_USAGE, "--profile and --settings are "
		    "two ways to say the same");
	if (r->settings != NULL || (r->profile == NULL && r->in == NULL))
		return spec_load(r->settings, place, ret, e);
	project = r->in != NULL ? xstrdup(r->home.root_path) :
	    find_project(place->cwd);
	at.cwd = project;
	return profile_load(r->profile == NULL ? "project" : r->profile, &at,
	    ret, e);
}

/* The agent's hooks leave claims: they come into the log while it runs. */
static size_t
wants(void *arg, struct pollfd *ret, int *ret_ms)
{
	(void)arg;
	(void)ret;
	*ret_ms = CLAIMS_MS;
	return 0;
}

static void
turn(void *arg, struct net *net, const struct pollfd *p, size_t n)
{
	struct run *r = arg;

	(void)net;
	(void)p;
	(void)n;
	run_agent_claims(r->in);
}

/* An agent needs a project; what is given it is made before the walls. */
static int
open_agent(struct run *r, const char *home, struct err *e)
{
	struct cmd_ctx here = *r->ctx;

	if (r->agent == NULL)
		return 0;
	here.dir = ".";		/* we are there already */
	if (cmd_home(&here, &r->home, e) == -1)
		return -1;
	if (r->home.jailed)
		return err_set(e, ERR_PERMITTED, "this is a jail already");
	r->beside = (struct jail_beside){ .wants = wants, .turn = turn,
	    .arg = r };
	return run_agent_open(&here, r->agent, home, &r->home, &r->in, e);
}

static int
run(struct run *r, char **argv, struct err *e)
{
	auto_free char *cwd = getcwd(NULL, 0), *home = NULL;
	auto_spec struct spec spec = { 0 };
	auto_free char *proxy = NULL, *name = NULL;
	char *alone[2] = { NULL };
	struct list closed = { 0 };
	unsigned notes = 0;
	struct jail jail = { .spec = &spec, .argv = argv, .environ = environ,
	    .closed = &closed, .debug = r->debug, .note = print_note,
	    .note_arg = &notes };
	int status, rc;

	if (cwd == NULL || (home = find_home()) == NULL) {
		err_sys(e, "cannot find the %s directory", cwd == NULL ?
		    "current" : "home");
		e->sys = 0;
		return -1;
	}
	jail.place = (struct spec_place){ cwd, home };
	if (r->dropped) {
		const struct passwd *pw = getpwuid(geteuid());

		jail.user = pw == NULL ? NULL : pw->pw_name;
	}
	if (open_agent(r, home, e) == -1 ||
	    load(r, &jail.place, &spec, e) == -1) {
		e->sys = 0;
		return err_add(e, "nothing was run");
	}
	if (r->in != NULL) {
		run_agent_spec(r->in, &spec);
		run_agent_jail(r->in, &jail, &closed);
		jail.beside = &r->beside;
		if (argv[0] == NULL) {
			name = xstrdup(run_agent_program(r->in));
			alone[0] = name;
			jail.argv = alone;
		}
	}
	if (net_wanted(&spec) && (proxy = find_proxy(e)) == NULL)
		return -1;
	jail.proxy = proxy;
	add_closed(&closed, home);
	rc = jail_run(&jail, &status, e);
	list_clear(&closed);
	if (rc == 0 && r->report)
		fprintf(stderr, "sandbox: report: status %d, notes %u\n",
		    status, notes);
	return rc == -1 ? -1 : status;
}

int
cmd_run(struct cmd_ctx *ctx, int argc, char **argv)
{
	static char shell[] = "/bin/bash", dash_c[] = "-c";
	struct run r = { .ctx = ctx, .home = HOME_INIT };
	const struct opt opts[] = {
		{ "settings", 0, OPT_TEXT, "FILE",
		  "what is allowed (default: .sandbox/jail.json under yours)",
		  &r.settings },
		{ "profile", 0, OPT_TEXT, "NAME",
		  "settings with a name: project, read-only, build",
		  &r.profile },
		{ "agent", 0, OPT_TEXT, "NAME",
		  "a whole agent: claude, codex, gemini, opencode", &r.agent },
		{ "user", 0, OPT_TEXT, "USER",
		  "started by root: become USER first", &r.user },
		{ "report", 0, OPT_FLAG, NULL,
		  "end with a line that counts the notes", &r.report },
		{ "debug", 0, OPT_FLAG, NULL, "print the plan", &r.debug },
		{ NULL, 'c', OPT_TEXT, "STRING", "run this line in bash",
		  &r.line },
	};
	auto_free char *line = NULL;
	char *words[4] = { shell, dash_c };
	struct err e = { 0 };
	int status;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0 ? r.line != NULL : r.line == NULL && r.agent == NULL)
		return cmd_usage(ctx, "takes a command, or one -c STRING");
	if (argc == 0 && r.line == NULL)
		argv = words + 3;	/* none: the agent's own program */
	if (r.line != NULL) {
		line = xstrdup(r.line);
		words[2] = line;
		argv = words;
	}
	r.dropped = geteuid() == 0;
	if (jail_drop(r.user, &e) == -1 ||
	    (strcmp(ctx->dir, ".") != 0 && chdir(ctx->dir) == -1 &&
	    err_sys(&e, "cannot enter '%s'", ctx->dir) == -1)) {
		cmd_fail(&e);
		return EXIT_NOTHING;
	}
	status = run(&r, argv, &e);
	run_agent_close(r.in);
	home_close(&r.home);
	if (status == -1) {
		cmd_fail(&e);
		return exit_for(&e);
	}
	return status;
}
