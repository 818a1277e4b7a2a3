/* The question's format: what is written is read back, nothing else is. */
#include "tests/unit/queue_bed.h"
#include "tests/unit/unit.h"

static const char boot[] = "6178704d-4d61-4537-b51a-568132755f1c";
static uint64_t seed;

static uint64_t
next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Up to max bytes of text, controls, quotes and other scripts included. */
static char *
some_text(size_t max)
{
	static const char *const bits[] = { "a", "Z", "0", " ", "\"", "\\",
		"/", "\n", "\t", "\x01", "\x1b", "\x7f", "\xc3\xa9",
		"\xe2\x80\xae", "\xf0\x9f\x92\xa5", "{}", "\xef\xbf\xbd" };
	struct str s;
	size_t n = (size_t)(next() % (max + 1));

	str_init(&s, max);
	while (s.len + 4 <= n)
		str_add(&s, bits[next() % ARRAY_LEN(bits)]);
	return str_take(&s);
}

static void
some_request(struct request *r)
{
	request_init(r);
	r->created_boot_ms = (int64_t)(next() & 0xffffffffffff);
	r->created_wall_ms = (int64_t)(next() >> 12);
	id_make(r->created_boot_ms, (pid_t)(next() >> 34), r->id);
	memcpy(r->boot_id, boot, sizeof r->boot_id);
	snprintf(r->project, sizeof r->project, "%016llx%016llx",
	    (unsigned long long)next(), (unsigned long long)next());
	snprintf(r->nonce, sizeof r->nonce, "%016llx%016llx",
	    (unsigned long long)next(), (unsigned long long)next());
	r->origin = xstrdup(next() % 2 ? "hook" : "mcp");
	r->agent = some_text(64);
	r->session = some_text(256);
	r->agent_id = some_text(256);
	r->tool_use_id = some_text(256);
	r->tool = xasprintf("T%.200s", "ool");
	r->cwd = xasprintf("/%.64s", "dir");
	r->lang = some_text(128);
	r->tz = some_text(128);
	r->agent_says = some_text(4096);
	r->cwd_dev = next();
	r->cwd_ino = next();
	r->ttl_s = (int64_t)(next() % 100000) + 1;
	digest_of(&seed, sizeof seed, NULL, &r->call_key);
	r->input = json_object();
	for (uint64_t i = next() % 4; i > 0; i--) {
		char name[24];
		auto_free char *text = some_text(600);

		snprintf(name, sizeof name, "f%llu", (unsigned long long)i);
		json_add_str(r->input, name, text);
	}
	r->lc = json_object();
	if (next() % 2)
		json_add_str(r->lc, "LC_ALL", "C.UTF-8");
}

static void
check_same(const struct request *a, const struct request *b)
{
	auto_free char *in_a = cJSON_PrintUnformatted(a->input);
	auto_free char *in_b = cJSON_PrintUnformatted(b->input);
	auto_free char *lc_a = cJSON_PrintUnformatted(a->lc);
	auto_free char *lc_b = cJSON_PrintUnformatted(b->lc);

	ck_assert_str_eq(a->id, b->id);
	ck_assert_str_eq(a->project, b->project);
	ck_assert_str_eq(a->origin, b->origin);
	ck_assert_str_eq(a->agent, b->agent);
	ck_assert_str_eq(a->session, b->session);
	ck_assert_str_eq(a->agent_id, b->agent_id);
	ck_assert_str_eq(a->tool_use_id, b->tool_use_id);
	ck_assert_str_eq(a->tool, b->tool);
	ck_assert_str_eq(in_a, in_b);
	ck_assert_str_eq(a->cwd, b->cwd);
	ck_assert_uint_eq(a->cwd_dev, b->cwd_dev);
	ck_assert_uint_eq(a->cwd_ino, b->cwd_ino);
	ck_assert_str_eq(a->lang, b->lang);
	ck_assert_str_eq(lc_a, lc_b);
	ck_assert_str_eq(a->tz, b->tz);
	ck_assert_str_eq(a->agent_says, b->agent_says);
	ck_assert_int_eq(a->created_wall_ms, b->created_wall_ms);
	ck_assert_int_eq(a->created_boot_ms, b->created_boot_ms);
	ck_assert_str_eq(a->boot_id, b->boot_id);
	ck_assert_int_eq(a->ttl_s, b->ttl_s);
	ck_assert_str_eq(a->nonce, b->nonce);
	ck_assert(digest_eq(&a->call_key, &b->call_key));
	ck_assert_uint_eq(a->bytes.len, b->bytes.len);
	ck_assert(memcmp(a->bytes.s, b->bytes.s, b->bytes.len) == 0);
}

START_TEST(decode_undoes_encode)
{
	struct err e = { 0 };

	ck_assert_int_eq(digest_setup(&e), 0);
	seed = 0x9e3779b97f4a7c15ULL;
	for (int i = 0; i < 3000; i++) {
		struct request a, b;
		struct str blob;

		some_request(&a);
		ck_assert_msg(request_encode(&a, &blob, &e) == 0, "%s",
		    e.text);
		ck_assert_uint_eq(blob.len, 0);
		ck_assert_msg(request_decode(a.id, a.bytes.s, a.bytes.len, &b,
		    &e) == 0, "%s: %s", e.text, a.bytes.s);
		check_same(&a, &b);
		request_clear(&a);
		request_clear(&b);
	}
}
END_TEST

static struct request good;

static void
make_good(void)
{
	struct str blob;
	struct err e;

	ck_assert_int_eq(digest_setup(&e), 0);
	bed_request(&good, "ls");
	good.created_boot_ms = 5000;
	good.created_wall_ms = 1000000;
	id_make(5000, 77, good.id);
	memcpy(good.boot_id, boot, sizeof good.boot_id);
	memset(good.project, 'a', 32);
	memset(good.nonce, 'b', 32);
	ck_assert_int_eq(request_encode(&good, &blob, &e), 0);
}

static int
decodes(const char *text, size_t len)
{
	struct request r;
	struct err e;

	if (request_decode(good.id, text, len, &r, &e) == -1) {
		ck_assert_int_eq(e.code, ERR_FORMAT);
		return 0;
	}
	request_clear(&r);
	return 1;
}

static int
decodes_tree(cJSON *j)
{
	auto_free char *text = cJSON_PrintUnformatted(j);

	return decodes(text, strlen(text));
}

/* Each field of the file: taken out, of another type, given twice. */
START_TEST(every_field_is_needed_once_and_typed)
{
	cJSON *j, *c;
	int n = 0;

	make_good();
	ck_assert(decodes(good.bytes.s, good.bytes.len));
	j = cJSON_Parse(good.bytes.s);
	cJSON_ArrayForEach(c, j) {
		const char *types[] = { "1.5", "-1", "true", "[]", "\"?\"",
			"9007199254740994" };
		cJSON *copy = cJSON_Duplicate(j, true);
		auto_free char *text = NULL;
		auto_free char *twice = NULL;
		auto_free char *value = cJSON_PrintUnformatted(c);

		n++;
		cJSON_DeleteItemFromObjectCaseSensitive(copy, c->string);
		ck_assert_msg(!decodes_tree(copy), "without %s", c->string);
		for (size_t i = 0; i < ARRAY_LEN(types); i++) {
			cJSON *odd = cJSON_Parse(types[i]);

			if (cJSON_IsString(c) && cJSON_IsString(odd)) {
				cJSON_Delete(odd);
				continue;
			}
			cJSON_AddItemToObject(copy, c->string, odd);
			ck_assert_msg(!decodes_tree(copy), "%s = %s",
			    c->string, types[i]);
			cJSON_DeleteItemFromObjectCaseSensitive(copy,
			    c->string);
		}
		text = cJSON_PrintUnformatted(copy);
		twice = xasprintf("{\"%s\":%s,\"%s\":%s,%s", c->string, value,
		    c->string, value, text + 1);
		ck_assert_msg(!decodes(twice, strlen(twice)), "%s twice",
		    c->string);
		cJSON_Delete(copy);
	}
	ck_assert_int_eq(n, 24);
	cJSON_AddItemToObject(j, "extra", cJSON_CreateNull());
	ck_assert(!decodes_tree(j));
	cJSON_Delete(j);
	request_clear(&good);
}
END_TEST

static const struct odd {
	const char *name, *value;
} odds[] = {
	{ "v", "2" }, { "id", "\"0000000000000000-000000001388-1\"" },
	{ "project", "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"" },
	{ "project", "\"\"" }, { "origin", "\"web\"" }, { "tool", "\"\"" },
	{ "cwd", "\"tmp\"" }, { "cwd", "\"\"" }, { "cwd_dev", "\"\"" },
	{ "cwd_dev", "\"01\"" }, { "cwd_ino", "\"-1\"" },
	{ "cwd_ino", "\" 1\"" }, { "cwd_ino", "\"18446744073709551616\"" },
	{ "cwd_ino", "\"99999999999999999999\"" }, { "cwd_ino", "\"0x1\"" },
	{ "lc", "{\"PATH\":\"/evil\"}" }, { "lc", "{\"LC_ALL\":1}" },
	{ "lc", "{\"LC_all\":\"C\"}" }, { "created_boot_ms", "5001" },
	{ "created_boot_ms", "281474976715656" }, { "boot_id", "\"x\"" },
	{ "boot_id", "\"6178704d\"" }, { "ttl_s", "0" }, { "nonce", "\"bb\"" },
	{ "call_key", "\"00\"" }, { "blob", "{}" },
	{ "blob", "{\"field\":\"x\",\"digest\":\"00\",\"bytes\":1}" },
	{ "blob", "{\"field\":\"command\",\"digest\":\"00000000000000000000"
	    "00000000000000000000000000000000000000000000\",\"bytes\":1}" },
	{ "blob", "{\"field\":\"x\",\"digest\":\"00000000000000000000"
	    "00000000000000000000000000000000000000000000\","
	    "\"bytes\":8388609}" },
	{ "input", "null" }, { "v", "1e400" },
};

START_TEST(odd_values_are_refused)
{
	auto_json cJSON *j = NULL;

	make_good();
	j = cJSON_Parse(good.bytes.s);
	cJSON_ReplaceItemInObjectCaseSensitive(j, odds[_i].name,
	    cJSON_CreateRaw(odds[_i].value));
	ck_assert_msg(!decodes_tree(j), "%s = %s", odds[_i].name,
	    odds[_i].value);
	request_clear(&good);
}
END_TEST

START_TEST(damaged_bytes_are_refused)
{
	auto_free char *t = NULL;
	size_t n;

	make_good();
	n = good.bytes.len;
	t = xstrndup(good.bytes.s, n);
	for (size_t cut = 0; cut + 1 < n; cut++)	/* without its LF: ok */
		ck_assert(!decodes(t, cut));
	ck_assert(decodes(t, n - 1));
	t[20] = '\0';
	ck_assert(!decodes(t, n));
	t[20] = '\xff';
	ck_assert(!decodes(t, n));
	ck_assert(!decodes("", 0));
	request_clear(&good);
}
END_TEST

/* One clock is enough to end it, and so is a reboot. */
START_TEST(either_clock_ends_it)
{
	struct clock c = { .wall_ms = 1000000, .boot_ms = 5000 };

	make_good();
	good.ttl_s = 60;
	memcpy(c.boot_id, boot, sizeof c.boot_id);
	ck_assert(!request_expired(&good, &c));
	ck_assert_int_eq(request_left_s(&good, &c), 60);
	c.boot_ms = 5000 + 59999;
	ck_assert(!request_expired(&good, &c));
	ck_assert_int_eq(request_left_s(&good, &c), 1);
	c.boot_ms++;
	ck_assert(request_expired(&good, &c));
	ck_assert_int_eq(request_left_s(&good, &c), 0);
	c.boot_ms = 5000;
	c.wall_ms = 1000000 + 60000;
	ck_assert(request_expired(&good, &c));
	c.wall_ms = 0;			/* set back: the other still counts */
	ck_assert(!request_expired(&good, &c));
	c.boot_ms = 5000 + 60000;
	ck_assert(request_expired(&good, &c));
	c = (struct clock){ .wall_ms = 1000000, .boot_ms = 5000,
		.boot_id = "00000000-0000-0000-0000-000000000000" };
	ck_assert(request_expired(&good, &c));
	ck_assert_int_eq(request_left_s(&good, &c), 0);
	request_clear(&good);
}
END_TEST

/* Whatever differs, differs in the digest. */
START_TEST(the_digest_covers_everything)
{
	struct digest none = { { 0 } }, one = { { 1 } }, base, d, prev;

	make_good();
	request_digest(&good, &none, &base);
	request_digest(&good, &none, &d);
	ck_assert(digest_eq(&d, &base));
	request_digest(&good, &one, &d);
	ck_assert(!digest_eq(&d, &base));
	good.has_blob = true;
	request_digest(&good, &none, &d);
	ck_assert(digest_eq(&d, &base));	/* an all-zero blob digest... */
	good.blob_digest = one;			/* ...which no text has */
	request_digest(&good, &none, &d);
	ck_assert(!digest_eq(&d, &base));
	request_digest(&good, &one, &prev);
	ck_assert(!digest_eq(&d, &prev));
	good.has_blob = false;
	for (size_t i = 0; i < good.bytes.len; i++) {
		good.bytes.s[i] ^= 1;
		request_digest(&good, &none, &d);
		ck_assert(!digest_eq(&d, &base));
		good.bytes.s[i] ^= 1;
	}
	/* The very bytes docs/QUEUE.md names. */
	auto_free char *text = xcalloc(good.bytes.len + 72, 1);
	text[6] = (char)(good.bytes.len >> 8);
	text[7] = (char)good.bytes.len;
	memcpy(text + 8, good.bytes.s, good.bytes.len);
	digest_of(text, good.bytes.len + 72, NULL, &d);
	ck_assert(digest_eq(&d, &base));
	/* Bytes cannot slide over into what follows them. */
	str_addn(&good.bytes, one.b, DIGEST_BYTES);
	request_digest(&good, &none, &d);
	good.bytes.len -= DIGEST_BYTES;
	request_digest(&good, &one, &prev);
	ck_assert(!digest_eq(&d, &prev));
	request_clear(&good);
}
END_TEST

START_TEST(a_blob_must_be_the_one_named)
{
	size_t n = 300000;
	auto_free char *big = xcalloc(n + 1, 1);
	auto_str struct str blob = { 0 };
	struct request r;
	struct err e;

	make_good();
	memset(big, 'y', n);
	json_add_str(good.input, "content", big);
	ck_assert_int_eq(request_encode(&good, &blob, &e), 0);
	ck_assert_uint_eq(blob.len, n);
	ck_assert_int_eq(request_decode(good.id, good.bytes.s, good.bytes.len,
	    &r, &e), 0);
	ck_assert(r.has_blob);
	blob.s[7]++;
	ck_assert_int_eq(request_set_blob(&r, blob.s, n, &e), -1);
	blob.s[7]--;
	ck_assert_int_eq(request_set_blob(&r, blob.s, n - 1, &e), -1);
	ck_assert_int_eq(request_set_blob(&r, blob.s, n, &e), 0);
	ck_assert_str_eq(json_str(r.input, "content"), big);
	ck_assert_int_eq(request_set_blob(&r, blob.s, n, &e), 0);
	ck_assert_int_eq(cJSON_GetArraySize(r.input), 2);
	request_clear(&r);
	/* Two values that are both too large: no request. */
	json_add_str(good.input, "a", big);
	json_add_str(good.input, "b", big);
	good.has_blob = false;
	free(good.blob_field);
	good.blob_field = NULL;
	ck_assert_int_eq(request_encode(&good, &blob, &e), -1);
	ck_assert_int_eq(e.code, ERR_FORMAT);
	request_clear(&good);
}
END_TEST

UNIT_MAIN("queue/request",
	tcase_add_test(tc, decode_undoes_encode);
	tcase_add_test(tc, every_field_is_needed_once_and_typed);
	tcase_add_loop_test(tc, odd_values_are_refused, 0,
	    (int)ARRAY_LEN(odds));
	tcase_add_test(tc, damaged_bytes_are_refused);
	tcase_add_test(tc, either_clock_ends_it);
	tcase_add_test(tc, the_digest_covers_everything);
	tcase_add_test(tc, a_blob_must_be_the_one_named);)
