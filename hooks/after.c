/*
 * A tool ran.  The record says so, and says so loudly when the log has no
 * judgement of that call: then the hook before it did not fire, or another
 * one changed the call behind it.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "hooks/contain.h"
#include "hooks/gate.h"

#include "common/banned.h"

#define LOOK_BACK	(1024 * 1024)	/* bytes of the log */

enum judged {
	JUDGED_SAME,		/* or: cannot tell */
	JUDGED_OTHER,		/* under this name another call was judged */
	JUDGED_NEVER
};

/* `"tool_use_id":"X"`, and before it the hash as gate_record() writes it. */
static int
needles(const struct gate *g, const struct hook_input *in, struct str *ret_id,
    struct str *ret_both)
{
	char hmac[DIGEST_HEX + 1];

	if (gate_call_hmac(g, &in->call, hmac, NULL) == -1)
		return -1;
	/* A client that gives calls no name: the same call is this call. */
	if (in->tool_use_id[0] == '\0') {
		str_addf(ret_both, "\"call_hmac\":\"%s\"", hmac);
		return 0;
	}
	str_add(ret_id, "\"tool_use_id\":");
	json_quote(in->tool_use_id, strlen(in->tool_use_id), ret_id);
	str_addf(ret_both, "\"call_hmac\":\"%s\",%s", hmac, ret_id->s);
	return 0;
}

/* The first record of all, or the one that began this session. */
static bool
has_beginning(const char *buf, size_t n, const char *session)
{
	static const char genesis[] = "{\"v\":1,\"seq\":\"000000000000\"";
	static const char start[] = "\"kind\":\"session.start\"";
	auto_str struct str who = { 0 };
	const char *p = buf, *end = buf + n;

	if (n >= sizeof genesis - 1 &&
	    memcmp(buf, genesis, sizeof genesis - 1) == 0)
		return true;
	str_init(&who, 4096);
	str_add(&who, "\"session\":");
	json_quote(session, strlen(session), &who);
	while ((p = memmem(p, (size_t)(end - p), start, sizeof start - 1)) !=
	    NULL) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		size_t left = (size_t)((lf == NULL ? end : lf) - p);

		if (memmem(p, left, who.s, who.len) != NULL)
			return true;
		p += sizeof start - 1;
	}
	return false;
}

/*
 * Is there a record of `both` whose verdict was, or was not, contain?  A call
 * that was to run in the jail must have run there.
 */
static bool
has_verdict(const char *buf, size_t n, const struct str *both, bool contained)
{
	static const char word[] = ",\"decision\":\"contain\"";
	const char *p = buf, *end = buf + n;

	while ((p = memmem(p, (size_t)(end - p), both->s, both->len)) !=
	    NULL) {
		p += both->len;
		if (((size_t)(end - p) >= sizeof word - 1 &&
		    memcmp(p, word, sizeof word - 1) == 0) == contained)
			return true;
	}
	return false;
}

/*
 * Does the end of the log name this call?  When what is looked at begins
 * after the session did, or cannot be read, nothing is claimed.
 */
static enum judged
was_judged(struct gate *g, const struct hook_input *in, bool contained)
{
	auto_free char *buf = NULL;
	auto_str struct str id = { 0 }, both = { 0 };
	struct stat st;
	off_t at;
	size_t n;

	auto_close int fd = fs_open_own(g->home.audit, "audit.jsonl", &st,
	    NULL);

	str_init(&id, 4096);
	str_init(&both, 8192);
	if (fd == -1 || st.st_size <= 0 || needles(g, in, &id, &both) == -1)
		return JUDGED_SAME;
	at = st.st_size > LOOK_BACK ? st.st_size - LOOK_BACK : 0;
	n = (size_t)(st.st_size - at);
	buf = xcalloc(n, 1);
	if (io_pread_full(fd, buf, n, at, NULL) == -1)
		return JUDGED_SAME;
	gate_find_kept(g, buf, n, &both);
	if (in->tool_use_id[0] == '\0' || has_verdict(buf, n, &both, contained))
		return JUDGED_SAME;
	/* Other tools are asked about instead. */
	if (call_kind(&in->call) != CALL_SHELL &&
	    memmem(buf, n, both.s, both.len) != NULL)
		return JUDGED_SAME;
	if (memmem(buf, n, id.s, id.len) != NULL)
		return JUDGED_OTHER;
	return has_beginning(buf, n, in->call.session) ? JUDGED_NEVER :
	    JUDGED_SAME;
}

/* What ran in the jail is recorded as what the model wrote. */
static cJSON *
unwrap(const struct gate *g, const struct call *call)
{
	const char *command = call_kind(call) == CALL_SHELL ?
	    call_subject(call) : NULL;
	auto_free char *inner = command == NULL ? NULL :
	    contain_unwrap(g, command);

	return inner == NULL ? NULL : contain_input(call->input, inner);
}

int
gate_after(struct gate *g, const struct hook_input *as_run, struct reply *r,
    struct err *e)
{
	static const char *const words[] = {
		[JUDGED_OTHER] = "sandbox: a tool ran with another input than "
		    "the one that was judged: another hook rewrote it. Look "
		    "at the hooks in `.claude/settings.json`.",
		[JUDGED_NEVER] = "sandbox: a tool ran that no hook of ours "
		    "had judged. Run `sandbox doctor`.",
	};
	auto_json cJSON *inner = unwrap(g, &as_run->call);
	struct hook_input in = *as_run;
	enum judged judged;

	if (inner != NULL)
		in.call.input = inner;
	judged = was_judged(g, &in, inner != NULL);
	gate_note_changes(g);
	if (gate_record(g, &in, judged == JUDGED_SAME ? "tool.done" :
	    "hook.missed", NULL, e) == -1)
		return -1;
	/* One answer: a secret kept back is worth more than the message, which
	 * `sandbox status` gives too. */
	if (!gate_clean(g, &in, r) && judged != JUDGED_SAME)
		dialect_refuse(g->dialect, in.event, words[judged], r);
	return 0;
}
