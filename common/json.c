#include "common/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_scan.h"
#include "common/mem.h"

#include "common/banned.h"

#define INT_MAX_EXACT	9007199254740991.0	/* 2^53 - 1 */

static void
line_col(const char *text, size_t at, unsigned *line, unsigned *col)
{
	*line = 1;
	*col = 1;
	for (size_t i = 0; i < at; i++) {
		(*col)++;
		if (text[i] == '\n') {
			(*line)++;
			*col = 1;
		}
	}
}

static int
compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The first key that stands twice in this object, or NULL. */
static const char *
doubled_key(const cJSON *obj)
{
	auto_free const char **keys = NULL;
	const cJSON *c;
	size_t n = 0, i = 0;

	cJSON_ArrayForEach(c, obj)
		n++;
	if (n < 2)
		return NULL;
	keys = xcalloc(n, sizeof *keys);
	cJSON_ArrayForEach(c, obj)
		keys[i++] = c->string;
	qsort(keys, n, sizeof *keys, compare_keys);
	for (i = 1; i < n; i++)
		if (strcmp(keys[i - 1], keys[i]) == 0)
			return keys[i];
	return NULL;
}

/* Depth is bounded by the scan, so recursion is. */
static const char *
doubled_anywhere(const cJSON *v)
{
	const char *key = cJSON_IsObject(v) ? doubled_key(v) : NULL;
	const cJSON *c;

	if (!cJSON_IsObject(v) && !cJSON_IsArray(v))
		return NULL;
	cJSON_ArrayForEach(c, v) {
		if (key != NULL)
			break;
		key = doubled_anywhere(c);
	}
	return key;
}

int
json_parse(const char *text, size_t len, unsigned depth, cJSON **ret,
    struct err *e)
{
	unsigned line, col;
	size_t at = 0;
	const char *wrong = json_scan(text, len, depth, NULL, NULL, &at);

	if (wrong != NULL) {
		line_col(text, at, &line, &col);
		return err_set(e, ERR_FORMAT, "line %u, column %u: %s", line,
		    col, wrong);
	}

	cJSON *v = cJSON_ParseWithLength(text, len);

	if (v == NULL)
		return err_set(e, ERR_FORMAT, "cannot read the JSON");
	wrong = doubled_anywhere(v);
	if (wrong != NULL) {
		err_set(e, ERR_FORMAT, "the key '%.60s' stands twice", wrong);
		cJSON_Delete(v);
		return -1;
	}
	json_keep_numbers(v, text, len);
	*ret = v;
	return 0;
}

void
json_blank_comments(char *s, size_t len)
{
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		if (in_string) {
			if (s[i] == '\\')
				i++;
			else if (s[i] == '"')
				in_string = false;
			continue;
		}
		if (s[i] == '"') {
			in_string = true;
			continue;
		}
		if (s[i] != '/' || i + 1 >= len)
			continue;
		if (s[i + 1] == '/') {
			while (i < len && s[i] != '\n')
				s[i++] = ' ';
		} else if (s[i + 1] == '*') {
			const char *end = memmem(s + i + 2, len - i - 2,
			    "*/", 2);

			/* One that does not end stays, and is an error. */
			if (end == NULL)
				return;
			for (size_t k = (size_t)(end - s) + 2; i < k; i++)
				if (s[i] != '\n')
					s[i] = ' ';
			i--;
		}
	}
}

int
json_parse_commented(const char *text, size_t len, unsigned depth,
    cJSON **ret, struct err *e)
{
	auto_free char *copy = xstrndup(text, len);

	json_blank_comments(copy, len);
	return json_parse(copy, len, depth, ret, e);
}

/* --- finding a place by its pointer --- */

struct locate {
	const char	*text;
	const char	*want;			/* the pointer's rest */
	unsigned	 depth;			/* containers matched so far */
	unsigned	 index;			/* of the next array element */
	bool		 skip_value;		/* of a matched key */
	bool		 found;
	size_t		 at;
};

/* Does the pointer's next part equal this key (raw, with quotes)? */
static bool
part_is(const char *want, const char *key, size_t len)
{
	size_t n = strcspn(want + 1, "/");
	size_t k = 1;

	for (size_t i = 1; i <= n; i++, k++) {
		char c = want[i];

		if (c == '~' && i < n)
			c = want[++i] == '1' ? '/' : '~';
		if (k + 1 >= len || key[k] != c)
			return false;
	}
	return k + 1 == len;
}

static bool
locate_step(struct locate *l, const struct json_scan_event *ev)
{
	l->want += 1 + strcspn(l->want + 1, "/");
	l->at = ev->at;
	l->depth++;
	l->index = 0;
	l->found = *l->want == '\0';
	return !l->found;
}

static bool
locate_event(void *arg, const struct json_scan_event *ev)
{
	struct locate *l = arg;

	if (l->depth == 0) {		/* the root value itself */
		l->depth = 1;
		return true;
	}
	if (l->skip_value) {
		l->skip_value = false;
		return true;
	}
	if (ev->depth < l->depth)	/* left the container: not there */
		return false;
	if (ev->depth > l->depth)
		return true;
	if (ev->is_key) {
		if (!part_is(l->want, l->text + ev->at, ev->len))
			return true;
		l->skip_value = true;
		return locate_step(l, ev);
	}
	if (l->text[ev->at - 1] == ':')
		return true;
	char number[12];
	int n = snprintf(number, sizeof number, "%u", l->index);

	if (strcspn(l->want + 1, "/") == (size_t)n &&
	    strncmp(l->want + 1, number, (size_t)n) == 0)
		return locate_step(l, ev);
	l->index++;
	return true;
}

int
json_offset(const char *blanked, size_t len, const char *pointer,
    size_t *ret_at)
{
	struct locate l = { .want = pointer, .text = blanked };
	size_t ignored;

	if (*pointer == '\0') {
		*ret_at = strspn(blanked, " \t\r\n");
		return 0;
	}
	if (*pointer != '/')
		return -1;
	json_scan(blanked, len, JSON_SCAN_DEPTH, locate_event, &l, &ignored);
	if (!l.found)
		return -1;
	*ret_at = l.at;
	return 0;
}

int
json_locate(const char *text, size_t len, const char *pointer,
    unsigned *ret_line, unsigned *ret_col)
{
	auto_free char *copy = xstrndup(text, len);
	size_t at;

	json_blank_comments(copy, len);
	if (json_offset(copy, len, pointer, &at) == -1)
		return -1;
	line_col(text, at, ret_line, ret_col);
	return 0;
}

/* --- reading --- */

void
json_free(cJSON *v)
{
	cJSON_Delete(v);
}

void
json_free_ptr(cJSON **v)
{
	cJSON_Delete(*v);
}

static bool
is_int(const cJSON *v)
{
	double d;

	return json_number(v, &d) && d >= 0 && d <= INT_MAX_EXACT &&
	    (double)(int64_t)d == d;
}

static const char *const kind_names[] = {
	[JSON_STRING] = "a string", [JSON_INT] = "a whole number",
	[JSON_BOOL] = "true or false", [JSON_OBJECT] = "an object",
	[JSON_ARRAY] = "an array", [JSON_STRING_OR_NULL] = "a string or null",
	[JSON_OBJECT_OR_NULL] = "an object or null", [JSON_ANY] = "anything",
};

static bool
is_kind(const cJSON *v, enum json_kind kind)
{
	switch (kind) {
	case JSON_STRING:
		return cJSON_IsString(v);
	case JSON_INT:
		return is_int(v);
	case JSON_BOOL:
		return cJSON_IsBool(v);
	case JSON_OBJECT:
		return cJSON_IsObject(v);
	case JSON_ARRAY:
		return cJSON_IsArray(v);
	case JSON_STRING_OR_NULL:
		return cJSON_IsString(v) || cJSON_IsNull(v);
	case JSON_OBJECT_OR_NULL:
		return cJSON_IsObject(v) || cJSON_IsNull(v);
	case JSON_ANY:
		return true;
	}
	return false;
}

static int
check_field(const cJSON *v, const struct json_field *f, struct err *e)
{
	if (!is_kind(v, f->kind))
		return err_set(e, ERR_FORMAT, "'%s' must be %s", f->name,
		    kind_names[f->kind]);
	if (f->max == 0)
		return 0;
	if (cJSON_IsString(v) && strlen(v->valuestring) > f->max)
		return err_set(e, ERR_FORMAT, "'%s' is longer than %zu bytes",
		    f->name, f->max);
	if (cJSON_IsArray(v) && (size_t)cJSON_GetArraySize(v) > f->max)
		return err_set(e, ERR_FORMAT, "'%s' has more than %zu elements",
		    f->name, f->max);
	return 0;
}

int
json_check(const cJSON *obj, const struct json_field *fields, size_t n,
    bool closed, struct err *e)
{
	const cJSON *c;

	if (!cJSON_IsObject(obj))
		return err_set(e, ERR_FORMAT, "an object is expected");
	for (size_t i = 0; i < n; i++) {
		c = json_get(obj, fields[i].name);
		if (c == NULL && fields[i].needed)
			return err_set(e, ERR_FORMAT, "'%s' is missing",
			    fields[i].name);
		if (c != NULL && check_field(c, &fields[i], e) == -1)
			return -1;
	}
	cJSON_ArrayForEach(c, obj) {
		size_t i = 0;

		while (i < n && strcmp(fields[i].name, c->string) != 0)
			i++;
		if (i == n && closed)
			return err_set(e, ERR_FORMAT, "unknown key '%.60s'",
			    c->string);
	}
	return 0;
}

const cJSON *
json_get(const cJSON *obj, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(obj, name);
}

const char *
json_str(const cJSON *obj, const char *name)
{
	const cJSON *v = json_get(obj, name);

	return cJSON_IsString(v) ? v->valuestring : NULL;
}

int64_t
json_int(const cJSON *obj, const char *name, int64_t fallback)
{
	const cJSON *v = json_get(obj, name);

	double d;

	return v != NULL && is_int(v) && json_number(v, &d) ? (int64_t)d :
	    fallback;
}

bool
json_bool(const cJSON *obj, const char *name, bool fallback)
{
	const cJSON *v = json_get(obj, name);

	return cJSON_IsBool(v) ? cJSON_IsTrue(v) : fallback;
}
