#include "common/clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

static int64_t
read_ms(clockid_t which)
{
	struct timespec t;

	if (clock_gettime(which, &t) == -1)
		BUG("clock_gettime");
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t
clock_boot_ms(void)
{
	return read_ms(CLOCK_BOOTTIME);
}

static int
read_boot_id(char ret[static 37], struct err *e)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	char id[37] = { 0 };
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd == -1)
		return err_sys(e, "cannot open '%s'", path);
	if (io_pread_full(fd, id, sizeof id - 1, 0, e) == -1)
		return err_add(e, "'%s'", path);
	if (strspn(id, "0123456789abcdef-") != sizeof id - 1)
		return err_set(e, ERR_FORMAT, "'%s' is not a boot id", path);
	memcpy(ret, id, sizeof id);
	return 0;
}

int
clock_now(struct clock *ret, struct err *e)
{
	/* No process outlives a boot: once is enough. */
	static char boot_id[37];
	struct clock c = { 0 };

	if (boot_id[0] == '\0' && read_boot_id(boot_id, e) == -1)
		return -1;
	memcpy(c.boot_id, boot_id, sizeof boot_id);
	c.wall_ms = read_ms(CLOCK_REALTIME);
	c.boot_ms = read_ms(CLOCK_BOOTTIME);
	*ret = c;
	return 0;
}

void
clock_format(int64_t wall_ms, char buf[static 21])
{
	time_t t = (time_t)(wall_ms / 1000);
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(buf, 21, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		memcpy(buf, "?", 2);
}

void
clock_near(int64_t wall_ms, char buf[static CLOCK_NEAR])
{
	time_t at = (time_t)(wall_ms / 1000);
	bool today = read_ms(CLOCK_REALTIME) - wall_ms < 86400 * 1000;
	struct tm tm;

	if (localtime_r(&at, &tm) == NULL ||
	    strftime(buf, CLOCK_NEAR, today ? "%H:%M" : "%m-%d", &tm) == 0)
		memcpy(buf, "?", 2);
}
