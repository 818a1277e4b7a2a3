/*
 * policy/remember_make.c - what of a judged call can be remembered.
 *
 * Whatever is made is tried at once: with it, the very call it was made from
 * must need nobody any more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "policy/decide.h"
#include "policy/recall.h"
#include "policy/value.h"
#include "common/banned.h"

static int
what_call(const struct facts *f, struct remembered *r, struct err *e)
{
	auto_str struct str s = { 0 };
	char hex[DIGEST_HEX + 1];

	(void)e;
	str_init(&s, REMEMBER_WHAT);
	recall_call(f, hex);
	str_addf(&s, "%s ", hex);
	call_summary(f->call, &s);
	r->what = str_take(&s);
	return 0;
}

/* The first fact that is asked and that `fits`. */
static const struct fact *
asked(const struct facts *f, bool (*fits)(const struct fact *))
{
	for (size_t i = 0; i < f->n; i++)
		if (decide_asks(f, &f->list[i]) && fits(&f->list[i]))
			return &f->list[i];
	return NULL;
}

static bool
has_command(const struct fact *fact)
{
	return fact->cmd != NULL;
}

static bool
is_host(const struct fact *fact)
{
	return fact->effect.kind == EFFECT_NET &&
	    recall_host_ok(fact->effect.target);
}

static bool
is_path(const struct fact *fact)
{
	return fact->effect.target[0] == '/' &&
	    fact->effect.certainty == CERTAIN_YES;
}

/* Another remote is another program: its hooks run. */
static bool
is_remote(const struct command *c, const char *word)
{
	return c->remote != NULL && str_eq(c->remote, word);
}

static int
what_command(const struct facts *f, struct remembered *r, struct err *e)
{
	const struct fact *fact = asked(f, has_command);
	const struct command *c = fact == NULL ? NULL : fact->cmd;
	size_t head = c == NULL ? 0 : recall_head(c);
	auto_str struct str s = { 0 };
	bool more = false;

	if (head == 0)
		return err_set(e, ERR_PERMITTED, "only a program with one of "
		    "its known sub-commands can be remembered as a command; "
		    "scope 'call' remembers this exact call");
	str_init(&s, REMEMBER_WHAT);
	str_add(&s, c->program);
	for (size_t i = 0; i < head - 1; i++)
		str_addf(&s, " %s", c->args[i]);
	for (size_t i = head - 1; i < c->n_args; i++) {
		const char *w = c->args[i];

		if (w == NULL || (!recall_free_word(w) &&
		    !recall_plain_word(w)))
			return err_set(e, ERR_PERMITTED, "one of its words "
			    "is not plain; scope 'call' remembers this exact "
			    "call");
		if (recall_free_word(w) && !is_remote(c, w))
			continue;
		str_addf(&s, "%s %s", more ? "" : " " RECALL_WITH, w);
		more = true;
	}
	if (s.full)
		return err_set(e, ERR_PERMITTED, "the command is too long");
	r->what = str_take(&s);
	return 0;
}

static int
what_host(const struct facts *f, struct remembered *r, struct err *e)
{
	const struct fact *fact = asked(f, is_host);

	if (fact == NULL)
		return err_set(e, ERR_PERMITTED, "no host is asked about");
	r->what = xstrdup(fact->effect.target);
	return 0;
}

static int
what_dir(const struct facts *f, struct remembered *r, struct err *e)
{
	const struct fact *fact = asked(f, is_path);
	const char *path, *slash;

	if (fact == NULL)
		return err_set(e, ERR_PERMITTED,
		    "no certain path is asked about");
	path = fact->effect.target;
	slash = strrchr(path, '/');
	r->what = xstrndup(path, (size_t)(slash - path));
	if (!recall_dir_ok(f->policy, r->what))
		return err_set(e, ERR_PERMITTED, "'%s' is no directory to let "
		    "free: it belongs to the system, is hidden, holds "
		    "programs, or holds the project or your home",
		    slash == path ? "/" : r->what);
	return strlen(r->what) < REMEMBER_WHAT ? 0 :
	    err_set(e, ERR_PERMITTED, "the path is too long");
}

static int (*const whats[REMEMBER_SCOPES])(const struct facts *,
    struct remembered *, struct err *) = {
	[REMEMBER_CALL] = what_call, [REMEMBER_COMMAND] = what_command,
	[REMEMBER_HOST] = what_host, [REMEMBER_DIR] = what_dir,
};

/* Would the same call need nobody with this? */
static int
try(const struct facts *f, struct remembered *r, struct err *e)
{
	const struct remembered_list one = { .list = r, .n = 1 };
	struct recall own = { .memory = &one, .trusted = true };
	struct facts with = *f;
	struct verdict v;

	with.recall = &own;
	decide_weigh(&with, &v);
	if (v.action == ACTION_ESCALATE && !str_eq(v.rule, "exfiltration"))
		return err_set(e, ERR_PERMITTED, "it would be asked all the "
		    "same: %s", v.why);
	if (v.action <= ACTION_ESCALATE)
		return err_set(e, ERR_PERMITTED, "this is never remembered: "
		    "%s", v.why);
	return own.n_used > 0 ? 0 : err_set(e, ERR_PERMITTED,
	    "nothing is asked here that could be remembered");
}

int
remember_make(const struct judgement *j, enum remember_scope scope,
    struct remembered *ret, struct err *e)
{
	const struct facts *f = j->facts;
	struct remembered r = { .scope = scope, .shape = f->shape };
	unsigned char id[REMEMBER_ID / 2];

	randombytes_buf(id, sizeof(id));
	hex_put(id, sizeof(id), r.id);
	for (size_t i = 0; i < f->n; i++)
		if (decide_asks(f, &f->list[i]))
			r.triggers |= 1U << f->list[i].trigger;
	if (whats[scope](f, &r, e) == -1 || try(f, &r, e) == -1) {
		remembered_clear(&r);
		return -1;
	}
	*ret = r;
	return 0;
}
