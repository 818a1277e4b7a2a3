#include "cmd/run_events.h"

#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/scrub.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define RECORDS_MAX	100	/* of one run */
#define TEXT_MAX	600
#define COMMAND_MAX	160

/* A project is looked for when there is something to record. */
static struct audit *
log_of(struct run_events *ev)
{
	auto_home struct home home = HOME_INIT;
	struct cmd_ctx here = *ev->ctx;

	if (ev->searched)
		return ev->audit;
	ev->searched = true;
	here.dir = ".";
	if (cmd_home(&here, &home, NULL) == 0 && !home.jailed)
		audit_open(home.priv, home.project, &ev->audit, NULL);
	return ev->audit;
}

static void
add_scrubbed(cJSON *fields, const char *name, const char *text)
{
	auto_str struct str out = { 0 };

	str_init(&out, TEXT_MAX);
	scrub(text, strnlen(text, TEXT_MAX / 2), &out);
	json_add_str(fields, name, out.s);
}

static void
record(struct run_events *ev, const char *what, const char *summary)
{
	auto_json cJSON *fields = json_object();
	const struct event e = { .kind = "jail.violation", .agent = "jail",
	    .fields = fields };
	auto_str struct str command = { 0 };
	struct clock now;

	if (ev->records == RECORDS_MAX) {
		ev->left_out++;
		return;
	}
	if (log_of(ev) == NULL || clock_now(&now, NULL) == -1)
		return;
	str_init(&command, COMMAND_MAX);
	for (char *const *w = ev->argv; *w != NULL; w++)
		str_addf(&command, "%s%s", w == ev->argv ? "" : " ", *w);
	json_add_str(fields, "what", what);
	add_scrubbed(fields, "summary", summary);
	add_scrubbed(fields, "command", command.s);
	if (audit_append(ev->audit, &e, &now, NULL, NULL) == 0)
		ev->records++;
}

static void
put(const cJSON *event)
{
	auto_str struct str text = { 0 }, out = { 0 };

	str_init(&text, 1 << 16);
	str_init(&out, 1 << 20);
	json_print(event, &text);
	json_visible(text.s, text.len, &out);
	fprintf(stderr, "%s\n", out.s);
}

static void
put_text(const struct run_events *ev, const char *what, const char *text)
{
	auto_free char *shown = visible_line(text);
	auto_json cJSON *o = NULL;

	if (!ev->report) {
		fprintf(stderr, "sandbox: %s\n", shown);
		return;
	}
	o = json_object();
	json_add_str(o, "event", what);
	json_add_str(o, "text", text);
	put(o);
}

void
run_events_refused(struct run_events *ev, const struct refusal *r)
{
	auto_free char *summary = NULL;
	auto_json cJSON *o = NULL;

	ev->refused++;
	if (r->times > 1)
		return;		/* all of them are counted at the end */
	summary = xasprintf("refused %s port %u: %s", r->host, r->port,
	    r->why);
	record(ev, "host", summary);
	if (!ev->report)
		return;		/* people read it when the command is over */
	o = json_object();
	json_add_str(o, "event", "refused");
	json_add_str(o, "host", r->host);
	json_add_int(o, "port", r->port);
	json_add_str(o, "why", r->why);
	put(o);
}

void
run_events_kept(struct run_events *ev, const char *text)
{
	ev->kept++;
	record(ev, "name", text);
	put_text(ev, "kept", text);
}

void
run_events_note(struct run_events *ev, const char *text)
{
	ev->notes++;
	put_text(ev, "note", text);
}

void
run_events_close(struct run_events *ev)
{
	audit_free(ev->audit);
	ev->audit = NULL;
}

void
run_events_end(struct run_events *ev, int status)
{
	auto_free char *more = NULL;
	auto_json cJSON *o = NULL;

	if (ev->left_out > 0) {
		more = xasprintf("%lu more in this run", ev->left_out);
		ev->records = 0;
		record(ev, "more", more);
	}
	run_events_close(ev);
	if (!ev->report)
		return;
	o = json_object();
	json_add_str(o, "event", "end");
	json_add_int(o, "status", status);
	json_add_int(o, "refused", (int64_t)ev->refused);
	json_add_int(o, "kept", (int64_t)ev->kept);
	json_add_int(o, "notes", (int64_t)ev->notes);
	put(o);
}
