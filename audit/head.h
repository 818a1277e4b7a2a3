/*
 * audit/head.h - the pin: what the last record was, kept outside the log.
 *
 * audit.head is one line of fixed length, overwritten in place:
 *
 *	{"seq":"<12>","hash":"<64>","synced":"<12>","boot_id":"<36>"}
 *
 * It is written after every record and never synced but at genesis.  While the
 * boot id is the machine's, the log must end at seq, or one later if a writer
 * was killed between its two writes.  After another boot a power cut may have
 * taken what was not synced: then the log must reach `synced`.
 */
#ifndef AUDIT_HEAD_H
#define AUDIT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/digest.h"
#include "common/err.h"
#include "common/str.h"

#define HEAD_MAX	256

struct head {
	uint64_t	seq;
	struct digest	hash;
	uint64_t	synced;
	char		boot_id[37];
	/* As it was read from its file or written there; for head_is. */
	size_t		len;
	char		text[HEAD_MAX + 1];
};

void	head_encode(const struct head *, struct str *ret);
/* Exactly what head_encode writes, or -1. */
int	head_decode(const char *text, size_t len, struct head *ret);
/* -1 with ERR_FORMAT when it is not a pin. */
int	head_read(int fd, struct head *ret, struct err *);
/* Does the file hold, byte for byte, what was read from it or written there? */
bool	head_is(int fd, const struct head *);
int	head_write(int fd, struct head *, struct err *);

#endif
