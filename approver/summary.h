/*
 * approver/summary.h - a request in one line, for lists and their history.
 *
 * Raw, as call_summary: whoever shows it uses visible().
 */
#ifndef APPROVER_SUMMARY_H
#define APPROVER_SUMMARY_H

#include "common/str.h"
#include "queue/request.h"

void	summary_line(const struct request *, struct str *ret);

/*
 * Equal for similar calls: the tool, and of a command the first two words,
 * cut where buf ends.
 */
void	summary_like(const struct request *, char *buf, size_t len);

#endif
