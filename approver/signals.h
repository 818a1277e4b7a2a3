/*
 * approver/signals.h - which lines of a command, of a file it runs, or of a
 * plan's text destroy something.
 *
 * Long scripts and plans are where eyes get tired, and the one line that
 * matters is in the middle.  These are marks for eyes: nothing is decided by
 * them, and a text without one may do anything.  Programs and words are rows
 * of tables; no file, clock or environment is asked.
 */
#ifndef APPROVER_SIGNALS_H
#define APPROVER_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

#define SIGNALS_MAX	48

struct signal_line {
	size_t		 line;		/* from 1 */
	const char	*text;		/* borrowed, raw, not ended */
	size_t		 len;
	const char	*why;		/* "deletes a tree" */
};

struct signals {
	struct signal_line s[SIGNALS_MAX];
	size_t		 n;
	size_t		 more;		/* that did not fit */
	bool		 applies;	/* it carries out a plan */
};

/*
 * A shell command.  Words of SQL count where a client for it is called, be it
 * in quotes, a here-document, or behind a pipe.
 */
void	signals_of_command(const char *command, size_t len,
	    struct signals *ret);

/* A file that runs: SQL by its name's end, anything else as a command. */
void	signals_of_file(const char *path, const char *text, size_t len,
	    struct signals *ret);

/* What `terraform plan`, `tofu plan` or `pulumi preview` said. */
void	signals_of_plan(const char *text, size_t len, struct signals *ret);

/* Does the command make such a plan? */
bool	signals_is_plan(const char *command);

#endif
