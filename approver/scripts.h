/*
 * approver/scripts.h - the files that a command would run and an agent could
 * have written: all but the system directories.  Where code runs at all, every
 * file that the call reads by name counts: it may be that code.
 *
 * What a human approves is not only the words "./deploy.sh" but what is in
 * the file.  The approver hashes the files when it shows the request, the
 * digest it shows covers them, and the runner hashes them again just before
 * exec.  Between that and the shell's own open lies a gap of microseconds that
 * only a copy could close; docs/THREATS.md says so.
 */
#ifndef APPROVER_SCRIPTS_H
#define APPROVER_SCRIPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/digest.h"
#include "common/err.h"
#include "common/json.h"
#include "policy/policy.h"

#define SCRIPTS_MAX	JUDGEMENT_EFFECTS

struct script {
	char		*path;		/* absolute, without links */
	struct digest	 digest;	/* all zero: not a readable file, so
					   nobody knows what it will hold */
};
struct scripts {
	struct script	*s;		/* sorted by path, each once */
	size_t		 n;
};

/* Those among the effects, hashed now; more than 64 MiB by identity. */
void	scripts_find(const struct judgement *, struct scripts *ret);
void	scripts_clear(struct scripts *);

/* False: no readable file now, so nothing is bound but that. */
bool	scripts_is_known(const struct script *);

/*
 * All of them, and where a file tool's path really leads ("" for none), in one
 * digest; all zero when there is nothing.
 */
void	scripts_digest(const struct scripts *, const char *target,
	    struct digest *ret);

/* Hash again.  ERR_DIGEST, naming the first that differs. */
int	scripts_compare(const struct scripts *, struct err *);

/* [{"path":..., "digest":...}] */
cJSON  *scripts_json(const struct scripts *);
int	scripts_from_json(const cJSON *, struct scripts *ret, struct err *);

#endif
