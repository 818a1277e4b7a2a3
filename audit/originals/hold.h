/*
 * audit/originals/hold.h - what the doors of this room share.
 */
#ifndef AUDIT_ORIGINALS_HOLD_H
#define AUDIT_ORIGINALS_HOLD_H

#include "audit/originals/capture.h"
#include "audit/originals/originals.h"

struct originals {
	struct store		*store;
	int			 root;		/* borrowed */
	char			*root_path;
	enum originals_patience	 patience;
	uint64_t		 budget;	/* 0: none */
};

/* With the limits of one call, or of a baseline, counted from now. */
struct capture	originals_capture(const struct originals *, bool baseline);

#endif
