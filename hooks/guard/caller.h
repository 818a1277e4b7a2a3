/*
 * hooks/guard/caller.h - who called us.
 */
#ifndef HOOKS_GUARD_CALLER_H
#define HOOKS_GUARD_CALLER_H

#include <sys/types.h>

/*
 * Our parent, or the ancestor that is the client: a shell may stand between.
 * A registered command line says which (SANDBOX_CLIENT=$PPID), and so does
 * Claude Code (CLAUDE_PID).  A project's settings can set the variable, so it
 * is only believed about an ancestor, and never about init.
 */
pid_t	caller_client(char **envp);

#endif
