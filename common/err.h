/*
 * common/err.h - one error object, filled by whoever notices first.
 *
 * Every function below main() that can fail returns 0 (or a documented
 * non-negative value) on success and -1 on failure, and fills a struct err
 * that lives on the caller's stack.  Reporting an error never allocates, so it
 * works without memory.  A NULL struct err is allowed: the caller only wants
 * to know that it failed.
 *
 *	if (fs_rename_new(a, name, b, name, e) == -1)
 *		return err_add(e, "submit '%s'", name);
 *
 * The code is the exit code that `sandbox` ends with when nobody handles the
 * error; the numbers are part of the command-line interface (sandbox(1)).
 * Texts are lower case, quote the subject and end without a full stop:
 * "cannot open 'policy.json': Permission denied".
 */
#ifndef COMMON_ERR_H
#define COMMON_ERR_H

enum err_code {
	ERR_NEGATIVE = 1,	/* denied, not verified, nothing found */
	ERR_USAGE = 2,		/* the command line is wrong */
	ERR_NO_ID = 3,		/* no such id, or an ambiguous prefix */
	ERR_LOST = 4,		/* someone else was first, or it expired */
	ERR_DIGEST = 5,		/* the bytes are not the ones that were shown */
	ERR_PERMITTED = 6,	/* this caller may not do that */
	ERR_SETUP = 7,		/* not set up here, or for another place */
	ERR_SYSTEM = 8,		/* the operating system refused */
	ERR_FORMAT = 9		/* hostile or damaged bytes; exits as 8 */
};

#define ERR_TEXT	320

struct err {
	int	code;		/* enum err_code */
	int	sys;		/* errno at the time, 0 when none */
	char	text[ERR_TEXT];	/* always terminated, always valid UTF-8 */
};

/* Set the text.  Always returns -1, so that it can be returned. */
int	err_set(struct err *, enum err_code code, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

/* ERR_SYSTEM with ": strerror(errno)" behind the text.  Returns -1. */
int	err_sys(struct err *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/* Put "context: " before the text.  Returns -1. */
int	err_add(struct err *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/* The process exit status for an error: the code, with ERR_FORMAT as 8. */
int	err_exit(const struct err *);

/* A broken promise of our own code: one line on stderr, then abort(3). */
#define BUG(why) err_bug(__FILE__, __LINE__, (why))
void	err_bug(const char *file, int line, const char *why)
	    __attribute__((noreturn));

#endif
