/*
 * cmd/run_events.h - what a jail held back, told while it happens.
 *
 * For people a line on standard error; with --report a JSON object a line
 * instead; and in a project a record `jail.violation` in its audit log, which
 * `sandbox log` and a watch show.  Records are capped: the last one counts
 * what it left out.
 *
 *	{"event":"refused","host":H,"port":N,"why":W}	each host and port once
 *	{"event":"kept","text":T}	a name that had to stay as it was
 *	{"event":"note","text":T}	anything else
 *	{"event":"end","status":N,"refused":N,"kept":N,"notes":N}
 */
#ifndef CMD_RUN_EVENTS_H
#define CMD_RUN_EVENTS_H

#include "cmd/cmd.h"
#include "jail/net.h"

struct run_events {
	const struct cmd_ctx	*ctx;
	bool			 report;
	char *const		*argv;
	struct audit		*audit;
	bool			 searched;	/* for a project, once */
	unsigned long		 refused, kept, notes, records, left_out;
};

/* `e->ctx`, `report` and `argv` are set.  None of these fails. */
void	run_events_refused(struct run_events *, const struct refusal *);
void	run_events_kept(struct run_events *, const char *text);
void	run_events_note(struct run_events *, const char *text);
/* Nothing ran: no end is told. */
void	run_events_close(struct run_events *);
void	run_events_end(struct run_events *, int status);

#endif
