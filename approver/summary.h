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

#endif
