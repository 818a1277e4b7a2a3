#include <errno.h>
#include <string.h>

#include "approver/executor/executor.h"

#include "common/banned.h"

int
execute_write(const struct work *w, struct str *ret)
{
	const char *content = json_str(w->input, "content");
	auto_str struct str old = { 0 };
	struct err e = { 0 };
	bool there;

	if (content == NULL) {
		str_add(ret, "The call has no content.");
		return 1;
	}
	str_init(&old, EXECUTOR_FILE_MAX);
	there = file_load(w->target, &old, &e) == 0 || e.sys != ENOENT;
	if (file_save(w->target, content, strlen(content), &e) == -1) {
		str_add(ret, e.text);
		return 1;
	}
	if (there)
		str_addf(ret, "The file %s has been updated successfully.",
		    w->target);
	else
		str_addf(ret, "File created successfully at: %s", w->target);
	return 0;
}
