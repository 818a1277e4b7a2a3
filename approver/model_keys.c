/* Which key means what, and when. */
#include <stdio.h>
#include <string.h>

#include "approver/model_inside.h"
#include "common/mem.h"

#include "common/banned.h"

#define ESC	27
#define MODEL_FAR	1000000	/* rows or lines */
#define IN(page)	(1U << (page))
#define IN_LISTS	(IN(PAGE_LIST) | IN(PAGE_RUNS) | IN(PAGE_PAST) | \
			IN(PAGE_FILES) | IN(PAGE_AUDIT))
#define IN_WAITING	(IN(PAGE_LIST) | IN(PAGE_DETAIL))
#define ANYWHERE	(IN_LISTS | IN(PAGE_DETAIL) | IN(PAGE_HELP) | \
			IN(PAGE_RULES) | IN(PAGE_SIMILAR))

const char *const model_help[] = {
	"j k arrows   next, previous     g G     first, last",
	"enter l      all of it          h esc   back",
	"space b      page down, up      q       quit (runs go on)",
	"1 2 3 v      waiting, running, over",
	"4 f 5 6      files changed by agents, rules, the audit log",
	"a            approve once: it runs outside the agent",
	"A            approve what is CRITICAL (asks again)",
	"t            approve and give it this terminal (a password)",
	"e            edit the command, then look at it, then a",
	"s            tick similar ones (space), then a approves them",
	"r            remember it, too: look at it, then a",
	"d            deny               D       deny and say why",
	"X            deny all that wait from this session",
	"x            stop the running one",
	"u            give a file back, as before that change (asks)",
	"/            only lines with these words (esc: all)",
	"z            put off what comes from now on",
	"",
	"A key decides about what is drawn, never about what comes next: for",
	"0.4 s after a change it is dead. Pasted and typed-ahead keys never",
	"decide. What does not fit is read to its end (enter, space) first.",
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
		if (model_has_focus(m, &m->items[rows[i]]))
			at = (long)i;
	to = by < -at ? 0 : by > (long)n - 1 - at ? (long)n - 1 : at + by;
	if (to != at)
		model_to_top(m);
	memcpy(m->focus, m->items[rows[to]].id, sizeof m->focus);
	m->focus_place = m->items[rows[to]].place;
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
	m->loose = m->top < last;
}

/* --- one function per key: arg from the table --- */

static void
do_step(struct model *m, long by, struct model_act *ret)
{
	(void)ret;
	if (m->page == PAGE_DETAIL || m->page == PAGE_RULES)
		scroll(m, by);
	else
		step(m, by);
}

void
model_do_page(struct model *m, long by, struct model_act *ret)
{
	(void)ret;
	scroll(m, by * (m->drawn.rows > 1 ? (long)m->drawn.rows - 1 : 1));
}

static void
untick(struct model *m)
{
	for (size_t i = 0; i < m->n; i++)
		m->items[i].ticked = false;
}

static void
go(struct model *m, enum model_page page)
{
	if (m->page == PAGE_SIMILAR)
		untick(m);
	m->page = page;
	model_to_top(m);
	model_refocus(m);
}

/* The same key again leads back. */
static void
do_go(struct model *m, long page, struct model_act *ret)
{
	enum model_page to = (enum model_page)page;

	(void)ret;
	if (to == PAGE_DETAIL || to == PAGE_HELP)
		m->from = m->page == PAGE_HELP ? PAGE_LIST : m->page;
	go(m, m->page == to ? PAGE_LIST : to);
	if (m->page == PAGE_PAST)
		step(m, MODEL_ITEMS);
}

/* Never decides, wherever one is. */
static void
do_back(struct model *m, long arg, struct model_act *ret)
{
	bool deep = m->page == PAGE_DETAIL || m->page == PAGE_HELP;

	(void)arg;
	(void)ret;
	if (m->page == PAGE_LIST)
		m->filter[0] = '\0';
	go(m, deep && m->from < PAGE_DETAIL ? m->from : PAGE_LIST);
}

static void
do_similar(struct model *m, long arg, struct model_act *ret)
{
	const struct model_item *it = model_focused(m);

	(void)arg;
	(void)ret;
	if (it == NULL || it->state != AT_WAITS || !it->judged)
		return;
	if (it->tier < TIER_MEDIUM || it->like[0] == '\0') {
		model_say(m, "only what is MEDIUM or LOW can be approved "
		    "together");
		return;
	}
	memcpy(m->like, it->like, sizeof m->like);
	go(m, PAGE_SIMILAR);
}

static void
do_filter(struct model *m, long arg, struct model_act *ret)
{
	(void)arg;
	(void)ret;
	model_ask(m, ASK_FILTER, "");
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
do_tab(struct model *m, long page, struct model_act *ret)
{
	if (m->page != (enum model_page)page)
		do_go(m, page, ret);
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
	{ 'g', ANYWHERE, false, do_step, -MODEL_FAR },
	{ KEY_IS_HOME, ANYWHERE, false, do_step, -MODEL_FAR },
	{ 'G', ANYWHERE, false, do_step, MODEL_FAR },
	{ KEY_IS_END, ANYWHERE, false, do_step, MODEL_FAR },
	{ ' ', ANYWHERE & ~IN(PAGE_SIMILAR), false, model_do_page, 1 },
	{ ' ', IN(PAGE_SIMILAR), true, model_do_tick, 1 },
	{ KEY_IS_PAGE_DOWN, ANYWHERE, false, model_do_page, 1 },
	{ 'b', ANYWHERE, false, model_do_page, -1 },
	{ KEY_IS_PAGE_UP, ANYWHERE, false, model_do_page, -1 },
	{ '\r', IN_LISTS, false, do_go, PAGE_DETAIL },
	{ '\n', IN_LISTS, false, do_go, PAGE_DETAIL },
	{ 'l', IN_LISTS, false, do_go, PAGE_DETAIL },
	{ KEY_IS_RIGHT, IN_LISTS, false, do_go, PAGE_DETAIL },
	{ 'h', ANYWHERE, false, do_back, 0 },
	{ ESC, ANYWHERE, false, do_back, 0 },
	{ KEY_IS_LEFT, ANYWHERE, false, do_back, 0 },
	{ '?', ANYWHERE, false, do_go, PAGE_HELP },
	{ 'v', IN_LISTS | IN(PAGE_RULES), false, do_go, PAGE_PAST },
	{ 'f', IN_LISTS | IN(PAGE_RULES), false, do_go, PAGE_FILES },
	{ '1', ANYWHERE, false, do_tab, PAGE_LIST },
	{ '2', ANYWHERE, false, do_tab, PAGE_RUNS },
	{ '3', ANYWHERE, false, do_tab, PAGE_PAST },
	{ '4', ANYWHERE, false, do_tab, PAGE_FILES },
	{ '5', ANYWHERE, false, do_tab, PAGE_RULES },
	{ '6', ANYWHERE, false, do_tab, PAGE_AUDIT },
	{ 's', IN(PAGE_LIST), false, do_similar, 0 },
	{ '/', IN_LISTS, false, do_filter, 0 },
	{ 'z', IN_LISTS, false, do_pause, 0 },
	{ 'q', ANYWHERE, false, do_quit, 0 },
	{ 'a', IN_WAITING, true, model_do_approve, 0 },
	{ 'a', IN(PAGE_SIMILAR), true, model_do_ticked, 0 },
	{ 'A', IN_WAITING, true, model_do_approve, 1 },
	{ 't', IN_WAITING, true, model_do_attach, 0 },
	{ 'e', IN_WAITING, true, model_do_edit, 0 },
	{ 'r', IN_WAITING, true, model_do_remember, 0 },
	{ 'd', IN_WAITING, true, model_do_deny, 0 },
	{ 'D', IN_WAITING, true, model_do_deny, 1 },
	{ 'X', IN_WAITING, true, model_do_drop, 0 },
	{ 'u', IN(PAGE_FILES) | IN(PAGE_DETAIL), true, model_do_undo, 0 },
	{ 'x', IN_WAITING | IN(PAGE_PAST) | IN(PAGE_RUNS), true,
	    model_do_stop, 0 },
};

static void
hurry(struct model *m, int64_t looked_ms)
{
	m->hasty = looked_ms < MODEL_HASTY_MS ? m->hasty + 1 : 0;
	if (m->hasty >= MODEL_HASTY_N)
		model_say(m, "that was quick: review the last ones (v)");
}

/* May a key decide about what is focused now? */
static bool
is_live(struct model *m, bool alone, int64_t now_ms)
{
	const struct model_item *it = model_focused(m);

	if (it == NULL || !it->judged)
		return false;
	if (strcmp(m->drawn.id, it->id) == 0 && m->drawn.place == it->place &&
	    digest_eq(&m->drawn.digest, &it->digest) &&
	    m->drawn.tier == it->tier && alone && now_ms >= m->live_ms)
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
		if (ret->what == DO_APPROVE || ret->what == DO_ATTACH)
			hurry(m, now_ms - m->drawn.at_ms);
		return;
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
	if (key == KEY_IS_PASTE && m->ask == ASK_NOTHING)
		model_say(m, "pasted text is never a key");
	/* Into a line that is being typed it goes, as text. */
	return (m->pasting && (m->ask == ASK_NOTHING || m->ask == ASK_DROP ||
	    m->ask == ASK_UNDO)) ||
	    key == KEY_IS_PASTE || key == KEY_IS_PASTE_END ||
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
			model_spell(m, keys[i], ret);
		else
			obey(m, keys[i], n == 1, now_ms, ret);
	}
}

int
model_live_in(struct model *m, int64_t now_ms)
{
	const struct model_item *it = model_focused(m);

	return it == NULL || it->state == AT_OVER ||
	    it->state == AT_RECORD || now_ms >= m->live_ms ?
	    -1 : (int)(m->live_ms - now_ms);
}

const char *
model_hint(struct model *m, int64_t now_ms)
{
	static const char *const fixed[] = {
		[PAGE_PAST] = "j k move  enter output  esc back  ? help",
		[PAGE_AUDIT] = "j k move  enter record  esc back  ? help",
		[PAGE_RULES] = "j k space read on  esc back  ? help",
		[PAGE_HELP] = "esc back",
		[PAGE_SIMILAR] = "space tick  a approve the ticked  esc back",
	};
	const struct model_item *it = model_focused(m);

	if (fixed[m->page] != NULL && (m->page != PAGE_SIMILAR ||
	    model_live_in(m, now_ms) == -1))
		return fixed[m->page];
	if (it == NULL)
		return "v what is over  f files  ? help  q quit";
	if (it->state == AT_OVER || it->state == AT_RECORD)
		return "j k space b read  h back  ? help";
	if (it->state == AT_FILE)
		return model_live_in(m, now_ms) != -1 ?
		    "(u: in a moment)  j k move  enter details  ? help" :
		    "u restore: as before this change  enter details  ? help";
	if (!it->judged)
		return "cannot be decided here  ? help  q quit";
	if (model_live_in(m, now_ms) != -1)
		return it->state == AT_WAITS ?
		    "(a d: in a moment)  ? help  q quit" :
		    "(x: in a moment)  ? help  q quit";
	if (it->state != AT_WAITS)
		return "x stop  enter details  ? help  q quit";
	if (it->tier == TIER_CRITICAL)
		return "A approve (asks again)  d deny  D deny+why  ? help  "
		    "q quit";
	return it->command == NULL ?
	    "a approve  d deny  D deny+why  r remember  ? help" :
	    "a approve  d deny  D deny+why  e edit  t terminal  ? help";
}
