/*
 * approver/view.h - one request as a human must see it.
 *
 * Everything here is worked out on our side from the raw tool, input and
 * directory; nothing is taken over from the request but what is labelled as
 * the agent's words.  view_make asks the policy, resolves the target, hashes
 * the scripts and says which digest stands for all of it.
 */
#ifndef APPROVER_VIEW_H
#define APPROVER_VIEW_H

#include <stdbool.h>

#include "approver/desk.h"
#include "approver/executor/executor.h"
#include "approver/scripts.h"

struct view {
	const struct request	*req;		/* borrowed */
	const struct judgement	*judgement;	/* the desk's: until its next
						   view_make */
	struct verdict		 verdict;
	enum call_kind		 kind;
	enum tier		 tier;		/* never below the verdict's */
	const struct executor	*executor;	/* NULL: allow once */
	char			*subject;	/* command, path, URL or tool */
	char			*target;	/* resolved path, "" for none */
	char			*dir;		/* where cwd really leads */
	bool			 outside;	/* ... and not into the root */
	char			*misdescribed;	/* how, or "" */
	size_t			 hidden;	/* characters not to be seen */
	size_t			 mixed;		/* words of several alphabets */
	char			*mixed_first;	/* the first, spelled, or "" */
	struct scripts		 scripts;
	struct digest		 scripts_digest;
	struct digest		 asked;		/* request and these scripts */
	char			*edited;	/* the human's command; NULL */
	struct digest		 digest;	/* approved is: `asked`, or it
						   with the edited command */
	bool			 background;
	int			 timeout_s;	/* 0: none */
};

int	view_make(struct desk *, const struct request *, struct view *ret,
	    struct err *);
/*
 * The same with another command, which a human wrote in its place: that one is
 * judged and would run.  `edited` NULL: view_make.  ERR_USAGE when the call is
 * no command that we would run.
 */
int	view_make_edited(struct desk *, const struct request *,
	    const char *edited, struct view *ret, struct err *);
void	view_clear(struct view *);
#define auto_view	__attribute__((cleanup(view_clear)))

#define EDITED_MAX	(64 * 1024)
/* A command's input with another command; the caller deletes it. */
cJSON  *edited_input(const cJSON *input, const char *edited);

/*
 * The request's directory, opened and compared with the device and inode the
 * request names.  ERR_DIGEST when it is another one now.
 */
int	view_open_cwd(const struct request *, struct err *);

#endif
