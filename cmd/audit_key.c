/*
 * sandbox audit checkpoint, sandbox audit resume: a human puts a name to the
 * log as it is.
 */
#include <stdio.h>

#include "approver/human.h"
#include "approver/key.h"
#include "approver/tty.h"
#include "audit/audit.h"
#include "audit/checkpoint.h"
#include "cmd/audit.h"
#include "common/mem.h"

#include "common/banned.h"

/* The key, unlocked, for a human of this project. */
static int
unlock(const struct home *home, const char *question, int pass_fd,
    struct key **ret, struct err *e)
{
	auto_key struct key *key = NULL;
	auto_close int dir = -1;

	if (human_only(home, e) == -1)
		return -1;
	key_protect();
	dir = key_dir_open(false, e);
	if (dir == -1 || key_load(dir, &key, e) == -1 ||
	    (question != NULL && tty_confirm(question, e) == -1) ||
	    key_unlock_ask(key, pass_fd, e) == -1)
		return -1;
	*ret = key;
	key = NULL;
	return 0;
}

static int
checkpoint(const struct cmd_ctx *ctx, const struct audit_args *a,
    struct str *ret, struct err *e)
{
	auto_home struct home home = HOME_INIT;
	auto_key struct key *key = NULL;
	struct keyring ring = { 0 };
	struct clock now;
	int rc;

	if (cmd_home(ctx, &home, e) == -1 ||
	    unlock(&home, NULL, a->passphrase_fd, &key, e) == -1 ||
	    clock_now(&now, e) == -1 ||
	    home_approvers(&home, &ring, e) == -1)
		return -1;

	const struct checkpoint_order o = { .project = home.project,
		.genesis = home.genesis, .believed = &ring,
		.seed = key_seed(key), .clock = &now };

	rc = audit_checkpoint(home.priv, &o, ret, e);
	if (rc == 0 && a->anchor != NULL)
		rc = audit_anchor_keep(&home, a->anchor, ret->s, e);
	keyring_clear(&ring);
	return rc;
}

int
audit_checkpoint_cmd(const struct cmd_ctx *ctx, const struct audit_args *a)
{
	auto_str struct str note = { 0 };
	struct err e;

	str_init(&note, NOTE_MAX);
	if (checkpoint(ctx, a, &note, &e) == -1)
		return cmd_fail(&e);
	if (ctx->json) {
		auto_json cJSON *v = json_object();

		json_add_str(v, "checkpoint", note.s);
		cmd_put_json(v);
	} else {
		fputs(note.s, stdout);
	}
	return 0;
}

static int
resume(const struct cmd_ctx *ctx, const struct audit_args *a, struct err *e)
{
	auto_home struct home home = HOME_INIT;
	auto_key struct key *key = NULL;
	struct clock now;

	if (cmd_home(ctx, &home, e) == -1 ||
	    unlock(&home, "Go on with this log?  The break will be reported "
	    "for ever.", a->passphrase_fd, &key, e) == -1 ||
	    clock_now(&now, e) == -1)
		return -1;
	return audit_resume(home.priv, home.project, key_seed(key), &now, e);
}

int
audit_resume_cmd(const struct cmd_ctx *ctx, const struct audit_args *a)
{
	struct err e;

	if (resume(ctx, a, &e) == -1)
		return cmd_fail(&e);
	puts("the log goes on; `sandbox audit verify` names the break");
	return 0;
}
