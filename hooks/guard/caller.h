/*
 * hooks/guard/caller.h - who called us.
 */
#ifndef HOOKS_GUARD_CALLER_H
#define HOOKS_GUARD_CALLER_H

#include <sys/types.h>

/*
 * Our parent, or the ancestor that the client says it is (CLAUDE_PID): a
 * shell may stand between.  A project's settings can set the variable, so it
 * is only believed about an ancestor, and never about init.
 */
pid_t	caller_client(char **envp);

#endif
