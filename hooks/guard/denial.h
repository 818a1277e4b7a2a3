/*
 * hooks/guard/denial.h - the one answer that is ready before anything is read.
 *
 *	denial_choose(argv)	the row for this client and event
 *	denial_arm()		from here on every deadly signal says it
 *	deny("...")		says it, and ends the guard
 *	denial_answer(...)	says something else instead, once
 *
 * A cause is plain ASCII without quotes or backslashes, so that the whole is
 * complete JSON whatever happened.  Nothing here allocates or calls what a
 * signal handler may not call.
 *
 * "Closed" differs by event, because clients read the answers differently
 * (docs/CONNECTOR.md):
 *
 *	PreToolUse, PreSkillShellCommand	a deny decision, exit 0
 *	UserPromptSubmit			the prompt is blocked, exit 0
 *	ConfigChange				exit 2 and a reason: the session
 *						keeps the hooks it has
 *	SessionStart				cannot stop a session: it says
 *						that calls will be denied
 *	PostToolUse, PostToolUseFailure		the tool has run: the human is
 *						told that the record is missing
 *	SessionEnd				nothing can be stopped
 *	anything else				exit 2 and a reason, which
 *						refuses where that is
 *						possible, and else does no harm
 *
 * Exit 1, silence and text around the JSON let a tool run in every client we
 * measured; no row does that where it would matter.
 */
#ifndef HOOKS_GUARD_DENIAL_H
#define HOOKS_GUARD_DENIAL_H

#include <stddef.h>
#include <sys/types.h>

void	denial_choose(char **argv);

/*
 * Handlers on an alternate stack; whatever was blocked or ignored by who
 * started us is not any more.  A closed 0, 1 or 2 is plugged, so that it
 * cannot become one of our own descriptors; a closed stdout denies at once.
 */
void	denial_arm(void);

/* In a child: default actions, nothing blocked. */
void	denial_disarm(void);

/* Whom the handlers end: with SIGTERM, so that it takes its request back;
 * SIGKILL when it hangs (SIGALRM). */
void	denial_worker(pid_t);

void	deny(const char *cause) __attribute__((noreturn));

/*
 * Write `out` and `err` whole and exit.  When stdout fails, exit 2 with the
 * reason on stderr: the client then ignores what it half got.
 */
void	denial_answer(int status, const char *out, size_t n_out,
	    const char *err, size_t n_err) __attribute__((noreturn));

/* Whole writes, waiting where the descriptor does not block. */
int	guard_write(int fd, const void *, size_t);

#endif
