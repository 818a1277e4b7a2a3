#include "queue/answer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/digest.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define STATEMENT_MAX	8192
#define SIG_HEX		128
#define PATH_LEN_MAX	80
#define TEXT_MAX	16384
#define EDITED_MAX	(64 * 1024)

static const char *const outcomes[] = {
	[OUTCOME_UNKNOWN] = "unknown",
	[OUTCOME_NOT_STARTED] = "not_started",
	[OUTCOME_DENIED] = "denied",
	[OUTCOME_DONE] = "done",
	[OUTCOME_ALLOW_ONCE] = "allow_once",
};

static const struct json_field fields[] = {
	{ "v", JSON_INT, true, 0 },
	{ "id", JSON_STRING, true, ID_MAX },
	{ "project", JSON_STRING, true, 32 },
	{ "outcome", JSON_STRING, true, 16 },
	{ "approval", JSON_STRING, true, 0 },
	{ "approval_sig", JSON_STRING, true, 0 },
	{ "result", JSON_STRING, true, 0 },
	{ "result_sig", JSON_STRING, true, 0 },
	{ "output", JSON_STRING, true, 0 },
	{ "truncated", JSON_BOOL, true, 0 },
	{ "out_path", JSON_STRING, true, 0 },
	{ "text", JSON_STRING, true, 0 },
	{ "edited", JSON_STRING, true, 0 },
};

/* The texts, with where they live: one loop frees, writes, reads them. */
static const struct text {
	const char	*name;
	size_t		 at;
	size_t		 max;
} texts[] = {
	{ "approval", offsetof(struct answer, approval), STATEMENT_MAX },
	{ "approval_sig", offsetof(struct answer, approval_sig), SIG_HEX },
	{ "result", offsetof(struct answer, result), STATEMENT_MAX },
	{ "result_sig", offsetof(struct answer, result_sig), SIG_HEX },
	{ "output", offsetof(struct answer, output), ANSWER_MAX },
	{ "out_path", offsetof(struct answer, out_path), PATH_LEN_MAX },
	{ "text", offsetof(struct answer, text), TEXT_MAX },
	{ "edited", offsetof(struct answer, edited), EDITED_MAX },
};

static char **
text_at(struct answer *a, const struct text *t)
{
	return (char **)(void *)((char *)a + t->at);
}

static const char *
text_get(const struct answer *a, const struct text *t)
{
	const char *s;

	memcpy(&s, (const char *)a + t->at, sizeof s);
	return s == NULL ? "" : s;
}

const char *
outcome_name(enum outcome o)
{
	return outcomes[o];
}

void
answer_init(struct answer *a)
{
	*a = (struct answer){ 0 };
}

void
answer_clear(struct answer *a)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		free(*text_at(a, &texts[i]));
	answer_init(a);
}

static bool
empty(const char *s)
{
	return s == NULL || s[0] == '\0';
}

/* What holds for every answer, written or read. */
static int
check(const struct answer *a, struct err *e)
{
	auto_free char *path = xasprintf(".sandbox/out/%s.txt", a->id);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (strlen(text_get(a, &texts[i])) > texts[i].max)
			return err_set(e, ERR_FORMAT,
			    "'%s' is longer than %zu bytes", texts[i].name,
			    texts[i].max);
	if (!empty(a->out_path) && !str_eq(a->out_path, path))
		return err_set(e, ERR_FORMAT, "'out_path' is not '%s'", path);
	if ((a->outcome == OUTCOME_UNKNOWN ||
	    a->outcome == OUTCOME_NOT_STARTED) && !(empty(a->text) &&
	    empty(a->edited) && empty(a->output) && empty(a->result) &&
	    empty(a->out_path)))
		return err_set(e, ERR_FORMAT, "'%s' must not carry text",
		    outcomes[a->outcome]);
	return 0;
}

int
answer_encode(const struct answer *a, struct str *ret, struct err *e)
{
	auto_json cJSON *j = json_object();
	struct str s;

	if (check(a, e) == -1)
		return -1;
	json_add_int(j, "v", 1);
	json_add_str(j, "id", a->id);
	json_add_str(j, "project", a->project);
	json_add_str(j, "outcome", outcomes[a->outcome]);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		json_add_str(j, texts[i].name, text_get(a, &texts[i]));
	json_add_bool(j, "truncated", a->truncated);
	str_init(&s, ANSWER_MAX);
	json_print(j, &s);
	str_addc(&s, '\n');
	if (s.full) {
		str_clear(&s);
		return err_set(e, ERR_FORMAT, "the answer is too large");
	}
	*ret = s;
	return 0;
}

static int
fill(const char *id, const cJSON *j, struct answer *a, struct err *e)
{
	unsigned char bin[16];
	const char *project = json_str(j, "project");
	size_t o = 0;

	while (o < ARRAY_LEN(outcomes) &&
	    !str_eq(outcomes[o], json_str(j, "outcome")))
		o++;
	if (json_int(j, "v", 0) != 1 || o == ARRAY_LEN(outcomes))
		return err_set(e, ERR_FORMAT, "'v' or 'outcome' is unknown");
	if (!id_ok(id) || !str_eq(id, json_str(j, "id")))
		return err_set(e, ERR_FORMAT, "'id' is not the file's name");
	if (hex_get(project, bin, sizeof bin) == -1)
		return err_set(e, ERR_FORMAT, "'project' is damaged");
	memcpy(a->id, id, strlen(id) + 1);
	memcpy(a->project, project, sizeof a->project);
	a->outcome = (enum outcome)o;
	a->truncated = json_bool(j, "truncated", false);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*text_at(a, &texts[i]) = xstrdup(json_str(j, texts[i].name));
	return check(a, e);
}

int
answer_decode(const char *id, const char *bytes, size_t len,
    struct answer *ret, struct err *e)
{
	auto_json cJSON *j = NULL;
	struct answer a;

	if (len > ANSWER_MAX)
		return err_set(e, ERR_FORMAT, "more than %d bytes", ANSWER_MAX);
	if (json_parse(bytes, len, JSON_DEPTH, &j, e) == -1 ||
	    json_check(j, fields, ARRAY_LEN(fields), true, e) == -1)
		return -1;
	answer_init(&a);
	if (fill(id, j, &a, e) == -1) {
		answer_clear(&a);
		return -1;
	}
	*ret = a;
	return 0;
}
