/*
 * jail/cmdline.h - what /proc/PID/cmdline shows of this process.
 *
 * Everybody inside can read that of process 1, also when nothing else of it
 * can be read: where settings and keys lie, and which project this is.
 */
#ifndef JAIL_CMDLINE_H
#define JAIL_CMDLINE_H

/*
 * Empty it but for the program's name.  Returns a copy of argv, which is the
 * caller's for the rest of its life: the strings may have been there.
 */
char	**cmdline_clear(char *const argv[]);

#endif
