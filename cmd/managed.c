#include "cmd/managed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/install.h"
#include "cmd/settings.h"
#include "cmd/toml.h"
#include "cmd/toml_block.h"
#include "common/diff.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define PREFIX	"managed-"
#define RECORDS	"/etc/sandbox"
#define BEGIN	"# sandbox init --managed: begin\n"
#define END	"# sandbox init --managed: end\n"

static const struct managed {
	const char	*agent, *file;
	bool		 toml;
} list[] = {
	{ "claude", "claude-code/managed-settings.d/50-sandbox.json", false },
	{ "codex", "codex/requirements.toml", true },
};

bool
managed_is(const char *agent)
{
	return str_starts(agent, PREFIX);
}

int
managed_open(bool make, struct err *e)
{
	if (make && mkdir(RECORDS, 0755) == -1 && errno != EEXIST)
		return err_sys(e, "cannot make '%s'", RECORDS);
	return fs_open_dir_follow(RECORDS, e);
}

/* --- requirements.toml ---------------------------------------------------- */

static void
add_hook(const struct agent *a, const struct registration *r,
    const struct registration_place *place, struct str *ret)
{
	auto_str struct str command = { 0 };

	str_init(&command, SETTINGS_MAX);
	agent_command(a, r, place, &command);
	str_addf(ret, "[[hooks.%s]]\n[[hooks.%s.hooks]]\ntype = \"command\"\n"
	    "command = ", r->event, r->event);
	/* A JSON string is a basic string of TOML. */
	json_quote(command.s, command.len, ret);
	str_addf(ret, "\ntimeout = %d\n", r->timeout_s);
}

static void
toml_text(const struct registration_place *place, struct str *ret)
{
	const struct agent *a = agent_find("codex");

	str_add(ret, BEGIN "[features]\nhooks = true\n[hooks]\nmanaged_dir = ");
	json_quote(place->libexec, strlen(place->libexec), ret);
	str_addc(ret, '\n');
	for (const struct registration *r = a->events; r->event != NULL; r++)
		add_hook(a, r, place, ret);
	str_add(ret, END);
}

static const struct toml_block ours = { BEGIN, END, "/features" };

/* Tables that a second definition of would break the whole file. */
static void
find_taken(void *arg, const struct toml_event *ev)
{
	bool *taken = arg;

	*taken = *taken || strcmp(ev->path, "/features") == 0 ||
	    strcmp(ev->path, "/hooks") == 0 ||
	    str_starts(ev->path, "/features/") ||
	    str_starts(ev->path, "/hooks/");
}

static int
toml_add(const struct registration_place *place, struct str *text,
    struct err *e)
{
	auto_str struct str block = { 0 };
	bool taken = false;

	str_init(&block, SETTINGS_MAX);
	toml_text(place, &block);
	if (toml_block_remove(&ours, text, e) == -1 ||
	    toml_scan(text->s, text->len, find_taken, &taken, e) == -1)
		return -1;
	if (taken)
		return err_set(e, ERR_FORMAT, "it has [features] or [hooks] of "
		    "its own");
	return toml_block_append(text, &block, e);
}

/* --- both ----------------------------------------------------------------- */

int
managed_remove(const char *agent, struct str *text, struct err *e)
{
	const char *name = agent + strlen(PREFIX);

	return strcmp(name, "codex") == 0 ?
	    toml_block_remove(&ours, text, e) :
	    settings_remove(agent_find(name), text, e);
}

static int
add(const struct managed *m, const struct registration_place *place,
    struct str *text, struct err *e)
{
	const struct agent *a = agent_find(m->agent);

	return m->toml ? toml_add(place, text, e) :
	    settings_add(a, a->events, place, text, e);
}

static void
say_by_hand(const struct managed *m, const struct registration_place *place)
{
	auto_str struct str text = { 0 };

	str_init(&text, SETTINGS_MAX);
	if (m->toml)
		toml_text(place, &text);
	else
		settings_by_hand(agent_find(m->agent), place, &text);
	fprintf(stderr, "sandbox: by hand, put this into '/etc/%s':\n%s",
	    m->file, text.s);
}

static int
record(const struct managed *m, const struct target *t, const struct str *text,
    struct err *e)
{
	auto_close int dir = managed_open(true, e);
	auto_free char *agent = xasprintf(PREFIX "%s", m->agent);
	struct install all;
	struct install_file *f;
	struct digest now;
	int rc = 0;

	if (dir == -1 || install_load(dir, &all, e) == -1)
		return -1;
	f = install_find(&all, t->path);
	digest_of(t->text.s, t->text.len, NULL, &now);
	if (f == NULL || !digest_eq(&now, &f->written)) {
		if (f == NULL)
			f = install_new(&all, t->path, agent);
		f->existed = t->exists;
		f->made_dirs = t->make_dirs;
		f->mode = t->mode;
		str_reset(&f->original);
		str_addn(&f->original, t->text.s, t->text.len);
		rc = managed_remove(agent, &f->original, e);
	}
	digest_of(text->s, text->len, NULL, &f->written);
	if (rc == 0)
		rc = install_save(dir, &all, e);
	install_clear(&all);
	return rc;
}

static int
one(const struct managed *m, const struct registration_place *place,
    bool dry_run, struct err *e)
{
	struct target t;
	struct str text;
	int rc;

	if (target_read("/etc", m->file, SETTINGS_MAX, &t, e) == -1)
		return -1;
	if (!t.exists)
		t.mode = 0644;
	str_init(&text, SETTINGS_MAX);
	str_addn(&text, t.text.s, t.text.len);
	rc = add(m, place, &text, e);
	if (rc == -1) {
		say_by_hand(m, place);
		err_add(e, "'/etc/%s' is left alone", m->file);
	} else if (dry_run) {
		auto_str struct str shown = { 0 };

		str_init(&shown, SETTINGS_MAX * 8);
		diff_lines(t.path, &t.text, &text, &shown);
		fputs(shown.s, stdout);
	} else {
		rc = record(m, &t, &text, e);
		if (rc == 0)
			rc = target_same(&t, e);
		if (rc == 0)
			rc = target_write(&t, &text, e);
		if (rc == 0)
			printf("  %-10s %s\n", m->agent, t.path);
	}
	str_clear(&text);
	target_clear(&t);
	return rc;
}

int
managed_init(const bool chosen[static AGENT_MAX], const char *libexec,
    bool dry_run, struct err *e)
{
	const struct registration_place place = { .libexec = libexec };
	int n = 0;

	for (int i = 0; agents[i].name != NULL; i++) {
		bool known = false;

		for (size_t k = 0; k < ARRAY_LEN(list); k++)
			known = known || str_eq(list[k].agent, agents[i].name);
		if (chosen[i] && !known)
			return err_set(e, ERR_USAGE, "there is no managed form "
			    "for %s", agents[i].title);
		n += chosen[i];
	}
	if (n == 0)
		return err_set(e, ERR_USAGE, "name the agents: --claude, "
		    "--codex");
	if (geteuid() != 0)
		return err_set(e, ERR_PERMITTED, "managed files are root's: "
		    "run this as root");
	for (size_t k = 0; k < ARRAY_LEN(list); k++)
		for (int i = 0; agents[i].name != NULL; i++)
			if (chosen[i] && str_eq(agents[i].name,
			    list[k].agent) &&
			    one(&list[k], &place, dry_run, e) == -1)
				return -1;
	return 0;
}
