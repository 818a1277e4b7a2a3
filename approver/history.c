#include "approver/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "approver/follow.h"
#include "approver/summary.h"
#include "audit/statement.h"
#include "common/fs.h"
#include "common/id.h"
#include "common/mem.h"

#include "common/banned.h"

#define NAMES_MAX	100000
#define MARK_MAX	16384

struct ran {
	char	id[ID_MAX + 1];
	bool	done;
	char	key[DIGEST_HEX + 1];
	int64_t	end_ms;
	char	outcome[24];
};

struct history {
	const struct home	*home;
	struct timespec		 changed;	/* run/, when it was listed */
	bool			 open;		/* some were not done then */
	struct ran		*r;		/* oldest first */
	size_t			 n;
	/* The answer to history_similar, for as long as run/ stays as it is. */
	char			 similar_id[ID_MAX + 1];
	struct timespec		 similar_then;
	struct similar		 similar;
};

struct history *
history_new(const struct home *home)
{
	struct history *h = xcalloc(1, sizeof *h);

	h->home = home;
	return h;
}

void
history_free(struct history *h)
{
	if (h == NULL)
		return;
	free(h->r);
	free(h);
}

/* The newest `max` names in run/, oldest first; returns where they begin. */
static size_t
newest(const struct home *home, size_t max, struct fs_names *ret)
{
	if (fs_list(home->run, id_ok, NAMES_MAX, ret, NULL, NULL) == -1)
		*ret = (struct fs_names){ 0 };
	if (ret->n > 1)
		qsort(ret->names, ret->n, sizeof *ret->names, id_compare);
	return ret->n > max ? ret->n - max : 0;
}

static struct ran *
known(const struct history *h, const char *id)
{
	for (size_t i = h->n; i-- > 0;)
		if (strcmp(h->r[i].id, id) == 0)
			return &h->r[i];
	return NULL;
}

static void
look(const struct home *home, const char *id, struct ran *ret)
{
	struct follow_end end;

	*ret = (struct ran){ 0 };
	snprintf(ret->id, sizeof ret->id, "%s", id);
	if (follow_look(home, id, &end, NULL) == -1 || end.state != FOLLOW_DONE)
		return;
	ret->done = true;
	ret->end_ms = end.end_ms;
	memcpy(ret->key, end.call_key, sizeof ret->key);
	memcpy(ret->outcome, end.outcome, sizeof ret->outcome);
}

static void
refresh(struct history *h)
{
	struct fs_names names = { 0 };
	struct ran *r;
	struct stat st;
	size_t first, n = 0;

	if (fstat(h->home->run, &st) == -1 || (!h->open &&
	    st.st_mtim.tv_sec == h->changed.tv_sec &&
	    st.st_mtim.tv_nsec == h->changed.tv_nsec))
		return;
	h->changed = st.st_mtim;
	first = newest(h->home, HISTORY_RUNS, &names);
	r = xcalloc(names.n - first + 1, sizeof *r);
	h->open = false;
	for (size_t i = first; i < names.n; i++, n++) {
		const struct ran *old = known(h, names.names[i]);

		if (old != NULL && old->done)
			r[n] = *old;
		else
			look(h->home, names.names[i], &r[n]);
		/* A deny never ends; what is young may still do. */
		h->open = h->open || (!r[n].done && i + 8 >= names.n);
	}
	fs_names_clear(&names);
	free(h->r);
	h->r = r;
	h->n = n;
}

size_t
history_of(struct history *h, const struct digest *call_key,
    const struct clock *now, struct past ret[static HISTORY_MAX])
{
	char key[DIGEST_HEX + 1];
	size_t n = 0;

	refresh(h);
	digest_hex(call_key, key);
	for (size_t i = h->n; i-- > 0 && n < HISTORY_MAX;) {
		const struct ran *r = &h->r[i];
		struct past *p = &ret[n];

		if (!r->done || strcmp(r->key, key) != 0)
			continue;
		snprintf(p->id, sizeof p->id, "%s", r->id);
		snprintf(p->outcome, sizeof p->outcome, "%s", r->outcome);
		p->ago_s = (now->wall_ms - r->end_ms) / 1000;
		if (p->ago_s < 0)
			p->ago_s = 0;
		n++;
	}
	return n;
}

/* --- rows --- */

/* The approval is followed by its signature, a line of its own. */
static int
read_approval(const struct home *home, const char *id, struct approval *ret)
{
	auto_free char *name = xasprintf("%s.used", id);
	auto_str struct str text = { 0 };
	char *end;

	str_init(&text, MARK_MAX);
	if (fs_read_own(home->ledger, name, MARK_MAX, &text, NULL) == -1 ||
	    text.len < 2)
		return -1;
	text.s[text.len - 1] = '\0';
	end = strrchr(text.s, '\n');
	if (end == NULL)
		return -1;
	end[1] = '\0';
	return approval_decode(text.s, ret, NULL);
}

int
history_scripts(const struct home *home, const char *id, struct digest *ret)
{
	struct approval a;

	if (read_approval(home, id, &a) == -1)
		return -1;
	*ret = a.scripts;
	return 0;
}

/* What was asked, if the file still has the bytes that were decided. */
static void
read_words(struct queue *q, const struct approval *a,
    struct request *ret_req, struct decided_before *ret)
{
	struct digest digest;
	enum entry_state state;
	bool waiter;

	str_add(&ret->line, "(the request is not there any more)");
	if (queue_read(q, ret->id, ret_req, &state, &waiter, NULL) == -1)
		return;
	request_digest(ret_req, &a->scripts, &digest);
	if (!digest_eq(&digest, &a->digest))
		return;
	ret->req = ret_req;
	str_reset(&ret->line);
	str_addf(&ret->line, "%.4s %.12s/%.4s  ", ret_req->id, ret_req->agent,
	    ret_req->session);
	if (a->has_edited)
		str_add(&ret->line, "(edited) ");
	summary_line(ret_req, &ret->line);
	snprintf(ret->session, sizeof ret->session, "%s", ret_req->session);
}

static bool
read_one(const struct home *home, struct queue *q, const char *id,
    struct request *ret_req, struct decided_before *ret)
{
	struct approval a;
	struct follow_end end = { 0 };

	if (read_approval(home, id, &a) == -1)
		return false;
	snprintf(ret->id, sizeof ret->id, "%s", id);
	ret->session[0] = '\0';
	ret->req = NULL;
	ret->edited = a.has_edited;
	ret->denied = a.decision == DECISION_DENY;
	ret->has_text = a.has_text;
	ret->text = a.text;
	str_reset(&ret->line);
	if (a.decision != DECISION_RUN)
		snprintf(ret->how, sizeof ret->how, "%s", a.decision ==
		    DECISION_DENY ? "denied" : "allowed once");
	else if (follow_look(home, id, &end, NULL) == -1 ||
	    end.state == FOLLOW_RUNNING)
		return false;
	else
		follow_say(&end, ret->how, sizeof ret->how);
	ret->end_ms = end.end_ms;
	read_words(q, &a, ret_req, ret);
	return true;
}

void
history_each(const struct home *home, struct queue *q, size_t max,
    void (*each)(void *, const struct decided_before *), void *arg)
{
	struct fs_names names = { 0 };
	struct decided_before one = { 0 };

	str_init(&one.line, 2048);
	for (size_t i = newest(home, max, &names); i < names.n; i++) {
		struct request req = { 0 };

		if (read_one(home, q, names.names[i], &req, &one))
			each(arg, &one);
		request_clear(&req);
	}
	str_clear(&one.line);
	fs_names_clear(&names);
}

/* --- similar calls --- */

struct likeness {
	const struct request	*of;
	char			 like[96];
	struct similar		*ret;
	char			 denied[ID_MAX + 1];	/* the newest's */
	struct digest		 text;
};

static void
compare(void *arg, const struct decided_before *d)
{
	struct likeness *l = arg;
	char like[sizeof l->like];
	const char *end;

	if (d->req == NULL || strcmp(d->id, l->of->id) == 0)
		return;
	l->ret->session += strcmp(d->req->session, l->of->session) == 0;
	if (digest_eq(&d->req->call_key, &l->of->call_key))
		return;
	summary_like(d->req, like, sizeof like);
	if (strcmp(like, l->like) != 0)
		return;
	if (d->denied) {
		l->ret->denied++;
		snprintf(l->denied, sizeof l->denied, "%s",
		    d->has_text ? d->id : "");
		l->text = d->text;
	} else if (d->end_ms != 0) {
		l->ret->ran++;
		end = strstr(d->how, " after ");
		snprintf(l->ret->outcome, sizeof l->ret->outcome, "%.*s",
		    end == NULL ? (int)strlen(d->how) : (int)(end - d->how),
		    d->how);
	} else {
		l->ret->allowed++;
	}
}

static void
read_text(struct queue *q, const struct likeness *l, struct similar *ret)
{
	struct answer a;
	struct digest d;

	if (l->denied[0] == '\0' ||
	    queue_read_answer(q, l->denied, &a, NULL) == -1)
		return;
	digest_of(a.text, strlen(a.text), NULL, &d);
	if (digest_eq(&d, &l->text))
		snprintf(ret->text, sizeof ret->text, "%s", a.text);
	answer_clear(&a);
}

void
history_similar(struct history *h, struct queue *q, const struct request *req,
    struct similar *ret)
{
	struct likeness l = { .of = req, .ret = &h->similar };

	refresh(h);
	if (h->open || strcmp(h->similar_id, req->id) != 0 ||
	    h->similar_then.tv_sec != h->changed.tv_sec ||
	    h->similar_then.tv_nsec != h->changed.tv_nsec) {
		h->similar = (struct similar){ 0 };
		summary_like(req, l.like, sizeof l.like);
		history_each(h->home, q, HISTORY_SIMILAR, compare, &l);
		read_text(q, &l, &h->similar);
		memcpy(h->similar_id, req->id, sizeof h->similar_id);
		h->similar_then = h->changed;
	}
	*ret = h->similar;
}
