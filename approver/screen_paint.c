/* From a line to cells.  Meaning is never in a colour alone. */
#include "approver/screen_inside.h"

#define NCURSES_NOMACROS
#include <curses.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

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

enum paint
paint_of(enum tier tier)
{
	return tier == TIER_CRITICAL ? PAINT_CRITICAL : tier == TIER_HIGH ?
	    PAINT_HIGH : tier == TIER_MEDIUM ? PAINT_MEDIUM : PAINT_LOW;
}

void
paint_text(const char *text, size_t len, struct str *ret)
{
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	for (size_t i = 0, n; i < len; i += n) {
		uint32_t cp = 0;

		n = utf8_next(text + i, len - i, &cp);
		if (n == 0)
			n = 1;
		if (utf8 || cp < 0x80)
			str_addn(ret, text + i, n);
		else
			str_addf(ret, "<U+%04X>", cp);
	}
}

void
paint_line(const struct box *b, int y, enum paint paint, const char *text,
    size_t len)
{
	auto_str struct str fit = { 0 }, cells = { 0 };
	int at = 0;

	if (y >= b->h || b->w < 2)
		return;
	str_init(&fit, 8 * len + 16);
	str_init(&cells, 8 * len + 16 + (size_t)b->w);
	paint_text(text, len, &fit);
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

void
paint_str(const struct box *b, int y, enum paint paint, const char *text)
{
	paint_line(b, y, paint, text, strlen(text));
}
