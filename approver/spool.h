/*
 * approver/spool.h - what a running command says, as it says it.
 *
 * A private file of frames: one letter (`o` stdout, `e` stderr, `g` a gap), a
 * length of four bytes, the bytes.  Order in the file is the order in which
 * the command wrote.  The first SPOOL_HEAD bytes are written at once, for
 * whoever follows; of the rest the last SPOOL_TAIL are kept in memory and
 * written when the command is over, behind a gap frame that holds the number
 * of bytes left out.  So a command that prints without end costs neither disk
 * nor memory.
 *
 * The bytes are raw and hostile.  The file lives only while the command does;
 * afterwards run/<id>/output has the same frames, scrubbed.
 */
#ifndef APPROVER_SPOOL_H
#define APPROVER_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/str.h"

#define SPOOL_NAME	"spool"
#define SPOOL_HEAD	(4 * 1024 * 1024)
#define SPOOL_TAIL	(4 * 1024 * 1024)

struct spool {
	int		 fd;
	uint64_t	 written;	/* bytes of output, not of frames */
	uint64_t	 skipped;
	struct str	 tail;		/* frames */
};

int	spool_create(int dirfd, struct spool *ret, struct err *);
/* Cannot fail: what the disk does not take goes on in memory. */
void	spool_put(struct spool *, char stream, const void *, size_t len);
/*
 * Write gap and tail; where the disk does not take the tail, a gap that counts
 * it, too.
 */
int	spool_finish(struct spool *, struct err *);
void	spool_clear(struct spool *);

/*
 * Read the frame at *offset and advance it.  1: a frame, its bytes put into
 * ret; 0: not there yet; -1: damaged.
 */
int	spool_next(int fd, off_t *offset, char *ret_stream, struct str *ret,
	    struct err *);

/*
 * All of it as one scrubbed UTF-8 text, gaps named, appended to ret; the same
 * as frames into ret_frames.  What one stream says without a word of the other
 * is scrubbed as a whole.
 */
int	spool_text(int fd, struct str *ret, struct str *ret_frames,
	    uint64_t *ret_gap, struct err *);

#endif
