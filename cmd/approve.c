#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "approver/approve.h"
#include "approver/follow.h"
#include "approver/human.h"
#include "approver/seal.h"
#include "approver/sweep.h"
#include "cmd/desk.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

/* The command's own codes are 0..119 mostly; ours must not look like them. */
#define OURS	120

extern char **environ;

static int
fail(const struct err *e)
{
	return OURS + cmd_fail(e);
}

/* --- leaving while it runs --- */

/* Written by decide() while signals wait, read by their handler. */
static struct decided done;
static char goes_on[200];

static void
say_goes_on(void)
{
	/* Nothing can be done about a stderr that is gone, too. */
	if (done.runner > 0 &&
	    write(STDERR_FILENO, goes_on, strlen(goes_on)) == -1)
		return;
}

/* It ends us as it would have: SA_RESETHAND. */
static void
leave(int sig)
{
	say_goes_on();
	raise(sig);
}

static void
catch_leaving(const char *id)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP,
	    SIGPIPE };
	const struct sigaction ours = { .sa_handler = leave,
	    .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	snprintf(goes_on, sizeof goes_on, "sandbox: it goes on: `sandbox "
	    "output -f %s` follows it, `sandbox stop %s` ends it\n", id, id);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &ours, NULL);
}

/* Say what became of it, on stderr, where no output of the command goes. */
static int
follow(struct desk *desk, const char *id)
{
	const struct home *home = desk->home;
	struct follow_end end;
	struct err e = { 0 };
	char text[80];

	if (follow_run(home, id, true, &end, &e) == -1) {
		int status = fail(&e);

		if (follow_look(home, id, &end, NULL) == 0 &&
		    end.state == FOLLOW_RUNNING)
			say_goes_on();
		return status;
	}
	/* Nobody else may come by for long: the asker is told now. */
	if (end.state == FOLLOW_LOST && sweep_run(desk, NULL, &e) == -1)
		cmd_fail(&e);
	follow_say(&end, text, sizeof text);
	if (end.why[0] != '\0') {
		auto_free char *why = visible_line(end.why);

		fprintf(stderr, "sandbox: %s: %s\n", text, why);
	} else {
		fprintf(stderr, "sandbox: %s\n", text);
	}
	return follow_exit(&end);
}

static int
finish(struct desk *desk, const char *id)
{
	if (done.decision == DECISION_ALLOW_ONCE) {
		fprintf(stderr, "sandbox: the agent itself may do exactly "
		    "this, once\n");
		return 0;
	}
	if (done.background) {
		fprintf(stderr, "sandbox: runs in the background; `sandbox "
		    "output -f %s` follows it, `sandbox stop %s` ends it\n",
		    id, id);
		return 0;
	}
	return follow(desk, id);
}

struct order {
	const char			*prefix;
	const struct digest		*shown;
	const char			*remember;
	int				 passphrase_fd;
};

static int
approve(struct cmd_ctx *ctx, const struct order *o)
{
	auto_home struct home home = HOME_INIT;
	auto_desk struct desk desk = { 0 };
	auto_signer struct signer signer = { 0 };
	struct err e = { 0 };
	char id[ID_MAX + 1];
	const struct deed deed = {
		.id = id, .shown = o->shown, .own_env = environ,
		.remember = o->remember,
	};

	if (cmd_desk(ctx, &home, &desk, &e) == -1 ||
	    human_only(&home, &e) == -1 ||
	    cmd_find(&desk, o->prefix, id, &e) == -1 ||
	    signer_open(&desk.approvers, o->passphrase_fd, false, &signer,
	    &e) == -1)
		return fail(&e);
	catch_leaving(id);
	if (decide(&desk, &signer, &deed, &done, &e) == -1)
		return fail(&e);
	seal_log(&desk, &signer);
	/* Nothing secret while output of strangers goes through. */
	signer_close(&signer);
	if (done.remembered[0] != '\0')
		fprintf(stderr, "sandbox: remembered; `sandbox policy forget "
		    "%s` takes it back\n", done.remembered);
	if (done.unremembered.code != 0)
		cmd_fail(&done.unremembered);
	return finish(&desk, id);
}

int
cmd_approve(struct cmd_ctx *ctx, int argc, char **argv)
{
	const char *hex = NULL, *remember = NULL;
	int passphrase_fd = -1;
	const struct opt opts[] = {
		{ "digest", 0, OPT_TEXT, "HEX64",
		  "what `sandbox show` printed, all 64 digits", &hex },
		{ "passphrase-fd", 0, OPT_COUNT, "N",
		  "read the key's passphrase from descriptor N",
		  &passphrase_fd },
		{ "remember", 0, OPT_TEXT, "SCOPE[:UNTIL]",
		  "and do not ask again: call, command, host or dir; until "
		  "session (default), 20m of it, today or YYYY-MM-DD",
		  &remember },
	};
	struct digest shown;
	struct err e = { 0 };

	key_protect();
	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit == 0 ? 0 : OURS + ctx->exit;
	if (argc != 1 || hex == NULL)
		return OURS + cmd_usage(ctx, "takes one ID and --digest; "
		    "`sandbox show ID` prints the line to paste");
	if (digest_parse(hex, &shown) == -1) {
		err_set(&e, ERR_DIGEST, "a digest has 64 digits; paste the "
		    "line that `sandbox show` prints");
		return fail(&e);
	}
	return approve(ctx, &(struct order){ argv[0], &shown, remember,
	    passphrase_fd });
}
