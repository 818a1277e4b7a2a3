/* What a person types while watching. */
#include "approver/line_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "approver/approve.h"
#include "approver/follow.h"
#include "common/mem.h"

#include "common/banned.h"

extern char **environ;

static void
do_decide(struct line *l, struct item *it, bool deny, const char *text)
{
	const struct deed deed = {
		.id = it->id,
		.shown = &it->digest,
		.deny = deny,
		.text = text,
		.own_env = environ,
	};
	struct decided done;
	struct err e;

	if (it->state != ITEM_WAITS) {
		line_say(line_number(l, it), "is not waiting any more");
		return;
	}
	if (!deny && !it->whole) {
		line_say(line_number(l, it), "look at all of it first (s N), then "
		    "approve");
		return;
	}
	if (decide(l->desk, l->signer, &deed, &done, &e) == -1) {
		line_say_err(line_number(l, it), &e);
		return;
	}
	it->state = done.decision == DECISION_RUN ? ITEM_RUNS : ITEM_OVER;
	line_say(line_number(l, it), deny ? "denied" : done.decision == DECISION_RUN ?
	    "approved, running" : "approved, the agent may do it once");
}

static void
do_approve(struct line *l, struct item *it, const char *text)
{
	(void)text;
	do_decide(l, it, false, NULL);
}

static void
do_deny(struct line *l, struct item *it, const char *text)
{
	do_decide(l, it, true, text[0] == '\0' ? NULL : text);
}

static void
do_show(struct line *l, struct item *it, const char *text)
{
	(void)text;
	line_print(l, it, true);
}

static void
do_stop(struct line *l, struct item *it, const char *text)
{
	struct err e;

	(void)text;
	if (follow_stop(l->desk->home, it->id, &e) == -1)
		line_say_err(line_number(l, it), &e);
}

static void
do_list(struct line *l, struct item *it, const char *text)
{
	(void)it;
	(void)text;
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].state == ITEM_WAITS)
			line_print(l, &l->items[i], false);
}

static void
do_help(struct line *l, struct item *it, const char *text)
{
	(void)l;
	(void)it;
	(void)text;
	line_say(0, "a N approve | d N [reason] deny | s N show | x N stop | "
	    "l list | ? help | q quit");
}

static void
do_quit(struct line *l, struct item *it, const char *text)
{
	(void)it;
	(void)text;
	l->quit = true;
}

static const struct key_word {
	char	letter;
	bool	numbered;
	void	(*fn)(struct line *, struct item *, const char *text);
} words[] = {
	{ 'a', true, do_approve },
	{ 'd', true, do_deny },
	{ 's', true, do_show },
	{ 'x', true, do_stop },
	{ 'l', false, do_list },
	{ '?', false, do_help },
	{ 'q', false, do_quit },
};

/* "N rest": the item, and where the rest begins.  NULL: no such number. */
static struct item *
numbered(struct line *l, const char *p, const char **ret_rest)
{
	char *end;
	unsigned long n;

	p += strspn(p, " ");
	if (*p < '0' || *p > '9')
		return NULL;
	errno = 0;
	n = strtoul(p, &end, 10);
	if (errno != 0 || n == 0 || n > l->n || (*end != '\0' && *end != ' '))
		return NULL;
	*ret_rest = end + strspn(end, " ");
	return &l->items[n - 1];
}

static void
obey(struct line *l, const char *typed)
{
	typed += strspn(typed, " ");
	if (*typed == '\0')
		return;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const struct key_word *w = &words[i];
		struct item *it = NULL;
		const char *rest = typed + 1;

		if (w->letter != typed[0])
			continue;
		if (w->numbered && (it = numbered(l, rest, &rest)) == NULL)
			break;
		if (!w->numbered && rest[strspn(rest, " ")] != '\0')
			break;
		w->fn(l, it, rest);
		return;
	}
	line_say(0, "not understood; ? helps");
}

/* All whole lines in `typed`; the rest stays. */
void
line_obey(struct line *l, struct str *typed)
{
	char *nl;

	while (!l->quit && (nl = memchr(typed->s, '\n', typed->len)) != NULL) {
		size_t n = (size_t)(nl - typed->s) + 1;

		*nl = '\0';
		obey(l, typed->s);
		typed->len -= n;
		memmove(typed->s, typed->s + n, typed->len + 1);
	}
}
