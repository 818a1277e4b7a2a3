/* From the model to lines in their places. */
#include "approver/screen_inside.h"

#define NCURSES_NOMACROS
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "approver/show.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define WIDE		120	/* list left, detail right */
#define WIDEST		160	/* and what runs, live */
#define LEAST_ROWS	7
#define LEAST_COLUMNS	30

struct layout {
	bool		small;
	struct box	list, detail, side;	/* h 0: not shown */
};

/* Text alone, without an item. */
static bool
is_page(enum model_page page)
{
	return page == PAGE_HELP || page == PAGE_RULES;
}

static bool
fills_the_screen(enum model_page page)
{
	return page == PAGE_DETAIL || is_page(page);
}

static struct layout
lay_out_wide(int w, int body, bool runs)
{
	bool side = runs && w >= WIDEST;
	int list = side ? w * 3 / 10 : w * 2 / 5;
	int detail = side ? w * 2 / 5 : w - list - 1, at = list + 1;
	struct layout l = {
		.list = { 1, 0, body, list },
		.detail = { 1, at, body, detail },
	};

	if (side)
		l.side = (struct box){ 1, at + detail + 1, body,
		    w - at - detail - 1 };
	return l;
}

/* Something runs that is not in the detail already. */
static bool
runs_aside(const struct screen *s)
{
	for (size_t i = 0; i < s->m.n; i++)
		if (s->m.items[i].state == AT_RUNS &&
		    !model_has_focus(&s->m, &s->m.items[i]))
			return true;
	return false;
}

static struct layout
lay_out(const struct screen *s, size_t rows)
{
	int h = getmaxy(stdscr), w = getmaxx(stdscr), body = h - 3, list;
	struct layout l = { .small = h < LEAST_ROWS || w < LEAST_COLUMNS,
	    .detail = { 1, 0, body, w } };

	if (fills_the_screen(s->m.page) || l.small)
		return l;
	if (w >= WIDE)
		return lay_out_wide(w, body, runs_aside(s));
	list = body / 3 < 2 ? 2 : body / 3;
	if (rows < (size_t)list)
		list = rows == 0 ? 1 : (int)rows;
	l.list = (struct box){ 1, 0, list, w };
	l.detail = (struct box){ list + 2, 0, body - list - 1, w };
	return l;
}

unsigned
screen_columns(const struct screen *s)
{
	struct layout l = lay_out(s, 1);

	return (unsigned)(l.detail.w < LEAST_COLUMNS ? LEAST_COLUMNS :
	    l.detail.w);
}

unsigned
screen_side_columns(const struct screen *s)
{
	struct layout l = lay_out(s, 1);

	return l.small || l.side.h == 0 ? 0 : (unsigned)l.side.w;
}

static void
draw_bar(const struct screen *s)
{
	static const char *const pages[] = {
		[PAGE_RUNS] = "RUNNING | ", [PAGE_PAST] = "OVER | ",
		[PAGE_FILES] = "FILES | ", [PAGE_AUDIT] = "AUDIT | ",
		[PAGE_RULES] = "RULES | ", [PAGE_HELP] = "HELP | ",
		[PAGE_SIMILAR] = "SIMILAR | ",
	};
	const struct box top = { 0, 0, 1, getmaxx(stdscr) };
	auto_free char *root = visible_line(
	    s->on->desks[0].home->root_path);
	const char *page = pages[s->m.page];
	auto_str struct str text = { 0 };
	size_t put_off = model_put_off(&s->m);

	str_init(&text, 8192);
	str_addf(&text, " %s%s%zu waiting, %zu running", page == NULL ? "" :
	    page, s->m.page != PAGE_AUDIT ? "" : s->shelf.broken ?
	    "CHAIN BROKEN | " : "chain ok | ",
	    model_count(&s->m, AT_WAITS) - put_off,
	    model_count(&s->m, AT_RUNS));
	if (s->m.paused)
		str_addf(&text, ", PAUSED: %zu put off", put_off);
	str_addf(&text, " | sandbox watch | %s", root);
	if (s->on->n > 1)
		str_addf(&text, " and %zu more", s->on->n - 1);
	paint_line(&top, 0, PAINT_BAR, text.s, text.len);
}

/* "0:31", "12:05", "3h", "2d" */
static void
add_age(int64_t ms, struct str *ret)
{
	long long s = ms < 0 ? 0 : (long long)ms / 1000;
	char age[24];

	if (s < 3600)
		snprintf(age, sizeof age, "%lld:%02lld", s / 60, s % 60);
	else if (s < 48 * 3600)
		snprintf(age, sizeof age, "%lldh", s / 3600);
	else
		snprintf(age, sizeof age, "%lldd", s / 86400);
	str_addf(ret, "%5s ", age);
}

static void
draw_row(const struct screen *s, const struct box *b, int y,
    const struct model_item *it)
{
	auto_str struct str text = { 0 };
	const char *line = it->line == NULL ? "(cannot be judged)" : it->line;
	bool focused = model_has_focus(&s->m, it);

	str_init(&text, 8192);
	str_addf(&text, "%c", focused ? '>' : ' ');
	if (s->m.page == PAGE_SIMILAR)
		str_add(&text, model_is_ticked(it) ? "[x]" : "[ ]");
	if (it->state == AT_WAITS)
		str_addf(&text, "%3s ", show_tier_mark(it->tier));
	else if (it->state == AT_RUNS)
		str_add(&text, "run ");
	else if (it->state == AT_OVER)
		str_addf(&text, " %s | ", it->end[0] == '\0' ? "ending" :
		    it->end);
	if (it->state < AT_OVER)
		add_age(clock_boot_ms() - it->since_ms, &text);
	if (it->state == AT_WAITS && it->edited != NULL)
		str_add(&text, "(edited) ");
	str_add(&text, line);
	paint_line(b, y, focused ? PAINT_BAR : it->state == AT_WAITS ?
	    paint_of(it->tier) : PAINT_PLAIN, text.s, text.len);
}

static const char *
nothing(const struct screen *s)
{
	if (s->m.filter[0] != '\0')
		return " nothing has these words (esc: all)";
	return s->m.page == PAGE_PAST ? " nothing is over yet" :
	    s->m.page == PAGE_RUNS ? " nothing runs" :
	    s->m.page == PAGE_FILES ? " agents changed no file yet" :
	    s->m.page == PAGE_AUDIT ? " no record can be read" :
	    " nothing waits; what an agent asks for appears here";
}

static void
draw_list(const struct screen *s, const struct box *b, const size_t *rows,
    size_t n)
{
	size_t at = 0, first, h = (size_t)b->h;

	if (n == 0)
		paint_str(b, 0, PAINT_DIM, nothing(s));
	for (size_t i = 0; i < n; i++)
		if (model_has_focus(&s->m, &s->m.items[rows[i]]))
			at = i;
	first = at < h ? 0 : at - h + 1;
	for (size_t i = first; i < n && i - first < h; i++)
		draw_row(s, b, (int)(i - first), &s->m.items[rows[i]]);
}

static void
draw_edge(const struct layout *l)
{
	if (l->list.h == 0)
		return;
	if (l->detail.x > 0)
		mvvline(1, l->detail.x - 1, ACS_VLINE, l->list.h);
	else
		mvhline(l->detail.y - 1, 0, ACS_HLINE, l->detail.w);
	if (l->side.h > 0)
		mvvline(1, l->side.x - 1, ACS_VLINE, l->side.h);
}

static size_t
count_lines(const struct str *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->len; i++)
		n += text->s[i] == '\n';
	return n + (text->len > 0 && text->s[text->len - 1] != '\n');
}

/* Lines [from, from + h); the first one of the whole in its own paint. */
static void
draw_lines(const struct box *b, const struct str *text, size_t from,
    enum paint first)
{
	const char *p = text->s;

	for (size_t no = 0; *p != '\0' && no < from + (size_t)b->h; no++) {
		size_t n = strcspn(p, "\n");
		enum paint paint = no == 0 ? first : p[0] == '$' ||
		    p[0] == '^' || strncmp(p, "  ", 2) == 0 ? PAINT_BOLD :
		    PAINT_PLAIN;

		if (no >= from)
			paint_line(b, (int)(no - from), paint, p, n);
		p += n + (p[n] == '\n');
	}
}

/* The visible part of the detail; tells the model what a person saw. */
static void
draw_detail(struct screen *s, const struct box *b)
{
	const struct model_item *it = model_focused(&s->m);
	size_t lines = count_lines(&s->detail), h = (size_t)b->h;
	size_t last = lines > h ? lines - h : 0, from;
	bool waits = it != NULL && it->state == AT_WAITS;
	bool runs = it != NULL && (it->state == AT_RUNS ||
	    it->state == AT_OVER);

	/* What runs is read from its end. */
	if (s->m.top > last || (runs && !s->m.loose))
		s->m.top = last;
	from = s->m.top;
	draw_lines(b, &s->detail, from, waits ? paint_of(it->tier) :
	    PAINT_PLAIN);
	/* Of a paste the end must be heard; before it nothing is a key. */
	if (model_drew(&s->m, from, from + h < lines ? from + h : lines,
	    lines, clock_boot_ms()) && s->m.ask == ASK_NOTHING &&
	    !s->m.pasting)
		term_drop_keys();
}

/* Help and rules: nothing is there that a key could mean. */
static void
draw_page(struct screen *s, const struct box *b)
{
	size_t lines = count_lines(&s->detail), h = (size_t)b->h;
	size_t last = lines > h ? lines - h : 0;

	model_hid(&s->m);
	s->m.drawn.lines = lines;
	s->m.drawn.rows = lines < h ? lines : h;
	draw_lines(b, &s->detail, s->m.top < last ? s->m.top : last,
	    PAINT_BOLD);
}

/* What runs, by its end. */
static void
draw_side(const struct screen *s, const struct box *b)
{
	size_t lines = count_lines(&s->side_text), h = (size_t)b->h;

	if (h > 0)
		draw_lines(b, &s->side_text, lines > h ? lines - h : 0,
		    PAINT_PLAIN);
}

/* What is typed, its cursor in sight. */
static void
add_typed(const struct model *m, size_t columns, struct str *ret)
{
	/* The second where the first would leave no room to type. */
	static const char *const prompts[][2] = {
		[ASK_FILTER] = { "only with: ", "only: " },
		[ASK_REASON] = { "deny, because: ", "because: " },
		[ASK_EDIT] = { "run instead: ", "run: " },
		[ASK_DROP] = { "deny all of this session: type yes: ",
		    "deny all? yes: " },
		[ASK_WISH] = { "remember call, command, host or dir "
		    "(:20m :today :YYYY-MM-DD): ", "remember: " },
		[ASK_UNDO] = { "as before this change? type yes: ",
		    "as before? yes: " },
	};
	const char *prompt = prompts[m->ask][strlen(prompts[m->ask][0]) + 16 >
	    columns];
	auto_str struct str before = { 0 };
	size_t room, skip = 0;

	str_init(&before, 8 * MODEL_EDIT);
	str_add(ret, prompt);
	room = columns > ret->len + 12 ? columns - ret->len - 12 : 8;
	visible(m->typed, m->cursor, VISIBLE_LINE, &before);
	if (before.len > room) {
		skip = before.len - room;
		while ((before.s[skip] & 0xc0) == 0x80)
			skip++;
		str_addc(ret, '~');
	}
	str_addn(ret, before.s + skip, before.len - skip);
	str_addc(ret, '_');
	visible(m->typed + m->cursor, strlen(m->typed + m->cursor),
	    VISIBLE_LINE, ret);
}

static void
draw_status(struct screen *s)
{
	const struct box b = { getmaxy(stdscr) - 2, 0, 2, getmaxx(stdscr) };
	const struct model_item *it = model_focused(&s->m);
	const char *session = "";
	size_t flood = model_flood(&s->m, &session);
	auto_free char *who = visible_line(session);
	auto_str struct str text = { 0 };

	str_init(&text, 16 * MODEL_EDIT);
	if (s->m.ask != ASK_NOTHING)
		add_typed(&s->m, (size_t)b.w, &text);
	else if (s->m.said[0] != '\0')
		str_add(&text, s->m.said);
	else if (flood > 0)
		str_addf(&text, "FLOOD: %zu requests wait from session %.40s "
		    "(X: deny them all)", flood, who);
	else if (s->m.more > 0)
		str_addf(&text, "%zu more wait than the policy allows: "
		    "somebody writes requests by hand", s->m.more);
	else if (s->m.drawn.lines > s->m.drawn.rows && is_page(s->m.page))
		str_add(&text, s->m.top + s->m.drawn.rows <
		    s->m.drawn.lines ? "-- more: space" : "-- the end");
	else if (!s->m.drawn.whole && it != NULL && it->state == AT_WAITS)
		str_addf(&text, "-- lines to %zu of %zu seen: space goes on",
		    s->m.drawn.seen, s->m.drawn.lines);
	paint_line(&b, 0, PAINT_BOLD, text.s, text.len);
	paint_str(&b, 1, PAINT_BAR, s->m.ask != ASK_NOTHING ?
	    "enter do it  esc leave it" : model_hint(&s->m, clock_boot_ms()));
}

void
screen_draw(struct screen *s)
{
	size_t rows[MODEL_ITEMS], n = model_rows(&s->m, rows);
	struct layout l = lay_out(s, n);

	erase();
	if (l.small) {
		const struct box all = { 0, 0, 1, getmaxx(stdscr) };

		paint_str(&all, 0, PAINT_PLAIN, "too small");
		model_hid(&s->m);
		refresh();
		return;
	}
	draw_bar(s);
	draw_edge(&l);
	if (l.list.h > 0)
		draw_list(s, &l.list, rows, n);
	if (is_page(s->m.page))
		draw_page(s, &l.detail);
	else
		draw_detail(s, &l.detail);
	draw_side(s, &l.side);
	draw_status(s);
	refresh();
}
