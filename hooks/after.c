/*
 * A tool ran.  The record says so, and says so loudly when the log has no
 * judgement of that call: then the hook before it did not fire.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "hooks/gate.h"

#include "common/banned.h"

#define LOOK_BACK	(1024 * 1024)	/* bytes of the log */

/*
 * Does the end of the log name this call?  1: yes, 0: no and that is all of
 * the log, -1: cannot tell, because there is more of it than is looked at or
 * it cannot be read.
 */
static int
was_judged(const struct gate *g, const struct hook_input *in)
{
	auto_free char *buf = NULL;
	auto_str struct str needle = { 0 };
	struct stat st;
	off_t at;
	size_t n;

	str_init(&needle, 4096);
	str_add(&needle, "\"tool_use_id\":");
	json_quote(in->tool_use_id, strlen(in->tool_use_id), &needle);

	auto_close int fd = fs_open_own(g->home.audit, "audit.jsonl", &st,
	    NULL);

	if (fd == -1 || st.st_size <= 0)
		return -1;
	at = st.st_size > LOOK_BACK ? st.st_size - LOOK_BACK : 0;
	n = (size_t)(st.st_size - at);
	buf = xcalloc(n, 1);
	if (io_pread_full(fd, buf, n, at, NULL) == -1)
		return -1;
	if (memmem(buf, n, needle.s, needle.len) != NULL)
		return 1;
	return at == 0 ? 0 : -1;
}

int
gate_after(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	bool missed = in->tool_use_id[0] != '\0' && was_judged(g, in) == 0;
	auto_str struct str text = { 0 };

	str_init(&text, 512);
	if (gate_record(g, in, missed ? "hook.missed" : "tool.done", NULL,
	    e) == -1)
		return -1;
	if (!missed)
		return 0;
	str_add(&text, "sandbox: a tool ran that no hook of ours had judged. "
	    "Run `sandbox doctor`.");
	g->dialect->refuse(in->event, text.s, r);
	return 0;
}
