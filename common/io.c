#include "common/io.h"

#include <errno.h>
#include <unistd.h>

#include "common/banned.h"

int
io_read_all(int fd, size_t max, struct str *ret, struct err *e)
{
	size_t start = ret->len, saved_max = ret->max;
	char buf[16384];

	ret->max = start + max;
	for (;;) {
		ssize_t n = read(fd, buf, sizeof buf);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1) {
			err_sys(e, "cannot read");
			break;
		}
		if (n == 0) {
			ret->max = saved_max;
			return 0;
		}
		str_addn(ret, buf, (size_t)n);
		if (ret->full) {
			err_set(e, ERR_FORMAT, "more than %zu bytes", max);
			break;
		}
	}
	ret->len = start;
	ret->s[start] = '\0';
	ret->full = false;
	ret->max = saved_max;
	return -1;
}

int
io_pread_full(int fd, void *buf, size_t len, long long off, struct err *e)
{
	char *p = buf;

	while (len > 0) {
		ssize_t n = pread(fd, p, len, (off_t)off);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return err_sys(e, "cannot read");
		if (n == 0)
			return err_set(e, ERR_FORMAT, "the file is too short");
		p += n;
		off += n;
		len -= (size_t)n;
	}
	return 0;
}

int
io_write_all(int fd, const void *buf, size_t len, struct err *e)
{
	const char *p = buf;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return err_sys(e, "cannot write");
		p += n;
		len -= (size_t)n;
	}
	return 0;
}
