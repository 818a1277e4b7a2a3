/* From the model to cells.  Meaning is never in a colour alone. */
#include "approver/screen_inside.h"

#define NCURSES_NOMACROS
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/show.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define WIDE		120
#define LEAST_ROWS	7
#define LEAST_COLUMNS	30

struct box {
	int	y, x, h, w;
};

struct layout {
	bool		small;
	struct box	list, detail;	/* list.h 0: not shown */
};

static attr_t paints[] = {
	[PAINT_PLAIN] = A_NORMAL, [PAINT_BAR] = A_REVERSE,
	[PAINT_DIM] = A_DIM, [PAINT_BOLD] = A_BOLD, [PAINT_LOW] = A_NORMAL,
	[PAINT_MEDIUM] = A_BOLD, [PAINT_HIGH] = A_BOLD,
	[PAINT_CRITICAL] = A_BOLD | A_UNDERLINE,
};

void
paint_begin(void)
{
	static const struct {
		enum paint	paint;
		short		colour;
	} colours[] = {
		{ PAINT_MEDIUM, COLOR_CYAN }, { PAINT_HIGH, COLOR_YELLOW },
		{ PAINT_CRITICAL, COLOR_RED },
	};
	const char *no = getenv("NO_COLOR");

	if ((no != NULL && no[0] != '\0') || !has_colors() ||
	    start_color() == ERR)
		return;
	use_default_colors();
	for (size_t i = 0; i < ARRAY_LEN(colours); i++) {
		short pair = (short)(i + 1);

		if (init_pair(pair, colours[i].colour, -1) == OK)
			paints[colours[i].paint] |=
			    (attr_t)COLOR_PAIR(pair);
	}
}

static enum paint
paint_of(enum tier tier)
{
	return tier == TIER_CRITICAL ? PAINT_CRITICAL : tier == TIER_HIGH ?
	    PAINT_HIGH : tier == TIER_MEDIUM ? PAINT_MEDIUM : PAINT_LOW;
}

/*
 * One line into b's row y: never past its edge, blanks up to it.  What is cut
 * ends in "~".
 */
static void
put(const struct box *b, int y, enum paint paint, const char *text, size_t len)
{
	auto_str struct str fit = { 0 }, cells = { 0 };
	int at = 0;

	if (y >= b->h || b->w < 2)
		return;
	str_init(&fit, 8 * len + 16);
	str_init(&cells, 8 * len + 16 + (size_t)b->w);
	term_text(text, len, &fit);
	for (size_t i = 0, n; i < fit.len; i += n) {
		uint32_t cp = 0;
		int w;

		n = utf8_next(fit.s + i, fit.len - i, &cp);
		if (n == 0)
			break;
		w = cp == '\t' ? 8 - at % 8 : cp < 0x80 ? 1 : 2;
		if (at + w > b->w - (i + n < fit.len)) {
			str_addc(&cells, '~');
			break;
		}
		if (cp == '\t')
			str_addf(&cells, "%*s", w, "");
		else
			str_addn(&cells, fit.s + i, n);
		at += w;
	}
	attrset((int)paints[paint]);
	if (paint == PAINT_BAR)
		mvhline(b->y + y, b->x, ' ', b->w);
	mvaddnstr(b->y + y, b->x, cells.s, (int)cells.len);
	attrset(A_NORMAL);
}

static void
put_str(const struct box *b, int y, enum paint paint, const char *text)
{
	put(b, y, paint, text, strlen(text));
}

static struct layout
lay_out(const struct screen *s, size_t rows)
{
	int h = getmaxy(stdscr), w = getmaxx(stdscr), body = h - 3, list;
	struct layout l = { .small = h < LEAST_ROWS || w < LEAST_COLUMNS,
	    .detail = { 1, 0, body, w } };

	if (s->m.page == PAGE_DETAIL || s->m.page == PAGE_HELP || l.small)
		return l;
	if (w >= WIDE) {
		list = w * 2 / 5;
		l.list = (struct box){ 1, 0, body, list };
		l.detail = (struct box){ 1, list + 1, body, w - list - 1 };
		return l;
	}
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

static void
draw_bar(const struct screen *s)
{
	const struct box top = { 0, 0, 1, getmaxx(stdscr) };
	auto_free char *root = visible_line(s->desk->home->root_path);
	auto_str struct str text = { 0 };
	size_t put_off = model_put_off(&s->m);

	str_init(&text, 8192);
	str_addf(&text, " %s%zu waiting, %zu running", s->m.page == PAGE_PAST ?
	    "OVER | " : s->m.page == PAGE_HELP ? "HELP | " : "",
	    model_count(&s->m, AT_WAITS) - put_off,
	    model_count(&s->m, AT_RUNS));
	if (s->m.paused)
		str_addf(&text, ", PAUSED: %zu put off", put_off);
	str_addf(&text, " | sandbox watch | %s", root);
	put(&top, 0, PAINT_BAR, text.s, text.len);
}

static void
draw_row(const struct box *b, int y, const struct model_item *it, bool focused)
{
	auto_str struct str text = { 0 };
	const char *line = it->line == NULL ? "(cannot be judged)" : it->line;

	str_init(&text, 8192);
	str_addf(&text, "%c", focused ? '>' : ' ');
	if (it->state == AT_WAITS)
		str_addf(&text, "%3s %s", show_tier_mark(it->tier), line);
	else if (it->state == AT_RUNS)
		str_addf(&text, "run %s", line);
	else
		str_addf(&text, " %s | %s", it->end[0] == '\0' ? "ending" :
		    it->end, line);
	put(b, y, focused ? PAINT_BAR : it->state == AT_WAITS ?
	    paint_of(it->tier) : PAINT_PLAIN, text.s, text.len);
}

static void
draw_list(const struct screen *s, const struct box *b,
    const size_t *rows, size_t n)
{
	size_t at = 0, first, h = (size_t)b->h;

	if (n == 0)
		put_str(b, 0, PAINT_DIM, s->m.filter[0] != '\0' ?
		    " nothing has these words (esc: all)" :
		    s->m.page == PAGE_PAST ? " nothing is over yet" :
		    " nothing waits");
	for (size_t i = 0; i < n; i++)
		if (strcmp(s->m.items[rows[i]].id, s->m.focus) == 0)
			at = i;
	first = at < h ? 0 : at - h + 1;
	for (size_t i = first; i < n && i - first < h; i++)
		draw_row(b, (int)(i - first), &s->m.items[rows[i]], i == at);
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
}

static size_t
count_lines(const struct str *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->len; i++)
		n += text->s[i] == '\n';
	return n + (text->len > 0 && text->s[text->len - 1] != '\n');
}

/* The visible part of the detail; tells the model what a person saw. */
static void
draw_detail(struct screen *s, const struct box *b)
{
	const struct model_item *it = model_focused(&s->m);
	size_t lines = count_lines(&s->detail), h = (size_t)b->h;
	size_t last = lines > h ? lines - h : 0, from = s->m.top, no = 0;
	const char *p = s->detail.s;

	/* What runs is read from its end. */
	if (it != NULL && it->state != AT_WAITS && from == 0)
		from = last;
	if (from > last)
		from = last;
	for (; *p != '\0'; no++) {
		size_t n = strcspn(p, "\n");
		enum paint paint = no == 0 && it != NULL &&
		    it->state == AT_WAITS ? paint_of(it->tier) :
		    p[0] == '$' || p[0] == '^' || strncmp(p, "  ", 2) == 0 ?
		    PAINT_BOLD : PAINT_PLAIN;

		if (no >= from && no < from + h)
			put(b, (int)(no - from), paint, p, n);
		p += n + (p[n] == '\n');
	}
	if (model_drew(&s->m, from, from + h < lines ? from + h : lines,
	    lines, clock_boot_ms()) && s->m.ask == ASK_NOTHING)
		term_drop_keys();
}

static void
draw_status(struct screen *s)
{
	const struct box b = { getmaxy(stdscr) - 2, 0, 2, getmaxx(stdscr) };
	const char *session = "";
	size_t flood = model_flood(&s->m, &session);
	auto_free char *who = visible_line(session);
	auto_str struct str text = { 0 };

	str_init(&text, 8192);
	if (s->m.ask != ASK_NOTHING) {
		str_addf(&text, "%s", s->m.ask == ASK_FILTER ? "only with: " :
		    "deny, because: ");
		visible(s->m.typed, strlen(s->m.typed), VISIBLE_LINE, &text);
		str_addc(&text, '_');
	} else if (s->m.said[0] != '\0') {
		str_add(&text, s->m.said);
	} else if (flood > 0) {
		str_addf(&text, "FLOOD: %zu requests wait from session %.40s",
		    flood, who);
	} else if (s->m.more > 0) {
		str_addf(&text, "%zu more wait than the policy allows: "
		    "somebody writes requests by hand", s->m.more);
	} else if (!s->m.drawn.whole && s->m.drawn.lines > 0) {
		str_addf(&text, "-- lines to %zu of %zu seen: space goes on",
		    s->m.drawn.seen, s->m.drawn.lines);
	}
	put(&b, 0, PAINT_BOLD, text.s, text.len);
	put_str(&b, 1, PAINT_BAR, s->m.ask != ASK_NOTHING ?
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

		put_str(&all, 0, PAINT_PLAIN, "too small");
		model_hid(&s->m);
		refresh();
		return;
	}
	draw_bar(s);
	draw_edge(&l);
	if (l.list.h > 0)
		draw_list(s, &l.list, rows, n);
	if (s->m.page == PAGE_HELP)
		for (int i = 0; model_help[i] != NULL; i++)
			put_str(&l.detail, i, PAINT_PLAIN, model_help[i]);
	else
		draw_detail(s, &l.detail);
	draw_status(s);
	refresh();
}
