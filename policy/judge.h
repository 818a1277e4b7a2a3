/*
 * policy/judge.h - many calls against one policy, as lines of JSON.
 *
 *	judge_open(root, home, NULL or policy text, ...)
 *	judge_line(j, line, len, &out)		any number of times
 *	judge_close(j)
 *
 * Nothing is asked of anybody and nothing runs; it is what `sandbox judge`
 * does.  The calls are judged against the real files below root and home.
 */
#ifndef POLICY_JUDGE_H
#define POLICY_JUDGE_H

#include "policy/policy.h"

struct judge;

/*
 * root and home are resolved first and must exist.  Without a text the
 * "default" preset judges.  `jail`: may "contain" be a verdict?
 */
struct judge_args {
	const char	*root, *home;
	const char	*text;		/* policy.json or NULL */
	size_t		 len;
	const char	*name;		/* of the policy file, for errors */
	bool		 jail;
};
int	judge_open(const struct judge_args *, struct judge **ret,
	    struct err *);
void	judge_close(struct judge *);

/*
 * One line {"id":..., "command":...|"tool":...,"input":...|"raw_b64":...,
 * "cwd":...} in, {"id","decision","tier","rule","why"} out (appended, with its
 * newline).  What cannot be read is decided "deny"; a line that is no object
 * at all gets an answer with a null id.
 */
void	judge_line(struct judge *, const char *line, size_t len,
	    struct str *ret);

#endif
