/*
 * common/io.h - whole reads and whole writes.  EINTR and short transfers are
 * handled here and nowhere else.
 */
#ifndef COMMON_IO_H
#define COMMON_IO_H

#include <stddef.h>

#include "common/err.h"
#include "common/str.h"

/*
 * Append everything up to end of file to `ret`.  More than `max` bytes is an
 * error (ERR_FORMAT), and `ret` is left as it was.
 */
int	io_read_all(int fd, size_t max, struct str *ret, struct err *);

/* Exactly len bytes at the file offset; end of file before is an error. */
int	io_pread_full(int fd, void *buf, size_t len, long long off,
	    struct err *);

/* All of it, or an error. */
int	io_write_all(int fd, const void *buf, size_t len, struct err *);

#endif
