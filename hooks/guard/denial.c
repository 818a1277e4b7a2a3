#include "hooks/guard/denial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "hooks/guard/sys.h"

#include "common/banned.h"

#define PARTS	3

/*
 * An answer is part[0] cause part[1] [cause part[2]].  The first row that
 * fits counts, NULL fits everything.
 */
struct denial {
	const char *client, *event;
	int	    status;
	const char *part[PARTS];	/* of stdout; all NULL: nothing */
};

#define FRONT	"sandbox did not let this call run: "
#define BACK	". Nothing was executed. Tell the human, who can find out " \
	"more with sandbox doctor; do not look for another way."
#define DECISION(event)							\
	"{\"hookSpecificOutput\":{\"hookEventName\":\"" event "\","	\
	"\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\""
#define SHORT(decision, reason)						\
	"{\"" decision "\":\"deny\",\"" reason "\":\"" FRONT
#define CONTEXT								\
	"{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\","	\
	"\"additionalContext\":\"sandbox is not working here ("
#define NO_CONTEXT							\
	"); every tool call will be denied until the human has run "	\
	"sandbox doctor.\"}}"
#define NO_PROMPT							\
	"sandbox cannot check this project: "
#define NOT_SENT	". The prompt was not sent. Run sandbox doctor."
#define NOT_RECORDED							\
	"{\"systemMessage\":\"sandbox could not record this result: "

static const struct denial denials[] = {
	{ "claude", "PreToolUse", 0, {
	    DECISION("PreToolUse") FRONT, BACK "\"}}", NULL } },
	{ "claude", "PreSkillShellCommand", 0, {
	    DECISION("PreSkillShellCommand") FRONT, BACK "\"}}", NULL } },
	{ "claude", "UserPromptSubmit", 0, {
	    "{\"decision\":\"block\",\"reason\":\"" NO_PROMPT,
	    NOT_SENT "\"}", NULL } },
	{ "claude", "SessionStart", 0, { CONTEXT, NO_CONTEXT, NULL } },
	{ "claude", "PostToolUse", 0, {
	    NOT_RECORDED, ". Run sandbox doctor.\"}", NULL } },
	{ "claude", "PostToolUseFailure", 0, {
	    NOT_RECORDED, ". Run sandbox doctor.\"}", NULL } },
	{ "claude", "SessionEnd", 0, { NULL } },
	{ "codex", "PreToolUse", 0, {
	    DECISION("PreToolUse") FRONT, BACK "\"}}", NULL } },
	{ "codex", "UserPromptSubmit", 0, {
	    "{\"decision\":\"block\",\"reason\":\"" NO_PROMPT,
	    NOT_SENT "\"}", NULL } },
	{ "codex", "SessionStart", 0, { CONTEXT, NO_CONTEXT, NULL } },
	{ "codex", "PostToolUse", 0, {
	    NOT_RECORDED, ". Run sandbox doctor.\"}", NULL } },
	{ "codex", "SessionEnd", 0, { NULL } },
	{ "gemini", "BeforeTool", 0, {
	    SHORT("decision", "reason"), BACK "\"}", NULL } },
	{ "gemini", "BeforeAgent", 0, {
	    "{\"decision\":\"deny\",\"reason\":\"" NO_PROMPT,
	    NOT_SENT "\"}", NULL } },
	{ "gemini", "SessionStart", 0, { CONTEXT, NO_CONTEXT, NULL } },
	{ "gemini", "AfterTool", 0, {
	    NOT_RECORDED, ". Run sandbox doctor.\"}", NULL } },
	{ "gemini", "SessionEnd", 0, { NULL } },
	{ "cursor", "preToolUse", 0, {
	    "{\"permission\":\"deny\",\"user_message\":\"" FRONT,
	    "\",\"agent_message\":\"" FRONT, BACK "\"}" } },
	{ "cursor", "beforeSubmitPrompt", 0, {
	    "{\"continue\":false,\"user_message\":\"" NO_PROMPT,
	    NOT_SENT "\"}", NULL } },
	{ "copilot", "preToolUse", 0, {
	    SHORT("permissionDecision", "permissionDecisionReason"),
	    BACK "\"}", NULL } },
	{ "cline", "PreToolUse", 0, {
	    "{\"cancel\":true,\"errorMessage\":\"" FRONT,
	    BACK "\"}", NULL } },
	{ "cline", "UserPromptSubmit", 0, {
	    "{\"cancel\":true,\"errorMessage\":\"" NO_PROMPT,
	    NOT_SENT "\"}", NULL } },
	{ "opencode", "tool.execute.before", 0, {
	    SHORT("decision", "reason"), BACK "\"}", NULL } },
	/* Denies in Claude Code, Codex and Gemini alike. */
	{ NULL, "PreToolUse", 0, {
	    "{\"decision\":\"block\",\"reason\":\"" FRONT,
	    BACK "\",\"hookSpecificOutput\":{\"hookEventName\":"
	    "\"PreToolUse\",\"permissionDecision\":\"deny\","
	    "\"permissionDecisionReason\":\"" FRONT, BACK "\"}}" } },
	{ NULL, NULL, 2, { NULL } },
};

static const struct denial *denial = &denials[sizeof denials /
    sizeof denials[0] - 1];
static const char *volatile cause = "the gate was interrupted";
static volatile sig_atomic_t answering, stdout_shut;
static volatile pid_t worker;
static char alternate_stack[65536] __attribute__((aligned(16)));

int
guard_write(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len > 0) {
		ssize_t n = sys_write(fd, p, len);

		if (n == -EAGAIN) {
			struct pollfd f = { fd, POLLOUT, 0 };

			sys_poll(&f, 1, -1);
		} else if (n < 0 && n != -EINTR) {
			return -1;
		} else if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* Exit 2 with a reason: the last thing that still refuses. */
static void __attribute__((noreturn))
leave_refusing(void)
{
	char line[200] = "sandbox: ";
	size_t at = strlen(line), n = strlen(cause);

	if (n > sizeof line - at - 1)
		n = sizeof line - at - 1;
	memcpy(line + at, cause, n);
	line[at + n] = '\n';
	guard_write(2, line, at + n + 1);
	sys_exit(2);
}

void
denial_answer(int status, const char *out, size_t n_out, const char *err,
    size_t n_err)
{
	answering = 1;
	if (n_out > 0 && (stdout_shut != 0 ||
	    guard_write(1, out, n_out) == -1)) {
		cause = "stdout is closed";
		leave_refusing();
	}
	if (n_err > 0)
		guard_write(2, err, n_err);
	sys_exit(status);
}

static void __attribute__((noreturn))
leave_denying(void)
{
	static char all[2048];
	const char *why = cause;
	size_t at = 0;

	if (denial->part[0] == NULL && denial->status != 0)
		leave_refusing();
	for (int i = 0; i < PARTS && denial->part[i] != NULL; i++) {
		const char *two[] = { i > 0 ? why : "", denial->part[i] };

		for (int k = 0; k < 2; k++) {
			size_t n = strlen(two[k]);

			if (n > sizeof all - at)
				leave_refusing();
			memcpy(all + at, two[k], n);
			at += n;
		}
	}
	denial_answer(denial->status, all, at, NULL, 0);
}

static void __attribute__((noreturn))
on_signal(int sig)
{
	if (worker > 0)
		sys_kill(worker, sig == SIGALRM ? SIGKILL : SIGTERM);
	if (sig == SIGALRM)
		cause = "the gate did not answer in time";
	/* Half an answer is out: exit 2 makes the client ignore it. */
	if (answering != 0)
		leave_refusing();
	leave_denying();
}

void
deny(const char *why)
{
	cause = why;
	leave_denying();
}

static const char *
option(char **argv, const char *name)
{
	for (; *argv != NULL; argv++)
		if (strcmp(*argv, name) == 0)
			return argv[1];
	return NULL;
}

void
denial_choose(char **argv)
{
	const char *client = option(argv, "--client");
	const char *event = option(argv, "--event");
	const struct denial *d = denials;

	if (client == NULL || event == NULL)
		return;
	while ((d->client != NULL && strcmp(d->client, client) != 0) ||
	    (d->event != NULL && strcmp(d->event, event) != 0))
		d++;
	denial = d;
}

void
denial_worker(pid_t pid)
{
	worker = pid;
}

static const int deadly[] = {
	SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGTRAP, SIGALRM,
	SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2,
	SIGVTALRM, SIGPROF
};

static void
set_signals(void (*handler)(int), void (*ignored)(int))
{
	for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
		sys_on_signal(deadly[i], handler);
	sys_on_signal(SIGPIPE, ignored);
	sys_on_signal(SIGXFSZ, ignored);
	sys_on_signal(SIGCHLD, SIG_DFL);
	sys_block_signals(0);
}

void
denial_disarm(void)
{
	set_signals(SIG_DFL, SIG_DFL);
}

void
denial_arm(void)
{
	sys_signal_stack(alternate_stack, sizeof alternate_stack);
	set_signals(on_signal, SIG_IGN);
	stdout_shut = !sys_fd_exists(1);
	for (int fd = 0; fd <= 2; fd++)
		if (!sys_fd_exists(fd) && sys_open("/dev/null", O_RDWR) != fd)
			deny("a standard descriptor is missing");
}
