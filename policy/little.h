/*
 * policy/little.h - programs in little languages that are often harmless.
 *
 * Each answers only one question: is it certain that this program does nothing
 * but read its input and print?  Whatever is not understood is a no.
 */
#ifndef POLICY_LITTLE_H
#define POLICY_LITTLE_H

#include <stdbool.h>

bool	sed_safe(const char *);		/* no e, w, r, R, W; no s///e or w */
bool	awk_safe(const char *);		/* no system, getline, pipe, file */
bool	jq_safe(const char *);		/* no environment, no modules */
bool	sql_safe(const char *);		/* of sqlite3: it only selects */
bool	suffix_safe(const char *);	/* of a backup: usual ones */
bool	mode_safe(const char *);	/* of chmod: no set-id bits */

#endif
