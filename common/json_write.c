#include "common/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define DIGITS_15	1000000000000000	/* the first that has 16 */

static cJSON *
need(cJSON *v)
{
	if (v == NULL)
		BUG("cJSON ran out of memory");
	return v;
}

cJSON *
json_object(void)
{
	return need(cJSON_CreateObject());
}

cJSON *
json_array(void)
{
	return need(cJSON_CreateArray());
}

void
json_add(cJSON *obj, const char *name, cJSON *owned)
{
	if (!cJSON_AddItemToObject(obj, name, need(owned)))
		BUG("cJSON ran out of memory");
}

void
json_push(cJSON *array, cJSON *owned)
{
	if (!cJSON_AddItemToArray(array, need(owned)))
		BUG("cJSON ran out of memory");
}

static cJSON *
clean_string(const char *text, size_t len)
{
	struct str s;
	cJSON *v;

	if (memchr(text, '\0', len) == NULL && utf8_ok(text, len) &&
	    text[len] == '\0')
		return need(cJSON_CreateString(text));
	str_init(&s, len * 3 + 1);
	utf8_clean(text, len, &s);
	v = cJSON_CreateString(s.s);
	str_clear(&s);
	return need(v);
}

void
json_add_strn(cJSON *obj, const char *name, const char *text, size_t len)
{
	/* clean_string looks one byte behind the end. */
	auto_free char *copy = xstrndup(text, len);

	json_add(obj, name, clean_string(copy, len));
}

void
json_add_str(cJSON *obj, const char *name, const char *text)
{
	json_add(obj, name, text == NULL ? cJSON_CreateNull() :
	    clean_string(text, strlen(text)));
}

static cJSON *
map_text(const cJSON *v, json_text_fn *text)
{
	auto_str struct str s = { 0 };

	text(v, &s);
	return clean_string(s.s, s.len);
}

cJSON *
json_map(const cJSON *v, json_text_fn *text)
{
	bool object = cJSON_IsObject(v);
	cJSON *out;

	if (cJSON_IsString(v))
		return map_text(v, text);
	if (!object && !cJSON_IsArray(v))
		return need(cJSON_Duplicate(v, 0));
	out = object ? json_object() : json_array();
	for (const cJSON *c = v->child; c != NULL; c = c->next) {
		if (object)
			json_add(out, c->string, json_map(c, text));
		else
			json_push(out, json_map(c, text));
	}
	return out;
}

void
json_push_str(cJSON *array, const char *text)
{
	json_push(array, clean_string(text, strlen(text)));
}

void
json_add_int(cJSON *obj, const char *name, int64_t v)
{
	char text[24];

	/* cJSON prints what has 16 digits with an exponent, and inexactly. */
	if (v > -DIGITS_15 && v < DIGITS_15) {
		json_add(obj, name, cJSON_CreateNumber((double)v));
		return;
	}
	snprintf(text, sizeof text, "%" PRId64, v);
	json_add(obj, name, cJSON_CreateRaw(text));
}

void
json_add_bool(cJSON *obj, const char *name, bool v)
{
	json_add(obj, name, cJSON_CreateBool(v));
}

void
json_print(const cJSON *v, struct str *ret)
{
	char *text = cJSON_PrintUnformatted(v);

	if (text == NULL)
		BUG("cJSON cannot print");
	/* cJSON leaves DEL as it is; a terminal would not. */
	for (const char *p = text; *p != '\0'; p++) {
		size_t n = strcspn(p, "\x7f");

		str_addn(ret, p, n);
		p += n;
		if (*p == '\0')
			break;
		str_add(ret, "\\u007f");
	}
	cJSON_free(text);
}

static void
add_escaped(uint32_t cp, struct str *ret)
{
	if (cp < 0x10000) {
		str_addf(ret, "\\u%04x", (unsigned)cp);
		return;
	}
	cp -= 0x10000;
	str_addf(ret, "\\u%04x\\u%04x", (unsigned)(0xd800 + (cp >> 10)),
	    (unsigned)(0xdc00 + (cp & 0x3ff)));
}

void
json_visible(const char *json, size_t len, struct str *ret)
{
	uint32_t cp = 0;
	size_t n;

	for (size_t at = 0; at < len; at += n) {
		n = utf8_next(json + at, len - at, &cp);
		if (n == 0) {
			str_add(ret, "\\ufffd");
			n = 1;
		} else if (visible_hidden(json + at, n) > 0) {
			add_escaped(cp, ret);
		} else {
			str_addn(ret, json + at, n);
		}
	}
}

/* A name, an id: nothing in it that JSON writes in another way. */
static bool
is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '"' ||
		    text[i] == '\\')
			return false;
	return true;
}

void
json_quote(const char *text, size_t len, struct str *ret)
{
	if (is_plain(text, len)) {
		str_addc(ret, '"');
		str_addn(ret, text, len);
		str_addc(ret, '"');
		return;
	}

	auto_free char *copy = xstrndup(text, len);
	auto_json cJSON *v = clean_string(copy, len);

	json_print(v, ret);
}
