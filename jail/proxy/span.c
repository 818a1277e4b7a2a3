/* jail/proxy/span.c - where a body ends. */
#include "jail/proxy/http.h"

#include "common/banned.h"

#define LINE_BYTES	4096	/* of a chunk's extension, or a trailer */
#define DIGITS_MAX	15

enum {
	CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_SIZE_LF, CHUNK_DATA, CHUNK_DATA_CR,
	CHUNK_DATA_LF, CHUNK_TRAILER, CHUNK_TRAILER_LF, CHUNK_OVER
};

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int
size_byte(struct span *s, char c)
{
	int digit = hex(c);

	if (digit >= 0) {
		s->left = s->left * 16 + (unsigned)digit;
		return ++s->digits > DIGITS_MAX ? -1 : CHUNK_SIZE;
	}
	if (s->digits == 0)
		return -1;
	return c == '\r' ? CHUNK_SIZE_LF : c == ';' ? CHUNK_EXTENSION : -1;
}

/* Within a line: no control byte, and not for ever. */
static int
line_byte(struct span *s, char c, int same, int at_end)
{
	if (c == '\r')
		return at_end;
	if ((unsigned char)c < ' ' && c != '\t')
		return -1;
	return ++s->line > LINE_BYTES ? -1 : same;
}

static int
after_size(struct span *s, char c)
{
	if (c != '\n')
		return -1;
	s->digits = 0;
	s->line = 0;
	return s->left == 0 ? CHUNK_TRAILER : CHUNK_DATA;
}

static int
after_trailer(struct span *s, char c)
{
	bool last = s->line == 0;

	if (c != '\n')
		return -1;
	s->line = 0;
	return last ? CHUNK_OVER : CHUNK_TRAILER;
}

/* One byte that is no data; the next state, or -1. */
static int
step(struct span *s, char c)
{
	switch (s->state) {
	case CHUNK_SIZE:
		return size_byte(s, c);
	case CHUNK_EXTENSION:
		return line_byte(s, c, CHUNK_EXTENSION, CHUNK_SIZE_LF);
	case CHUNK_SIZE_LF:
		return after_size(s, c);
	case CHUNK_DATA_CR:
		return c == '\r' ? CHUNK_DATA_LF : -1;
	case CHUNK_DATA_LF:
		return c == '\n' ? CHUNK_SIZE : -1;
	case CHUNK_TRAILER:
		return line_byte(s, c, CHUNK_TRAILER, CHUNK_TRAILER_LF);
	default:
		return after_trailer(s, c);
	}
}

static long
take_chunks(struct span *s, const char *p, size_t len)
{
	size_t i = 0;

	while (i < len && s->state != CHUNK_OVER) {
		size_t n = len - i;

		if (s->state != CHUNK_DATA) {
			s->state = step(s, p[i++]);
			if (s->state == -1)
				return -1;
			continue;
		}
		if (n > s->left)
			n = (size_t)s->left;
		s->left -= n;
		i += n;
		if (s->left == 0)
			s->state = CHUNK_DATA_CR;
	}
	return (long)i;
}

long
span_take(struct span *s, const char *p, size_t len, bool *ret_done)
{
	long n = 0;

	switch (s->kind) {
	case SPAN_NONE:
		break;
	case SPAN_TO_END:
		n = (long)len;
		break;
	case SPAN_COUNT:
		n = (long)(len > s->left ? s->left : len);
		s->left -= (uint64_t)n;
		break;
	case SPAN_CHUNKS:
		n = take_chunks(s, p, len);
		break;
	}
	*ret_done = s->kind == SPAN_NONE || (s->kind == SPAN_COUNT &&
	    s->left == 0) || (s->kind == SPAN_CHUNKS &&
	    s->state == CHUNK_OVER);
	return n;
}
