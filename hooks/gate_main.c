/*
 * sandbox-gate - the worker behind the guard: one hook call, one answer.
 *
 * Started by the guard only, with the call as 0, the answer pipe as 1,
 * /dev/null as 2, a pidfd of the client as 3 and an empty environment.  Any
 * end but exit 0 behind one whole answer is a denial: dying is safe here.
 */
#include <stdlib.h>
#include <unistd.h>

#include "common/cmd.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/proc.h"
#include "hooks/gate.h"
#include "hooks/reason.h"
#include "hooks/wire.h"

#include "common/banned.h"

typedef int door_fn(struct gate *, const struct hook_input *, struct reply *,
    struct err *);

static door_fn *const doors[] = {
	[HOOK_BEFORE] = gate_pass,
	[HOOK_AFTER] = gate_after,
	[HOOK_SESSION_START] = gate_session_start,
	[HOOK_SESSION_END] = gate_session_end,
	[HOOK_PROMPT] = gate_prompt,
	[HOOK_CONFIG] = gate_config,
};

/* What our failure means for who called. */
static const char *const fronts[] = {
	[HOOK_NONE] = "does not know this event",
	[HOOK_BEFORE] = "did not let this call run, nothing was executed",
	[HOOK_AFTER] = "could not record this result",
	[HOOK_SESSION_START] = "is not working here, every tool call will be "
	    "denied",
	[HOOK_SESSION_END] = "could not record the end of this session",
	[HOOK_PROMPT] = "cannot vouch for this project, the prompt was not "
	    "sent",
	[HOOK_CONFIG] = "keeps this session's settings as they were",
};

static int
read_args(int argc, char **argv, struct gate_args *ret, struct err *e)
{
	const struct opt opts[] = {
		{ "client", 0, OPT_TEXT, "NAME", "", &ret->client },
		{ "event", 0, OPT_TEXT, "NAME", "", &ret->event },
		{ "root", 0, OPT_TEXT, "DIR", "", &ret->root },
		{ "from", 0, OPT_TEXT, "DIR", "", &ret->from },
		{ "state", 0, OPT_TEXT, "DIR", "", &ret->state },
		{ "client-pid", 0, OPT_COUNT, "PID", "", &ret->client_pid },
		{ "locale", 0, OPT_TEXT, "LIST", "", &ret->locale },
	};

	if (opt_parse(opts, ARRAY_LEN(opts), &argc, argv, e) != 0)
		return -1;
	if (argc != 0 || ret->client == NULL || ret->event == NULL ||
	    ret->client_pid <= 0)
		return err_set(e, ERR_USAGE, "the registration is incomplete");
	return 0;
}

static int
pass_through(const struct gate_args *args, const struct dialect *d,
    struct reply *r, struct err *e)
{
	auto_json cJSON *doc = NULL;
	auto_str struct str text = { 0 };
	auto_hook_input struct hook_input in = { 0 };
	struct gate g;
	int rc;

	str_init(&text, WIRE_INPUT);
	if (io_read_all(STDIN_FILENO, WIRE_INPUT, &text, e) == -1 ||
	    json_parse(text.s, text.len, JSON_DEPTH, &doc, e) == -1)
		return err_add(e, "the hook's input");
	str_clear(&text);
	if (d->read(args->event, args->root != NULL ? args->root : args->from,
	    doc, &in, e) == -1)
		return err_add(e, "the hook's input");
	if (in.kind == HOOK_NONE || (size_t)in.kind >= ARRAY_LEN(doors))
		BUG("an event without a door");
	rc = gate_open(args, d, in.call.cwd, &g, e);
	if (rc == 1)
		return 0;
	if (rc == 0)
		rc = doors[in.kind](&g, &in, r, e);
	if (rc == 0)
		gate_take_claims(&g);
	else
		gate_failed(&g, args, &in, e);
	gate_close(&g);
	return rc;
}

static int
write_reply(const struct reply *r, struct err *e)
{
	auto_str struct str all = { 0 };

	str_init(&all, WIRE_REPLY);
	if (r->out.full || r->err.full)
		return err_set(e, ERR_SYSTEM, "the answer is too long");
	str_addf(&all, "A %d %zu %zu\n", r->status, r->out.len, r->err.len);
	str_addn(&all, r->out.s, r->out.len);
	str_addn(&all, r->err.s, r->err.len);
	str_add(&all, "E\n");
	return io_write_all(STDOUT_FILENO, all.s, all.len, e);
}

int
main(int argc, char **argv)
{
	struct gate_args args = { 0 };
	const struct dialect *d;
	auto_str struct str why = { 0 };
	struct reply r;
	struct err e = { 0 };
	int status;

	str_init(&why, REASON_MAX);
	if (proc_harden(&e) == -1 || digest_setup(&e) == -1 ||
	    read_args(argc, argv, &args, &e) == -1)
		return EXIT_FAILURE;
	d = dialect_find(args.client);
	if (d == NULL)
		return EXIT_FAILURE;
	reply_init(&r);
	if (pass_through(&args, d, &r, &e) == -1) {
		reply_clear(&r);
		reply_init(&r);
		reason_broken(fronts[dialect_kind(d, args.event)], e.text,
		    &why);
		dialect_refuse(d, args.event, why.s, &r);
	}
	dialect_finish(d, args.event, &r);
	status = write_reply(&r, &e) == -1 ? EXIT_FAILURE : EXIT_SUCCESS;
	reply_clear(&r);
	return status;
}
