/* policy/recall.c - does a remembered decision speak about this fact? */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "policy/commands/table.h"
#include "policy/decide.h"
#include "policy/explain.h"
#include "policy/paths.h"
#include "policy/places.h"
#include "policy/recall.h"
#include "policy/value.h"
#include "common/banned.h"

#define BIT(t)	(1U << (t))

/* What each scope may lift at all, whatever was asked when it was made. */
static const uint32_t liftable[REMEMBER_SCOPES] = {
	[REMEMBER_CALL] = ~(uint32_t)0,
	[REMEMBER_COMMAND] = BIT(TRIGGER_NETWORK) | BIT(TRIGGER_PROJECT_CODE) |
	    BIT(TRIGGER_GIT_LOCAL) | BIT(TRIGGER_GIT_TREE) |
	    BIT(TRIGGER_GIT_HISTORY),
	[REMEMBER_HOST] = BIT(TRIGGER_NETWORK),
	[REMEMBER_DIR] = BIT(TRIGGER_READ_OUTSIDE) |
	    BIT(TRIGGER_WRITE_OUTSIDE) | BIT(TRIGGER_SHELL_WRITE) |
	    BIT(TRIGGER_SHELL_REMOVE) | BIT(TRIGGER_SHELL_TEMP) |
	    BIT(TRIGGER_SHELL_OUTSIDE),
};

void
recall_call(const struct facts *f, char ret[static DIGEST_HEX + 1])
{
	const struct call *c = f->call;
	const struct call bare = { .client = c->client, .tool = c->tool,
	    .input = c->input };
	struct digest_state st;
	struct digest d;

	call_key(&bare, &d);
	digest_begin(&st, "sandbox-remember-v2");
	digest_add_field(&st, c->cwd, strlen(c->cwd));
	digest_add(&st, d.b, DIGEST_BYTES);
	for (size_t i = 0; i < f->n; i++) {
		const struct fact *fact = &f->list[i];
		const char *trigger = trigger_name(fact->trigger);

		if (!decide_asks(f, fact))
			continue;
		digest_add_field(&st, trigger, strlen(trigger));
		digest_add_field(&st, fact->effect.target,
		    strlen(fact->effect.target));
	}
	digest_end(&st, &d);
	digest_hex(&d, ret);
}

bool
recall_free_word(const char *w)
{
	if (!isalnum((unsigned char)w[0]) && w[0] != '_')
		return false;
	for (; *w != '\0'; w++)
		if (!isalnum((unsigned char)*w) && strchr("_-/", *w) == NULL)
			return false;
	return true;
}

/* Its words may be sub-commands that the table does not tell apart. */
static bool
is_vague(const struct cmd_program *p)
{
	return p->has_subs || (p->takes.has_rest && p->takes.rest == ROLE_WORD);
}

size_t
recall_head(const struct command *c)
{
	const struct cmd_program *p, *known;
	char name[128];
	size_t n = strlen(c->program), at = 0;

	if (n >= sizeof(name) || strchr(c->program, ' ') != NULL)
		return 0;
	memcpy(name, c->program, n + 1);
	p = known = commands_find(name);
	while (p != NULL && p->has_subs && at < c->n_args &&
	    c->args[at] != NULL) {
		size_t m = strlen(c->args[at]);

		if (n + m + 2 > sizeof(name))
			return 0;
		name[n] = ' ';
		memcpy(name + n + 1, c->args[at], m + 1);
		n += m + 1;
		p = commands_find(name);
		known = p != NULL ? p : known;
		at += p != NULL;
	}
	if (known == NULL || (at == 0 && !known->has_subs))
		return 0;
	while (is_vague(known) && at < c->n_args && c->args[at] != NULL &&
	    recall_free_word(c->args[at]))
		at++;
	return at == 0 ? 0 : at + 1;
}

bool
recall_plain_word(const char *w)
{
	if (w[0] == '\0')
		return false;
	for (; *w != '\0'; w++)
		if (!isalnum((unsigned char)*w) &&
		    strchr("_-/.:@=+~,%^", *w) == NULL)
			return false;
	return true;
}

/* The next word of `what`, which has single blanks between them. */
static const char *
next_word(const char **text, size_t *ret_len)
{
	const char *w = *text;

	*ret_len = strcspn(w, " ");
	*text += *ret_len + (w[*ret_len] == ' ');
	return *ret_len == 0 ? NULL : w;
}

static bool
word_is(const char *w, size_t len, const char *text)
{
	return w != NULL && strlen(text) == len && strncmp(w, text, len) == 0;
}

static bool
listed(const char *words, const char *text)
{
	const char *w;
	size_t len;

	while ((w = next_word(&words, &len)) != NULL)
		if (word_is(w, len, text))
			return true;
	return false;
}

/* Another repository has other remotes: only the project's own counts. */
static bool
runs_inside(const struct facts *f, const struct command *c)
{
	char real[WORLD_PATH];

	if (c == NULL || c->at == NULL || c->at->unknown)
		return false;
	for (size_t i = 0; i < c->at->n; i++)
		if (f->world->resolve(f->world->arg, c->at->dir[i], real) ==
		    -1 || !place_under(real, f->policy->place.root))
			return false;
	return true;
}

static bool
command_covered(const struct facts *f, const struct remembered *r,
    const struct command *c)
{
	const char *what = r->what, *w;
	size_t head = runs_inside(f, c) ? recall_head(c) : 0, len;

	for (size_t i = 0; i < head; i++) {
		w = next_word(&what, &len);
		if (!word_is(w, len, i == 0 ? c->program : c->args[i - 1]))
			return false;
	}
	w = next_word(&what, &len);
	if (head == 0 || (w != NULL && !word_is(w, len, RECALL_WITH)) ||
	    (c->remote != NULL && !listed(what, c->remote)))
		return false;
	for (size_t i = head - 1; i < c->n_args; i++)
		if (c->args[i] == NULL || (!recall_free_word(c->args[i]) &&
		    !listed(what, c->args[i])))
			return false;
	return true;
}

bool
recall_host_ok(const char *host)
{
	for (const char *p = host; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && strchr(".-", *p) == NULL)
			return false;
	return strchr(host, '.') != NULL || str_eq(host, "localhost");
}

bool
recall_dir_ok(const struct policy *p, const char *dir)
{
	static const char *const taken[] = { "/etc", "/usr", "/bin", "/sbin",
		"/lib", "/lib64", "/boot", "/dev", "/proc", "/sys", "/run",
		"/var", "/snap", "/opt" };
	const char *last = strrchr(dir, '/');

	if (dir[0] != '/' || last == dir || !value_constant(dir) ||
	    strstr(dir, "/.") != NULL || str_eq(last, "/bin") ||
	    str_eq(last, "/sbin"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		if (place_under(dir, taken[i]) && !str_starts(dir, "/var/tmp/"))
			return false;
	return !place_under(p->place.home, dir) &&
	    !place_under(p->place.root, dir) && (p->place.state == NULL ||
	    !place_under(p->place.state, dir)) && (p->place.keys == NULL ||
	    !place_under(p->place.keys, dir));
}

static bool
path_covered(const struct facts *f, const struct remembered *r,
    const struct effect *e)
{
	const char *slash = strrchr(e->target, '/');
	auto_free char *dir = NULL;

	if ((e->kind != EFFECT_READ && e->kind != EFFECT_WRITE) ||
	    e->certainty != CERTAIN_YES || !place_under(e->target, r->what))
		return false;
	if (str_eq(e->target, r->what))
		return true;
	/* What could not be let free itself is not let free from above. */
	dir = xstrndup(e->target, (size_t)(slash - e->target));
	return recall_dir_ok(f->policy, dir);
}

/* What is remembered of a host is asking it, not telling it. */
static bool
host_covered(const struct remembered *r, const struct fact *fact)
{
	return fact->effect.kind == EFFECT_NET &&
	    (fact->cmd == NULL || !fact->cmd->sends) &&
	    str_eq(fact->effect.target, r->what);
}

static bool
call_covered(const struct facts *f, const struct remembered *r)
{
	struct recall *m = f->recall;

	if (m->call[0] == '\0')
		recall_call(f, m->call);
	return strncmp(r->what, m->call, DIGEST_HEX) == 0;
}

static bool
scope_covers(const struct facts *f, const struct remembered *r,
    const struct fact *fact)
{
	switch (r->scope) {
	case REMEMBER_CALL:
		return call_covered(f, r);
	case REMEMBER_COMMAND:
		return command_covered(f, r, fact->cmd);
	case REMEMBER_HOST:
		return host_covered(r, fact);
	case REMEMBER_DIR:
		return path_covered(f, r, &fact->effect);
	case REMEMBER_SCOPES:
	default:
		return false;
	}
}

/* What can be other than it was when a human looked goes into the jail. */
static enum action
lifted_to(const struct fact *fact)
{
	switch (fact->effect.kind) {
	case EFFECT_UNKNOWN:
		return fact->trigger == TRIGGER_UNKNOWN_TOOL ? ACTION_ALLOW :
		    ACTION_CONTAIN;
	case EFFECT_CODE:
	case EFFECT_EXEC:
	case EFFECT_DEVICE:
		return ACTION_CONTAIN;
	case EFFECT_CONNECTOR:
		return ACTION_DENY;
	case EFFECT_READ:
	case EFFECT_WRITE:
	case EFFECT_DELETE:
	case EFFECT_NET:
	case EFFECT_PRIVILEGE:
	case EFFECT_PERSIST:
	case EFFECT_SECRET:
	case EFFECT_PROCESS:
	case EFFECT_HISTORY:
	default:
		return ACTION_ALLOW;
	}
}

static bool
covers(const struct facts *f, const struct remembered *r,
    const struct fact *fact)
{
	struct recall *m = f->recall;

	if ((r->triggers & liftable[r->scope] & BIT(fact->trigger)) == 0 ||
	    (f->shape & ~r->shape) != 0)
		return false;
	if (r->has_session) {
		if (f->call->session == NULL)
			return false;
		digest_of(f->call->session, strlen(f->call->session), NULL,
		    &m->session);
		if (!digest_eq(&m->session, &r->session))
			return false;
	}
	return scope_covers(f, r, fact);
}

/* Signed by an approver, or being made by one. */
static bool
genuine(const struct facts *f, const struct remembered *r)
{
	struct recall *m = f->recall;

	for (size_t i = 0; i < m->n_used; i++)
		if (m->used[i] == r)
			return true;
	if (m->n_used == RECALL_USES || m->tries++ >= RECALL_TRIES)
		return false;
	if (!m->trusted && (f->policy->place.approvers == NULL ||
	    keyring_verify(f->policy->place.approvers, r->stmt,
	    strlen(r->stmt), r->sig) == NULL))
		return false;
	m->used[m->n_used++] = r;
	return true;
}

enum action
recall_lift(const struct facts *f, const struct fact *fact)
{
	const struct recall *m = f->recall;

	if (m->memory == NULL || fact->hard || fact->tier == TIER_CRITICAL)
		return ACTION_ESCALATE;
	for (size_t i = 0; i < m->memory->n; i++) {
		const struct remembered *r = &m->memory->list[i];

		if (covers(f, r, fact) && genuine(f, r))
			return lifted_to(fact);
	}
	return ACTION_ESCALATE;
}

void
recall_name(const struct recall *m, struct verdict *v)
{
	auto_str struct str s = { 0 };

	str_init(&s, sizeof(v->rule) - 1);
	str_add(&s, "remembered:");
	for (size_t i = 0; i < m->n_used; i++)
		str_addf(&s, "%s%s", i > 0 ? "," : "", m->used[i]->id);
	snprintf(v->rule, sizeof(v->rule), "%s", s.s);
	explain_text("a human decided so before and had it remembered", v);
}
