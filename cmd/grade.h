/*
 * cmd/grade.h - how far apart human and agent are here (docs/THREATS.md).
 */
#ifndef CMD_GRADE_H
#define CMD_GRADE_H

#include "common/str.h"
#include "queue/home.h"

/*
 * 'B': we are inside `sandbox run --agent`, and see what one sees there; 'C':
 * the approver's key is locked; 'D': it is open; '-': there is none, or a wall
 * of B has a hole.  `ret_why` may be NULL.
 */
char	grade(const struct home *, struct str *ret_why);

#endif
