/*
 * audit/originals/put_back.h - one path back to how it was.
 *
 * Each makes what is wanted under a name of its own in the same folder and
 * exchanges the two names in one step.  What came out is compared with what
 * the plan kept; if it is something else, the names are exchanged back.
 * Internal to the room.
 */
#ifndef AUDIT_ORIGINALS_PUT_BACK_H
#define AUDIT_ORIGINALS_PUT_BACK_H

#include "audit/originals/capture.h"
#include "audit/originals/restore.h"

/* Beside what is put back; followed by what nobody guesses. */
#define PUT_BACK_TMP	".sandbox-restore."

struct put_back {
	struct capture	 c;		/* the store, the project, no limits */
};

/* STEP_WRITE, STEP_LINK, STEP_FOLDER. */
int	put_back_make(struct put_back *, const struct restore_item *,
	    struct err *);
int	put_back_remove(struct put_back *, const struct restore_item *,
	    struct err *);
int	put_back_mode(struct put_back *, const char *path, mode_t,
	    struct err *);

#endif
