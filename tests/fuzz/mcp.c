/*
 * The MCP server's framing and messages: whatever comes in, in whatever
 * pieces, what goes out is one strict JSON-RPC message a line, at most one for
 * each line that came, and the same for the same bytes.
 */
#include "common/json.h"
#include "hooks/mcp/mcp.h"
#include "tests/fuzz/fuzz.h"

static void
serve(const uint8_t *data, size_t size, size_t step, struct str *ret)
{
	static const struct mcp_args args = { .dir = "/nowhere",
	    .base = "/nowhere", .session = "s", .client_pid = 1 };
	struct mcp m;
	const char *p;
	size_t n;

	mcp_init(&m, &args);
	for (size_t i = 0; i < size; i += step)
		frames_feed(&m.f, (const char *)data + i,
		    size - i < step ? size - i : step, mcp_line, &m);
	mcp_look(&m);
	MUST(m.place == NULL && m.calls == NULL);
	n = frames_left(&m.f, &p);
	str_addn(ret, p, n);
	mcp_end(&m);
}

static bool
id_ok_here(const cJSON *id)
{
	double d;

	return cJSON_IsString(id) || json_number(id, &d) || cJSON_IsNull(id);
}

/* One message: a result or an error, never both. */
static void
check_line(const char *line, size_t len)
{
	cJSON *o = NULL;
	const cJSON *error;

	MUST(json_parse(line, len, JSON_DEPTH, &o, NULL) == 0);
	MUST(cJSON_IsObject(o) && str_eq(json_str(o, "jsonrpc"), "2.0"));
	MUST(id_ok_here(json_get(o, "id")));
	error = json_get(o, "error");
	MUST((error == NULL) != (json_get(o, "result") == NULL));
	MUST(error == NULL || (cJSON_IsNumber(json_get(error, "code")) &&
	    json_str(error, "message") != NULL));
	MUST(error != NULL || !cJSON_IsNull(json_get(o, "id")));
	json_free(o);
}

static size_t
count(const char *p, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += p[i] == '\n';
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str whole, pieces;
	const char *p, *lf;

	str_init(&whole, FRAME_OUT);
	str_init(&pieces, FRAME_OUT);
	serve(data, size, size + 1, &whole);
	serve(data, size, 1 + size % 7, &pieces);
	MUST(whole.len == pieces.len &&
	    memcmp(whole.s, pieces.s, whole.len) == 0);
	MUST(count(whole.s, whole.len) <= count((const char *)data, size));
	for (p = whole.s; (lf = strchr(p, '\n')) != NULL; p = lf + 1)
		check_line(p, (size_t)(lf - p));
	MUST(p == whole.s + whole.len);
	str_clear(&whole);
	str_clear(&pieces);
	return 0;
}
