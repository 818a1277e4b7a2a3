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
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/run_agent.h"
#include "cmd/run_ask.h"
#include "cmd/run_control.h"
#include "cmd/run_events.h"
#include "cmd/run_place.h"
#include "cmd/run_registry.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/str.h"
#include "common/visible.h"
#include "jail/enter.h"
#include "jail/net.h"
#include "jail/profile.h"

#include "common/banned.h"

#define CLAIMS_MS	1000

enum { EXIT_NOTHING = 125, EXIT_NO_PROGRAM = 126, EXIT_NOT_FOUND = 127 };

struct run {
	const char	*settings, *profile, *project, *agent, *user, *line;
	bool		 debug;
	bool		 dropped;	/* root has become somebody */
	const struct cmd_ctx *ctx;
	struct home	 home;		/* with an agent: the project */
	struct run_agent *in;		/* the agent, or NULL */
	int64_t		 claims_ms;	/* when to look for claims again */
	struct run_events events;
	struct run_ask	*ask;		/* or NULL */
	int		 control_fd;
	struct run_control control;
	struct spec	 spec;
	struct list	 set;		/* variables */
	struct spec_place place;
	struct jail_beside beside;
};

static void
note(void *arg, const char *line)
{
	run_events_note(arg, line);
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

/* It was there when somebody looked, or it is another one's directory now. */
static int
not_there(const char *cwd, const char *project, struct err *e)
{
	auto_free char *here = visible_line(cwd);
	auto_free char *there = visible_line(project);

	return err_set(e, ERR_USAGE, "'%.100s' is not in the project '%.100s'",
	    here, there);
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
	if (r->profile == NULL && r->project != NULL)
		return err_set(e, ERR_USAGE, "--project says what --profile "
		    "is for");
	if (r->settings != NULL || (r->profile == NULL && r->in == NULL))
		return spec_load(r->settings, place, ret, e);
	project = r->in != NULL ? xstrdup(r->home.root_path) :
	    run_place_project(place->cwd, r->project);
	if (project == NULL && r->project != NULL)
		return not_there(place->cwd, r->project, e);
	if (project != NULL)
		at.cwd = project;
	return profile_load(r->profile == NULL ? "project" : r->profile, &at,
	    project != NULL, ret, e);
}

static void
kept(void *arg, const char *line)
{
	struct run *r = arg;

	run_events_kept(&r->events, line);
}

static void
refused(void *arg, const struct refusal *refusal)
{
	struct run *r = arg;

	run_events_refused(&r->events, refusal);
}

static void
asked(void *arg, struct net *net, const struct net_question *q)
{
	struct run *r = arg;

	if (r->ask == NULL)
		net_answer(net, q->id, false);
	else
		run_ask_question(r->ask, net, q);
}

static size_t
wants(void *arg, struct pollfd *ret, int *ret_ms)
{
	const struct run *r = arg;
	size_t n = 0;

	if (r->in != NULL)
		*ret_ms = CLAIMS_MS;
	if (r->control.fd != 0)
		ret[n++] = (struct pollfd){ .fd = r->control.fd,
		    .events = POLLIN };
	return n + (r->ask == NULL ? 0 : run_ask_wants(r->ask, ret + n,
	    ret_ms));
}

/* Other rules: what an agent needs and what was granted stays in them. */
static int
take_control(struct run *r, const struct net *net, struct err *e)
{
	struct err why = { 0 };
	int got = run_control_read(&r->control, &r->place, &r->spec, e);

	if (got != 1)
		return got;
	if (r->in != NULL)
		run_agent_spec(r->in, &r->spec);
	if (r->ask != NULL)
		run_ask_renew(r->ask);
	if (net_rules(net, &r->spec, &why) == -1)
		run_events_note(&r->events, why.text);
	else if (r->events.report)
		run_events_note(&r->events, "the network rules were replaced");
	return 0;
}

static int
turn(void *arg, struct net *net, const struct pollfd *p, size_t n,
    struct err *e)
{
	struct run *r = arg;

	if (n > 0 && r->control.fd != 0 && p[0].fd == r->control.fd &&
	    p[0].revents != 0 && take_control(r, net, e) == -1)
		return -1;
	if (r->ask != NULL)
		run_ask_turn(r->ask, net);
	/* A loud agent must not make a folder be read for every line. */
	if (r->in != NULL && clock_boot_ms() >= r->claims_ms) {
		run_agent_claims(r->in);
		r->claims_ms = clock_boot_ms() + CLAIMS_MS;
	}
	return 0;
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
	return run_agent_open(&here, r->agent, home, &r->home, &r->in, e);
}

/* What is allowed, who is inside, and what goes on beside it. */
static int
arrange(struct run *r, struct jail *jail, struct list *closed,
    struct err *e)
{
	run_place_closed(&r->place, closed);
	r->place.closed = closed;
	if (open_agent(r, r->place.home, e) == -1 ||
	    load(r, &r->place, &r->spec, e) == -1 ||
	    run_control_open(r->control_fd, &r->control, e) == -1) {
		e->sys = 0;
		return err_add(e, "nothing was run");
	}
	run_place_programs(&r->spec);
	if (r->in != NULL) {
		run_agent_spec(r->in, &r->spec);
		run_agent_jail(r->in, jail, closed);
	}
	if (jail->set != NULL)
		list_join(&r->set, jail->set);
	jail->set = &r->set;
	if (r->spec.registries)
		run_registry(r->ctx, &r->spec, str_eq(r->profile, "build") ?
		    NULL : &r->set);
	r->spec.later = r->control.fd != 0;
	jail->null_fd = r->control.fd;
	if (r->spec.ask)
		r->ask = run_ask_new(r->ctx, jail->argv, &r->spec);
	return 0;
}

static int
run(struct run *r, char **argv, struct err *e)
{
	auto_free char *cwd = getcwd(NULL, 0), *home = NULL, *proxy = NULL;
	auto_free char *account = NULL;
	struct list closed = { 0 };
	struct jail jail = { .spec = &r->spec, .argv = argv,
	    .environ = environ, .closed = &closed, .debug = r->debug,
	    .note = note, .note_arg = &r->events, .beside = &r->beside };
	int status = 0, rc;

	if (cwd == NULL || (home = run_place_home()) == NULL) {
		err_sys(e, "cannot find the %s directory", cwd == NULL ?
		    "current" : "home");
		e->sys = 0;
		return -1;
	}
	account = run_place_account(home);
	r->place = jail.place = (struct spec_place){ .cwd = cwd,
	    .home = home, .account = account };
	if (r->dropped) {
		const struct passwd *pw = getpwuid(geteuid());

		jail.user = pw == NULL ? NULL : pw->pw_name;
	}
	rc = arrange(r, &jail, &closed, e);
	if (rc == 0 && net_wanted(&r->spec)) {
		proxy = find_proxy(e);
		rc = proxy == NULL ? -1 : 0;
	}
	jail.proxy = proxy;
	if (rc == 0)
		rc = jail_run(&jail, &status, e);
	list_clear(&closed);
	run_ask_free(r->ask);
	run_control_close(&r->control);
	if (rc == 0)
		run_events_end(&r->events, status);
	return rc == -1 ? -1 : status;
}

static int
run_and_clear(struct run *r, char **argv, struct err *e)
{
	int status;

	r->events.ctx = r->ctx;
	r->events.argv = argv;
	r->control.bad = note;
	r->control.arg = &r->events;
	r->beside = (struct jail_beside){ .wants = wants, .turn = turn,
	    .kept = kept, .refused = refused, .asked = asked, .arg = r };
	spec_init(&r->spec);
	status = run(r, argv, e);
	spec_clear(&r->spec);
	list_clear(&r->set);
	run_events_close(&r->events);
	run_agent_close(r->in, status);
	home_close(&r->home);
	return status;
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
		{ "project", 0, OPT_TEXT, "DIR",
		  "the project that the profile is for, and no other",
		  &r.project },
		{ "agent", 0, OPT_TEXT, "NAME",
		  "a whole agent: claude, codex, gemini, opencode", &r.agent },
		{ "control-fd", 0, OPT_COUNT, "N",
		  "other network rules while it runs, JSON lines",
		  &r.control_fd },
		{ "user", 0, OPT_TEXT, "USER",
		  "started by root: become USER first", &r.user },
		{ "report", 0, OPT_FLAG, NULL,
		  "tell what happens as JSON, a line each", &r.events.report },
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
	if (argc == 0 && r.line == NULL) {
		line = xstrdup(r.agent);	/* the agent's own program */
		words[0] = line;
		words[1] = NULL;
		argv = words;
	}
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
	status = run_and_clear(&r, argv, &e);
	if (status == -1) {
		cmd_fail(&e);
		return exit_for(&e);
	}
	return status;
}
