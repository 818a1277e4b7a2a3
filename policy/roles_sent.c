/* policy/roles_sent.c - words about what leaves the machine, and where to. */
#include <ctype.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/hosts.h"
#include "policy/program.h"
#include "policy/value.h"
#include "common/banned.h"

static void
role_net(struct run *r, const struct arg *a)
{
	char host[HOST_MAX];
	char *copy;

	if (!value_constant(a->val) || !host_of_operand(a->val, host)) {
		run_effect(r, EFFECT_NET, value_constant(a->val) ? a->val :
		    "an address that is not known");
		return;
	}
	copy = arena_text(r->w->f->arena, host, strlen(host));
	if (copy != NULL && !host_allowed(r->w->f->policy, host))
		run_effect(r, EFFECT_NET, copy);
}

/* A body that names a URL may ask whoever gets it to go there. */
static void
role_forward(struct run *r, const char *text)
{
	char host[HOST_MAX];

	for (const char *p = text; (p = strstr(p, "://")) != NULL; p += 3) {
		const char *from = p;
		size_t n;
		char *url;

		while (from > text && isalnum((unsigned char)from[-1]))
			from--;
		n = strcspn(from, " \t\n\"'<>\\");
		url = arena_text(r->w->f->arena, from, n);
		if (url == NULL || !host_of_url(url, host) ||
		    !host_allowed(r->w->f->policy, host))
			run_effect(r, EFFECT_NET, "an address in what is "
			    "sent");
	}
}

/* The file that is named in what is sent, or NULL.  curl's spellings. */
static const char *
sent_file(enum role role, const char *text)
{
	const char *at = strchr(text, '@'), *eq = strchr(text, '=');

	if (role == ROLE_COOKIE)
		return eq == NULL ? text : NULL;
	if (text[0] == '@')
		return text + 1;
	if (role == ROLE_NAMED)
		return at != NULL && (eq == NULL || at < eq) ? at + 1 : NULL;
	at = strstr(text, "=@");
	at = at != NULL ? at : strstr(text, "=<");
	return at != NULL ? at + 2 : NULL;
}

/* What is sent must be on the line, not in a file or a variable. */
static void
role_body(struct run *r, enum role role, const struct arg *a)
{
	const char *file = sent_file(role, a->val);
	struct arg path = *a;

	if (r->cmd != NULL && role != ROLE_BODY)
		r->cmd->sends = true;
	if (a->many || !value_constant(a->val)) {
		run_effect(r, EFFECT_NET, "data that is not known before");
	} else if (file != NULL) {
		run_effect(r, EFFECT_NET, "a file that is sent");
		path.val = arena_text(r->w->f->arena, file,
		    strcspn(file, ";,"));
		if (path.val != NULL && !str_eq(path.val, "-"))
			run_path(r, PATH_READ, &path);
	} else {
		role_forward(r, a->val);
	}
}

static void
role_method(struct run *r, const struct arg *a)
{
	static const char *const shows[] = { "GET", "HEAD", "OPTIONS" };

	for (size_t i = 0; i < ARRAY_LEN(shows); i++)
		if (str_eq(a->val, shows[i]))
			return;
	if (r->cmd != NULL)
		r->cmd->sends = true;
}

static void
role_carry(struct run *r, const struct arg *a)
{
	if (a->val[strcspn(a->val, ":/")] != ':')
		run_path(r, PATH_TREE, a);
}

/* A remote's or branch's name; a refspec only into the remote's own refs. */
static void
role_remote(struct run *r, const struct arg *a)
{
	const char *text = a->val + (a->val[0] == '+');
	bool tracks = str_starts(text, "refs/heads/") &&
	    strstr(text, ":refs/remotes/") != NULL;

	if (r->cmd != NULL && r->cmd->remote == NULL)
		r->cmd->remote = a->val;
	if (a->many || !value_constant(a->val) || (!tracks &&
	    strpbrk(a->val, ":+~") != NULL) || a->val[0] == '/' ||
	    a->val[0] == '.')
		run_effect(r, EFFECT_HISTORY, "git");
}

/* A path below the API that is logged in to, or an address of its own. */
static void
role_endpoint(struct run *r, const struct arg *a)
{
	const char *slash = strchr(a->val, '/');
	const char *dot = strchr(a->val, '.');

	/* https://HOST/..., HOST/OWNER/REPO */
	if (a->many || !value_constant(a->val) ||
	    strchr(a->val, ':') != NULL ||
	    (slash != NULL && dot != NULL && dot < slash))
		run_effect(r, EFFECT_NET, "an address that is not known");
}

bool
role_sends(struct run *r, enum role role, const struct arg *a)
{
	static void (*const roles[ROLE_COMMAND + 1])(struct run *,
	    const struct arg *) = {
		[ROLE_NET] = role_net, [ROLE_METHOD] = role_method,
		[ROLE_CARRY] = role_carry, [ROLE_REMOTE] = role_remote,
		[ROLE_ENDPOINT] = role_endpoint,
	};

	if (role >= ROLE_BODY && role <= ROLE_COOKIE)
		role_body(r, role, a);
	else if (roles[role] != NULL)
		roles[role](r, a);
	else
		return false;
	return true;
}

void
program_host(struct run *r, const struct cmd_program *p)
{
	const char *host = commands_text + p->host;
	struct fact new = {
		.effect = { .kind = EFFECT_NET, .certainty = CERTAIN_YES,
		    .target = host, .span_at = r->span.at,
		    .span_len = r->span.len },
		.trigger = p->reads ? TRIGGER_GIT_LOCAL : TRIGGER_NETWORK,
		.tier = p->reads ? TIER_LOW : TIER_MEDIUM, .cmd = r->cmd
	};

	if (host[0] != '\0' && !host_allowed(r->w->f->policy, host))
		facts_add(r->w->f, &new);
}
