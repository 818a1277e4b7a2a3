/* Numbered lines as the agent's own tool prints them. */
#include <errno.h>
#include <string.h>

#include "approver/executor/executor.h"

#include "common/banned.h"

#define LINES_DEFAULT	2000
#define LINE_MAX_BYTES	2000

static void
add_line(struct str *ret, int64_t number, const char *line, size_t len)
{
	size_t cut = len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES;

	while (cut < len && cut > 0 &&
	    ((unsigned char)line[cut] & 0xc0) == 0x80)
		cut--;
	str_addf(ret, "%6lld\t", (long long)number);
	str_addn(ret, line, cut);
	str_add(ret, cut < len ? "... [truncated]\n" : "\n");
}

int
execute_read(const struct work *w, struct str *ret)
{
	int64_t first = json_int(w->input, "offset", 1);
	int64_t lines = json_int(w->input, "limit", LINES_DEFAULT);
	auto_str struct str text = { 0 };
	struct err e = { 0 };
	int64_t number = 1, shown = 0;

	str_init(&text, EXECUTOR_FILE_MAX);
	if (file_load(w->target, &text, &e) == -1) {
		str_add(ret, e.sys == ENOENT ? "File does not exist." : e.text);
		return 1;
	}
	if (first < 1)
		first = 1;
	for (size_t at = 0; at < text.len && shown < lines; number++) {
		const char *line = text.s + at;
		const char *end = memchr(line, '\n', text.len - at);
		size_t len = end == NULL ? text.len - at : (size_t)(end - line);

		if (number >= first) {
			add_line(ret, number, line, len);
			shown++;
		}
		at += len + 1;
	}
	if (text.len == 0)
		str_add(ret, "<system-reminder>Warning: the file exists but "
		    "the contents are empty.</system-reminder>");
	else if (shown == 0)
		str_addf(ret, "<system-reminder>Warning: the file exists but "
		    "is shorter than the provided offset (%lld). The file has "
		    "%lld lines.</system-reminder>", (long long)first,
		    (long long)(number - 1));
	return 0;
}
