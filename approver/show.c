#include "approver/show_inside.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "approver/environ.h"
#include "approver/fold.h"
#include "approver/history.h"
#include "common/mem.h"
#include "common/visible.h"
#include "policy/review.h"

#include "common/banned.h"

extern char **environ;

#define EFFECTS_SHOWN	24
#define RULE_SHOWN	240	/* a longer one: `sandbox explain` */

/* Names a client chose, as long as they may be in a list. */
static void
brief(struct str *ret, const char *text, size_t max)
{
	visible(text, strnlen(text, max), VISIBLE_LINE, ret);
}

static void
effects(struct str *ret, const struct judgement *j)
{
	size_t n = j->n_effects < EFFECTS_SHOWN ? j->n_effects : EFFECTS_SHOWN;

	for (size_t i = 0; i < n; i++) {
		const struct effect *f = &j->effects[i];
		auto_free char *target = effect_target(f);

		str_addf(ret, "%-8s ", effect_name(f->kind));
		visible(target, strlen(target), VISIBLE_LINE, ret);
		str_add(ret, f->certainty == CERTAIN_YES ? "\n" :
		    " (and maybe more)\n");
	}
	if (j->n_effects > n)
		str_addf(ret, "%-8s %zu more effects\n", "", j->n_effects - n);
}

static void
where_and_who(struct str *ret, const struct showing *s)
{
	const struct request *req = s->view->req;
	struct similar like;

	show_line(ret, s->view->outside ? "in (!)" : "in", s->view->dir);
	if (strcmp(s->view->dir, req->cwd) != 0)
		show_line(ret, "called", req->cwd);
	if (s->view->target[0] != '\0')
		show_line(ret, "really", s->view->target);
	str_addf(ret, "%-8s ", "by");
	brief(ret, req->agent, 40);
	str_add(ret, ", session ");
	brief(ret, req->session, 40);
	history_similar(s->history, s->queue, req, &like);
	if (like.session > 0)
		str_addf(ret, ", request %zu%s", like.session + 1,
		    like.session + 1 >= HISTORY_SIMILAR ? " or later" : "");
	str_addf(ret, ", %s, %s\n", show_state_name(s->state), s->waiter ?
	    "still waiting" : "nobody waits for the answer now");
	if (req->agent_says != NULL && req->agent_says[0] != '\0')
		show_line(ret, "agent says", req->agent_says);
}

/* For policy.json; an agent that reads this must not learn it. */
static void
allowing(struct str *ret, const struct showing *s)
{
	auto_str struct str rule = { 0 };

	str_init(&rule, 8192);
	if (s->policy != NULL && review_rule(s->policy, s->view->judgement,
	    &rule) && rule.len <= RULE_SHOWN)
		show_line(ret, "allow by", rule.s);
}

/* "45 s", "12 min", "7 h 59 min", "3 d 4 h" */
static void
add_span(struct str *ret, int64_t s)
{
	long long n = s < 0 ? 0 : s;

	if (n < 120)
		str_addf(ret, "%lld s", n);
	else if (n < 7200)
		str_addf(ret, "%lld min", n / 60);
	else if (n < 48 * 3600)
		str_addf(ret, "%lld h %lld min", n / 3600, n / 60 % 60);
	else
		str_addf(ret, "%lld d %lld h", n / 86400, n / 3600 % 24);
}

static void
before(struct str *ret, const struct showing *s)
{
	struct past past[HISTORY_MAX];
	struct digest then;
	size_t n = history_of(s->history, &s->view->req->call_key, &s->now,
	    past);

	if (n == 0) {
		str_addf(ret, "%-8s this call did not run here before\n",
		    "before");
	} else {
		str_addf(ret, "%-8s ran %zu%s times, last ", "before", n,
		    n == HISTORY_MAX ? " or more" : "");
		add_span(ret, past[0].ago_s);
		str_addf(ret, " ago (%s)\n", past[0].outcome);
	}
	if (n > 0 && s->view->scripts.n > 0 && history_scripts(s->home,
	    past[0].id, &then) == 0 &&
	    !digest_eq(&then, &s->view->scripts_digest))
		str_addf(ret, "%-8s the files it runs CHANGED since then\n",
		    "!!");
}

static void
similar(struct str *ret, const struct showing *s)
{
	struct similar like;
	const char *sep = "";

	history_similar(s->history, s->queue, s->view->req, &like);
	if (like.ran + like.allowed + like.denied == 0)
		return;
	str_addf(ret, "%-8s ", "similar");
	if (like.ran > 0) {
		str_addf(ret, "%zu ran, last %s", like.ran, like.outcome);
		sep = "; ";
	}
	if (like.allowed > 0) {
		str_addf(ret, "%s%zu allowed", sep, like.allowed);
		sep = "; ";
	}
	if (like.denied > 0)
		str_addf(ret, "%s%zu denied", sep, like.denied);
	if (like.text[0] != '\0') {
		str_add(ret, ", last with \"");
		visible(like.text, strlen(like.text), VISIBLE_LINE, ret);
		str_addc(ret, '"');
	}
	str_addc(ret, '\n');
}

/* Programs are looked for there, and an agent may have put them there. */
static void
search_path(struct str *ret, const struct showing *s)
{
	auto_free char *path = environ_path(environ);
	size_t root = strlen(s->home->root_path);
	char *save = NULL;

	for (char *dir = strtok_r(path, ":", &save); dir != NULL;
	    dir = strtok_r(NULL, ":", &save))
		if (strncmp(dir, s->home->root_path, root) == 0 &&
		    (dir[root] == '/' || dir[root] == '\0'))
			show_line(ret, "path (!)", dir);
}

static void
how(struct str *ret, const struct showing *s)
{
	const struct view *v = s->view;

	if (v->executor == NULL && str_eq(v->req->origin, "jail"))
		str_addf(ret, "%-8s nothing: the jail lets its command reach "
		    "this host, for what waits now and 60 seconds more; "
		    "--remember host: as long as it runs, host:DATE: this "
		    "project\n", "runs");
	else if (v->executor == NULL)
		str_addf(ret, "%-8s the agent itself may do exactly this, "
		    "once\n", "runs");
	else if (v->background)
		str_addf(ret, "%-8s %s, as you, outside the agent, in the "
		    "background until stopped\n", "runs", v->executor->name);
	else
		str_addf(ret, "%-8s %s, as you, outside the agent, at most "
		    "%d s\n", "runs", v->executor->name, v->timeout_s);
	str_addf(ret, "%-8s in ", "expires");
	add_span(ret, request_left_s(v->req, &s->now));
	str_addc(ret, '\n');
	if (v->kind == CALL_SHELL)
		search_path(ret, s);
	for (size_t i = 0; i < v->scripts.n; i++) {
		char hex[DIGEST_HEX + 1];

		digest_hex(&v->scripts.s[i].digest, hex);
		if (scripts_is_known(&v->scripts.s[i]))
			str_addf(ret, "%-8s %.12s ", "script", hex);
		else
			str_addf(ret, "%-8s (! no readable file) ", "script");
		visible(v->scripts.s[i].path, strlen(v->scripts.s[i].path),
		    VISIBLE_LINE, ret);
		str_addc(ret, '\n');
	}
}

/* All that a stranger had a word in. */
static void
body(const struct showing *s, const char *digest, struct str *ret)
{
	static const char *const words[] = {
		[TIER_CRITICAL] = "CRITICAL", [TIER_HIGH] = "HIGH",
		[TIER_MEDIUM] = "MEDIUM", [TIER_LOW] = "LOW",
	};
	const struct view *v = s->view;

	str_addf(ret, "%s %s: ", show_tier_mark(v->tier), words[v->tier]);
	visible(v->verdict.why, strlen(v->verdict.why), VISIBLE_LINE, ret);
	str_addc(ret, '\n');
	if (v->misdescribed[0] != '\0')
		show_line(ret, "!!!", "this request misdescribes itself:");
	if (v->misdescribed[0] != '\0')
		show_line(ret, "", v->misdescribed);
	if (v->hidden > 0)
		str_addf(ret, "%-8s %zu hidden characters, shown as <U+...>\n",
		    "!!", v->hidden);
	if (v->mixed > 0)
		str_addf(ret, "%-8s %zu words mix alphabets, the first is "
		    "%s\n", "!!", v->mixed, v->mixed_first);
	show_what(ret, v);
	show_signals(s, ret);
	effects(ret, v->judgement);
	where_and_who(ret, s);
	show_line(ret, "rule", v->verdict.rule);
	allowing(ret, s);
	before(ret, s);
	similar(ret, s);
	how(ret, s);
	show_line(ret, "digest", digest);
}

void
show_detail(const struct showing *s, struct str *ret)
{
	auto_str struct str text = { 0 };
	char digest[DIGEST_HEX + 1];

	digest_hex(&s->view->digest, digest);
	str_init(&text, ret->max);
	body(s, digest, &text);
	fold(text.s, text.len, s->columns, ret);
}

void
show_text(const struct showing *s, struct str *ret)
{
	const char *id = s->view->req->id;
	char digest[DIGEST_HEX + 1];

	show_detail(s, ret);
	if (s->state != ENTRY_PENDING)
		return;
	/* Ours alone, and to be pasted: the only lines a terminal may break. */
	digest_hex(&s->view->digest, digest);
	str_addf(ret, "\nsandbox approve%s %s --digest %s\n", s->options, id,
	    digest);
	str_addf(ret, "sandbox deny%s %s -m 'why'\n", s->options, id);
}

/* What the same words mean depends on it. */
static void
short_where(struct str *ret, const struct showing *s)
{
	const struct view *v = s->view;

	if (strcmp(v->dir, s->home->root_path) != 0) {
		str_add(ret, v->outside ? " [in (!) " : " [in ");
		visible(v->dir, strlen(v->dir), VISIBLE_LINE, ret);
		str_addc(ret, ']');
	}
	if (v->background)
		str_add(ret, " [in the background]");
}

void
show_pending_line(const struct showing *s, struct str *ret)
{
	const struct view *v = s->view;
	auto_str struct str summary = { 0 }, text = { 0 };
	int64_t age = (s->now.wall_ms - v->req->created_wall_ms) / 1000;

	str_init(&summary, 1024);
	str_init(&text, ret->max);
	summary_line(v->req, &summary);
	str_addf(&text, "%3s %.8s ", show_tier_mark(v->tier), v->req->id);
	brief(&text, v->req->agent, 20);
	str_addc(&text, '/');
	brief(&text, v->req->session, 8);
	str_addf(&text, " %lld:%02lld %s ", (long long)(age / 60),
	    (long long)(age % 60), s->waiter ? "waits" : "alone");
	visible(summary.s, summary.len, VISIBLE_LINE, &text);
	short_where(&text, s);
	if (s->state != ENTRY_PENDING)
		str_addf(&text, " (%s)", show_state_name(s->state));
	str_addc(&text, '\n');
	fold(text.s, text.len, s->columns, ret);
}
