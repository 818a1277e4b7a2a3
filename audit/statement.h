/*
 * audit/statement.h - what a human and a runner put their names to.
 *
 * Two statements (common/sign.h): the approval, signed by an approver's key,
 * names a one-run key; the result, signed by that one-run key, says what came
 * of it.  Every field is an id, hex, an integer or a fixed word.
 *
 * sandbox-approval-v1	project id digest decision tier cwd(dev:ino)
 *			H(environment) H(scripts) H(edited)|- H(text)|-
 *			runkey|- expires_wall_ms approver_key
 * sandbox-result-v1	project id digest outcome start_ms end_ms H(output)
 *
 * one field per line, each ended by LF, title first.
 */
#ifndef AUDIT_STATEMENT_H
#define AUDIT_STATEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/err.h"
#include "common/id.h"
#include "common/sign.h"
#include "common/str.h"

enum decision { DECISION_DENY = 0, DECISION_RUN, DECISION_ALLOW_ONCE };
const char	*decision_name(enum decision);	/* "deny" "run" "allow_once" */

struct approval {
	char		project[33];
	char		id[ID_MAX + 1];
	struct digest	digest;
	enum decision	decision;
	char		tier[12];
	uint64_t	cwd_dev, cwd_ino;
	struct digest	environment, scripts;
	bool		has_edited, has_text, has_run_key;
	struct digest	edited, text;
	unsigned char	run_key[SIGN_PUB];
	int64_t		expires_wall_ms;
	unsigned char	approver[SIGN_PUB];
};

struct result {
	char		project[33];
	char		id[ID_MAX + 1];
	struct digest	digest;
	char		outcome[24];	/* "exit 3" is written "exit:3";
					   signal:9, timeout, stopped,
					   running (a background call is
					   answered while it runs),
					   not_started */
	int64_t		start_ms, end_ms;
	struct digest	output;
};

void	approval_encode(const struct approval *, struct str *ret);
int	approval_decode(const char *stmt, struct approval *ret, struct err *);
void	result_encode(const struct result *, struct str *ret);
int	result_decode(const char *stmt, struct result *ret, struct err *);

/* Whose approval counts, and for what. */
struct approval_for {
	const struct keyring	*approvers;
	const char		*project, *id;
};
/*
 * Is this an approval by one of them, for that project and id?  Fills ret on
 * success.  ERR_PERMITTED when not.
 */
int	approval_verify(const char *stmt, const char *sig,
	    const struct approval_for *, struct approval *ret, struct err *);
/* Is this result signed by the approval's run key, for the same request? */
int	result_verify(const char *stmt, const char *sig,
	    const struct approval *, struct result *ret, struct err *);

#endif
