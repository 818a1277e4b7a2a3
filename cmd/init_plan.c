/*
 * What `sandbox init` would do, found out without writing a byte.
 */
#include "cmd/init.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "approver/key.h"
#include "cmd/accept.h"
#include "cmd/codex_trust.h"
#include "cmd/envfile.h"
#include "cmd/settings.h"
#include "common/diff.h"
#include "common/json_splice.h"
#include "common/mem.h"
#include "common/visible.h"
#include "templates/templates.h"

#include "common/banned.h"

#define SHARED	".claude/settings.json"

void
init_clear(struct init *in)
{
	free(in->root);
	free(in->libexec);
	free(in->state);
	for (size_t i = 0; i < in->n_changes; i++) {
		target_clear(&in->changes[i].target);
		str_clear(&in->changes[i].text);
	}
	str_clear(&in->policy);
}

/* A path that stands in JSON, in argv and on screens: no surprises in it. */
static int
check_path(const char *path, struct err *e)
{
	if (visible_hidden(path, strlen(path)) != 0 ||
	    strpbrk(path, "\n\t") != NULL || strstr(path, "${") != NULL) {
		auto_free char *shown = visible_line(path);

		return err_set(e, ERR_SETUP, "'%s' has characters that agents "
		    "or screens would change: choose another place", shown);
	}
	return 0;
}

static bool
lies_in(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '/' || path[n] == '\0');
}

/* Hooks without --state see no environment: they look in one place only. */
static int
check_found(const struct init *in, struct err *e)
{
	auto_free char *base = home_base(false), *real = NULL, *there = NULL;

	if (base == NULL)
		return err_set(e, ERR_SETUP, "this user has no home");
	real = realpath(base, NULL);
	there = home_state_path(real != NULL ? real : base, in->root);
	return strcmp(there, in->state) == 0 ? 0 : err_set(e, ERR_SETUP,
	    "a shared hook looks for private data in '%s' only: leave --state "
	    "and XDG_STATE_HOME alone", base);
}

int
init_plan_places(const struct cmd_ctx *ctx, struct init *in, struct err *e)
{
	auto_free char *base = cmd_state_base(ctx), *real = NULL;

	in->root = realpath(ctx->dir, NULL);
	if (in->root == NULL)
		return err_sys(e, "cannot find '%s'", ctx->dir);
	if (strcmp(in->root, "/") == 0)
		return err_set(e, ERR_SETUP, "'/' is no project: name the "
		    "folder the agent works in");
	if (base == NULL || base[0] != '/')
		return err_set(e, ERR_SETUP, "no place for private data: give "
		    "an absolute --state DIR");
	real = realpath(base, NULL);
	if (lies_in(real != NULL ? real : base, in->root))
		return err_set(e, ERR_SETUP, "the private data would lie "
		    "inside the project, where the agent writes: init a "
		    "folder below it, or give --state DIR");
	in->libexec = cmd_libexec(e);
	if (in->libexec == NULL)
		return -1;
	in->state = home_state_path(real != NULL ? real : base, in->root);
	if (in->shared && check_found(in, e) == -1)
		return -1;
	if (check_path(in->root, e) == -1 || check_path(in->libexec, e) == -1)
		return -1;
	return check_path(in->state, e);
}

/* The committed settings apply too: what they set must not undo us. */
static int
check_shared(const struct init *in, const struct registration_place *place,
    struct err *e)
{
	struct target t;
	int rc = 0;

	if (target_read(in->root, SHARED, SETTINGS_MAX, &t, e) == -1)
		return -1;
	if (t.exists && registration_check(t.text.s, t.text.len, place, false,
	    e) == -1) {
		if (e->code == ERR_PERMITTED)
			rc = err_add(e, "'%s'", SHARED);
		else
			fprintf(stderr, "sandbox: note: '%s': %s; the client "
			    "ignores the whole file\n", SHARED, e->text);
	}
	target_clear(&t);
	return rc;
}

/*
 * Nothing was written; somebody who knows the file can do it.  All of it: a
 * client's hooks and its MCP server may stand in the same file.
 */
static void
say_by_hand(const struct init *in, const struct agent *bad,
    const struct registration_place *place, const char *path)
{
	auto_free char *shown = visible_line(path);

	for (int i = 0; agents[i].name != NULL; i++) {
		const struct agent *a = &agents[i];
		auto_str struct str text = { 0 };

		if (!in->chosen[i] || a->in_home != bad->in_home ||
		    strcmp(a->file, bad->file) != 0)
			continue;
		str_init(&text, SETTINGS_MAX);
		settings_by_hand(a, place, &text);
		fprintf(stderr, "sandbox: to connect %s by hand, put this into "
		    "'%s':\n%s", a->title, shown, text.s);
	}
}

/* The text of the last change to the same file, or the file's. */
static const struct str *
text_so_far(const struct init *in, const struct change *c)
{
	const struct str *text = &c->target.text;

	for (size_t i = 0; i < in->n_changes; i++)
		if (&in->changes[i] != c &&
		    str_eq(in->changes[i].target.path, c->target.path))
			text = &in->changes[i].text;
	return text;
}

/* What the file would become. */
static int
plan_text(const struct init *in, struct change *c,
    const struct registration_place *place, struct err *e)
{
	const struct str *now = text_so_far(in, c);

	if (!c->target.exists)
		c->target.mode = in->shared ? 0644 : c->agent->mode;
	str_init(&c->text, SETTINGS_MAX);
	str_add(&c->text, now->s);
	if (c->text.len != now->len)
		return err_set(e, ERR_FORMAT, "it holds a NUL");
	if (settings_add(c->agent, c->only, place, &c->text, e) == -1)
		return -1;
	return target_check(&c->target, e);
}

/* A committed file holds no path of this machine. */
static struct registration_place
place_of(const struct init *in)
{
	const struct registration_place local = { .libexec = in->libexec,
	    .root = in->root, .state = in->state };
	const struct registration_place shared = { .libexec = NULL };

	return in->shared ? shared : local;
}

static int
plan_file(struct init *in, const struct agent *a,
    const struct registration *only, struct err *e)
{
	const struct registration_place place = place_of(in);
	struct change *c = &in->changes[in->n_changes];
	auto_free char *file = xasprintf("%s%s", in->shared &&
	    a->shared_file != NULL ? a->shared_file : a->file,
	    a->form == AGENT_FILES ? only->event : "");
	auto_free char *dir = a->in_home ? agent_home(a, getenv("HOME")) :
	    xstrdup(in->root);
	int rc = dir != NULL ? 0 : err_set(e, ERR_SETUP, "there is no HOME "
	    "for %s", a->title);

	if (rc == 0)
		rc = target_read(dir, file, SETTINGS_MAX, &c->target, e);
	if (rc == 0) {
		in->n_changes++;
		c->agent = a;
		c->only = only;
		rc = plan_text(in, c, &place, e);
	}
	if (rc == 0)
		return 0;
	if (e->code != ERR_PERMITTED)
		say_by_hand(in, a, &place, file);
	return err_add(e, "'%s' is left alone", file);
}

static int
plan_agent(struct init *in, const struct agent *a, struct err *e)
{
	const struct registration_place place = {
		.libexec = in->libexec, .root = in->root, .state = in->state,
	};

	if (in->shared && a->project_var == NULL)
		return err_set(e, ERR_USAGE, "there is no shared form for %s",
		    a->title);
	if (a->form != AGENT_FILES && plan_file(in, a, a->events, e) == -1)
		return -1;
	/* Behind the settings, whose refusal says what to do. */
	for (size_t i = 0; i < ARRAY_LEN(a->env_files); i++)
		if (a->env_files[i] != NULL && envfile_check(in->root,
		    a->env_files[i], NULL, e) == -1)
			return -1;
	if (str_eq(a->name, "codex") && codex_hooks_on(in->root,
	    ".codex/config.toml", e) == -1)
		return -1;
	if (a->events == registration_claude && !in->shared)
		return check_shared(in, &place, e);
	if (a->form != AGENT_FILES)
		return 0;
	for (const struct registration *r = a->events; r->event != NULL; r++)
		if (plan_file(in, a, r, e) == -1)
			return -1;
	return 0;
}

int
init_plan_agents(struct init *in, struct err *e)
{
	for (int i = 0; agents[i].name != NULL; i++)
		if (in->chosen[i] && plan_agent(in, &agents[i], e) == -1)
			return -1;
	return 0;
}

int
init_plan_writable(const struct init *in, struct err *e)
{
	auto_free char *sandbox = xasprintf("%s/.sandbox", in->root);
	auto_free char *data = key_base_path();
	auto_close int keys = key_dir_open(false, NULL);
	struct stat st;

	/* What else bears its name is refused by whoever makes it. */
	if ((lstat(sandbox, &st) == -1 || S_ISDIR(st.st_mode)) &&
	    target_check_dir(sandbox, e) == -1)
		return -1;
	if (target_check_dir(in->state, e) == -1)
		return -1;
	/* A key that is there is only read. */
	return keys != -1 || data == NULL ? 0 : target_check_dir(data, e);
}

int
init_plan_policy(struct init *in, struct err *e)
{
	str_add(&in->policy, template_policy_json);
	if (!in->auto_allow)
		return 0;
	return json_splice_append(&in->policy, "", "auto_allow", "true", e);
}

void
init_plan_show(const struct init *in)
{
	printf("would keep the queue in    %s/.sandbox\n"
	    "would keep private data in %s\n", in->root, in->state);
	for (size_t i = 0; i < in->n_changes; i++) {
		const struct change *c = &in->changes[i];
		auto_str struct str text = { 0 };
		auto_free char *shown = visible_line(c->target.path);

		str_init(&text, SETTINGS_MAX * 8);
		diff_lines(c->target.path, &c->target.text, &c->text, &text);
		if (text.len > 0)
			fputs(text.s, stdout);
		else
			printf("'%s' stays as it is\n", shown);
	}
}
