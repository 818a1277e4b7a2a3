/*
 * approver/line_inside.h - what the files of the line mode share: line.c looks
 * at the queue and prints, line_keys.c does what a person types, line_shelf.c
 * what of it is about no request.
 */
#ifndef APPROVER_LINE_INSIDE_H
#define APPROVER_LINE_INSIDE_H

#include "approver/line.h"
#include "common/str.h"

#define ITEMS_MAX	10000

enum item_state { ITEM_WAITS = 0, ITEM_RUNS, ITEM_OVER };

struct item {
	unsigned	place;		/* which folder */
	char		id[ID_MAX + 1];
	struct digest	digest;		/* what was shown */
	enum item_state	state;
	bool		whole;		/* all of it was on the screen */
	bool		seen;		/* in this scan */
	char		*edited;	/* the command instead, or NULL */
	char		*wish;		/* what to remember, or NULL */
	enum tier	tier;
	char		tool[40];	/* raw, perhaps cut */
};

/* A change of a file that was listed: number N is files[N - 1]. */
struct file_number {
	unsigned	place;
	char		id[ID_MAX + 1];
};

struct line {
	const struct watched *on;
	struct notify	notify;
	struct item	*items;		/* number N is items[N - 1] */
	size_t		 n;
	struct file_number *files;
	size_t		 n_files;
	int64_t		 swept;
	bool		 crowded;	/* more wait than are listed; said */
	bool		 full;		/* and it was said */
	bool		 quit;
};

/* An event: time, number (0: none), text that is visible already. */
void	line_say(size_t number, const char *text);
void	line_say_err(size_t number, const struct err *);
struct desk *line_desk(const struct line *, const struct item *);
size_t	line_number(const struct line *, const struct item *);
/* The item in one line, or all of it; binds the digest to what is printed. */
void	line_print(struct line *, struct item *, bool full);
/* The item is NULL, `text` what stands behind the letter. */
void	line_do_files(struct line *, struct item *, const char *text);
void	line_do_undo(struct line *, struct item *, const char *text);
void	line_do_log(struct line *, struct item *, const char *text);
/* Do every whole line in `typed`; what is left stays there. */
void	line_obey(struct line *, struct str *typed);

#endif
