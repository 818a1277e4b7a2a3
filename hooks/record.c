/*
 * What the log keeps about a call.  Secrets are scrubbed before anything is
 * hashed; the keyed hash over the unscrubbed call lets the owner, who has the
 * key, prove that two calls were the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/originals/originals.h"
#include "audit/scrub.h"
#include "audit/spool.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "hooks/gate.h"

#include "common/banned.h"

#define KEY_FILE	"call.key"
#define KEY_BYTES	32
#define SUMMARY_MAX	1024	/* scrubbing may make it a little longer */

static int
read_key(const struct home *h, struct str *ret, struct err *e)
{
	if (fs_read_own(h->priv, KEY_FILE, KEY_BYTES, ret, e) == -1)
		return -1;
	return ret->len == KEY_BYTES ? 0 :
	    err_set(e, ERR_FORMAT, "'" KEY_FILE "' is damaged");
}

/* The first hook of a project makes it; of two, one wins and both read that. */
static int
make_key(const struct home *h, struct err *e)
{
	unsigned char key[KEY_BYTES];
	char name[40];
	int rc;

	snprintf(name, sizeof name, "." KEY_FILE ".%d", (int)getpid());
	randombytes_buf(key, sizeof key);
	unlinkat(h->priv, name, 0);
	if (fs_write_new(h->priv, name, key, sizeof key, false, e) == -1)
		return -1;
	rc = fs_rename_new(h->priv, name, h->priv, KEY_FILE, e);
	if (rc == -1) {
		unlinkat(h->priv, name, 0);
		rc = faccessat(h->priv, KEY_FILE, F_OK, AT_SYMLINK_NOFOLLOW);
	}
	sodium_memzero(key, sizeof key);
	return rc;
}

int
gate_call_hmac(const struct gate *g, const struct call *call,
    char ret[static DIGEST_HEX + 1], struct err *e)
{
	crypto_generichash_state st;
	struct digest plain, out;
	struct err first;
	struct str key;
	int rc;

	str_init(&key, KEY_BYTES);
	rc = read_key(&g->home, &key, &first);
	if (rc == -1 && first.sys == ENOENT)
		rc = make_key(&g->home, &first) == -1 ? -1 :
		    read_key(&g->home, &key, &first);
	if (rc == -1) {
		str_wipe(&key);
		return err_set(e, ERR_SYSTEM, "%s", first.text);
	}
	call_key(call, &plain);
	crypto_generichash_init(&st, (const unsigned char *)key.s, KEY_BYTES,
	    DIGEST_BYTES);
	crypto_generichash_update(&st, plain.b, DIGEST_BYTES);
	crypto_generichash_final(&st, out.b, DIGEST_BYTES);
	str_wipe(&key);
	digest_hex(&out, ret);
	return 0;
}

void
gate_add_scrubbed(cJSON *fields, const char *name, const char *text)
{
	auto_str struct str out = { 0 };

	str_init(&out, SUMMARY_MAX);
	scrub(text, strlen(text), &out);
	json_add_str(fields, name, out.s);
}

void
gate_add_call(cJSON *fields, const struct call *call)
{
	auto_json cJSON *input = scrub_json(call->input);
	struct call clean = *call;
	auto_str struct str summary = { 0 };
	char hex[DIGEST_HEX + 1];
	struct digest d;

	clean.input = input;
	str_init(&summary, SUMMARY_MAX);
	call_summary(call, &summary);
	gate_add_scrubbed(fields, "tool", call->tool);
	gate_add_scrubbed(fields, "summary", summary.s);
	call_key(&clean, &d);
	digest_hex(&d, hex);
	json_add_str(fields, "digest", hex);
}

/* In a jail the log cannot be reached: a claim is left for the other side. */
static int
leave(struct gate *g, const struct event *ev, struct err *e)
{
	auto_close int spool = fs_open_dir(g->home.bus, "spool", e);

	return spool == -1 ? -1 : audit_spool_put(spool, ev, &g->now, e);
}

static int
append(struct gate *g, const struct event *ev, struct err *e)
{
	g->deaf = (g->home.jailed ? leave(g, ev, e) :
	    audit_append(g->audit, ev, &g->now, NULL, e)) == -1;
	return g->deaf ? -1 : 0;
}

int
gate_note(struct gate *g, const struct hook_input *in, const char *kind,
    const cJSON *fields, struct err *e)
{
	const struct event ev = { .kind = kind, .session = in->call.session,
	    .agent = in->call.client, .fields = fields };

	return append(g, &ev, e);
}

int
gate_record(struct gate *g, const struct hook_input *in, const char *kind,
    const char *id, struct err *e)
{
	auto_json cJSON *fields = json_object();
	struct event ev = { .kind = kind, .session = in->call.session,
	    .agent = in->call.client, .id = id, .fields = fields };
	char hmac[DIGEST_HEX + 1];

	if (!g->home.jailed && gate_call_hmac(g, &in->call, hmac, e) == -1)
		return -1;
	gate_add_call(fields, &in->call);
	if (!g->home.jailed)
		json_add_str(fields, "call_hmac", hmac);
	json_add_str(fields, "tool_use_id", in->tool_use_id);
	if (g->judgement != NULL) {
		const struct verdict *v = &g->judgement->verdict;

		json_add_str(fields, "decision", action_name(v->action));
		json_add_str(fields, "tier", tier_name(v->tier));
		json_add_str(fields, "rule", v->rule);
	}
	if (g->originals[0] != '\0')
		json_add_str(fields, ORIGINALS_FIELD, g->originals);
	if (g->changed[0] != '\0')
		json_add_str(fields, CHANGED_FIELD, g->changed);
	return append(g, &ev, e);
}
