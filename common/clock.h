/*
 * common/clock.h - time enters through arguments, so that tests are exact.
 *
 * boot_ms is CLOCK_BOOTTIME: it runs on in suspend and never jumps, but starts
 * anew with every boot, so it is only comparable under an equal boot_id.
 * wall_ms is CLOCK_REALTIME: comparable for ever, but a user can set it.  What
 * expires, expires by whichever says so first.
 */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>

#include "common/err.h"

struct clock {
	int64_t	wall_ms;
	int64_t	boot_ms;
	char	boot_id[37];	/* /proc/sys/kernel/random/boot_id, one line */
};

int	clock_now(struct clock *ret, struct err *);

/* Milliseconds of CLOCK_BOOTTIME only: for waiting, cannot fail. */
int64_t	clock_boot_ms(void);

/* "2026-11-29T17:41:02Z" into buf of at least 21 bytes. */
void	clock_format(int64_t wall_ms, char buf[static 21]);

#define CLOCK_NEAR	8
/* A person's own time for a list: "17:41", of what is older than a day
 * "11-29". */
void	clock_near(int64_t wall_ms, char buf[static CLOCK_NEAR]);

#endif
