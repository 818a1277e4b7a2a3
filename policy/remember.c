/* policy/remember.c - a remembered decision as a statement and as a line. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"
#include "policy/remember.h"
#include "policy/rules.h"
#include "common/banned.h"

#define TITLE	"sandbox-rule-v1"

/* The statement's lines, from 0. */
enum field {
	F_TITLE, F_PROJECT, F_VERB, F_ID, F_SCOPE, F_WHAT, F_TRIGGERS, F_SHAPE,
	F_SESSION, F_REQUEST, F_MADE, F_UNTIL, F_APPROVER, FIELDS
};

static const char *const scopes[REMEMBER_SCOPES] = {
	[REMEMBER_CALL] = "call", [REMEMBER_COMMAND] = "command",
	[REMEMBER_HOST] = "host", [REMEMBER_DIR] = "dir",
};
static const char *const shapes[] = { "-", "r", "s", "rs" };

const char *
remember_scope_name(enum remember_scope s)
{
	return scopes[s];
}

static int
find(const char *const *names, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(names[i], text))
			return (int)i;
	return -1;
}

int
remember_scope_parse(const char *text)
{
	return find(scopes, REMEMBER_SCOPES, text);
}

void
remembered_clear(struct remembered *r)
{
	free(r->what);
	free(r->who);
	free(r->stmt);
	free(r->sig);
	*r = (struct remembered){ 0 };
}

void
remembered_list_clear(struct remembered_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		remembered_clear(&l->list[i]);
	free(l->list);
	*l = (struct remembered_list){ 0 };
}

/* --- the statement ------------------------------------------------------- */

static void
add_digest(struct str *s, const void *bytes, size_t len)
{
	char hex[DIGEST_HEX + 1];
	struct digest d;

	digest_of(bytes, len, NULL, &d);
	digest_hex(&d, hex);
	stmt_add(s, hex);
}

static void
add_number(struct str *s, int64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, n);
	stmt_add(s, text);
}

static void
add_triggers(struct str *s, uint32_t triggers)
{
	auto_str struct str names = { 0 };

	str_init(&names, 1024);
	for (int i = 0; i < TRIGGER_COUNT; i++)
		if ((triggers & 1U << i) != 0)
			str_addf(&names, "%s%s", names.len > 0 ? ":" : "",
			    trigger_name((enum trigger)i));
	stmt_add(s, names.len > 0 ? names.s : "-");
}

static void
add_approver(struct str *s, const unsigned char pub[static SIGN_PUB])
{
	char hex[SIGN_PUB_HEX + 1];

	hex_put(pub, SIGN_PUB, hex);
	stmt_add(s, hex);
}

void
remember_sign(struct remembered *r, const char *project,
    const unsigned char seed[static SIGN_SEED])
{
	char sig[SIGN_SIG_HEX + 1], session[DIGEST_HEX + 1];
	auto_str struct str s = { 0 };

	digest_hex(&r->session, session);
	str_init(&s, 4096);
	stmt_add(&s, TITLE);
	stmt_add(&s, project);
	stmt_add(&s, "remember");
	stmt_add(&s, r->id);
	stmt_add(&s, scopes[r->scope]);
	add_digest(&s, r->what, strlen(r->what));
	add_triggers(&s, r->triggers);
	stmt_add(&s, shapes[r->shape]);
	stmt_add(&s, r->has_session ? session : "-");
	stmt_add(&s, r->request);
	add_number(&s, r->made_ms);
	add_number(&s, r->until_ms);
	add_approver(&s, r->approver);
	sign_make(seed, s.s, s.len, sig);
	free(r->stmt);
	free(r->sig);
	r->stmt = str_take(&s);
	r->sig = xstrdup(sig);
}

void
remember_forget_stmt(const struct remembered *r, const char *project,
    int64_t now_ms, struct str *ret)
{
	stmt_add(ret, TITLE);
	stmt_add(ret, project);
	stmt_add(ret, "forget");
	stmt_add(ret, r->id);
	add_number(ret, now_ms);
	add_approver(ret, r->approver);
}

static bool
id_fits(const char *id)
{
	return strlen(id) == REMEMBER_ID &&
	    strspn(id, "0123456789abcdef") == REMEMBER_ID;
}

static int
get_number(const char *text, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *ret >= 0 ? 0 : -1;
}

static int
get_triggers(const char *text, uint32_t *ret)
{
	auto_free char *copy = xstrdup(text);
	char *save = NULL;

	*ret = 0;
	for (char *w = strtok_r(copy, ":", &save); w != NULL;
	    w = strtok_r(NULL, ":", &save)) {
		int t = trigger_parse(w);

		if (t == -1)
			return -1;
		*ret |= 1U << t;
	}
	return 0;
}

/* From the fields; what is only words was checked by stmt_split. */
static int
get_fields(const char *const f[FIELDS], const char *project,
    struct remembered *r)
{
	int scope = remember_scope_parse(f[F_SCOPE]);
	int shape = find(shapes, ARRAY_LEN(shapes), f[F_SHAPE]);
	char hex[DIGEST_HEX + 1];
	struct digest what;

	digest_of(r->what, strlen(r->what), NULL, &what);
	digest_hex(&what, hex);
	if (scope == -1 || shape == -1 || !str_eq(f[F_PROJECT], project) ||
	    !str_eq(f[F_VERB], "remember") || !id_fits(f[F_ID]) ||
	    !str_eq(f[F_WHAT], hex) || !id_ok(f[F_REQUEST]) ||
	    get_triggers(f[F_TRIGGERS], &r->triggers) == -1 ||
	    get_number(f[F_MADE], &r->made_ms) == -1 ||
	    get_number(f[F_UNTIL], &r->until_ms) == -1 ||
	    hex_get(f[F_APPROVER], r->approver, SIGN_PUB) == -1)
		return -1;
	r->has_session = !str_eq(f[F_SESSION], "-");
	if (r->has_session && digest_parse(f[F_SESSION], &r->session) == -1)
		return -1;
	r->scope = (enum remember_scope)scope;
	r->shape = (unsigned)shape;
	memcpy(r->id, f[F_ID], sizeof(r->id));
	memcpy(r->request, f[F_REQUEST], strlen(f[F_REQUEST]) + 1);
	return 0;
}

/* --- the file ------------------------------------------------------------ */

void
remember_put(const struct remembered *r, struct str *ret)
{
	auto_json cJSON *o = json_object();

	json_add_str(o, "stmt", r->stmt);
	json_add_str(o, "sig", r->sig);
	json_add_str(o, "what", r->what);
	json_add_str(o, "who", r->who);
	json_print(o, ret);
	str_addc(ret, '\n');
}

static int
parse_line(const char *line, size_t len, const char *project,
    struct remembered *ret)
{
	static const struct json_field fields[] = {
		{ "stmt", JSON_STRING, true, 4096 },
		{ "sig", JSON_STRING, true, SIGN_SIG_HEX },
		{ "what", JSON_STRING, true, REMEMBER_WHAT },
		{ "who", JSON_STRING, true, 64 },
	};
	auto_json cJSON *o = NULL;
	auto_free char *store = NULL;
	struct remembered r = { 0 };
	const char *f[FIELDS];

	if (json_parse(line, len, 2, &o, NULL) == -1 ||
	    json_check(o, fields, ARRAY_LEN(fields), true, NULL) == -1 ||
	    stmt_split(json_str(o, "stmt"), TITLE, FIELDS, f, &store, NULL) ==
	    -1)
		return -1;
	r.what = xstrdup(json_str(o, "what"));
	if (get_fields(f, project, &r) == -1) {
		remembered_clear(&r);
		return -1;
	}
	r.stmt = xstrdup(json_str(o, "stmt"));
	r.sig = xstrdup(json_str(o, "sig"));
	r.who = xstrdup(json_str(o, "who"));
	*ret = r;
	return 0;
}

void
remember_parse(const char *text, size_t len, const char *project,
    struct remembered_list *ret)
{
	struct remembered_list l = { .list = xcalloc(REMEMBER_MAX,
	    sizeof(*l.list)) };
	const char *end = text + len, *nl;

	for (; text < end; text = nl + 1) {
		nl = memchr(text, '\n', (size_t)(end - text));
		if (nl == NULL)
			nl = end;
		if (l.n < REMEMBER_MAX && parse_line(text, (size_t)(nl - text),
		    project, &l.list[l.n]) == 0)
			l.n++;
		else
			l.damaged++;
	}
	*ret = l;
}

int
remember_read(const struct recall_from *from, const char *project,
    struct remembered_list *ret, struct err *e)
{
	auto_str struct str file = { 0 };
	struct err own = { 0 };

	str_init(&file, REMEMBER_BYTES);
	if (fs_read_own(from->viewfd, REMEMBER_FILE, REMEMBER_BYTES, &file,
	    &own) == -1 && own.sys != ENOENT) {
		if (e != NULL)
			*e = own;
		return -1;
	}
	remember_parse(file.s, file.len, project, ret);
	return 0;
}

/* Is it over, by the clock or by a human's word? */
static const char *
is_over(const struct remembered *r, const struct recall_from *from)
{
	char mark[REMEMBER_ID + sizeof(REMEMBER_GONE)];

	if (from->wall_ms >= r->until_ms || from->wall_ms < r->made_ms)
		return "expired";
	snprintf(mark, sizeof(mark), "%s" REMEMBER_GONE, r->id);
	if (faccessat(from->ledgerfd, mark, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
	    errno != ENOENT)
		return "forgotten";
	return NULL;
}

const char *
remember_defect(const struct remembered *r, const struct recall_from *from,
    const struct keyring *approvers)
{
	const char *why = is_over(r, from);

	if (why == NULL && keyring_verify(approvers, r->stmt, strlen(r->stmt),
	    r->sig) == NULL)
		why = "not signed by an approver";
	return why;
}

size_t
policy_recall(struct policy *p, const struct recall_from *from)
{
	struct remembered_list *l = xcalloc(1, sizeof(*l));
	size_t kept = 0;

	if (remember_read(from, p->place.project, l, NULL) == -1) {
		free(l);
		return 0;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (is_over(&l->list[i], from) == NULL)
			l->list[kept++] = l->list[i];
		else
			remembered_clear(&l->list[i]);
	}
	l->n = kept;
	if (p->memory != NULL)
		remembered_list_clear(p->memory);
	free(p->memory);
	p->memory = l;
	return kept;
}

bool
remember_used(const char *rule, const char *id)
{
	return rule != NULL && str_starts(rule, "remembered:") &&
	    strlen(id) == REMEMBER_ID && strstr(rule, id) != NULL;
}
