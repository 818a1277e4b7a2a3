/*
 * Reading a request: every field once, of its type, and nothing else.
 */
#include "queue/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "queue/inside.h"

#include "common/banned.h"

#define LC_MAX		16
#define BOOT_MS_MAX	0xffffffffffffLL	/* what fits into an id */
#define U64_DIGITS	20

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
	{ "field", JSON_STRING, true, REQUEST_FIELD_MAX },
	{ "digest", JSON_STRING, true, DIGEST_HEX },
	{ "bytes", JSON_INT, true, 0 },
};

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
		    strlen(c->valuestring) > REQUEST_LOCALE_MAX)
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
	for (size_t i = 0; i < REQUEST_TEXTS; i++)
		*request_text_at(r, i) =
		    xstrdup(json_str(j, request_texts[i].name));
	if (!str_eq(r->origin, "hook") && !str_eq(r->origin, "mcp") &&
	    !str_eq(r->origin, "jail"))
		return err_set(e, ERR_FORMAT, "'origin' is unknown");
	if (r->tool[0] == '\0' || r->cwd[0] != '/')
		return err_set(e, ERR_FORMAT, "'tool' or 'cwd' is damaged");
	if (request_check_texts(r, e) == -1 ||
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
