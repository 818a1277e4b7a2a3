/* What a person types while watching. */
#include "approver/line_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/approve.h"
#include "approver/follow.h"
#include "common/mem.h"

#include "common/banned.h"

static int
decide_item(struct line *l, struct item *it, struct deed *deed)
{
	struct decided done;
	struct err e;

	deed->remember = it->wish;
	if (watched_decide(l->on, it->place, deed, &done, &e) == -1) {
		line_say_err(line_number(l, it), &e);
		return -1;
	}
	it->state = done.decision == DECISION_RUN ? ITEM_RUNS : ITEM_OVER;
	line_say(line_number(l, it), watched_said(deed, &done));
	if (done.unremembered.code != 0)
		line_say_err(line_number(l, it), &done.unremembered);
	return 0;
}

static bool
waits(const struct line *l, const struct item *it)
{
	if (it->state != ITEM_WAITS)
		line_say(line_number(l, it), "is not waiting any more");
	return it->state == ITEM_WAITS;
}

static bool
was_read(const struct line *l, const struct item *it)
{
	if (!it->whole)
		line_say(line_number(l, it), "look at all of it first (s N), "
		    "then approve");
	return it->whole;
}

static void
do_approve(struct line *l, struct item *it, const char *text)
{
	struct deed deed = { .id = it->id, .shown = &it->digest,
	    .edited = it->edited };

	(void)text;
	if (waits(l, it) && was_read(l, it))
		decide_item(l, it, &deed);
}

static void
do_deny(struct line *l, struct item *it, const char *text)
{
	struct deed deed = { .id = it->id, .deny = true,
	    .shown = it->edited == NULL ? &it->digest : NULL,
	    .text = text[0] == '\0' ? NULL : text };

	if (waits(l, it))
		decide_item(l, it, &deed);
}

/* All that the same session asked in the same folder. */
static void
do_drop(struct line *l, struct item *it, const char *text)
{
	auto_free char *session = NULL;
	struct sightings seen;
	struct err e;

	if (strcmp(text, "yes") != 0) {
		line_say(line_number(l, it), "all that wait from its session "
		    "would be denied: `X N yes` does it");
		return;
	}
	if (watched_look(l->on, &seen, &e) == -1) {
		line_say_err(0, &e);
		return;
	}
	for (size_t i = 0; i < seen.n; i++)
		if (seen.s[i].place == it->place &&
		    strcmp(seen.s[i].entry->req.id, it->id) == 0)
			session = xstrdup(seen.s[i].entry->req.session);
	for (size_t i = 0; i < l->n && session != NULL; i++)
		for (size_t k = 0; k < seen.n; k++)
			if (l->items[i].state == ITEM_WAITS &&
			    seen.s[k].place == l->items[i].place &&
			    l->items[i].place == it->place &&
			    strcmp(seen.s[k].entry->req.id,
			    l->items[i].id) == 0 && str_eq(session,
			    seen.s[k].entry->req.session))
				do_deny(l, &l->items[i], "");
	sightings_clear(&seen);
}

static void
do_edit(struct line *l, struct item *it, const char *text)
{
	if (!waits(l, it))
		return;
	free(it->edited);
	it->edited = text[0] == '\0' ? NULL : xstrdup(text);
	it->whole = false;
	line_print(l, it, true);
	/* What cannot be run instead is forgotten at once. */
	if (!it->whole && it->edited != NULL) {
		free(it->edited);
		it->edited = NULL;
		line_print(l, it, false);
	}
}

static void
do_remember(struct line *l, struct item *it, const char *text)
{
	if (!waits(l, it))
		return;
	free(it->wish);
	it->wish = text[0] == '\0' ? NULL : xstrdup(text);
	it->whole = false;
	line_print(l, it, true);
}

static void
do_attach(struct line *l, struct item *it, const char *text)
{
	auto_attach struct attach at = ATTACH_INIT;
	struct deed deed = { .id = it->id, .shown = &it->digest,
	    .edited = it->edited, .attach = &at };
	bool left;
	struct err e;

	(void)text;
	if (!waits(l, it) || !was_read(l, it))
		return;
	if (attach_open(&at, &e) == -1) {
		line_say_err(line_number(l, it), &e);
		return;
	}
	if (decide_item(l, it, &deed) == -1)
		return;
	line_say(line_number(l, it), "this terminal is the command's now; "
	    "Ctrl-] leaves it running");
	if (attach_run(&at, &left, &e) == -1)
		line_say_err(line_number(l, it), &e);
	line_say(line_number(l, it), left ? "runs on without you" :
	    "this terminal is yours again");
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
	if (follow_stop(line_desk(l, it)->home, it->id, &e) == -1)
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
	    "e N COMMAND edit | r N SCOPE[:UNTIL] remember | t N give it this "
	    "terminal | X N deny all of its session (asks) | f files changed, "
	    "f N that change, u N give it back | g the log | l list | ? help | "
	    "q quit");
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
	bool	numbered;	/* of a request */
	bool	more;		/* something may stand behind it */
	void	(*fn)(struct line *, struct item *, const char *text);
} words[] = {
	{ 'a', true, false, do_approve },
	{ 'd', true, true, do_deny },
	{ 's', true, false, do_show },
	{ 'x', true, false, do_stop },
	{ 'e', true, true, do_edit },
	{ 'r', true, true, do_remember },
	{ 't', true, false, do_attach },
	{ 'X', true, true, do_drop },
	{ 'f', false, true, line_do_files },
	{ 'u', false, true, line_do_undo },
	{ 'g', false, false, line_do_log },
	{ 'l', false, false, do_list },
	{ '?', false, false, do_help },
	{ 'q', false, false, do_quit },
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
not_understood(void)
{
	line_say(0, "not understood; ? helps");
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
		if (!w->numbered)
			rest += strspn(rest, " ");
		if (!w->more && rest[0] != '\0')
			break;
		w->fn(l, it, rest);
		return;
	}
	not_understood();
}

/* All whole lines in `typed`; the rest stays. */
void
line_obey(struct line *l, struct str *typed)
{
	char *nl;

	while (!l->quit && !ferror(stdout) &&
	    (nl = memchr(typed->s, '\n', typed->len)) != NULL) {
		size_t n = (size_t)(nl - typed->s) + 1;

		*nl = '\0';
		if (strlen(typed->s) == n - 1)
			obey(l, typed->s);
		else
			not_understood();	/* what hides behind a NUL */
		typed->len -= n;
		memmove(typed->s, typed->s + n, typed->len + 1);
	}
}
