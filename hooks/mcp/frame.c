#include "hooks/mcp/frame.h"

#include <string.h>

#include "common/banned.h"

void
frames_init(struct frames *f)
{
	*f = (struct frames){ 0 };
	str_init(&f->line, FRAME_LINE);
	str_init(&f->out, FRAME_OUT);
}

void
frames_clear(struct frames *f)
{
	str_clear(&f->line);
	str_clear(&f->out);
}

static bool
is_blank(const struct str *s)
{
	return strspn(s->s, " \t\r") == s->len;
}

static void
end_line(struct frames *f, frame_fn *line, void *arg)
{
	if (f->over)
		line(arg, NULL, 0);
	else if (!is_blank(&f->line))
		line(arg, f->line.s, f->line.len);
	f->over = false;
	/* One giant must not keep its memory for the rest of the session. */
	if (f->line.cap > 65536)
		str_clear(&f->line), str_init(&f->line, FRAME_LINE);
	else
		str_reset(&f->line);
}

void
frames_feed(struct frames *f, const char *p, size_t len, frame_fn *line,
    void *arg)
{
	while (len > 0) {
		const char *lf = memchr(p, '\n', len);
		size_t n = lf == NULL ? len : (size_t)(lf - p);

		if (!f->over)
			str_addn(&f->line, p, n);
		if (f->line.full) {
			f->over = true;
			str_clear(&f->line);
			str_init(&f->line, FRAME_LINE);
		}
		if (lf == NULL)
			return;
		end_line(f, line, arg);
		p += n + 1;
		len -= n + 1;
	}
}

size_t
frames_left(const struct frames *f, const char **ret)
{
	*ret = f->out.s + f->sent;
	return f->out.len - f->sent;
}

void
frames_sent(struct frames *f, size_t n)
{
	f->sent += n;
	if (f->sent < f->out.len)
		return;
	f->sent = 0;
	if (f->out.cap > 1024 * 1024)
		str_clear(&f->out), str_init(&f->out, FRAME_OUT);
	else
		str_reset(&f->out);
}
