#include "approver/remember.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "audit/scrub.h"
#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

enum remember_until { UNTIL_SESSION = 0, UNTIL_MINUTES, UNTIL_TODAY,
    UNTIL_DATE };

struct remember_wish {
	enum remember_scope	scope;
	enum remember_until	until;
	int			year, month, day;	/* UNTIL_DATE */
	int			minutes;		/* UNTIL_MINUTES */
};

#define MINUTE_MS	((int64_t)60 * 1000)
#define DAY_MS		((int64_t)24 * 60 * 60 * 1000)
#define YEAR_MS		(366 * DAY_MS)
#define WHAT_CALL	(DIGEST_HEX + 1)	/* where its text begins */

/* --- the wish ------------------------------------------------------------ */

/* The text is digits. */
static int
number(const char *text, int digits)
{
	int n = 0;

	while (digits-- > 0)
		n = n * 10 + (*text++ - '0');
	return n;
}

/* mktime() makes March of 30 February; a person meant something else. */
static bool
is_day(const struct remember_wish *w)
{
	struct tm tm = { .tm_year = w->year - 1900, .tm_mon = w->month - 1,
	    .tm_mday = w->day, .tm_hour = 12, .tm_isdst = -1 };

	return mktime(&tm) != (time_t)-1 && tm.tm_year == w->year - 1900 &&
	    tm.tm_mon == w->month - 1 && tm.tm_mday == w->day;
}

static bool
parse_date(const char *text, struct remember_wish *w)
{
	const char *digits = "0123456789";

	if (strlen(text) != 10 || text[4] != '-' || text[7] != '-' ||
	    strspn(text, digits) != 4 || strspn(text + 5, digits) != 2 ||
	    strspn(text + 8, digits) != 2)
		return false;
	w->year = number(text, 4);
	w->month = number(text + 5, 2);
	w->day = number(text + 8, 2);
	return is_day(w);
}

/* "5m" to "999m". */
static bool
parse_minutes(const char *text, struct remember_wish *w)
{
	size_t n = strspn(text, "0123456789");

	if (n < 1 || n > 3 || strcmp(text + n, "m") != 0)
		return false;
	w->minutes = number(text, (int)n);
	return w->minutes > 0;
}

static int
wish_parse(const char *text, struct remember_wish *ret,
    struct err *e)
{
	const char *colon = strchr(text, ':');
	auto_free char *name = colon == NULL ? xstrdup(text) :
	    xstrndup(text, (size_t)(colon - text));
	int scope = remember_scope_parse(name);
	struct remember_wish w = { .scope = (enum remember_scope)scope };

	if (scope == -1)
		return err_set(e, ERR_USAGE, "'%.40s' is no scope: call, "
		    "command, host or dir", name);
	if (colon == NULL || strcmp(colon + 1, "session") == 0)
		w.until = UNTIL_SESSION;
	else if (strcmp(colon + 1, "today") == 0)
		w.until = UNTIL_TODAY;
	else if (parse_date(colon + 1, &w))
		w.until = UNTIL_DATE;
	else if (parse_minutes(colon + 1, &w))
		w.until = UNTIL_MINUTES;
	else
		return err_set(e, ERR_USAGE, "'%.40s' is no end: session, "
		    "20m, today or YYYY-MM-DD", colon + 1);
	*ret = w;
	return 0;
}

/* The first moment after that day, by the approver's own clock. */
static int64_t
end_of_day(int year, int month, int day)
{
	struct tm tm = { .tm_year = year - 1900, .tm_mon = month - 1,
	    .tm_mday = day + 1, .tm_isdst = -1 };

	return (int64_t)mktime(&tm) * 1000;
}

static int
set_end(const struct remember_wish *w, const struct clock *now,
    struct remembered *r, struct err *e)
{
	time_t t = (time_t)(now->wall_ms / 1000);
	struct tm tm;

	r->made_ms = now->wall_ms;
	switch (w->until) {
	case UNTIL_TODAY:
		localtime_r(&t, &tm);
		r->until_ms = end_of_day(tm.tm_year + 1900, tm.tm_mon + 1,
		    tm.tm_mday);
		return 0;
	case UNTIL_DATE:
		r->until_ms = end_of_day(w->year, w->month, w->day);
		if (r->until_ms <= now->wall_ms)
			return err_set(e, ERR_USAGE, "that day is over");
		if (r->until_ms > now->wall_ms + YEAR_MS)
			return err_set(e, ERR_USAGE, "at most a year ahead");
		return 0;
	case UNTIL_MINUTES:
		r->until_ms = now->wall_ms + w->minutes * MINUTE_MS;
		return 0;
	case UNTIL_SESSION:
	default:
		r->until_ms = now->wall_ms + DAY_MS;
		return 0;
	}
}

/* What people read must not show a secret; the digest before it stays. */
static void
scrub_text(struct remembered *r)
{
	auto_str struct str s = { 0 };

	if (r->scope != REMEMBER_CALL)
		return;
	str_init(&s, REMEMBER_WHAT);
	str_addn(&s, r->what, WHAT_CALL);
	scrub(r->what + WHAT_CALL, strlen(r->what) - WHAT_CALL, &s);
	free(r->what);
	r->what = str_take(&s);
}

int
remember_prepare(struct desk *d, const struct request *req,
    const char *text, const struct clock *now,
    struct remembered *ret, struct err *e)
{
	struct remember_wish wish = { .scope = REMEMBER_CALL };
	struct remembered r;

	if (text == NULL)
		return 0;
	if (wish_parse(text, &wish, e) == -1)
		return -1;
	if (remember_make(d->judgement, wish.scope, &r, e) == -1)
		return err_add(e, "it cannot be remembered");
	if (set_end(&wish, now, &r, e) == -1) {
		remembered_clear(&r);
		return -1;
	}
	scrub_text(&r);
	memcpy(r.request, req->id, sizeof r.request);
	r.has_session = wish.until == UNTIL_SESSION ||
	    wish.until == UNTIL_MINUTES;
	if (r.has_session)
		digest_of(req->session, strlen(req->session), NULL,
		    &r.session);
	*ret = r;
	return 0;
}

void
remember_seal(struct remembered *r, const char *project,
    const struct key *key)
{
	if (r->what == NULL)
		return;
	memcpy(r->approver, key_public(key), SIGN_PUB);
	r->who = xstrdup(key_owner(key));
	remember_sign(r, project, key_seed(key));
}

/* --- the file ------------------------------------------------------------ */

static struct recall_from
place_of(const struct home *h, const struct clock *now)
{
	return (struct recall_from){ .viewfd = h->view,
	    .ledgerfd = h->ledger, .wall_ms = now->wall_ms };
}

/* Two approvers change the file one after the other. */
static int
lock_view(const struct home *h, struct err *e)
{
	int fd = fs_open_dir(h->priv, "view", e);

	if (fd != -1 && flock(fd, LOCK_EX) == -1) {
		err_sys(e, "cannot lock 'view'");
		close(fd);
		fd = -1;
	}
	return fd;
}

/* All that still counts but `gone`, and `more`. */
static int
rewrite(const struct home *h, const struct keyring *ring,
    const struct clock *now, const struct remembered *gone,
    const struct remembered *more, struct err *e)
{
	const struct recall_from from = place_of(h, now);
	struct remembered_list l = { 0 };
	auto_str struct str out = { 0 };
	size_t n = 0;

	if (remember_read(&from, h->project, &l, e) == -1)
		return -1;
	str_init(&out, REMEMBER_BYTES);
	for (size_t i = 0; i < l.n; i++) {
		if ((gone != NULL && strcmp(l.list[i].id, gone->id) == 0) ||
		    remember_defect(&l.list[i], &from, ring) != NULL)
			continue;
		remember_put(&l.list[i], &out);
		n++;
	}
	remembered_list_clear(&l);
	if (more != NULL)
		remember_put(more, &out);
	if (out.full || n >= REMEMBER_MAX)
		return err_set(e, ERR_PERMITTED, "too much is remembered "
		    "already: `sandbox policy forget` something");
	return fs_replace(h->view, REMEMBER_FILE, out.s, out.len, 0600, e);
}

static int
record(struct audit *log, const char *stmt, const char *sig,
    const struct remembered *r, const struct clock *now, struct err *e)
{
	auto_json cJSON *fields = json_object();
	const struct event ev = { .kind = "rule", .fields = fields };

	json_add_str(fields, "stmt", stmt);
	json_add_str(fields, "stmt_sig", sig);
	json_add_str(fields, "what", r->what);
	json_add_str(fields, "approver", r->who);
	return audit_append(log, &ev, now, NULL, e);
}

int
remember_store(struct desk *d, const struct remembered *r,
    const struct clock *now, struct err *e)
{
	auto_close int lock = -1;

	if (r->what == NULL)
		return 0;
	lock = lock_view(d->home, e);
	/* The record first: what is not recorded does not happen. */
	if (lock == -1 ||
	    record(d->audit, r->stmt, r->sig, r, now, e) == -1)
		return -1;
	return rewrite(d->home, &d->approvers, now, NULL, r, e);
}

/* --- forgetting ---------------------------------------------------------- */

static int
find_prefix(struct remembered_list *l, const char *prefix,
    struct remembered **ret, struct err *e)
{
	*ret = NULL;
	for (size_t i = 0; i < l->n && prefix[0] != '\0'; i++) {
		if (!str_starts(l->list[i].id, prefix))
			continue;
		if (*ret != NULL)
			return err_set(e, ERR_NO_ID, "'%.40s' names more than "
			    "one; give more of it", prefix);
		*ret = &l->list[i];
	}
	if (*ret != NULL)
		return 0;
	err_set(e, ERR_NO_ID, "nothing is remembered as '%.40s': see "
	    "`sandbox policy show`", prefix);
	return -1;
}

static int
mark_gone(const struct home *h, const struct remembered *r, struct err *e)
{
	char name[64];
	struct err own = { 0 };

	snprintf(name, sizeof name, "%s" REMEMBER_GONE, r->id);
	if (fs_write_new(h->ledger, name, "", 0, true, &own) == -1 &&
	    own.sys != EEXIST) {
		if (e != NULL)
			*e = own;
		return -1;
	}
	return fsync(h->ledger) == -1 ?
	    err_sys(e, "cannot sync the ledger") : 0;
}

static int
forget(const struct home *h, struct audit *log, struct remembered *r,
    const struct key *key, const struct clock *now, struct err *e)
{
	auto_str struct str stmt = { 0 };
	char sig[SIGN_SIG_HEX + 1];

	str_init(&stmt, 4096);
	memcpy(r->approver, key_public(key), SIGN_PUB);
	remember_forget_stmt(r, h->project, now->wall_ms, &stmt);
	sign_make(key_seed(key), stmt.s, stmt.len, sig);
	/* The mark first: forgetting must not wait for a log. */
	if (mark_gone(h, r, e) == -1)
		return -1;
	free(r->who);
	r->who = xstrdup(key_owner(key));
	return record(log, stmt.s, sig, r, now, e);
}

int
remember_forget(const struct home *h, struct audit *log, const char *prefix,
    const struct key *key, const struct clock *now, struct err *e)
{
	const struct recall_from from = place_of(h, now);
	struct keyring ring = { 0 };
	struct remembered_list l = { 0 };
	struct remembered *r;
	auto_close int lock = lock_view(h, e);
	int rc = -1;

	if (lock == -1 || home_approvers(h, &ring, e) == -1)
		return -1;
	if (remember_read(&from, h->project, &l, e) == 0 &&
	    find_prefix(&l, prefix, &r, e) == 0 &&
	    forget(h, log, r, key, now, e) == 0)
		rc = rewrite(h, &ring, now, r, NULL, e);
	remembered_list_clear(&l);
	keyring_clear(&ring);
	return rc;
}
