/*
 * audit/reader.h - the log line by line, in bounded memory.
 *
 * Reads a stretch of a set of files that only grow, without a lock.  A line
 * never spans two files.  Internal to the room.
 */
#ifndef AUDIT_READER_H
#define AUDIT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/logset.h"
#include "common/digest.h"
#include "common/err.h"

struct line {
	const char	*text;		/* until the next read; without LF, NUL
					   behind; "" when overlong */
	size_t		 len;		/* 0 when overlong */
	uint64_t	 offset;	/* in the set */
	uint64_t	 end;		/* behind its LF */
	uint64_t	 number;	/* in its file, from 1 */
	bool		 ended;		/* by an LF */
	bool		 overlong;	/* more than CHAIN_RECORD_MAX */
	bool		 first;		/* of its file */
};

struct reader {
	const struct logset *set;	/* borrowed */
	uint64_t	 upto, at;	/* at: in the set, behind buf */
	uint64_t	 stop;		/* end of the file being read */
	char		*buf;
	size_t		 cap;
	size_t		 start, end;	/* unread part of buf */
	uint64_t	 number;
};

/*
 * Lines that begin in [from, upto); `from` begins a line, whose number is
 * `number`.  The last line is read to its end, even behind `upto`.
 */
void	reader_init(struct reader *, const struct logset *, uint64_t from,
	    uint64_t upto, uint64_t number);
/* All of it. */
void	reader_all(struct reader *, const struct logset *);
void	reader_clear(struct reader *);

/* 1 and a line; 0 at the end; -1 when the files cannot be read. */
int	reader_next(struct reader *, struct line *ret, struct err *);

/* chain_hash over a stretch of one file. */
int	reader_hash(const struct logset *, uint64_t offset, uint64_t len,
	    struct digest *ret, struct err *);

#endif
