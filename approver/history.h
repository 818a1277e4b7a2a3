/*
 * approver/history.h - did this very call run before?
 *
 * Asked of the private results only: a closed request in the folder proves
 * nothing.
 */
#ifndef APPROVER_HISTORY_H
#define APPROVER_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/digest.h"
#include "queue/home.h"

#define HISTORY_MAX	8

struct past {
	char	id[39];
	int64_t	ago_s;
	char	outcome[24];
};

/* The newest first; returns how many. */
size_t	history_of(const struct home *, const struct digest *call_key,
	    const struct clock *, struct past ret[static HISTORY_MAX]);

#endif
