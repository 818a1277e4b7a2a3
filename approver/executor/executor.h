/*
 * approver/executor/executor.h - doing what was approved, as the agent's own
 * tool would have done it.
 *
 * A tool that is not in the table cannot be done by us; approving it means
 * "the agent may do exactly this, once".
 *
 * An executor either *starts* a process whose output is streamed and whose
 * exit is waited for by the runner, or *performs* the work itself and says the
 * tool's own words.  Never both.
 */
#ifndef APPROVER_EXECUTOR_H
#define APPROVER_EXECUTOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/json.h"
#include "common/str.h"

/* Room for a file that is read, edited and written back. */
#define EXECUTOR_FILE_MAX	(64 * 1024 * 1024)

struct work {
	const cJSON	*input;		/* the approved input, an object */
	const char	*target;	/* link-free absolute path that the
					   human saw; "" for a command */
	const char	*state;		/* the private directory */
	char *const	*envp;
	int		 cwd_fd;
	bool		 attached;	/* out_fd is a terminal, and its own */
};

struct executor {
	const char *tool;		/* as the client names it */
	const char *name;		/* "shell", "write file", ... */
	int	(*start)(const struct work *, int out_fd, int err_fd,
		    pid_t *ret, struct err *);
	/* Appends the tool's text; 0 done, 1 refused as the tool would. */
	int	(*perform)(const struct work *, struct str *ret_text);
};

/* NULL: not ours to do. */
const struct executor *executor_find(const char *tool);

int	execute_shell(const struct work *, int out_fd, int err_fd, pid_t *ret,
	    struct err *);
int	execute_fetch(const struct work *, int out_fd, int err_fd, pid_t *ret,
	    struct err *);
int	execute_write(const struct work *, struct str *ret_text);
int	execute_edit(const struct work *, struct str *ret_text);
int	execute_multi_edit(const struct work *, struct str *ret_text);
int	execute_read(const struct work *, struct str *ret_text);

/*
 * Files for the three: `target` is walked from / and no link on the way is
 * followed, so a link that was put there after the approval ends the work.
 * A missing file is err.sys ENOENT.
 */
int	file_load(const char *target, struct str *ret, struct err *);
/* Missing parents are made; an existing file keeps its mode and owner. */
int	file_save(const char *target, const char *, size_t len, struct err *);

#endif
