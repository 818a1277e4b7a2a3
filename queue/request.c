#include "queue/request.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "queue/inside.h"

#include "common/banned.h"

const struct request_text request_texts[REQUEST_TEXTS] = {
	{ "origin", offsetof(struct request, origin), 8 },
	{ "agent", offsetof(struct request, agent), 64 },
	{ "session", offsetof(struct request, session), 256 },
	{ "agent_id", offsetof(struct request, agent_id), 256 },
	{ "tool_use_id", offsetof(struct request, tool_use_id), 256 },
	{ "tool", offsetof(struct request, tool), 256 },
	{ "cwd", offsetof(struct request, cwd), 4096 },
	{ "lang", offsetof(struct request, lang), REQUEST_LOCALE_MAX },
	{ "tz", offsetof(struct request, tz), REQUEST_LOCALE_MAX },
	{ "agent_says", offsetof(struct request, agent_says), 4096 },
};

char **
request_text_at(struct request *r, size_t i)
{
	return (char **)(void *)((char *)r + request_texts[i].at);
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
	for (size_t i = 0; i < REQUEST_TEXTS; i++)
		free(*request_text_at(r, i));
	json_free(r->input);
	json_free(r->lc);
	free(r->blob_field);
	str_clear(&r->bytes);
	*r = (struct request){ 0 };
}

int
request_check_texts(struct request *r, struct err *e)
{
	for (size_t i = 0; i < REQUEST_TEXTS; i++) {
		const char *text = *request_text_at(r, i);

		if (text != NULL && strlen(text) > request_texts[i].max)
			return err_set(e, ERR_FORMAT,
			    "'%s' is longer than %zu bytes",
			    request_texts[i].name, request_texts[i].max);
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

		if (n > len && strlen(c->string) <= REQUEST_FIELD_MAX) {
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
	if (request_check_texts(r, e) == -1)
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
