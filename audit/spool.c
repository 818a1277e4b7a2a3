#include "audit/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/event.h"
#include "audit/scrub.h"
#include "common/fs.h"
#include "common/id.h"
#include "common/mem.h"

#include "common/banned.h"

#define TMP	"tmp."

static const struct json_field claim_fields[] = {
	{ "v", JSON_INT, true, 0 },
	{ "kind", JSON_STRING, true, 32 },
	{ "session", JSON_STRING, true, 256 },
	{ "agent", JSON_STRING, true, 256 },
	{ "id", JSON_STRING, false, ID_MAX },
	{ "t_wall_ms", JSON_INT, true, 0 },
	{ "fields", JSON_OBJECT, true, 0 },
};

/* Names in the order of their time; files being written are left alone. */
static bool
is_claim(const char *name)
{
	return id_ok(name);
}

static bool
is_full(int spoolfd)
{
	struct fs_names l = { 0 };
	size_t more = 0;
	bool full = fs_list(spoolfd, is_claim, SPOOL_FULL - 1, &l, &more,
	    NULL) == 0 && more > 0;

	fs_names_clear(&l);
	return full;
}

int
audit_spool_put(int spoolfd, const struct event *ev,
    const struct clock *clock, struct err *e)
{
	auto_json cJSON *claim = json_object();
	auto_str struct str text = { 0 };
	char id[ID_MAX + 1], tmp[ID_MAX + sizeof TMP];

	json_add_int(claim, "v", 1);
	json_add_str(claim, "kind", ev->kind);
	json_add_str(claim, "session", ev->session == NULL ? "" : ev->session);
	json_add_str(claim, "agent", ev->agent == NULL ? "" : ev->agent);
	if (ev->id != NULL)
		json_add_str(claim, "id", ev->id);
	json_add_int(claim, "t_wall_ms", clock->wall_ms);
	json_add(claim, "fields", ev->fields == NULL ? json_object() :
	    cJSON_Duplicate(ev->fields, 1));
	str_init(&text, SPOOL_CLAIM_MAX);
	json_print(claim, &text);
	if (text.full)
		return err_set(e, ERR_FORMAT, "a claim is too long");
	if (is_full(spoolfd))
		return err_set(e, ERR_LOST, "too many claims wait");
	id_make(clock->boot_ms, getpid(), id);
	snprintf(tmp, sizeof tmp, TMP "%s", id);
	if (fs_write_new(spoolfd, tmp, text.s, text.len, false, e) == -1 ||
	    fs_rename_new(spoolfd, tmp, spoolfd, id, e) == -1) {
		unlinkat(spoolfd, tmp, 0);
		return err_add(e, "spool");
	}
	return 0;
}

/* A kind that needs a signature cannot be claimed. */
static bool
may_claim(const char *kind)
{
	const struct event_kind *k = event_kind_find(kind, strlen(kind));

	return k != NULL && k->title == NULL && strcmp(kind, "claim") != 0;
}

/* The claim of a file, scrubbed once more; NULL: it is none. */
static cJSON *
read_claim(int spoolfd, const char *name)
{
	auto_str struct str text = { 0 };
	auto_json cJSON *claim = NULL;

	str_init(&text, SPOOL_CLAIM_MAX);
	if (fs_read_own(spoolfd, name, SPOOL_CLAIM_MAX, &text, NULL) == -1 ||
	    json_parse(text.s, text.len, JSON_DEPTH, &claim, NULL) == -1 ||
	    json_check(claim, claim_fields, ARRAY_LEN(claim_fields), true,
	    NULL) == -1 || json_int(claim, "v", 0) != 1 ||
	    !may_claim(json_str(claim, "kind")))
		return NULL;
	return scrub_json(claim);
}

static int
take_one(struct audit *a, const cJSON *claim, const struct clock *clock,
    struct err *e)
{
	auto_json cJSON *fields = json_object();
	auto_str struct str said = { 0 };
	const char *id = json_str(claim, "id");
	const struct event ev = { .kind = "claim",
		.session = json_str(claim, "session"),
		.agent = json_str(claim, "agent"),
		.id = id != NULL && id_ok(id) ? id : NULL, .fields = fields };

	json_add_str(fields, "claimed", json_str(claim, "kind"));
	json_add_int(fields, "claimed_ms", json_int(claim, "t_wall_ms", 0));
	str_init(&said, CHAIN_RECORD_MAX);
	json_print(json_get(claim, "fields"), &said);
	json_add_str(fields, "said", said.s);
	return audit_append(a, &ev, clock, NULL, e);
}

int
audit_spool_take(struct audit *a, int spoolfd, const struct clock *clock,
    struct spool_taken *ret, struct err *e)
{
	struct spool_taken t = { .taken = 0 };
	struct fs_names l;
	int rc = 0;

	if (fs_list(spoolfd, is_claim, SPOOL_AT_ONCE, &l, &t.left, e) == -1)
		return err_add(e, "spool");
	if (l.n > 0)
		qsort(l.names, l.n, sizeof *l.names, id_compare);
	for (size_t i = 0; rc == 0 && i < l.n; i++) {
		auto_json cJSON *claim = read_claim(spoolfd, l.names[i]);

		/* The record first: a claim told twice does no harm. */
		if (claim != NULL)
			rc = take_one(a, claim, clock, e);
		if (rc == -1)
			break;
		t.taken += claim != NULL;
		t.bad += claim == NULL;
		unlinkat(spoolfd, l.names[i], 0);
	}
	fs_names_clear(&l);
	*ret = t;
	return rc;
}
