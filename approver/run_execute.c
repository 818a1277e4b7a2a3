/* The command's life: started, watched, ended with all it started. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "approver/reap.h"
#include "approver/run.h"
#include "approver/runner.h"
#include "approver/view.h"
#include "common/clock.h"
#include "common/mem.h"

#include "common/banned.h"

#define GRACE_MS	2000	/* between SIGTERM and SIGKILL */
#define LINGER_MS	500	/* for `>(...)` and the like to finish */

struct life {
	pid_t	pid;
	int	status;
	bool	ended;
	int64_t	end_at;		/* boot ms; INT64_MAX: no limit */
	int64_t	answer_at;
};

static void
say(struct run *r, const char *text)
{
	spool_put(&r->spool, 'e', text, strlen(text));
}

static int
wait_ms(const struct life *l)
{
	int64_t next = l->end_at < l->answer_at ? l->end_at : l->answer_at;
	int64_t left = next - clock_boot_ms();

	if (next == INT64_MAX)
		return -1;
	return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

static void
set_outcome(struct run *r, int status)
{
	if (WIFSIGNALED(status))
		snprintf(r->outcome, sizeof r->outcome, "signal:%d",
		    WTERMSIG(status));
	else
		snprintf(r->outcome, sizeof r->outcome, "exit:%d",
		    WEXITSTATUS(status));
}

/* Until it ends by itself, by time, or by request. */
static void
watch(struct run *r, struct life *l)
{
	for (;;) {
		unsigned events = stream_wait(&r->stream, wait_ms(l));
		int64_t now = clock_boot_ms();

		if ((events & STREAM_CHILD) != 0 &&
		    reap_ended(l->pid, &l->status)) {
			l->ended = true;
			set_outcome(r, l->status);
			return;
		}
		if ((events & STREAM_STOP) != 0) {
			snprintf(r->outcome, sizeof r->outcome, "stopped");
			return;
		}
		if (now >= l->end_at) {
			snprintf(r->outcome, sizeof r->outcome, "timeout");
			return;
		}
		if (now >= l->answer_at) {
			/* If this fails, the answer comes at the end. */
			l->answer_at = INT64_MAX;
			run_answer_early(r, NULL);
		}
	}
}

/* The shell is gone; what it left may finish its sentence. */
static void
linger(struct run *r)
{
	int64_t end = clock_boot_ms() + LINGER_MS, now;

	while (!stream_is_over(&r->stream) &&
	    (now = clock_boot_ms()) < end)
		stream_wait(&r->stream, (int)(end - now));
}

static void
end_all(struct run *r, struct life *l)
{
	size_t left;

	if (l->ended)
		linger(r);
	if (l->ended && !reap_none())
		say(r, "[what it left running in the background was ended]\n");
	left = reap_all(l->pid, GRACE_MS, &l->status);
	stream_drain(&r->stream);
	if (left > 0) {
		auto_free char *text = xasprintf("[%zu processes of another "
		    "user could not be ended]\n", left);

		say(r, text);
	}
}

/* An attached command has one end for all it says: its terminal. */
static int
open_stream(struct run *r, int ret_ends[2], struct err *e)
{
	if (!r->job.attached)
		return stream_open(&r->spool, &r->stream, ret_ends, e);
	ret_ends[0] = ret_ends[1] = JOB_SLAVE_FD;
	return stream_open_tty(&r->spool, JOB_MASTER_FD, JOB_SAID_FD,
	    &r->stream, e);
}

static int
run_process(struct run *r, const struct work *w, struct err *e)
{
	int64_t now = clock_boot_ms();
	struct life l = { .end_at = INT64_MAX, .answer_at = INT64_MAX };
	int ends[2], got;

	if (open_stream(r, ends, e) == -1)
		return -1;
	if (r->job.timeout_s > 0)
		l.end_at = now + (int64_t)r->job.timeout_s * 1000;
	if (r->job.background)
		l.answer_at = now + RUN_EARLY_MS;
	got = r->executor->start(w, ends[0], ends[1], &l.pid, e);
	close(ends[0]);
	if (ends[1] != ends[0])
		close(ends[1]);
	if (got == -1) {
		/* As a shell says it: 127, and nothing ran. */
		snprintf(r->outcome, sizeof r->outcome, "exit:127");
		say(r, e->text);
		return 0;
	}
	watch(r, &l);
	end_all(r, &l);
	return 0;
}

static int
note_start(struct run *r, const struct clock *now, struct err *e)
{
	auto_json cJSON *fields = json_object();
	const struct event ev = {
		.kind = "sandbox.started",
		.session = r->job.req.session,
		.agent = r->job.req.agent,
		.id = r->job.req.id,
		.fields = fields,
	};

	json_add_str(fields, "executor", r->executor->name);
	if (r->job.attached)
		json_add_bool(fields, "attached", true);
	return audit_append(r->audit, &ev, now, NULL, e);
}

int
run_execute(struct run *r, struct err *e)
{
	auto_json cJSON *edited = r->job.edited == NULL ? NULL :
	    edited_input(r->job.req.input, r->job.edited);
	const struct work w = {
		.input = edited == NULL ? r->job.req.input : edited,
		.target = r->job.target,
		.state = r->home.priv_path,
		.envp = r->job.env,
		.cwd_fd = r->cwd,
		.attached = r->job.attached,
	};
	struct clock now;
	int64_t boot = clock_boot_ms();

	if (spool_create(claim_run_dir(r->claim), &r->spool, e) == -1 ||
	    run_keep(r, w.input, e) == -1 || clock_now(&now, e) == -1 ||
	    note_start(r, &now, e) == -1 || claim_started(r->claim, e) == -1)
		return -1;
	r->start_ms = now.wall_ms;
	if (r->executor->start != NULL) {
		if (run_process(r, &w, e) == -1)
			return -1;
	} else {
		auto_str struct str text = { 0 };

		str_init(&text, SPOOL_HEAD);
		snprintf(r->outcome, sizeof r->outcome, "exit:%d",
		    r->executor->perform(&w, &text));
		spool_put(&r->spool, 'o', text.s, text.len);
	}
	r->end_ms = r->start_ms + clock_boot_ms() - boot;
	run_note_changes(r);
	return 0;
}
