/*
 * audit/logset.h - the log's files, read as one run of bytes.
 *
 *	audit/audit-000000000000.jsonl	archives, named after their first
 *	audit/audit-000000104112.jsonl	record; never written again
 *	audit/audit.jsonl		the current one
 *
 * An offset here counts through all of them in order.  Opened under the lock,
 * so that no rotation comes between; what is read later is what was there
 * then, because the files only grow.  Internal to the room.
 */
#ifndef AUDIT_LOGSET_H
#define AUDIT_LOGSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define LOGSET_NAME	32
#define LOGSET_CURRENT	"audit.jsonl"
#define LOGSET_NEW	"audit.jsonl.new"
#define LOGSET_PARTS	4096

struct logset_part {
	char		name[LOGSET_NAME];
	int		fd;
	uint64_t	start, size;
};

struct logset {
	struct logset_part *part;
	size_t		  n;
	uint64_t	  size;
};

/*
 * The archives below privfd and behind them the current file, open already as
 * `current` (which stays the caller's; -1: missing).
 */
int	logset_open(int privfd, int current, uint64_t size,
	    struct logset *ret, struct err *);
/* A set of one file, for tests; the descriptor stays the caller's. */
void	logset_one(int fd, uint64_t size, struct logset *ret);
void	logset_clear(struct logset *);

/* Exactly n bytes; a stretch may not pass a file's end. */
int	logset_pread(const struct logset *, void *buf, size_t n, uint64_t at,
	    struct err *);
/* The file that holds byte `at`; the last one when it is behind the end. */
const struct logset_part *logset_find(const struct logset *, uint64_t at);

/* The number of a file's first record, as it stands there. */
bool	logset_first_seq(int fd, uint64_t *ret);
/* The name of the archive that begins with record `seq`, and back. */
void	logset_archive_name(uint64_t seq, char ret[static LOGSET_NAME]);
bool	logset_archive_seq(const char *name, uint64_t *ret);

#endif
