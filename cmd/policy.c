/*
 * sandbox policy: the rules in force, and how other ones come into force.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "approver/human.h"
#include "approver/remember.h"
#include "approver/tty.h"
#include "cmd/accept.h"
#include "cmd/cmd.h"
#include "cmd/memory.h"
#include "cmd/try.h"
#include "common/diff.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"
#include "policy/review.h"

#include "common/banned.h"

struct options {
	const char	*digest;
	int		 pass_fd;
	int		 count;		/* of calls to try */
};

struct texts {
	struct str	accepted, edited;
};

static int
policy_show(const struct home *home, const struct texts *t, struct err *e)
{
	auto_str struct str out = { 0 };

	str_init(&out, POLICY_MAX * 4);
	visible(t->accepted.s, t->accepted.len, VISIBLE_TEXT, &out);
	if (t->accepted.len == 0)
		puts("// nothing was accepted yet: the built-in strict rules "
		    "are in force");
	fputs(out.s, stdout);
	return memory_show(home, NULL, e);
}

static void
text_digest(const struct str *text, char hex[static DIGEST_HEX + 1])
{
	struct digest d;

	digest_of(text->s, text->len, NULL, &d);
	digest_hex(&d, hex);
}

static int
policy_show_json(const struct home *home, const struct texts *t,
    struct err *e)
{
	auto_json cJSON *o = json_object();
	cJSON *list = json_array();
	char hex[DIGEST_HEX + 1];

	text_digest(&t->accepted, hex);
	json_add_bool(o, "accepted", t->accepted.len > 0);
	json_add_strn(o, "text", t->accepted.s, t->accepted.len);
	json_add_str(o, "digest", hex);
	json_add(o, "remembered", list);
	if (memory_show(home, list, e) == -1)
		return -1;
	cmd_put_json(o);
	return 0;
}

/* Prints what accepting would change; returns 1 when it would. */
static int
print_diff(const struct texts *t)
{
	auto_str struct str out = { 0 };

	str_init(&out, POLICY_MAX * 8);
	diff_lines(POLICY_FILE, &t->accepted, &t->edited, &out);
	fputs(out.s, stdout);
	return out.len > 0;
}

static int
policy_diff(const struct texts *t)
{
	char hex[DIGEST_HEX + 1];

	if (!print_diff(t)) {
		puts("the accepted policy and '.sandbox/" POLICY_FILE "' are "
		    "the same");
		return 0;
	}
	text_digest(&t->edited, hex);
	printf("\nto put it in force:\n  sandbox policy accept --digest %s\n",
	    hex);
	return ERR_NEGATIVE;
}

/* -1: refused; ERR_NEGATIVE: some of its rules cannot do anything. */
static int
policy_check(const struct policy_place *place, const char *name,
    const struct str *text, struct err *e)
{
	struct policy *p;

	if (policy_parse(text->s, text->len, name, place, &p, e) == -1)
		return -1;
	auto_free char *shown = visible_line(name);
	auto_str struct str found = { 0 }, lines = { 0 };
	size_t n;

	str_init(&found, POLICY_MAX);
	str_init(&lines, POLICY_MAX * 4);
	n = review_rules(p, &found);
	policy_free(p);
	printf("%s is well formed and its examples hold\n", shown);
	visible(found.s, found.len, VISIBLE_TEXT, &lines);
	fputs(lines.s, stdout);
	return n > 0 ? ERR_NEGATIVE : 0;
}

/* A human saw these bytes: by answering here, or by bringing their digest. */
static int
confirm(const struct texts *t, const struct options *o, struct err *e)
{
	char hex[DIGEST_HEX + 1];

	text_digest(&t->edited, hex);
	if (o->digest != NULL) {
		if (strcmp(o->digest, hex) != 0)
			return err_set(e, ERR_DIGEST, "'.sandbox/" POLICY_FILE
			    "' is not what you were shown: look again with "
			    "`sandbox policy diff`");
		return 0;
	}
	print_diff(t);
	fflush(stdout);
	if (tty_confirm("Put this in force?", e) == -1)
		return err_add(e, "without a terminal give --digest, as "
		    "`sandbox policy diff` prints it");
	return 0;
}

static int
policy_accept(const struct home *home, const struct policy_place *place,
    const struct texts *t, const struct options *o, struct err *e)
{
	auto_key struct key *key = NULL;
	auto_close int dir = -1;

	if (human_only(home, e) == -1 ||
	    policy_check(place, POLICY_FILE, &t->edited, e) == -1 ||
	    confirm(t, o, e) == -1)
		return -1;
	key_protect();
	dir = key_dir_open(false, e);
	if (dir == -1 || key_load(dir, &key, e) == -1 ||
	    key_unlock_ask(key, o->pass_fd, e) == -1 ||
	    accept_policy(home, place, &t->edited, key, e) == -1)
		return -1;
	puts("in force from the next tool call on");
	return 0;
}

static int
policy_forget(const struct home *home, const char *prefix,
    const struct options *o, struct err *e)
{
	auto_key struct key *key = NULL;
	auto_close int dir = -1;
	struct audit *log;
	struct clock now;
	int rc;

	if (human_only(home, e) == -1)
		return -1;
	key_protect();
	dir = key_dir_open(false, e);
	if (dir == -1 || key_load(dir, &key, e) == -1 ||
	    key_unlock_ask(key, o->pass_fd, e) == -1 ||
	    clock_now(&now, e) == -1 ||
	    audit_open(home->priv, home->project, &log, e) == -1)
		return -1;
	rc = remember_forget(home, log, prefix, key, &now, e);
	audit_free(log);
	if (rc == 0)
		puts("forgotten; it is asked again");
	return rc;
}

static int
read_file(const char *path, struct str *ret, struct err *e)
{
	auto_close int fd = fs_open_plain(AT_FDCWD, path, NULL, e);

	return fd == -1 ? -1 : io_read_all(fd, POLICY_MAX, ret, e);
}

/* `file` stands in for the edited policy in `check` and `try`; for `forget` it
 * is an id. */
static int
run(struct cmd_ctx *ctx, const char *verb, const char *file,
    const struct options *o, struct err *e)
{
	auto_home struct home home = HOME_INIT;
	auto_place struct accept_place p = { 0 };
	struct texts t;
	int rc = -1;

	if (cmd_home(ctx, &home, e) == -1 || accept_place(&home, &p, e) == -1)
		return -1;
	if (strcmp(verb, "forget") == 0)
		return policy_forget(&home, file, o, e);
	str_init(&t.accepted, POLICY_MAX);
	str_init(&t.edited, POLICY_MAX);
	if (accept_read_accepted(&home, &t.accepted, e) == -1)
		goto out;
	if (strcmp(verb, "show") == 0) {
		rc = ctx->json ? policy_show_json(&home, &t, e) :
		    policy_show(&home, &t, e);
		goto out;
	}
	if ((file == NULL ? accept_read_edited(&home, &t.edited, e) :
	    read_file(file, &t.edited, e)) == -1)
		goto out;
	if (strcmp(verb, "check") == 0)
		rc = policy_check(&p.place, file == NULL ? POLICY_FILE : file,
		    &t.edited, e);
	else if (strcmp(verb, "try") == 0)
		rc = try_policy(&home, &p.place, &(struct try_policy){
		    &t.edited, file == NULL ? POLICY_FILE : file, o->count },
		    e);
	else if (strcmp(verb, "diff") == 0)
		rc = policy_diff(&t);
	else
		rc = policy_accept(&home, &p.place, &t, o, e);
out:
	str_clear(&t.accepted);
	str_clear(&t.edited);
	return rc;
}

int
cmd_policy(struct cmd_ctx *ctx, int argc, char **argv)
{
	static const char *const verbs[] = {
		"show", "check", "diff", "accept", "try", "forget"
	};
	struct options o = { .pass_fd = -1, .count = 200 };
	const struct opt opts[] = {
		{ "digest", 0, OPT_TEXT, "HEX64",
		  "accept exactly these bytes", &o.digest },
		{ "passphrase-fd", 0, OPT_COUNT, "N",
		  "read the key's passphrase from descriptor N", &o.pass_fd },
		{ "count", 'n', OPT_COUNT, "COUNT",
		  "try this many recorded calls, the newest (default 200)",
		  &o.count },
	};
	struct err e = { 0 };
	size_t i = 0;
	int rc;

	if (cmd_parse(ctx, opts, ARRAY_LEN(opts), &argc, argv) != 0)
		return ctx->exit;
	while (argc > 0 && i < ARRAY_LEN(verbs) &&
	    strcmp(argv[0], verbs[i]) != 0)
		i++;
	if (argc < 1 || argc > 2 || i == ARRAY_LEN(verbs) ||
	    (argc == 2 && strcmp(argv[0], "check") != 0 &&
	    strcmp(argv[0], "try") != 0 && strcmp(argv[0], "forget") != 0) ||
	    (argc == 1 && strcmp(argv[0], "forget") == 0) ||
	    o.count < 1 || o.count > TRY_MAX)
		return cmd_usage(ctx, "show, check [FILE], try [FILE], diff, "
		    "accept or forget ID; -n takes 1 to %d", TRY_MAX);
	if (ctx->json && strcmp(argv[0], "show") != 0)
		return cmd_usage(ctx, "--json goes with show");
	rc = run(ctx, argv[0], argc == 2 ? argv[1] : NULL, &o, &e);
	return rc == -1 ? cmd_fail(&e) : rc;
}
