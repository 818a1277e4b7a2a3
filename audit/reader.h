/*
 * audit/reader.h - the log line by line, in bounded memory.
 *
 * Reads [0, size) of a file that only grows, without a lock.  Internal to the
 * room.
 */
#ifndef AUDIT_READER_H
#define AUDIT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/err.h"

struct line {
	const char	*text;		/* until the next read; without LF, NUL
					   behind; "" when overlong */
	size_t		 len;		/* 0 when overlong */
	uint64_t	 offset;
	uint64_t	 number;	/* from 1 */
	bool		 ended;		/* by an LF */
	bool		 overlong;	/* more than CHAIN_RECORD_MAX */
};

struct reader {
	int		 fd;
	uint64_t	 size, at;	/* at: of the file, behind buf */
	char		*buf;
	size_t		 start, end;	/* unread part of buf */
	uint64_t	 number;
};

void	reader_init(struct reader *, int fd, uint64_t size);
void	reader_clear(struct reader *);

/* 1 and a line; 0 at the end; -1 when the file cannot be read. */
int	reader_next(struct reader *, struct line *ret, struct err *);

/* chain_hash over a stretch of the file. */
int	reader_hash(int fd, uint64_t offset, uint64_t len,
	    struct digest *ret, struct err *);

#endif
