/*
 * How much came since the last sweep: a file as long as pages came, because
 * appending needs no lock.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/originals/inside.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define GROWN		"grown"
#define PAGE_BYTES	4096

uint64_t
store_counted(struct store *s)
{
	struct stat st;

	return fstatat(s->dir, GROWN, &st, AT_SYMLINK_NOFOLLOW) == -1 ? 0 :
	    (uint64_t)st.st_size * PAGE_BYTES;
}

void
store_count(struct store *s)
{
	static const char pages[4096];
	unsigned long long n = (atomic_exchange(&s->added, 0) + PAGE_BYTES -
	    1) / PAGE_BYTES;
	auto_close int fd = n == 0 ? -1 : openat(s->dir, GROWN, O_WRONLY |
	    O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	while (fd != -1 && n > 0) {
		size_t some = n < sizeof pages ? (size_t)n : sizeof pages;

		if (io_write_all(fd, pages, some, NULL) == -1)
			return;
		n -= some;
	}
}

void
store_count_again(struct store *s)
{
	unlinkat(s->dir, GROWN, 0);
}
