/*
 * sandbox audit verify: is the log what was written?  Its exit codes are its
 * own (audit/verify.h).  sandbox audit resume: a human takes responsibility
 * for a log whose keys are gone.
 */
#include <stdio.h>
#include <string.h>

#include "approver/human.h"
#include "approver/key.h"
#include "approver/tty.h"
#include "audit/audit.h"
#include "audit/verify.h"
#include "cmd/cmd.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

static void
print_json(const struct verify_report *r)
{
	auto_json cJSON *v = json_object();
	cJSON *list = json_array();
	json_add_int(v, "exit", r->exit);
	json_add_int(v, "records", (int64_t)r->records);
	json_add_int(v, "last_good_seq", (int64_t)r->last_good_seq);
	json_add_int(v, "signatures", (int64_t)r->signatures);
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct finding *f = &r->findings[i];
		cJSON *o = json_object();

		json_add_str(o, "kind", verify_kind_name(f->kind));
		json_add_str(o, "file", f->file);
		json_add_int(o, "line", (int64_t)f->line);
		json_add_int(o, "offset", (int64_t)f->offset);
		json_add_int(o, "seq", (int64_t)f->seq);
		json_add_str(o, "expected", f->expected);
		json_add_str(o, "found", f->found);
		json_push(list, o);
	}
	json_add(v, "findings", list);
	json_add_int(v, "more", (int64_t)r->more);
	cmd_put_json(v);
}

static void
print_text(const struct verify_report *r)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct finding *f = &r->findings[i];
		auto_free char *want = visible_line(f->expected);
		auto_free char *got = visible_line(f->found);

		printf("%s:%llu: %s (byte %llu, seq %llu)\n", f->file,
		    (unsigned long long)f->line, verify_kind_name(f->kind),
		    (unsigned long long)f->offset,
		    (unsigned long long)f->seq);
		if (*want != '\0' || *got != '\0')
			printf("\texpected %s\n\tfound    %s\n", want, got);
	}
	if (r->more > 0)
		printf("... and %llu more\n", (unsigned long long)r->more);
	printf("%llu records, %llu signatures checked, good up to seq %llu: "
	    "%s\n", (unsigned long long)r->records,
	    (unsigned long long)r->signatures,
	    (unsigned long long)r->last_good_seq,
	    r->exit == VERIFY_EXIT_OK ? "ok" :
	    r->exit == VERIFY_EXIT_TORN ? "ok but for a torn last line" :
	    "NOT what was written");
}

static int
unreadable(const struct err *e)
{
	cmd_fail(e);
	return VERIFY_EXIT_UNREADABLE;
}

static int
verify(const struct cmd_ctx *ctx, bool full)
{
	auto_home struct home home = HOME_INIT;
	/* Whoever the log itself names, not whom a file names by now. */
	const struct keyring nobody = { 0 };
	struct verify_report r;
	struct err e;

	if (cmd_home(ctx, &home, &e) == -1)
		return unreadable(&e);

	const struct verify_options o = {
		.full = full, .project = home.project,
		.genesis = home.genesis, .approvers = &nobody,
	};

	if (audit_verify(home.priv, &o, &r, &e) == -1)
		return unreadable(&e);
	if (ctx->json)
		print_json(&r);
	else
		print_text(&r);
	return (int)r.exit;
}

static int
resume(const struct cmd_ctx *ctx, int pass_fd, struct err *e)
{
	auto_home struct home home = HOME_INIT;
	auto_key struct key *key = NULL;
	auto_close int dir = -1;
	struct clock now;

	if (cmd_home(ctx, &home, e) == -1 || human_only(&home, e) == -1)
		return -1;
	key_protect();
	dir = key_dir_open(false, e);
	if (dir == -1 || key_load(dir, &key, e) == -1 ||
	    tty_confirm("Go on with this log?  The break will be reported for "
	    "ever.", e) == -1 || key_unlock_ask(key, pass_fd, e) == -1 ||
	    clock_now(&now, e) == -1)
		return -1;
	return audit_resume(home.priv, home.project, key_seed(key), &now, e);
}

int
cmd_audit(struct cmd_ctx *ctx, int argc, char **argv)
{
	bool full = false;
	int pass_fd = -1;
	const struct opt opts[] = {
		{ "full", 0, OPT_FLAG, NULL, "verify: check every signature",
		  &full },
		{ "passphrase-fd", 0, OPT_COUNT, "N", "resume: read the key's "
		  "passphrase from descriptor N", &pass_fd },
	};
	struct err e;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (argc == 1 && strcmp(argv[0], "verify") == 0)
		return verify(ctx, full);
	if (argc != 1 || strcmp(argv[0], "resume") != 0)
		return cmd_usage(ctx, "verify or resume");
	if (resume(ctx, pass_fd, &e) == -1)
		return cmd_fail(&e);
	puts("the log goes on; `sandbox audit verify` names the break");
	return 0;
}
