/*
 * audit/export.h - what export.c and proof.c share: the log, its checkpoint,
 * and the tree over it.  Internal to the room.
 */
#ifndef AUDIT_EXPORT_H
#define AUDIT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/checkpoint.h"
#include "audit/evidence.h"
#include "audit/logfile.h"
#include "audit/reader.h"
#include "audit/tree.h"

struct export {
	const struct evidence_choice *choice;
	struct logfile	 log;
	struct sealed	 cp;
	unsigned char	*chosen;	/* a bit per record under cp */
	uint64_t	 n_chosen;
	uint64_t	 uncovered;	/* chosen, but behind it */
	char		 id_text[ID_MAX + 16];

	struct tree_range all, gap;
	struct str	 tree, records;
	char		(*ids)[ID_MAX + 1];	/* with a result */
	size_t		 n_ids, cap_ids;
};

/* The log as it is, and its last checkpoint. */
int	export_begin(int privfd, const char *project, struct export *,
	    struct err *);
void	export_finish(struct export *);
/* All records under the checkpoint were added to `all`: are they its? */
int	export_check(const struct export *, struct err *);
/* The checkpoint as sealed note. */
void	export_seal(const struct export *, struct str *ret);

#endif
