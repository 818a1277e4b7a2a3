#include "queue/request.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

#define LC_MAX		16
#define LC_TEXT_MAX	128
#define BLOB_FIELD_MAX	64
#define BOOT_MS_MAX	0xffffffffffffLL	/* what fits into an id */
#define U64_DIGITS	20

/* The texts, where they live and how long they may be. */
static const struct text {
	const char	*name;
	size_t		 at;
	size_t		 max;
} texts[] = {
	{ "origin", offsetof(struct request, origin), 8 },
	{ "agent", offsetof(struct request, agent), 64 },
	{ "session", offsetof(struct request, session), 256 },
	{ "agent_id", offsetof(struct request, agent_id), 256 },
	{ "tool_use_id", offsetof(struct request, tool_use_id), 256 },
	{ "tool", offsetof(struct request, tool), 256 },
	{ "cwd", offsetof(struct request, cwd), 4096 },
	{ "lang", offsetof(struct request, lang), LC_TEXT_MAX },
	{ "tz", offsetof(struct request, tz), LC_TEXT_MAX },
	{ "agent_says", offsetof(struct request, agent_says), 4096 },
};

static const struct json_field fields[] = {
	{ "v", JSON_INT, true, 0 },
	{ "id", JSON_STRING, true, ID_MAX },
	{ "project", JSON_STRING, true, 32 },
	{ "origin", JSON_STRING, true, 0 },
	{ "agent", JSON_STRING, true, 0 },
	{ "session", JSON_STRING, true, 0 },
	{ "agent_id", JSON_STRING, true, 0 },
	{ "tool_use_id", JSON_STRING, true, 0 },
	{ "tool", JSON_STRING, true, 0 },
	{ "input", JSON_OBJECT, true, 0 },
	{ "cwd", JSON_STRING, true, 0 },
	{ "cwd_dev", JSON_STRING, true, U64_DIGITS },
	{ "cwd_ino", JSON_STRING, true, U64_DIGITS },
	{ "lang", JSON_STRING, true, 0 },
	{ "lc", JSON_OBJECT, true, 0 },
	{ "tz", JSON_STRING, true, 0 },
	{ "agent_says", JSON_STRING, true, 0 },
	{ "created_wall_ms", JSON_INT, true, 0 },
	{ "created_boot_ms", JSON_INT, true, 0 },
	{ "boot_id", JSON_STRING, true, 36 },
	{ "ttl_s", JSON_INT, true, 0 },
	{ "nonce", JSON_STRING, true, 32 },
	{ "call_key", JSON_STRING, true, DIGEST_HEX },
	{ "blob", JSON_OBJECT_OR_NULL, true, 0 },
};

static const struct json_field blob_fields[] = {
	{ "field", JSON_STRING, true, BLOB_FIELD_MAX },
	{ "digest", JSON_STRING, true, DIGEST_HEX },
	{ "bytes", JSON_INT, true, 0 },
};

static char **
text_at(struct request *r, const struct text *t)
{
	return (char **)(void *)((char *)r + t->at);
}

void
request_init(struct request *r)
{
	*r = (struct request){ 0 };
	str_init(&r->bytes, REQUEST_MAX);
}

void
request_clear(struct request *r)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		free(*text_at(r, &texts[i]));
	json_free(r->input);
	json_free(r->lc);
	free(r->blob_field);
	str_clear(&r->bytes);
	*r = (struct request){ 0 };
}

static int
check_texts(struct request *r, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *text = *text_at(r, &texts[i]);

		if (text != NULL && strlen(text) > texts[i].max)
			return err_set(e, ERR_FORMAT,
			    "'%s' is longer than %zu bytes", texts[i].name,
			    texts[i].max);
	}
	return 0;
}

/* --- writing --- */

static void
put_str(struct str *s, const char *name, const char *value)
{
	str_addf(s, ",\"%s\":", name);
	json_quote(value, strlen(value), s);
}

static void
put_text(struct str *s, const char *name, const char *value)
{
	put_str(s, name, value == NULL ? "" : value);
}

static void
put_int(struct str *s, const char *name, int64_t value)
{
	str_addf(s, ",\"%s\":%" PRId64, name, value);
}

/* A number above 2^53 is not safe as a JSON number: inodes are text. */
static void
put_u64(struct str *s, const char *name, uint64_t value)
{
	str_addf(s, ",\"%s\":\"%" PRIu64 "\"", name, value);
}

static void
put_tree(struct str *s, const char *name, const cJSON *value)
{
	str_addf(s, ",\"%s\":", name);
	if (value == NULL)
		str_add(s, "{}");
	else
		json_print(value, s);
}

static void
put_blob(struct str *s, const struct request *r)
{
	char hex[DIGEST_HEX + 1];

	if (!r->has_blob) {
		str_add(s, ",\"blob\":null}\n");
		return;
	}
	digest_hex(&r->blob_digest, hex);
	str_add(s, ",\"blob\":{\"field\":");
	json_quote(r->blob_field, strlen(r->blob_field), s);
	put_str(s, "digest", hex);
	put_int(s, "bytes", r->blob_bytes);
	str_add(s, "}}\n");
}

static void
put_request(struct str *s, const struct request *r)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&r->call_key, hex);
	str_add(s, "{\"v\":1");
	put_str(s, "id", r->id);
	put_str(s, "project", r->project);
	put_text(s, "origin", r->origin);
	put_text(s, "agent", r->agent);
	put_text(s, "session", r->session);
	put_text(s, "agent_id", r->agent_id);
	put_text(s, "tool_use_id", r->tool_use_id);
	put_text(s, "tool", r->tool);
	put_tree(s, "input", r->input);
	put_text(s, "cwd", r->cwd);
	put_u64(s, "cwd_dev", r->cwd_dev);
	put_u64(s, "cwd_ino", r->cwd_ino);
	put_text(s, "lang", r->lang);
	put_tree(s, "lc", r->lc);
	put_text(s, "tz", r->tz);
	put_text(s, "agent_says", r->agent_says);
	put_int(s, "created_wall_ms", r->created_wall_ms);
	put_int(s, "created_boot_ms", r->created_boot_ms);
	put_str(s, "boot_id", r->boot_id);
	put_int(s, "ttl_s", r->ttl_s);
	put_str(s, "nonce", r->nonce);
	put_str(s, "call_key", hex);
	put_blob(s, r);
}

/* The longest text of input is what does not fit: it becomes the blob. */
static int
take_blob(struct request *r, struct str *blob, struct err *e)
{
	cJSON *c, *big = NULL;
	size_t len = 0;

	cJSON_ArrayForEach(c, r->input) {
		size_t n = cJSON_IsString(c) ? strlen(c->valuestring) : 0;

		if (n > len && strlen(c->string) <= BLOB_FIELD_MAX) {
			len = n;
			big = c;
		}
	}
	if (big == NULL || len > BLOB_MAX)
		return err_set(e, ERR_FORMAT,
		    "the call is too large for a request");
	r->blob_field = xstrdup(big->string);
	r->blob_bytes = (int64_t)len;
	digest_of(big->valuestring, len, NULL, &r->blob_digest);
	r->has_blob = true;
	str_init(blob, BLOB_MAX);
	str_addn(blob, big->valuestring, len);
	json_free(cJSON_DetachItemViaPointer(r->input, big));
	return 0;
}

int
request_encode(struct request *r, struct str *ret_blob, struct err *e)
{
	auto_str struct str s = { 0 }, blob = { 0 };

	str_init(&s, REQUEST_MAX);
	if (check_texts(r, e) == -1)
		return -1;
	put_request(&s, r);
	if (s.full && !r->has_blob) {
		if (take_blob(r, &blob, e) == -1)
			return -1;
		str_reset(&s);
		put_request(&s, r);
	}
	if (s.full)
		return err_set(e, ERR_FORMAT,
		    "the call is too large for a request");
	str_clear(&r->bytes);
	r->bytes = s;
	s = (struct str){ 0 };
	*ret_blob = blob;
	blob = (struct str){ 0 };
	return 0;
}

/* --- reading --- */

static int
get_u64(const cJSON *j, const char *name, uint64_t *ret, struct err *e)
{
	const char *s = json_str(j, name);
	char back[U64_DIGITS + 1];

	*ret = strtoull(s, NULL, 10);
	snprintf(back, sizeof back, "%" PRIu64, *ret);
	/* Written back the same: no sign, blank, leading zero or overflow. */
	return str_eq(s, back) ? 0 :
	    err_set(e, ERR_FORMAT, "'%s' is not a number", name);
}

static int
get_hex(const cJSON *j, const char *name, char *ret, size_t digits,
    struct err *e)
{
	unsigned char bin[DIGEST_BYTES];

	if (hex_get(json_str(j, name), bin, digits / 2) == -1)
		return err_set(e, ERR_FORMAT, "'%s' is not %zu hex digits",
		    name, digits);
	memcpy(ret, json_str(j, name), digits + 1);
	return 0;
}

static int
get_blob(const cJSON *blob, struct request *r, struct err *e)
{
	if (cJSON_IsNull(blob))
		return 0;
	if (json_check(blob, blob_fields, ARRAY_LEN(blob_fields), true, e)
	    == -1)
		return err_add(e, "blob");
	r->blob_bytes = json_int(blob, "bytes", 0);
	if (digest_parse(json_str(blob, "digest"), &r->blob_digest) == -1 ||
	    r->blob_bytes > BLOB_MAX)
		return err_set(e, ERR_FORMAT, "'blob' is damaged");
	r->blob_field = xstrdup(json_str(blob, "field"));
	if (json_get(r->input, r->blob_field) != NULL)
		return err_set(e, ERR_FORMAT,
		    "'blob' and 'input' both hold '%s'", r->blob_field);
	r->has_blob = true;
	return 0;
}

static int
check_lc(const cJSON *lc, struct err *e)
{
	const cJSON *c;
	int n = 0;

	cJSON_ArrayForEach(c, lc) {
		const char *name = c->string;

		if (++n > LC_MAX || !str_starts(name, "LC_") ||
		    strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") !=
		    strlen(name) || !cJSON_IsString(c) ||
		    strlen(c->valuestring) > LC_TEXT_MAX)
			return err_set(e, ERR_FORMAT, "'lc' is damaged");
	}
	return 0;
}

static int
get_time(const cJSON *j, struct request *r, struct err *e)
{
	const char *boot = json_str(j, "boot_id");

	r->created_wall_ms = json_int(j, "created_wall_ms", 0);
	r->created_boot_ms = json_int(j, "created_boot_ms", 0);
	r->ttl_s = json_int(j, "ttl_s", 0);
	if (strspn(boot, "0123456789abcdef-") != sizeof r->boot_id - 1)
		return err_set(e, ERR_FORMAT, "'boot_id' is damaged");
	memcpy(r->boot_id, boot, sizeof r->boot_id);
	/* The name's time part orders lists unopened: it may not lie. */
	if (r->created_boot_ms > BOOT_MS_MAX ||
	    r->created_boot_ms != (int64_t)strtoull(r->id + 17, NULL, 16))
		return err_set(e, ERR_FORMAT,
		    "'created_boot_ms' is not the id's");
	return r->ttl_s > 0 ? 0 :
	    err_set(e, ERR_FORMAT, "'ttl_s' must not be 0");
}

static int
fill(const char *id, const cJSON *j, struct request *r, struct err *e)
{
	char key[DIGEST_HEX + 1];

	if (json_int(j, "v", 0) != 1)
		return err_set(e, ERR_FORMAT, "'v' is not 1");
	if (!id_ok(id) || !str_eq(id, json_str(j, "id")))
		return err_set(e, ERR_FORMAT, "'id' is not the file's name");
	memcpy(r->id, id, strlen(id) + 1);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*text_at(r, &texts[i]) = xstrdup(json_str(j, texts[i].name));
	if (!str_eq(r->origin, "hook") && !str_eq(r->origin, "mcp"))
		return err_set(e, ERR_FORMAT, "'origin' is unknown");
	if (r->tool[0] == '\0' || r->cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "'tool' or 'cwd' is damaged");
	if (check_texts(r, e) == -1 ||
	    get_hex(j, "project", r->project, 32, e) == -1 ||
	    get_hex(j, "nonce", r->nonce, 32, e) == -1 ||
	    get_hex(j, "call_key", key, DIGEST_HEX, e) == -1 ||
	    get_u64(j, "cwd_dev", &r->cwd_dev, e) == -1 ||
	    get_u64(j, "cwd_ino", &r->cwd_ino, e) == -1 ||
	    check_lc(json_get(j, "lc"), e) == -1 ||
	    get_time(j, r, e) == -1)
		return -1;
	digest_parse(key, &r->call_key);
	return 0;
}

int
request_decode(const char *id, const char *bytes, size_t len,
    struct request *ret, struct err *e)
{
	auto_json cJSON *j = NULL;
	struct request r;

	if (len > REQUEST_MAX)
		return err_set(e, ERR_FORMAT, "more than %d bytes",
		    REQUEST_MAX);
	if (json_parse(bytes, len, JSON_DEPTH, &j, e) == -1 ||
	    json_check(j, fields, ARRAY_LEN(fields), true, e) == -1)
		return -1;
	request_init(&r);
	if (fill(id, j, &r, e) == -1)
		goto bad;
	r.input = cJSON_DetachItemFromObjectCaseSensitive(j, "input");
	r.lc = cJSON_DetachItemFromObjectCaseSensitive(j, "lc");
	if (get_blob(json_get(j, "blob"), &r, e) == -1)
		goto bad;
	str_addn(&r.bytes, bytes, len);
	*ret = r;
	return 0;
bad:
	request_clear(&r);
	return -1;
}

int
request_set_blob(struct request *r, const char *bytes, size_t len,
    struct err *e)
{
	struct digest d;

	digest_of(bytes, len, NULL, &d);
	if (!r->has_blob || (int64_t)len != r->blob_bytes ||
	    !digest_eq(&d, &r->blob_digest) || memchr(bytes, 0, len) != NULL ||
	    !utf8_ok(bytes, len))
		return err_set(e, ERR_FORMAT,
		    "the blob is not the one the request names");
	if (json_get(r->input, r->blob_field) == NULL)
		json_add_strn(r->input, r->blob_field, bytes, len);
	return 0;
}

/* --- time and digest --- */

static int64_t
left_ms(const struct request *r, const struct clock *now)
{
	int64_t boot = r->created_boot_ms + r->ttl_s * 1000 - now->boot_ms;
	int64_t wall = r->created_wall_ms + r->ttl_s * 1000 - now->wall_ms;

	if (!str_eq(r->boot_id, now->boot_id))
		return 0;
	return boot < wall ? boot : wall;
}

bool
request_expired(const struct request *r, const struct clock *now)
{
	return left_ms(r, now) <= 0;
}

int64_t
request_left_s(const struct request *r, const struct clock *now)
{
	int64_t ms = left_ms(r, now);

	return ms <= 0 ? 0 : (ms + 999) / 1000;
}

void
request_digest(const struct request *r, const struct digest *scripts,
    struct digest *ret)
{
	static const struct digest none;
	struct digest_state s;

	digest_begin(&s, NULL);
	digest_add_field(&s, r->bytes.s, r->bytes.len);
	digest_add(&s, r->has_blob ? r->blob_digest.b : none.b, DIGEST_BYTES);
	digest_add(&s, scripts->b, DIGEST_BYTES);
	digest_end(&s, ret);
}
