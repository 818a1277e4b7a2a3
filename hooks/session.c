/*
 * The events around calls: what the model is told at the start, whether a
 * prompt may be sent, whether a settings file may change.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/visible.h"
#include "hooks/gate.h"
#include "hooks/registration.h"
#include "queue/queue.h"

#include "common/banned.h"

#define SETTINGS_MAX	(1024 * 1024)
/*
 * The model is told at most 250 tokens.  Our own words are 200 by the bound
 * that the tests count with; of others' words a byte may be a token.
 */
#define CONTEXT_MAX	1000
#define NAMES_MAX	32

/* --- start and end ------------------------------------------------------- */

static const char about[] =
    "This project is gated by sandbox: every tool call is judged before it "
    "runs. Work inside the project passes. What leaves it, cannot be undone, "
    "uses the network or credentials, or cannot be understood waits for a "
    "human, who executes it outside this session: a refusal that begins "
    "APPROVED carries its output, it has run once, do not repeat it. DENIED: "
    "do not look for another way. PENDING: repeat the same call to collect "
    "the answer. To ask for something, just call it; small, plain commands "
    "are decided fastest.";

/* An edited or pulled policy.json changes nothing until a human takes it. */
static bool
policy_differs(const struct gate *g)
{
	struct digest d;
	auto_close int fd = fs_open_plain(g->home.sandbox, "policy.json",
	    NULL, NULL);

	return fd != -1 && digest_fd(fd, SETTINGS_MAX, &d, NULL) == 0 &&
	    !digest_eq(&d, policy_digest(g->policy));
}

/* As much of it as there is room for; returns how many bytes that were. */
static int
name_answer(const struct request *req, int room, struct str *text)
{
	const struct call call = { .tool = req->tool, .input = req->input,
	    .cwd = req->cwd };
	auto_free char *shown = NULL;
	auto_str struct str s = { 0 };
	int n;

	str_init(&s, 200);
	call_summary(&call, &s);
	shown = visible_line(s.s);
	n = (int)strnlen(shown, (size_t)room);
	/* Not in the midst of a character. */
	while (n > 0 && shown[n] != '\0' && (shown[n] & 0xc0) == 0x80)
		n--;
	str_addf(text, " `%.*s`", n, shown);
	return n;
}

/* Answers that came after their hook had to give up. */
static void
add_answers(struct gate *g, const struct hook_input *in, struct str *text)
{
	const struct policy_limits *l = policy_limits(g->policy);
	const struct queue_limits limits = { .pending_max = l->pending_max,
	    .ttl_max_s = l->request_ttl_s, .bytes_max = l->queue_bytes };
	struct entries list = { 0 };
	struct queue *q = NULL;
	int n = 0, left = NAMES_MAX;

	if (queue_open(&g->home, &limits, &q, NULL) == -1)
		return;
	if (queue_list(q, &g->now, false, &list, NULL) == -1)
		list = (struct entries){ 0 };
	for (size_t i = 0; i < list.n; i++) {
		const struct entry *en = &list.e[i];

		if (en->state != ENTRY_ANSWERED ||
		    !str_eq(en->req.session, in->call.session))
			continue;
		if (n++ == 0)
			str_add(text, " Answers wait for:");
		if (left > 0)
			left -= name_answer(&en->req, left, text);
	}
	if (n > 0)
		str_addf(text, " (%d); repeat the call to collect.", n);
	entries_clear(&list);
	queue_free(q);
}

int
gate_session_start(struct gate *g, const struct hook_input *in,
    struct reply *r, struct err *e)
{
	auto_json cJSON *fields = json_object();
	auto_str struct str text = { 0 };

	str_init(&text, CONTEXT_MAX);
	json_add_str(fields, "source", in->source);
	if (gate_keep_baseline(g, in, e) == -1 ||
	    gate_note(g, in, "session.start", fields, e) == -1)
		return -1;
	str_add(&text, about);
	if (policy_mode(g->policy) == MODE_OBSERVE)
		str_add(&text, " It only observes now and blocks nothing.");
	if (policy_differs(g))
		str_add(&text, " .sandbox/policy.json differs from the "
		    "accepted policy and has no effect until the human runs "
		    "`sandbox policy accept`.");
	add_answers(g, in, &text);
	dialect_tell(g->dialect, in->event, text.s, r);
	return 0;
}

int
gate_session_end(struct gate *g, const struct hook_input *in,
    struct reply *r, struct err *e)
{
	auto_json cJSON *fields = json_object();

	(void)r;
	json_add_str(fields, "source", in->source);
	if (gate_note(g, in, "session.end", fields, e) == -1)
		return -1;
	gate_collect(g);
	return 0;
}

/* --- settings files ------------------------------------------------------ */

struct settings {
	struct registration_place place;
	bool	 searched;	/* registered without a place of its own */
	char	*files[5];	/* where our entries may be */
};

static void
settings_clear(struct settings *s)
{
	for (size_t i = 0; i < ARRAY_LEN(s->files); i++)
		free(s->files[i]);
}

static void
settings_init(const struct gate *g, struct settings *s)
{
	const char *root = g->home.root_path;

	*s = (struct settings){ .searched = g->args->root == NULL, .place = {
		.libexec = g->libexec,
		.root = g->args->root == NULL ? root : g->args->root,
		.state = g->args->state == NULL ? g->home.priv_path :
		    g->args->state } };
	s->files[0] = xasprintf("%s/.claude/settings.local.json", root);
	s->files[1] = xasprintf("%s/.claude/settings.json", root);
	s->files[2] = xasprintf("%s/.claude/settings.json", g->user_home);
	s->files[3] = xstrdup("/etc/claude-code/managed-settings.json");
	s->files[4] = xstrdup("/etc/claude-code/managed-settings.d/"
	    "50-sandbox.json");
}

/* Settings may lie behind a link; a FIFO there must not hold us up. */
static int
read_settings(const char *path, struct str *ret, struct err *e)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
	    O_NOCTTY);
	struct stat st;

	if (fd == -1)
		return err_sys(e, "cannot open '%s'", path);
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return err_set(e, ERR_FORMAT, "'%s' is not a file", path);
	if (io_read_all(fd, SETTINGS_MAX, ret, e) == -1)
		return err_add(e, "'%s'", path);
	return 0;
}

/* 0: fine or not there; -1: what is wrong with it. */
static int
check_file(const struct settings *s, const char *path, bool need,
    struct err *e)
{
	auto_str struct str text = { 0 };

	str_init(&text, SETTINGS_MAX);
	if (read_settings(path, &text, e) == -1)
		return !need && e->sys == ENOENT ? 0 : -1;
	if (registration_check(text.s, text.len, &s->place, need, e) == -1)
		return err_add(e, "'%s'", path);
	return 0;
}

/*
 * Before a prompt goes out.  That place, approvers, policy and log are there
 * was checked on the way here; what remains is a repository whose settings
 * bend every program the client starts.
 */
int
gate_prompt(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	struct settings s;
	int rc;

	(void)r;
	/* The other clients' settings cannot bend what they start. */
	if (!str_eq(in->call.client, dialect_claude.name))
		return 0;
	settings_init(g, &s);
	rc = check_file(&s, s.files[0], false, e);
	if (rc == 0)
		rc = check_file(&s, s.files[1], false, e);
	settings_clear(&s);
	return rc;
}

/* Shared and managed entries name no place: that they are there must do. */
static bool
registered_loosely(const struct settings *s, const char *path)
{
	auto_str struct str text = { 0 };

	str_init(&text, SETTINGS_MAX);
	return read_settings(path, &text, NULL) == 0 &&
	    registration_check(text.s, text.len, &s->place, false, NULL) == 0 &&
	    strstr(text.s, "/pretooluse") != NULL &&
	    strstr(text.s, "\"PreToolUse\"") != NULL;
}

static bool
registered_somewhere(const struct settings *s)
{
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(s->files); i++)
		if (check_file(s, s->files[i], true, &e) == 0 ||
		    (s->searched && registered_loosely(s, s->files[i])))
			return true;
	return false;
}

/*
 * 0: the change may be taken.  A file that the client will drop as a whole is
 * only refused when our entries go with it.
 */
static int
judge_change(const struct settings *s, const struct hook_input *in,
    struct err *e)
{
	if (in->path[0] != '\0' && check_file(s, in->path, false, e) == -1 &&
	    e->code == ERR_PERMITTED)
		return -1;
	if (!registered_somewhere(s))
		return err_set(e, ERR_PERMITTED, "the change would lose the "
		    "hooks of sandbox; run `sandbox init` to put them back, "
		    "or `sandbox uninstall` to part with them");
	return 0;
}

int
gate_config(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	/* Root's own settings, and files without hooks of ours. */
	static const char *const passed[] = { "policy_settings", "skills" };
	auto_json cJSON *fields = json_object();
	struct settings s;
	int rc;

	(void)r;
	settings_init(g, &s);
	rc = judge_change(&s, in, e);
	settings_clear(&s);
	for (size_t i = 0; i < ARRAY_LEN(passed); i++)
		if (strcmp(in->source, passed[i]) == 0)
			rc = 0;
	json_add_str(fields, "source", in->source);
	json_add_str(fields, "path", in->path);
	json_add_bool(fields, "refused", rc == -1);
	if (gate_note(g, in, "config.changed", fields, rc == -1 ? NULL : e) ==
	    -1)
		return -1;
	return rc;
}
