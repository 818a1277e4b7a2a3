/*
 * sandbox audit: is the log what was written?  `verify` has exit codes of its
 * own (audit/verify.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/audit.h"
#include "cmd/audit_originals.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

static void
print_json(const struct verify_report *r, cJSON *v)
{
	cJSON *list = json_array();

	json_add_int(v, "exit", r->exit);
	json_add_int(v, "records", (int64_t)r->records);
	json_add_int(v, "last_good_seq", (int64_t)r->last_good_seq);
	json_add_int(v, "signatures", (int64_t)r->signatures);
	json_add_int(v, "covered", (int64_t)r->covered);
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct finding *f = &r->findings[i];
		cJSON *o = json_object();

		json_add_str(o, "kind", verify_kind_name(f->kind));
		json_add_bool(o, "closed", f->closed);
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
		auto_free char *file = visible_line(f->file);
		auto_free char *want = visible_line(f->expected);
		auto_free char *got = visible_line(f->found);

		printf("%s:%" PRIu64 ": %s (byte %" PRIu64 ", seq %" PRIu64
		    ")\n", file, f->line, verify_kind_name(f->kind), f->offset,
		    f->seq);
		if (*want != '\0' || *got != '\0')
			printf("\texpected %s\n\tfound    %s\n", want, got);
	}
	if (r->more > 0)
		printf("... and %" PRIu64 " more\n", r->more);
	printf("%" PRIu64 " records, %" PRIu64 " under a checkpoint, %" PRIu64
	    " signatures checked, good up to seq %" PRIu64 ": %s\n",
	    r->records, r->covered, r->signatures, r->last_good_seq,
	    r->exit == VERIFY_EXIT_OK ? "ok" :
	    r->exit == VERIFY_EXIT_TORN ? "ok but for a torn last line" :
	    "NOT what was written");
}

/* Returns its exit code. */
static int
print(const struct cmd_ctx *ctx, const struct verify_report *r)
{
	auto_json cJSON *v = ctx->json ? json_object() : NULL;

	if (ctx->json)
		print_json(r, v);
	else
		print_text(r);
	return (int)r->exit;
}

static int
verify_log(const struct cmd_ctx *ctx, const struct audit_args *a,
    struct verify_report *ret, struct err *e)
{
	auto_home struct home home = HOME_INIT;
	/* Whoever the log itself names, not whom a file names by now. */
	const struct keyring nobody = { 0 };
	struct keyring today = { 0 };
	struct anchor *anchors = NULL;
	size_t n = 0;
	int rc;

	if (cmd_home(ctx, &home, e) == -1 ||
	    home_approvers(&home, &today, e) == -1)
		return -1;
	rc = a->anchors ? audit_anchor_read(&home, &anchors, &n, e) : 0;

	const struct verify_options o = {
		.full = a->full, .fast = a->fast, .project = home.project,
		.genesis = home.genesis, .approvers = &nobody,
		.believed = &today, .anchors = anchors, .n_anchors = n,
	};

	if (rc == 0)
		rc = audit_verify(home.priv, &o, ret, e);
	if (rc == 0 && a->anchors && !ctx->json)
		printf("%zu anchors compared\n", n);
	free(anchors);
	keyring_clear(&today);
	return rc;
}

/* The log, and what it says was kept of files; one word for both. */
static int
print_both(const struct cmd_ctx *ctx, const struct audit_args *a,
    struct verify_report *r, struct err *e)
{
	auto_json cJSON *v = ctx->json ? json_object() : NULL;
	auto_home struct home home = HOME_INIT;
	int gone;

	if (!ctx->json)
		print_text(r);
	if (cmd_home(ctx, &home, e) == -1)
		return -1;
	gone = audit_originals(&home, a->full, v, e);
	if (gone == -1)
		return -1;
	if (gone > 0)
		r->exit = VERIFY_EXIT_TAMPERED;
	if (ctx->json)
		print_json(r, v);
	return (int)r->exit;
}

static int
verify(const struct cmd_ctx *ctx, const struct audit_args *a)
{
	struct verify_report r;
	struct err e;
	int rc;

	if (a->file != NULL)
		return audit_evidence_cmd(ctx, a);
	rc = verify_log(ctx, a, &r, &e);
	if (rc == 0)
		rc = a->fast ? print(ctx, &r) :
		    print_both(ctx, a, &r, &e);
	if (rc != -1)
		return rc;
	cmd_fail(&e);
	return VERIFY_EXIT_UNREADABLE;
}

static const struct {
	const char	*name;
	int		(*fn)(const struct cmd_ctx *,
			    const struct audit_args *);
	bool		 file;		/* takes one */
} verbs[] = {
	{ "verify", verify, true },
	{ "checkpoint", audit_checkpoint_cmd, false },
	{ "export", audit_export_cmd, true },
	{ "resume", audit_resume_cmd, false },
};

static int
dispatch(struct cmd_ctx *ctx, struct audit_args *a, int argc, char **argv)
{
	for (size_t i = 0; argc > 0 && i < ARRAY_LEN(verbs); i++) {
		if (strcmp(argv[0], verbs[i].name) != 0)
			continue;
		if (argc > 1 + verbs[i].file)
			break;
		a->file = argc > 1 ? argv[1] : NULL;
		return verbs[i].fn(ctx, a);
	}
	return cmd_usage(ctx, "verify, checkpoint, export or resume");
}

int
cmd_audit(struct cmd_ctx *ctx, int argc, char **argv)
{
	struct audit_args a = { .passphrase_fd = -1 };
	const struct opt opts[] = {
		{ "fast", 0, OPT_FLAG, NULL, "verify: hashes and checkpoints, "
		  "no signatures on records", &a.fast },
		{ "full", 0, OPT_FLAG, NULL, "verify: every signature",
		  &a.full },
		{ "anchors", 0, OPT_FLAG, NULL, "verify: also against the "
		  "checkpoints kept elsewhere", &a.anchors },
		{ "key", 0, OPT_TEXT, "HEX64", "verify FILE: the approver's "
		  "public key that must have signed", &a.key },
		{ "anchor", 0, OPT_TEXT, "WHERE", "checkpoint: keep it there "
		  "too: syslog, git, or a file's absolute path", &a.anchor },
		{ "proof", 0, OPT_TEXT, "ID", "export: the proof that this "
		  "request's decision is in the log", &a.proof },
		{ "request", 0, OPT_TEXT, "ID", "export: only this request's "
		  "records", &a.request },
		{ "since", 0, OPT_TEXT, "TIME", "export: records from then on",
		  &a.since },
		{ "until", 0, OPT_TEXT, "TIME", "export: records up to then",
		  &a.until },
		{ "passphrase-fd", 0, OPT_COUNT, "N", "checkpoint, resume: "
		  "read the key's passphrase from descriptor N",
		  &a.passphrase_fd },
	};

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	if (a.fast && a.full)
		return cmd_usage(ctx, "--fast or --full, not both");
	return dispatch(ctx, &a, argc, argv);
}
