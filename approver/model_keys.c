/* Which key means what, and when. */
#include "approver/model.h"

#include <string.h>

#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define ESC	27
#define CTRL_L	12
#define IN(page)	(1U << (page))
#define IN_LISTS	(IN(PAGE_LIST) | IN(PAGE_PAST))
#define IN_WAITING	(IN(PAGE_LIST) | IN(PAGE_DETAIL))
#define ANYWHERE	(IN_LISTS | IN(PAGE_DETAIL) | IN(PAGE_HELP))

const char *const model_help[] = {
	"j k arrows   next, previous     g G     first, last",
	"enter l      all of it          h esc   back",
	"space b      page down, up",
	"a            approve once: it runs outside the agent",
	"A            approve what is CRITICAL (asks again)",
	"d            deny               D       deny and say why",
	"x            stop the running one",
	"/            only lines with these words (esc: all)",
	"z            put off what comes from now on",
	"v            what is over       q       quit (runs go on)",
	"",
	"A key decides about what is drawn, never about what comes next: it",
	"is dead for 0.4 s after the screen showed something else. Pasted or",
	"typed-ahead keys never decide. What does not fit on the screen is",
	"read to its end (enter, space) before it can be approved.",
	NULL
};

static void
step(struct model *m, long by)
{
	size_t rows[MODEL_ITEMS], n = model_rows(m, rows);
	long at = 0, to;

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (strcmp(m->items[rows[i]].id, m->focus) == 0)
			at = (long)i;
	to = by < -at ? 0 : by > (long)n - 1 - at ? (long)n - 1 : at + by;
	if (to != at)
		m->top = 0;
	memcpy(m->focus, m->items[rows[to]].id, sizeof m->focus);
}

static void
scroll(struct model *m, long by)
{
	size_t last = m->drawn.lines > m->drawn.rows ?
	    m->drawn.lines - m->drawn.rows : 0;

	if (by < 0)
		m->top -= (size_t)-by < m->top ? (size_t)-by : m->top;
	else
		m->top = m->top + (size_t)by < last ? m->top + (size_t)by :
		    last;
}

/* --- one function per key: arg from the table --- */

static void
do_step(struct model *m, long by, struct model_act *ret)
{
	(void)ret;
	if (m->page == PAGE_DETAIL)
		scroll(m, by);
	else
		step(m, by);
}

static void
do_page(struct model *m, long by, struct model_act *ret)
{
	(void)ret;
	scroll(m, by * (m->drawn.rows > 1 ? (long)m->drawn.rows - 1 : 1));
}

static void
do_go(struct model *m, long page, struct model_act *ret)
{
	(void)ret;
	m->page = m->page == (enum model_page)page ? PAGE_LIST :
	    (enum model_page)page;
	model_refocus(m);
	if (m->page == PAGE_PAST)
		step(m, MODEL_ITEMS);
}

/* Never decides, wherever one is. */
static void
do_back(struct model *m, long arg, struct model_act *ret)
{
	(void)arg;
	(void)ret;
	if (m->page == PAGE_LIST)
		m->filter[0] = '\0';
	m->page = PAGE_LIST;
	m->top = 0;
	model_refocus(m);
}

static void
fill(struct model *m, enum model_do what, struct model_act *ret)
{
	*ret = (struct model_act){ .what = what, .digest = m->drawn.digest };
	memcpy(ret->id, m->drawn.id, sizeof ret->id);
}

static void
hurry(struct model *m, int64_t looked_ms)
{
	m->hasty = looked_ms < MODEL_HASTY_MS ? m->hasty + 1 : 0;
	if (m->hasty >= MODEL_HASTY_N)
		model_say(m, "that was quick: review the last ones (v)");
}

static void
do_approve(struct model *m, long critical, struct model_act *ret)
{
	const struct model_item *it = model_focused(m);

	if (it->state != AT_WAITS)
		return;
	if ((it->tier == TIER_CRITICAL) != (critical == 1)) {
		model_say(m, critical == 1 ? "not critical: a approves" :
		    "critical: A approves");
		return;
	}
	if (!m->drawn.whole) {
		model_say(m, "look at all of it first (enter, space)");
		return;
	}
	fill(m, DO_APPROVE, ret);
}

static void
do_deny(struct model *m, long with_reason, struct model_act *ret)
{
	if (model_focused(m)->state != AT_WAITS)
		return;
	if (with_reason == 0) {
		fill(m, DO_DENY, ret);
		return;
	}
	fill(m, DO_DENY, &m->asked);
	m->ask = ASK_REASON;
	m->typed[0] = '\0';
}

static void
do_stop(struct model *m, long arg, struct model_act *ret)
{
	(void)arg;
	if (model_focused(m)->state != AT_WAITS)
		fill(m, DO_STOP, ret);
}

static void
do_filter(struct model *m, long arg, struct model_act *ret)
{
	(void)arg;
	(void)ret;
	m->ask = ASK_FILTER;
	m->typed[0] = '\0';
}

static void
do_pause(struct model *m, long arg, struct model_act *ret)
{
	(void)arg;
	(void)ret;
	m->paused = !m->paused;
	model_say(m, m->paused ? "what comes from now on is put off (z: show)" :
	    "");
}

static void
do_quit(struct model *m, long arg, struct model_act *ret)
{
	(void)arg;
	if (m->page == PAGE_HELP)
		m->page = PAGE_LIST;
	else
		ret->what = DO_QUIT;
}

static const struct binding {
	int		 key;
	unsigned	 pages;
	bool		 decides;
	void		(*fn)(struct model *, long arg, struct model_act *);
	long		 arg;
} bindings[] = {
	{ 'j', ANYWHERE, false, do_step, 1 },
	{ KEY_IS_DOWN, ANYWHERE, false, do_step, 1 },
	{ 'k', ANYWHERE, false, do_step, -1 },
	{ KEY_IS_UP, ANYWHERE, false, do_step, -1 },
	{ 'g', ANYWHERE, false, do_step, -MODEL_ITEMS },
	{ 'G', ANYWHERE, false, do_step, MODEL_ITEMS },
	{ ' ', ANYWHERE, false, do_page, 1 },
	{ KEY_IS_PAGE_DOWN, ANYWHERE, false, do_page, 1 },
	{ 'b', ANYWHERE, false, do_page, -1 },
	{ KEY_IS_PAGE_UP, ANYWHERE, false, do_page, -1 },
	{ '\r', IN(PAGE_LIST), false, do_go, PAGE_DETAIL },
	{ '\n', IN(PAGE_LIST), false, do_go, PAGE_DETAIL },
	{ 'l', IN(PAGE_LIST), false, do_go, PAGE_DETAIL },
	{ KEY_IS_RIGHT, IN(PAGE_LIST), false, do_go, PAGE_DETAIL },
	{ 'h', ANYWHERE, false, do_back, 0 },
	{ ESC, ANYWHERE, false, do_back, 0 },
	{ KEY_IS_LEFT, ANYWHERE, false, do_back, 0 },
	{ '?', ANYWHERE, false, do_go, PAGE_HELP },
	{ 'v', IN_LISTS, false, do_go, PAGE_PAST },
	{ '/', IN_LISTS, false, do_filter, 0 },
	{ 'z', IN_LISTS, false, do_pause, 0 },
	{ 'q', ANYWHERE, false, do_quit, 0 },
	{ 'a', IN_WAITING, true, do_approve, 0 },
	{ 'A', IN_WAITING, true, do_approve, 1 },
	{ 'd', IN_WAITING, true, do_deny, 0 },
	{ 'D', IN_WAITING, true, do_deny, 1 },
	{ 'x', IN_WAITING | IN(PAGE_PAST), true, do_stop, 0 },
};

/* May a key decide about what is focused now? */
static bool
is_live(struct model *m, bool alone, int64_t now_ms)
{
	const struct model_item *it = model_focused(m);

	if (it == NULL || !it->judged)
		return false;
	if (strcmp(m->drawn.id, it->id) == 0 &&
	    digest_eq(&m->drawn.digest, &it->digest) && alone &&
	    now_ms >= m->live_ms)
		return true;
	model_say(m, alone ? "nothing done: the screen has just changed" :
	    "nothing done: typed ahead or pasted");
	return false;
}

static void
obey(struct model *m, int key, bool alone, int64_t now_ms,
    struct model_act *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(bindings); i++) {
		const struct binding *b = &bindings[i];

		if (b->key != key || (b->pages & IN(m->page)) == 0)
			continue;
		m->said[0] = '\0';
		if (b->decides && !is_live(m, alone, now_ms))
			return;
		b->fn(m, b->arg, ret);
		if (ret->what == DO_APPROVE)
			hurry(m, now_ms - m->drawn.at_ms);
		return;
	}
}

/* The end of a typed line; a reason belongs to what was drawn when it began. */
static void
answered(struct model *m, bool agreed, struct model_act *ret)
{
	enum model_ask ask = m->ask;

	m->ask = ASK_NOTHING;
	if (ask == ASK_FILTER) {
		memcpy(m->filter, agreed ? m->typed : "",
		    agreed ? sizeof m->filter : 1);
	} else if (!agreed) {
		model_say(m, "nothing was denied");
	} else if (!utf8_ok(m->typed, strlen(m->typed))) {
		model_say(m, "that was not UTF-8: nothing was denied");
	} else {
		*ret = m->asked;
		memcpy(ret->text, m->typed, sizeof ret->text);
	}
}

static void
spell(struct model *m, int key, struct model_act *ret)
{
	size_t n = strlen(m->typed);

	if (key == '\r' || key == '\n') {
		answered(m, true, ret);
	} else if (key == ESC) {
		answered(m, false, ret);
	} else if (key == KEY_IS_BACKSPACE || key == 127 || key == 8) {
		while (n > 0 && (m->typed[n - 1] & 0xc0) == 0x80)
			n--;
		m->typed[n > 0 ? n - 1 : 0] = '\0';
	} else if (key == 21) {
		m->typed[0] = '\0';
	} else if (key >= ' ' && key < 0x100 && n < MODEL_TEXT) {
		m->typed[n] = (char)key;
		m->typed[n + 1] = '\0';
	}
}

/* True when the key is about the terminal, not about us. */
static bool
is_outer(struct model *m, int key, int64_t now_ms)
{
	if (key == KEY_IS_PASTE)
		m->pasting = true;
	if (key == KEY_IS_PASTE_END)
		m->pasting = false;
	if (key == KEY_IS_FOCUS_IN || key == KEY_IS_PASTE_END ||
	    key == KEY_IS_PASTE)
		m->live_ms = now_ms + MODEL_DEAD_MS;
	if (key == KEY_IS_PASTE)
		model_say(m, "pasted text is never a key");
	return m->pasting || key == KEY_IS_PASTE_END ||
	    key == KEY_IS_FOCUS_IN || key == KEY_IS_FOCUS_OUT;
}

void
model_keys(struct model *m, const int *keys, size_t n, int64_t now_ms,
    struct model_act *ret)
{
	*ret = (struct model_act){ .what = DO_NOTHING };
	for (size_t i = 0; i < n && ret->what == DO_NOTHING; i++) {
		if (is_outer(m, keys[i], now_ms))
			continue;
		if (m->ask != ASK_NOTHING)
			spell(m, keys[i], ret);
		else
			obey(m, keys[i], n == 1, now_ms, ret);
	}
}

int
model_live_in(struct model *m, int64_t now_ms)
{
	const struct model_item *it = model_focused(m);

	return it == NULL || it->state != AT_WAITS || now_ms >= m->live_ms ?
	    -1 : (int)(m->live_ms - now_ms);
}

const char *
model_hint(struct model *m, int64_t now_ms)
{
	const struct model_item *it = model_focused(m);

	if (m->page == PAGE_HELP)
		return "esc back";
	if (m->page == PAGE_PAST)
		return "j k move  esc back  ? help";
	if (it == NULL)
		return "v what is over  ? help  q quit";
	if (it->state != AT_WAITS)
		return "x stop  enter details  ? help  q quit";
	if (!it->judged)
		return "cannot be decided here  ? help  q quit";
	if (model_live_in(m, now_ms) != -1)
		return "(a d: in a moment)  ? help  q quit";
	return it->tier == TIER_CRITICAL ?
	    "A approve (asks again)  d deny  D deny+why  ? help  q quit" :
	    "a approve  d deny  D deny+why  enter details  ? help  q quit";
}
