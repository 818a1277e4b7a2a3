#include "hooks/gate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/originals/originals.h"
#include "common/mem.h"
#include "hooks/contain.h"
#include "hooks/reason.h"
#include "policy/remember.h"

#include "common/banned.h"

#define LOG_WAIT_MS	5000	/* half of what the guard waits for a word */

/* The directory our own programs lie in: what policy protects. */
static char *
own_directory(struct err *e)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);
	const char *slash = n <= 0 ? NULL : memrchr(path, '/', (size_t)n);

	if (slash == NULL) {
		err_set(e, ERR_SYSTEM, "there is no /proc");
		return NULL;
	}
	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* 1: nothing of ours is around it, or it is no place at all. */
static int
search_home(struct gate *g, const char *dir, const char *base, struct err *e)
{
	return dir == NULL || dir[0] != '/' ? 1 :
	    home_find(dir, base, &g->home, e);
}

static int
open_home(struct gate *g, const char *cwd, struct err *e)
{
	auto_free char *base = NULL;
	int none;

	if (g->args->root != NULL)
		return home_open(g->args->root, g->args->state, NULL,
		    &g->home, e);
	base = home_base(false);
	if (base == NULL)
		return err_set(e, ERR_SETUP, "this user has no home");
	/* An agent may be elsewhere for a moment: the project stays its own. */
	none = search_home(g, g->args->from, base, e);
	return none != 1 ? none : search_home(g, cwd, base, e);
}

static int
open_policy(struct gate *g, struct err *e)
{
	struct policy_place place = {
		.project = g->home.project, .root = g->home.root_path,
		.state = g->home.priv_path, .keys = g->home.keys_path,
		.approvers = &g->approvers,
	};

	g->user_home = home_user_dir();
	g->libexec = own_directory(e);
	if (g->libexec == NULL)
		return -1;
	if (g->user_home == NULL)
		return err_set(e, ERR_SETUP, "this user has no home");
	place.home = g->user_home;
	place.libexec = g->libexec;
	/* Inside, an agent that cannot be told is in one all the same. */
	place.jail = contain_offered(g) ||
	    (g->home.jailed && g->dialect != NULL);
	return policy_load(g->home.view, &place, &g->policy, e);
}

static int
open_all(struct gate *g, const char *cwd, struct err *e)
{
	int none;

	if (clock_now(&g->now, e) == -1)
		return -1;
	none = open_home(g, cwd, e);
	if (none != 0)
		return none;
	if (home_note_client(&g->home, (pid_t)g->args->client_pid,
	    g->args->client, e) == -1 ||
	    home_approvers(&g->home, &g->approvers, e) == -1 ||
	    open_policy(g, e) == -1 ||
	    (!g->home.jailed && audit_open(g->home.priv, g->home.project,
	    &g->audit, e) == -1))
		return -1;
	if (g->audit != NULL)
		audit_patience(g->audit, LOG_WAIT_MS);
	return 0;
}

int
gate_open(const struct gate_args *args, const struct dialect *dialect,
    const char *cwd, struct gate *ret, struct err *e)
{
	int got;

	*ret = (struct gate){ .args = args, .dialect = dialect,
	    .home = HOME_INIT };
	got = open_all(ret, cwd, e);
	if (got != 0)
		gate_close(ret);
	return got;
}

void
gate_close(struct gate *g)
{
	judgement_free(g->judgement);
	originals_close(g->store);
	audit_free(g->audit);
	policy_free(g->policy);
	keyring_clear(&g->approvers);
	home_close(&g->home);
	free(g->user_home);
	free(g->libexec);
	*g = (struct gate){ .home = HOME_INIT };
}

/* Relative paths in a call mean nothing without it. */
static int
check_cwd(const struct hook_input *in, struct err *e)
{
	struct stat st;

	if (stat(in->call.cwd, &st) == -1)
		return err_sys(e, "the working directory '%s'", in->call.cwd);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_FORMAT,
		    "the working directory '%s' is none", in->call.cwd);
	return 0;
}

static int
pass_quietly(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	const char *kind = g->judgement->verdict.action == ACTION_ALLOW ?
	    "allow" : "observe";

	if (gate_keep(g, e) == -1)
		return -1;
	/* It passes because it can be taken back; else it is asked. */
	if (g->lost) {
		g->originals[0] = '\0';	/* whoever runs it keeps */
		return gate_ask(g, in, r, e);
	}
	if (gate_record(g, in, kind, NULL, e) == -1)
		return -1;
	if (policy_auto_allow(g->policy) && !in->planning)
		dialect_allow(g->dialect, in->event, r);
	return 0;
}

static int
pass_denied(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	const struct verdict *v = &g->judgement->verdict;
	auto_str struct str text = { 0 };

	str_init(&text, REASON_MAX);
	if (gate_record(g, in, "guardrail.decision", NULL, e) == -1)
		return -1;
	reason_denied(v->rule, v->why, v->next, &text);
	dialect_refuse(g->dialect, in->event, text.s, r);
	return 0;
}

typedef int pass_fn(struct gate *, const struct hook_input *, struct reply *,
    struct err *);

/* Whether there is a jail is looked up when something would go into it. */
static void
decide(struct gate *g, const struct call *call)
{
	policy_decide(g->policy, &world_real, call, g->judgement);
	/* Inside one everything is contained. */
	if (g->judgement->verdict.action != ACTION_CONTAIN || g->home.jailed)
		return;
	g->jail = contain_possible(g, call);
	if (g->jail)
		return;
	policy_no_jail(g->policy);
	policy_decide(g->policy, &world_real, call, g->judgement);
}

/* What a human had remembered is looked up when it would be asked. */
static void
judge(struct gate *g, const struct call *call)
{
	const struct recall_from from = { .viewfd = g->home.view,
	    .ledgerfd = g->home.ledger, .wall_ms = g->now.wall_ms };

	decide(g, call);
	/* What was forgotten is in the ledger, which a jail does not show. */
	if (g->judgement->verdict.action == ACTION_ESCALATE &&
	    !g->home.jailed && policy_recall(g->policy, &from) > 0)
		decide(g, call);
}

int
gate_pass(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	static pass_fn *const ways[] = {
		[ACTION_DENY] = pass_denied,
		[ACTION_ESCALATE] = gate_ask,
		[ACTION_CONTAIN] = gate_contain,
		[ACTION_OBSERVE] = pass_quietly,
		[ACTION_ALLOW] = pass_quietly,
	};
	enum action action;

	if (check_cwd(in, e) == -1)
		return -1;
	g->judgement = judgement_new();
	g->transcript = in->transcript;
	judge(g, &in->call);
	gate_spare_marked(&in->call, &g->judgement->verdict);
	action = g->judgement->verdict.action;
	if ((size_t)action >= ARRAY_LEN(ways))
		BUG("a verdict without a way");
	/* Trying the product out: judged and recorded, never blocked. */
	if (policy_mode(g->policy) == MODE_OBSERVE)
		return gate_keep(g, e) == -1 ? -1 :
		    gate_record(g, in, "observe", NULL, e);
	return ways[action](g, in, r, e);
}
