/*
 * hooks/mcp/frame.h - lines of bytes, in and out, both bounded.
 *
 * MCP over stdio is one JSON text a line.  Coming in, a line longer than
 * FRAME_LINE is thrown away up to its end and told as such: no client can make
 * us hold more.  Going out, bytes wait here until the reader takes them; a
 * reader that takes nothing while we have FRAME_OUT for it is gone for us.
 *
 * No I/O here: whoever reads feeds, whoever writes takes.
 */
#ifndef HOOKS_MCP_FRAME_H
#define HOOKS_MCP_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "common/str.h"

#define FRAME_LINE	(8 * 1024 * 1024)
#define FRAME_OUT	(32 * 1024 * 1024)

struct frames {
	struct str	line;		/* the one being read */
	bool		over;		/* it is too long, and dropped */
	struct str	out;
	size_t		sent;		/* of out */
};

void	frames_init(struct frames *);
void	frames_clear(struct frames *);

/*
 * `line` is told of every line that ends in these bytes, without its LF; NULL
 * stands for one that was too long.  Lines of white space are nothing.
 */
typedef void frame_fn(void *arg, const char *line, size_t len);
void	frames_feed(struct frames *, const char *, size_t len, frame_fn *line,
	    void *arg);

/* What is still to be written; frames_sent() says how much of it was. */
size_t	frames_left(const struct frames *, const char **ret);
void	frames_sent(struct frames *, size_t);

#endif
