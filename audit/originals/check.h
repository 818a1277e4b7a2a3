/*
 * audit/originals/check.h - is what the log says was kept there, unchanged?
 *
 * The log names lists by digest, lists name contents by digest: whatever is
 * not what its name says is found, and so is what is gone although no
 * "file.forgotten" record let it go.
 */
#ifndef AUDIT_ORIGINALS_CHECK_H
#define AUDIT_ORIGINALS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/err.h"

struct originals_finding {
	uint64_t	 seq;		/* of the record that names it */
	bool		 missing;	/* else: edited */
	const char	*path;		/* of the file; NULL: the list itself,
					   or all of the store */
	struct digest	 name;
};
typedef void originals_finding_fn(void *arg, const struct originals_finding *);

/*
 * `full` reads every content; else lists are read, and of contents only that
 * they are there and as long as they say.  ret_checked: lists and contents.
 */
int	originals_verify(int privfd, bool full, originals_finding_fn *fn,
	    void *arg, size_t *ret_checked, struct err *);

#endif
