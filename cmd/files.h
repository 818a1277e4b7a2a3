/*
 * cmd/files.h - paths and times as a person types them.
 */
#ifndef CMD_FILES_H
#define CMD_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/cmd.h"

/*
 * All operands, each the part below the project of a path that is relative to
 * -C DIR, the last component not followed; NULL on failure.  The
 * caller frees with files_free.
 */
char   **files_all(const struct cmd_ctx *, const struct home *, int argc,
	    char **argv, struct err *);
void	 files_free(char **, int argc);

/* "": it would be the start of every name there is. */
bool	 files_no_name(const char *);

/*
 * "2026-11-29T17:41:02Z" (as `sandbox changes` prints it), or "90s", "10m",
 * "2h" ago.  False when it is no time.
 */
#define FILES_TIME_FORMS	"2026-11-29T17:41:02Z, or 90s, 10m, 2h ago"
bool	files_time(const char *text, int64_t now_ms, int64_t *ret_ms);

#endif
