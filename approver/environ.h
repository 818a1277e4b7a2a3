/*
 * approver/environ.h - the environment an approved command gets.
 *
 * The approver's own values of the names on a fixed list, and from the request
 * only LANG, LC_* and TZ, each checked.  Nothing of the agent's: no API key, no
 * messaging token, no loader or interpreter switch, none of CLAUDE*, AI_AGENT.
 */
#ifndef APPROVER_ENVIRON_H
#define APPROVER_ENVIRON_H

#include "common/digest.h"
#include "queue/request.h"

/* "NAME=value" strings, sorted, NULL-terminated; environ_free's. */
char  **environ_make(char *const *own, const struct request *);
/*
 * Their PATH alone: the approver's without empty and relative entries, which
 * would be whatever directory the agent called from.  The caller frees.
 */
char   *environ_path(char *const *own);
void	environ_free(char **);
void	environ_digest(char *const *, struct digest *ret);

#endif
