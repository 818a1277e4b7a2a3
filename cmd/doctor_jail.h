/*
 * cmd/doctor_jail.h - can a jail be built here?  By building one.
 */
#ifndef CMD_DOCTOR_JAIL_H
#define CMD_DOCTOR_JAIL_H

#include "common/str.h"

/*
 * 1: it can; 0: it cannot, and contained commands are asked about instead;
 * -1: root cannot be jailed, so it was not tried.  `ret` says why, with what
 * to do where that is known.
 */
int	doctor_jail(struct str *ret);

#endif
