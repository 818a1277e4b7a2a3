/*
 * What `sandbox init` would do, found out without writing a byte.
 */
#include "cmd/init.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/accept.h"
#include "cmd/diff.h"
#include "cmd/settings.h"
#include "common/json_splice.h"
#include "common/mem.h"
#include "common/visible.h"
#include "templates/templates.h"

#include "common/banned.h"

#define LOCAL	".claude/settings.local.json"
#define SHARED	".claude/settings.json"

void
init_clear(struct init *in)
{
	free(in->root);
	free(in->libexec);
	free(in->state);
	target_clear(&in->target);
	str_clear(&in->settings);
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

int
init_plan_claude(struct init *in, struct err *e)
{
	const struct registration_place place = {
		.libexec = in->libexec, .root = in->root, .state = in->state,
	};

	if (target_read(in->root, LOCAL, SETTINGS_MAX, &in->target, e) == -1 ||
	    check_shared(in, &place, e) == -1)
		return -1;
	str_add(&in->settings, in->target.text.s);
	if (in->settings.len != in->target.text.len)
		return err_set(e, ERR_FORMAT, "'%s' holds a NUL", LOCAL);
	if (settings_claude_add(&in->settings, &place, e) == -1)
		return err_add(e, "'%s' is left alone", LOCAL);
	return 0;
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
	auto_free char *shown = in->claude ? visible_line(in->target.path) :
	    NULL;
	auto_str struct str text = { 0 };

	str_init(&text, SETTINGS_MAX * 8);
	diff_lines(in->target.path, &in->target.text, &in->settings, &text);
	printf("would keep the queue in    %s/.sandbox\n"
	    "would keep private data in %s\n%s", in->root, in->state,
	    in->claude ? text.s : "");
	if (in->claude && text.len == 0)
		printf("'%s' stays as it is\n", shown);
}
