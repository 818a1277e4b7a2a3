/*
 * approver/notify.h - calling a person who looks elsewhere.
 *
 * At once, on the watch's own terminal: BEL, and a notification by OSC 9 and
 * OSC 777 where asked for (inside tmux wrapped so that it passes through, with
 * `set -g allow-passthrough on`).  Later, and only if something still waits: a
 * desktop notification and a program of the human's choice.  What comes within
 * ten seconds is one call.
 *
 * A call says how many wait, how grave the gravest is and the tool's name;
 * never the command.  The program gets the id and the tier as its two
 * arguments.
 */
#ifndef APPROVER_NOTIFY_H
#define APPROVER_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/id.h"
#include "common/str.h"
#include "policy/policy.h"

#define NOTIFY_GAP_MS	10000	/* one sound per ten seconds */
#define NOTIFY_LATER_MS	15000	/* the second channel */

struct notify_how {
	bool		 bell, osc, desktop;
	const char	*sender;	/* notify-send's path, or NULL */
	const char	*program;	/* absolute path, or NULL */
	int		 later_ms;
};
#define NOTIFY_HOW	{ .bell = true, .desktop = true, \
			.later_ms = NOTIFY_LATER_MS }

/* "bell,osc,desktop", "none"; ERR_USAGE names the wrong word. */
int	notify_parse(const char *list, struct notify_how *, struct err *);

/*
 * Where notify-send is: the first one in an absolute directory of `path` that
 * lies in none of the projects, because agents write there.  NULL: nowhere;
 * else the caller frees.
 */
struct home;
char	*notify_find(const char *path, const struct home *const *homes,
	    size_t n);

/* What waits now, as the caller sees it. */
struct notify_state {
	size_t		 waiting;
	enum tier	 tier;			/* of the gravest */
	char		 id[ID_MAX + 1];	/* its id */
	const char	*tool;			/* its tool, raw */
};

#define NOTIFY_STATE	{ .tier = TIER_LOW, .tool = "" }

/* One more that waits; the tool's name is borrowed. */
void	notify_count(struct notify_state *, enum tier, const char *tool,
	    const char *id);

struct notify {
	int64_t	 rang_ms, first_ms;	/* last sound; when this wait began */
	size_t	 told;			/* how many were waiting then */
	bool	 later;			/* the second channel had its call */
};

/* What is due now.  Pure. */
enum { NOTIFY_SOUND = 1, NOTIFY_LATER = 2 };
unsigned notify_due(struct notify *, const struct notify_how *,
	    const struct notify_state *, int64_t now_ms);
/* When to ask again; -1: when something comes. */
int	 notify_patience(const struct notify *, const struct notify_how *,
	    const struct notify_state *, int64_t now_ms);

/* "sandbox: 2 wait, HIGH, Bash": ASCII, no control byte. */
void	notify_text(const struct notify_state *, struct str *ret);
/* The bytes for a terminal. */
void	notify_bytes(const struct notify_how *, const char *text, bool tmux,
	    struct str *ret);

/* Do what is due; what fails is not worth an error. */
void	notify_now(struct notify *, const struct notify_how *,
	    const struct notify_state *);

#endif
