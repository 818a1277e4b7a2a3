/* policy/shell/quote.c - what stands between quotes. */
#include <string.h>

#include "policy/shell/read.h"
#include "common/banned.h"

void
quote_single(struct reader *rd, struct parts *p)
{
	const char *from = rd->s + rd->at;
	const char *to = memchr(from, '\'', rd->end - rd->at);

	p->some = true;
	if (to == NULL) {
		rd_fail(rd, "a ' is not closed");
		return;
	}
	for (; from < to; from++)
		parts_char(rd, p, *from);
	rd->at = (uint32_t)(to - rd->s) + 1;
}

/* A backslash inside "": only before these does it disappear. */
static void
double_backslash(struct reader *rd, struct parts *p)
{
	int c = rd_peek(rd, 1);

	if (c == '\n') {
		rd->at += 2;
		return;
	}
	if (c != '$' && c != '`' && c != '"' && c != '\\') {
		parts_char(rd, p, '\\');
		rd->at++;
		return;
	}
	parts_char(rd, p, (char)c);
	rd->at += 2;
}

void
quote_double(struct reader *rd, struct parts *p)
{
	p->some = true;
	for (;;) {
		int c = rd_peek(rd, 0);

		switch (c) {
		case -1:
			rd_fail(rd, "a \" is not closed");
			return;
		case '"':
			rd->at++;
			return;
		case '\\':
			double_backslash(rd, p);
			break;
		case '$':
			dollar_read(rd, p, true);
			break;
		case '`':
			backquote_read(rd, p, true);
			break;
		default:
			parts_char(rd, p, (char)c);
			rd->at++;
		}
	}
}

static int
digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Up to `max` digits of a base at the cursor; -1 when there is none. */
static long
number(struct reader *rd, int base, int max)
{
	long value = 0;
	int n = 0;

	for (; n < max; n++) {
		int d = digit(rd_peek(rd, 0));

		if (d < 0 || d >= base)
			break;
		value = value * base + d;
		rd->at++;
	}
	return n == 0 ? -1 : value;
}

/* A byte that an escape wrote; what our values or C cannot hold is refused. */
static void
ansi_byte(struct reader *rd, struct parts *p, long value)
{
	if (value <= 0 || value >= 0x80 || (value < ' ' && value != '\t' &&
	    value != '\n') || value == 0x7f)
		rd_fail(rd, "a $'...' makes a byte that is not plain text");
	else
		parts_char(rd, p, (char)value);
}

static void
ansi_escape(struct reader *rd, struct parts *p)
{
	static const char from[] = "tn\\'\"?", to[] = "\t\n\\'\"?";
	int c = rd_peek(rd, 0);
	const char *hit = c <= 0 ? NULL : strchr(from, c);

	if (hit != NULL) {
		rd->at++;
		parts_char(rd, p, to[hit - from]);
	} else if (c >= '0' && c <= '7') {
		ansi_byte(rd, p, number(rd, 8, 3));
	} else if (c == 'x' || c == 'u' || c == 'U') {
		rd->at++;
		ansi_byte(rd, p, number(rd, 16, c == 'x' ? 2 :
		    c == 'u' ? 4 : 8));
	} else if (c > 0 && strchr("abeEfrvc", c) != NULL) {
		rd_fail(rd, "a $'...' makes a control character");
	} else {
		parts_char(rd, p, '\\');	/* bash keeps an unknown one */
	}
}

void
quote_ansi(struct reader *rd, struct parts *p)
{
	p->some = true;
	for (;;) {
		int c = rd_peek(rd, 0);

		rd->at += c != -1;
		if (c == -1) {
			rd_fail(rd, "a $' is not closed");
			return;
		}
		if (c == '\'')
			return;
		if (c == '\\')
			ansi_escape(rd, p);
		else
			parts_char(rd, p, (char)c);
	}
}
