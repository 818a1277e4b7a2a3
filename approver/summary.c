#include "approver/summary.h"

#include <stdio.h>
#include <string.h>

#include "policy/call.h"

#include "common/banned.h"

static struct call
call_of(const struct request *req)
{
	return (struct call){ .tool = req->tool, .input = req->input,
	    .cwd = req->cwd };
}

void
summary_line(const struct request *req, struct str *ret)
{
	const struct call call = call_of(req);

	call_summary(&call, ret);
}

void
summary_like(const struct request *req, char *buf, size_t len)
{
	const struct call call = call_of(req);
	const char *line = call_kind(&call) == CALL_SHELL ?
	    call_subject(&call) : NULL;
	auto_str struct str words = { 0 };
	size_t n;

	str_init(&words, len);
	if (line == NULL && call_words(&call, &words))
		line = words.s;
	n = line == NULL ? 0 : strcspn(line, " \t\n");
	if (line != NULL && line[n] == ' ')
		n += 1 + strcspn(line + n + 1, " \t\n");
	snprintf(buf, len, "%s\n%.*s", req->tool, (int)n,
	    line == NULL ? "" : line);
}
