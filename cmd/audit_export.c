/*
 * sandbox audit export, and `verify FILE`: evidence that leaves the machine,
 * and its check on another one, without a project and without keys.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit.h"
#include "audit/evidence.h"
#include "cmd/audit.h"
#include "cmd/files.h"
#include "common/clock.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define POLICY_FILE_MAX	(2 * 1024 * 1024)

/* What the answer carried: all of the text, or what was cut from it. */
static int
read_output(void *arg, const char *id, struct str *ret)
{
	const struct home *home = arg;
	auto_close int dir = fs_open_dir(home->sandbox, "out", NULL);
	auto_free char *name = xasprintf("%s.txt", id);

	return dir == -1 ? -1 :
	    fs_read_own(dir, name, EVIDENCE_MAX / 4, ret, NULL);
}

static int
time_option(const char *name, const char *text, int64_t *ret, struct err *e)
{
	struct clock now;

	if (text == NULL)
		return 0;
	if (clock_now(&now, e) == -1)
		return -1;
	return files_time(text, now.wall_ms, ret) ? 0 : err_set(e, ERR_USAGE,
	    "--%s takes 2026-11-29T17:41:02Z, or 90s, 10m, 2h ago", name);
}

/* A whole id may be one that the log has forgotten: it is taken as it is. */
static int
find_id(const struct home *home, const char *prefix, char ret[ID_MAX + 1],
    struct err *e)
{
	if (!id_ok(prefix))
		return audit_find_id(home->priv, prefix, ret, e);
	memcpy(ret, prefix, strlen(prefix) + 1);
	return 0;
}

static int
make_archive(struct home *home, const struct audit_args *a, struct str *ret,
    struct err *e)
{
	auto_str struct str policy = { 0 };
	char id[ID_MAX + 1];
	struct evidence_order o = { .project = home->project,
		.choice.until_ms = INT64_MAX, .output = read_output,
		.arg = home };
	struct err why = { 0 };
	uint64_t left;

	if (time_option("since", a->since, &o.choice.since_ms, e) == -1 ||
	    time_option("until", a->until, &o.choice.until_ms, e) == -1)
		return -1;
	if (a->request != NULL) {
		if (find_id(home, a->request, id, e) == -1)
			return -1;
		o.choice.id = id;
	}
	str_init(&policy, POLICY_FILE_MAX);
	if (fs_read_own(home->view, "policy.accepted", POLICY_FILE_MAX,
	    &policy, &why) == 0) {
		o.policy = policy.s;
		o.policy_len = policy.len;
	} else if (why.sys != ENOENT) {
		return err_set(e, ERR_SYSTEM, "%s", why.text);
	}
	if (audit_export(home->priv, &o, ret, &left, e) == -1)
		return -1;
	if (left > 0)
		fprintf(stderr, "sandbox: %" PRIu64 " records are younger than "
		    "the last checkpoint and left out\n", left);
	return 0;
}

static int
make(const struct cmd_ctx *ctx, const struct audit_args *a, struct str *ret,
    struct err *e)
{
	auto_home struct home home = HOME_INIT;
	char id[ID_MAX + 1];

	if (cmd_home(ctx, &home, e) == -1)
		return -1;
	if (a->proof == NULL)
		return make_archive(&home, a, ret, e);
	return find_id(&home, a->proof, id, e) == -1 ? -1 :
	    audit_proof(home.priv, home.project, id, ret, e);
}

/* A file that is not there yet; without one: a proof goes to stdout. */
static int
deliver(const struct audit_args *a, const struct str *s, struct err *e)
{
	if (s->full)
		return err_set(e, ERR_FORMAT, "too much for one archive");
	if (a->file == NULL || strcmp(a->file, "-") == 0)
		return io_write_all(STDOUT_FILENO, s->s, s->len, e);
	return fs_write_new(AT_FDCWD, a->file, s->s, s->len, true, e);
}

int
audit_export_cmd(const struct cmd_ctx *ctx, const struct audit_args *a)
{
	auto_str struct str s = { 0 };
	struct err e;

	if (a->file == NULL && a->proof == NULL)
		return cmd_usage(ctx, "export needs a file, or - for stdout");
	str_init(&s, EVIDENCE_MAX);
	if (make(ctx, a, &s, &e) == -1 || deliver(a, &s, &e) == -1)
		return cmd_fail(&e);
	return 0;
}

/* --- verify FILE --- */

static void
print_json(const struct evidence *v)
{
	auto_json cJSON *o = json_object();
	char hex[SIGN_PUB_HEX + 1];

	hex_put(v->approver, SIGN_PUB, hex);
	json_add_bool(o, "good", v->good);
	json_add_str(o, "what", v->single ? "proof" : "archive");
	json_add_str(o, "project", v->project);
	json_add_str(o, "approver", hex);
	json_add_int(o, "covered", (int64_t)v->covered);
	json_add_int(o, "records", (int64_t)v->records);
	json_add_int(o, "decisions", (int64_t)v->decisions);
	json_add_int(o, "outputs", (int64_t)v->outputs);
	json_add_bool(o, "policy", v->policy);
	json_add_str(o, "member", v->member);
	json_add_int(o, "line", (int64_t)v->line);
	json_add_str(o, "why", v->why);
	cmd_put_json(o);
}

static void
print_text(const struct evidence *v, bool asked)
{
	auto_free char *member = visible_line(v->member);
	auto_free char *why = visible_line(v->why);
	char hex[SIGN_PUB_HEX + 1];

	if (!v->good) {
		printf("%s:%" PRIu64 ": %s\nNOT what was exported\n", member,
		    v->line, why);
		return;
	}
	hex_put(v->approver, SIGN_PUB, hex);
	printf("project   %s\nrecords   %" PRIu64 ", of %" PRIu64 " in the "
	    "log then\n", v->project, v->records, v->covered);
	if (!v->single)
		printf("decisions %" PRIu64 ", outputs %" PRIu64 ", policy "
		    "%s\n", v->decisions, v->outputs,
		    v->policy ? "sealed" : "built-in");
	printf("signed by %s\n%s\n", hex, asked ?
	    "ok: the key that was asked for" :
	    "ok, if that is the approver's key; --key HEX64 compares it");
}

/* A FIFO would hold us up, and a device has no end. */
static int
read_archive(const char *path, struct str *ret, struct err *e)
{
	auto_close int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC);
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		return err_sys(e, "cannot open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_FORMAT, "'%s' is not a file", path);
	return io_read_all(fd, EVIDENCE_MAX, ret, e);
}

int
audit_evidence_cmd(const struct cmd_ctx *ctx, const struct audit_args *a)
{
	auto_str struct str s = { 0 };
	unsigned char key[SIGN_PUB];
	struct evidence v;
	struct err e;

	if (a->key != NULL && hex_get(a->key, key, sizeof key) == -1)
		return cmd_usage(ctx, "--key takes 64 hex digits");
	str_init(&s, EVIDENCE_MAX);
	if (read_archive(a->file, &s, &e) == -1 ||
	    audit_evidence(s.s, s.len, a->key == NULL ? NULL : key, &v, &e) ==
	    -1) {
		cmd_fail(&e);
		return VERIFY_EXIT_UNREADABLE;
	}
	if (ctx->json)
		print_json(&v);
	else
		print_text(&v, a->key != NULL);
	return v.good ? VERIFY_EXIT_OK : VERIFY_EXIT_TAMPERED;
}
