/*
 * Exact matching, as the agent's own tool: old_string must be there, and once
 * only unless replace_all.  The model relies on these texts to correct itself.
 */
#include <errno.h>
#include <string.h>

#include "approver/executor/executor.h"

#include "common/banned.h"

static size_t
count(const char *text, const char *what)
{
	size_t n = 0, step = strlen(what);

	for (const char *p = text; (p = strstr(p, what)) != NULL; p += step)
		n++;
	return n;
}

static int
refuse(struct str *ret, const char *text)
{
	str_add(ret, text);
	return 1;
}

static void
replace(const char *text, const char *old, const char *new, bool all,
    struct str *ret)
{
	const char *hit;

	while ((hit = strstr(text, old)) != NULL) {
		str_addn(ret, text, (size_t)(hit - text));
		str_add(ret, new);
		text = hit + strlen(old);
		if (!all)
			break;
	}
	str_add(ret, text);
}

/* One edit in `text`; the outcome into ret. */
static int
edit_text(const struct str *text, const cJSON *edit, struct str *ret,
    struct str *ret_text)
{
	const char *old = json_str(edit, "old_string");
	const char *new = json_str(edit, "new_string");
	bool all = json_bool(edit, "replace_all", false);
	size_t n;

	if (old == NULL || new == NULL)
		return refuse(ret_text, "The call lacks old_string or "
		    "new_string.");
	if (strcmp(old, new) == 0)
		return refuse(ret_text, "No changes to make: old_string and "
		    "new_string are exactly the same.");
	if (old[0] == '\0')
		return refuse(ret_text, "Cannot create new file - file already "
		    "exists.");
	n = count(text->s, old);
	if (n == 0) {
		str_addf(ret_text, "String to replace not found in file.\n"
		    "String: %s", old);
		return 1;
	}
	if (n > 1 && !all) {
		str_addf(ret_text, "Found %zu matches of the string to replace,"
		    " but replace_all is false. To replace all occurrences, "
		    "set replace_all to true. To replace only one occurrence, "
		    "please provide more context to uniquely identify the "
		    "instance.\nString: %s", n, old);
		return 1;
	}
	replace(text->s, old, new, all, ret);
	if (ret->full)
		return refuse(ret_text, "The file would become too large.");
	return 0;
}

/* An empty old_string on a missing file makes the file. */
static int
create(const struct work *w, const cJSON *edit, struct str *ret_text)
{
	const char *old = json_str(edit, "old_string");
	const char *new = json_str(edit, "new_string");
	struct err e;

	if (old == NULL || new == NULL || old[0] != '\0')
		return refuse(ret_text, "File does not exist.");
	if (file_save(w->target, new, strlen(new), &e) == -1)
		return refuse(ret_text, e.text);
	str_addf(ret_text, "The file %s has been updated successfully.",
	    w->target);
	return 0;
}

static int
load(const struct work *w, struct str *ret, struct str *ret_text,
    struct err *e)
{
	e->sys = 0;
	if (file_load(w->target, ret, e) == -1)
		return e->sys == ENOENT ? -1 : refuse(ret_text, e->text);
	if (strlen(ret->s) != ret->len)
		return refuse(ret_text, "The file is binary; it is not "
		    "edited.");
	return 0;
}

static int
save(const struct work *w, const struct str *text, struct str *ret_text)
{
	struct err e;

	if (file_save(w->target, text->s, text->len, &e) == -1)
		return refuse(ret_text, e.text);
	str_addf(ret_text, "The file %s has been updated successfully.",
	    w->target);
	return 0;
}

int
execute_edit(const struct work *w, struct str *ret_text)
{
	auto_str struct str old = { 0 }, new = { 0 };
	struct err e;
	int r;

	str_init(&old, EXECUTOR_FILE_MAX);
	str_init(&new, EXECUTOR_FILE_MAX);
	r = load(w, &old, ret_text, &e);
	if (r == -1)
		return create(w, w->input, ret_text);
	if (r == 0)
		r = edit_text(&old, w->input, &new, ret_text);
	return r != 0 ? r : save(w, &new, ret_text);
}

/* All edits or none: nothing is written before the last one fitted. */
int
execute_multi_edit(const struct work *w, struct str *ret_text)
{
	const cJSON *edits = json_get(w->input, "edits"), *edit;
	auto_str struct str text = { 0 }, next = { 0 };
	struct err e;
	int r;

	if (!cJSON_IsArray(edits) || cJSON_GetArraySize(edits) == 0)
		return refuse(ret_text, "The call has no edits.");
	str_init(&text, EXECUTOR_FILE_MAX);
	str_init(&next, EXECUTOR_FILE_MAX);
	r = load(w, &text, ret_text, &e);
	if (r != 0)
		return r == 1 ? 1 : refuse(ret_text, "File does not exist.");
	cJSON_ArrayForEach(edit, edits) {
		struct str swap;

		if (!cJSON_IsObject(edit))
			return refuse(ret_text, "An edit is not an object.");
		str_reset(&next);
		if (edit_text(&text, edit, &next, ret_text) != 0)
			return 1;
		swap = text;
		text = next;
		next = swap;
	}
	return save(w, &text, ret_text);
}
