/*
 * sandbox init: put the connector into a folder.
 *
 * Everything that can be refused is refused before a byte is written: first
 * the plan (what each settings file would become), then the key, then the
 * places, then the settings.  Doing it twice is doing it once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "approver/human.h"
#include "approver/key.h"
#include "audit/audit.h"
#include "cmd/accept.h"
#include "cmd/cmd.h"
#include "cmd/init.h"
#include "cmd/install.h"
#include "cmd/managed.h"
#include "cmd/settings.h"
#include "common/fs.h"
#include "common/mem.h"
#include "common/visible.h"
#include "templates/templates.h"

#include "common/banned.h"

static int
make_key(int dir, struct key **ret, struct err *e)
{
	const char *name = getenv("USER");

	if (name == NULL || !key_name_ok(name))
		name = "approver";
	return key_new(dir, name, NULL, ret, e);
}

/*
 * The approver's key, unlocked before anything is touched; of two that find
 * none one makes it.  Others wait while *ret_turn is open, for one log.
 */
static int
get_key(const struct init *in, struct key **ret, bool *ret_new, int *ret_turn,
    struct err *e)
{
	auto_close int dir = key_dir_open(true, e);
	auto_key struct key *k = NULL;
	int got;

	if (dir == -1)
		return -1;
	got = key_load(dir, &k, e);
	*ret_new = got == -1 && e->code == ERR_SETUP &&
	    (got = make_key(dir, &k, e)) == 0;
	if (got == -1 && e->sys == EEXIST)
		got = key_load(dir, &k, e);
	if (got == -1 || key_unlock_ask(k, in->pass_fd, e) == -1)
		return -1;
	if (flock(dir, LOCK_EX) == -1)
		return err_sys(e, "cannot wait for another init");
	*ret_turn = fd_steal(&dir);
	*ret = k;
	k = NULL;
	return 0;
}

/* Hooks see no XDG_DATA_HOME; the record tells them what to close. */
static int
note_keys(struct home *home, struct err *e)
{
	auto_close int dir = key_dir_open(false, e);
	auto_str struct str path = { 0 };

	str_init(&path, 4096);
	if (dir == -1 || fs_path_of(dir, &path, e) == -1)
		return -1;
	return home_set_keys(home, path.s, e);
}

static int
trust_key(const struct home *home, const struct key *key, struct err *e)
{
	char hex[SIGN_PUB_HEX + 1];
	struct keyring ring;
	bool known;
	auto_str struct str line = { 0 };

	if (home_approvers(home, &ring, e) == -1)
		return -1;
	hex_put(key_public(key), SIGN_PUB, hex);
	known = keyring_find(&ring, hex) != NULL;
	if (!known && ring.n > 0) {
		keyring_clear(&ring);
		return err_set(e, ERR_PERMITTED, "this project trusts another "
		    "approver's key than yours");
	}
	keyring_clear(&ring);
	if (known)
		return 0;
	str_init(&line, 4096);
	str_addf(&line, "ed25519 %s %s\n", hex, key_owner(key));
	return fs_replace(home->view, "approvers", line.s, line.len, 0600, e);
}

static int
start_log(struct home *home, const struct key *key, struct err *e)
{
	char hex[DIGEST_HEX + 1];
	struct digest genesis;
	struct clock now;

	const struct audit_birth birth = {
		.project = home->project, .root = home->root_path,
		.approver_seed = key_seed(key), .clock = &now,
	};

	if (*home->genesis != '\0')
		return 0;
	if (clock_now(&now, e) == -1 ||
	    audit_genesis(home->priv, &birth, &genesis, e) == -1)
		return -1;
	digest_hex(&genesis, hex);
	return home_set_genesis(home, hex, e);
}

/*
 * init accepts its own template and nothing else; a policy.json that somebody
 * wrote waits for `sandbox policy accept`.
 */
static int
place_policy(const struct init *in, const struct home *home,
    const struct key *key, struct err *e)
{
	auto_place struct accept_place p = { 0 };
	auto_str struct str now = { 0 }, accepted = { 0 };
	bool ours;

	str_init(&now, POLICY_MAX);
	str_init(&accepted, POLICY_MAX);
	if (accept_read_accepted(home, &accepted, e) == -1)
		return -1;
	if (accept_read_edited(home, &now, e) == -1) {
		if (e->code != ERR_SETUP)
			return -1;
		if (fs_replace(home->sandbox, POLICY_FILE, in->policy.s,
		    in->policy.len, 0600, e) == -1)
			return -1;
		str_add(&now, in->policy.s);
	}
	ours = str_eq(now.s, template_policy_json) ||
	    str_eq(now.s, in->policy.s);
	if (!ours && (in->auto_allow || accepted.len == 0))
		fprintf(stderr, "sandbox: note: '.sandbox/" POLICY_FILE "' is "
		    "your own and stays as it is; `sandbox policy accept` puts "
		    "it in force\n");
	if (!ours || (accepted.len > 0 && !in->auto_allow) ||
	    str_eq(accepted.s, in->policy.s))
		return 0;
	if (fs_replace(home->sandbox, POLICY_FILE, in->policy.s,
	    in->policy.len, 0600, e) == -1 || accept_place(home, &p, e) == -1)
		return -1;
	return accept_policy(home, &p.place, &in->policy, key, e);
}

/* What a file is without us: what uninstall gives back. */
static int
note_original(const struct change *c, struct install *record, struct err *e)
{
	const struct target *t = &c->target;
	struct install_file *f = install_find(record, t->path);
	bool made = f != NULL && !f->existed;
	int made_dirs = made ? f->made_dirs : t->make_dirs;
	struct digest now;

	digest_of(t->text.s, t->text.len, NULL, &now);
	if (f == NULL || !digest_eq(&now, &f->written)) {
		/* What is there now is a person's, but for entries of ours. */
		if (f == NULL)
			f = install_new(record, t->path, c->agent->name);
		f->existed = t->exists;
		f->made_dirs = made_dirs;
		f->mode = t->mode;
		str_reset(&f->original);
		str_addn(&f->original, t->text.s, t->text.len);
		if (t->exists && settings_remove(c->agent, &f->original, e) ==
		    -1)
			return -1;
		/* Ours alone, from before the record or by it: not there. */
		if (t->exists && t->text.len > 0 && (f->original.len == 0 ||
		    (made && settings_empty(&f->original))))
			f->existed = false;
	}
	digest_of(c->text.s, c->text.len, NULL, &f->written);
	return 0;
}

/* Two changes of one file: the later one holds both. */
static bool
is_last(const struct init *in, size_t i)
{
	for (size_t k = i + 1; k < in->n_changes; k++)
		if (str_eq(in->changes[k].target.path,
		    in->changes[i].target.path))
			return false;
	return true;
}

/* The record of what was there before is on disk before a file changes. */
static int
place_settings(const struct init *in, const struct home *home, struct err *e)
{
	struct install record;
	int rc = 0;

	for (size_t i = 0; i < in->n_changes && rc == 0; i++)
		rc = target_same(&in->changes[i].target, e);
	if (rc == -1 || install_load(home->priv, &record, e) == -1)
		return -1;
	for (size_t i = 0; i < in->n_changes && rc == 0; i++)
		rc = note_original(&in->changes[i], &record, e);
	if (rc == 0)
		rc = install_save(home->priv, &record, e);
	install_clear(&record);
	for (size_t i = 0; i < in->n_changes && rc == 0; i++) {
		const struct change *c = &in->changes[i];

		if (is_last(in, i) && (!c->target.exists ||
		    !str_eq(c->text.s, c->target.text.s)))
			rc = target_write(&c->target, &c->text, e);
	}
	return rc;
}

/* Of files that are often committed; Claude Code's local one is not. */
static bool
holds_paths(const struct init *in)
{
	for (size_t i = 0; i < in->n_changes; i++)
		if (in->changes[i].agent->events != registration_claude &&
		    !in->changes[i].agent->in_home)
			return true;
	return false;
}

static void
say_done(const struct init *in, bool new_key, const struct key *key)
{
	printf("sandbox is set up in %s\n", in->root);
	for (size_t i = 0; i < in->n_changes; i++) {
		const struct change *c = &in->changes[i];
		/* Where a link leads, the repository chose. */
		auto_free char *path = visible_line(c->target.path);

		printf("  %-14s %s%s\n", c->agent->name, path,
		    c->target.linked ? "  (a link here leads there)" : "");
	}
	if (!in->shared && holds_paths(in))
		puts("  These hold paths of this machine: keep them out of "
		    "commits, where they\n  would stop a teammate's agent; "
		    "--shared writes what can be committed.");
	printf("  private        %s\n", in->state);
	printf("  key            %s%s, %s\n", new_key ? "new: " : "",
	    key_owner(key), key_is_locked_kind(key) ?
	    "locked by a passphrase (grade C)" :
	    "open (grade D; `sandbox key passphrase` locks it)");
	for (int i = 0; agents[i].name != NULL; i++)
		if (in->chosen[i] && agents[i].left_to_do != NULL)
			printf("For %s: %s.\n", agents[i].title,
			    agents[i].left_to_do);
	if (in->n_changes == 0)
		puts("  no agent is connected yet: `sandbox init --claude`");
	puts("Next: `sandbox doctor` proves that the hooks deny; `sandbox "
	    "watch` in another\nterminal decides what your agent asks.");
}

static int
make_all(const struct cmd_ctx *ctx, struct init *in, struct err *e)
{
	auto_free char *base = cmd_state_base(ctx);
	auto_home struct home home = HOME_INIT;
	auto_key struct key *key = NULL;
	auto_close int turn = -1;
	bool new_key;

	key_protect();
	if (get_key(in, &key, &new_key, &turn, e) == -1 ||
	    home_create(in->root, base, &home, e) == -1 ||
	    human_only(&home, e) == -1 ||
	    note_keys(&home, e) == -1 ||
	    trust_key(&home, key, e) == -1 ||
	    start_log(&home, key, e) == -1 ||
	    place_policy(in, &home, key, e) == -1)
		return -1;
	if (in->n_changes > 0 && place_settings(in, &home, e) == -1)
		return -1;
	say_done(in, new_key, key);
	return 0;
}

/* One option per agent, then the others; returns how many. */
static size_t
make_options(struct init *in, int *pass_fd, struct opt *ret)
{
	static char about[AGENT_MAX][64];
	const struct opt others[] = {
		{ "mcp", 0, OPT_FLAG, NULL, "the MCP server as well, for the "
		  "agents named; alone: for Claude Code", &in->mcp },
		{ "shared", 0, OPT_FLAG, NULL, "into files that are committed: "
		  "no path of this machine", &in->shared },
		{ "managed", 0, OPT_FLAG, NULL, "for the whole machine, below "
		  "/etc; root's", &in->managed },
		{ "auto-allow", 0, OPT_FLAG, NULL, "answer `allow` where "
		  "policy allows, so that the agent does not ask again",
		  &in->auto_allow },
		{ "dry-run", 0, OPT_FLAG, NULL, "show what would change",
		  &in->dry_run },
		{ "passphrase-fd", 0, OPT_COUNT, "N",
		  "read the key's passphrase from descriptor N", pass_fd },
	};
	size_t n = 0;

	for (int i = 0; agents[i].name != NULL; i++) {
		if (agents[i].mcp_of != NULL)
			continue;
		snprintf(about[n], sizeof about[n], "connect %s",
		    agents[i].title);
		ret[n] = (struct opt){ agents[i].name, 0, OPT_FLAG, NULL,
		    about[n], &in->chosen[i] };
		n++;
	}
	memcpy(ret + n, others, sizeof others);
	return n + ARRAY_LEN(others);
}

/* --mcp: what goes with the agents that were named. */
static void
choose_mcp(struct init *in)
{
	bool any = false;

	for (int i = 0; agents[i].name != NULL; i++)
		any = any || in->chosen[i];
	for (int i = 0; agents[i].name != NULL && in->mcp; i++)
		for (int k = 0; agents[k].name != NULL; k++)
			if (str_eq(agents[i].mcp_of, agents[k].name) &&
			    (in->chosen[k] || (!any && k == 0)))
				in->chosen[i] = true;
}

/* Not about a folder: no key, no queue, no policy. */
static int
init_managed(const struct init *in)
{
	struct err e = { 0 };
	auto_free char *libexec = cmd_libexec(&e);

	if (libexec == NULL || human_only(NULL, &e) == -1 ||
	    managed_init(in->chosen, libexec, in->dry_run, &e) == -1)
		return cmd_fail(&e);
	return 0;
}

int
cmd_init(struct cmd_ctx *ctx, int argc, char **argv)
{
	struct init in = { .pass_fd = -1 };
	struct opt opts[AGENT_MAX + 8];
	int pass_fd = -1;
	size_t n = make_options(&in, &pass_fd, opts);
	struct err e = { 0 };
	int rc;

	if (cmd_parse(ctx, opts, n, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 0)
		return cmd_usage(ctx, "one folder at a time");
	in.pass_fd = pass_fd;
	if (in.managed)
		return in.shared || in.mcp ? cmd_usage(ctx, "--managed goes "
		    "with neither --shared nor --mcp") : init_managed(&in);
	choose_mcp(&in);
	str_init(&in.policy, POLICY_MAX);
	rc = human_only(NULL, &e);
	if (rc == 0)
		rc = init_plan_places(ctx, &in, &e);
	if (rc == 0)
		rc = init_plan_policy(&in, &e);
	if (rc == 0)
		rc = init_plan_agents(&in, &e);
	if (rc == 0)
		rc = init_plan_writable(&in, &e);
	if (rc == 0 && in.dry_run)
		init_plan_show(&in);
	else if (rc == 0)
		rc = make_all(ctx, &in, &e);
	init_clear(&in);
	return rc == -1 ? cmd_fail(&e) : 0;
}
