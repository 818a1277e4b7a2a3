/* policy/special_more.c - exec, sqlite3, kill, terminals, modules: a little. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/special.h"
#include "policy/value.h"
#include "common/banned.h"

/* The last letter a takes the next word, `exec -la NAME cmd`; -aNAME none. */
void
special_exec(struct run *r, const struct cmd_program *p, size_t from)
{
	(void)p;
	for (; from < r->argc && r->argv[from].val[0] == '-'; from++) {
		const char *v = r->argv[from].val + 1;
		size_t n = strspn(v, "cl");

		if (str_eq(v, "-")) {
			from++;
			break;
		}
		if ((v[n] != 'a' && v[n] != '\0') || v[0] == '\0' ||
		    r->argv[from].many) {
			run_unknown(r, "options of exec that are not known");
			return;
		}
		if (v[n] == 'a' && v[n + 1] == '\0' && from + 1 < r->argc &&
		    r->argv[++from].many)
			run_unknown(r, "a name that may be no word");
	}
	if (from < r->argc)
		run_wrapped(r, from);
}

/* sqlite3 DB QUERY...: without a query it would read commands. */
void
special_sqlite(struct run *r, const struct cmd_program *p, size_t from)
{
	const struct arg **words = program_room(r);
	size_t n = words == NULL ? 0 : program_operands(r, p, from, words);

	if (n > 0 && str_starts(words[0]->val, "file:"))
		run_unknown(r, "a database by its URI");
	else if (n > 0)
		run_path(r, PATH_READ, words[0]);
	if (n < 2)
		run_unknown(r, "a database shell that reads its commands");
	for (size_t i = 1; i < n; i++)
		program_role(r, ROLE_SQL, words[i]);
}

/* A request to end, which a program can answer by saving its work. */
static bool
polite(const char *signal)
{
	static const char *const names[] = { "TERM", "INT", "HUP", "15", "2",
		"1", "SIGTERM", "SIGINT", "SIGHUP" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eq(signal, names[i]))
			return true;
	return false;
}

static void
add_signal(struct run *r, const char *target, bool fine)
{
	struct fact new = {
		.effect = { .kind = EFFECT_PROCESS, .certainty = CERTAIN_YES,
		    .target = target, .span_at = r->span.at,
		    .span_len = r->span.len },
		.trigger = fine ? TRIGGER_SIGNAL : TRIGGER_PROCESS,
		.tier = fine ? TIER_LOW : TIER_MEDIUM, .cmd = r->cmd
	};

	facts_add(r->w->f, &new);
}

/* A process by number, and none of those that hold up the system. */
static bool
is_pid(const char *v)
{
	size_t n = strspn(v, "0123456789");

	return v[n] == '\0' && n >= 3 && n <= 7 && v[0] != '0';
}

/* Jobs of this very shell (%1, $!) and mere questions hurt nobody. */
void
special_kill(struct run *r, const struct cmd_program *p, size_t from)
{
	bool fine = true;

	(void)p;
	if (from < r->argc && r->argv[from].val[0] == '-' &&
	    value_constant(r->argv[from].val)) {
		const char *v = r->argv[from].val;

		if (str_eq(v, "-0") || str_eq(v, "-l") || str_eq(v, "-L"))
			return;
		if (str_eq(v, "-s") && from + 2 < r->argc)
			v = r->argv[++from].val;
		else
			v++;
		if (from + 1 < r->argc) {
			fine = polite(v);
			from++;
		}
	}
	for (size_t i = from; i < r->argc; i++) {
		const char *v = r->argv[i].val;

		if (v[0] == '%' && value_constant(v))
			continue;
		add_signal(r, value_constant(v) ? v : "kill",
		    fine && is_pid(v));
	}
}

/*
 * Does it name one command line among many?  A program with its words does; a
 * single word must be none that other lines hold as well.
 */
static bool
is_specific(const char *pattern)
{
	static const char *const many[] = { "sandbox", "claude", "codex",
		"pretooluse", "systemd", "tmux", "screen", "login", "python",
		"java", "node", "/bin", "/usr", "home", "bash", "sshd" };
	if (!value_constant(pattern) || strlen(pattern) > 80 ||
	    strpbrk(pattern, "|[](){}+?\\^$*") != NULL ||
	    strlen(pattern) < 6 || strcasestr(pattern, "sandbox") != NULL)
		return false;
	if (strchr(pattern, ' ') != NULL)
		return strchr(pattern, ' ') > pattern + 1 &&
		    !str_ends(pattern, " ") && !str_ends(pattern, "-") &&
		    !str_starts(pattern, "claude");
	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		if (strcasestr(pattern, many[i]) != NULL)
			return false;
	return strchr(pattern, '.') == NULL && commands_find(pattern) == NULL;
}

/* pkill [-SIGNAL] -f PATTERN, and nothing else is told apart. */
void
special_pkill(struct run *r, const struct cmd_program *p, size_t from)
{
	bool fine = true;

	(void)p;
	if (from + 3 == r->argc && r->argv[from].val[0] == '-')
		fine = polite(r->argv[from++].val + 1);
	fine = fine && from + 2 == r->argc &&
	    str_eq(r->argv[from].val, "-f") &&
	    is_specific(r->argv[from + 1].val);
	add_signal(r, "pkill", fine);
	for (size_t i = from; i < r->argc; i++)
		program_role(r, ROLE_WORD, &r->argv[i]);
}

/* `tar tf a.tar NAME...` lists; anything else may write or start programs. */
void
special_tar(struct run *r, const struct cmd_program *p, size_t from)
{
	const char *how = from < r->argc ? r->argv[from].val : "";
	bool lists;

	(void)p;
	how += how[0] == '-' ? 1 : 0;
	lists = how[0] != '\0' && how[strspn(how, "tvzjJaf")] == '\0' &&
	    strchr(how, 't') != NULL && how[strlen(how) - 1] == 'f' &&
	    from + 1 < r->argc;
	for (size_t i = from + 1; i < r->argc; i++)
		lists = lists && r->argv[i].val[0] != '-' &&
		    value_constant(r->argv[i].val) &&
		    strchr(r->argv[i].val, ':') == NULL;
	if (lists) {
		run_path(r, PATH_READ, &r->argv[from + 1]);
		return;
	}
	run_unknown(r, "an archive that is made or unpacked");
	for (size_t i = from + 1; i < r->argc; i++)
		if (r->argv[i].val[0] != '-')
			run_path(r, PATH_WIPE, &r->argv[i]);
}

/* tmux, screen and their like: typing into a terminal approves anything. */
void
special_terminal(struct run *r, const struct cmd_program *p, size_t from)
{
	static const char *const types[] = {
		"send-keys", "send", "send-prefix", "paste-buffer", "pasteb",
		"load-buffer", "set-buffer", "pipe-pane", "stuff", "send-text",
		"send-key", "write", "write-chars", "run-shell", "respawn-pane",
		"type", "key", "-X"
	};
	static const char *const looks[] = { "ls", "list-sessions", "-ls",
		"list-windows", "list-panes", "lsw", "lsp", "-V", "-list" };
	bool harmless = false;

	(void)p;
	for (size_t i = from; i < r->argc; i++)
		for (size_t k = 0; k < ARRAY_LEN(types); k++)
			if (str_eq(r->argv[i].val, types[k])) {
				run_effect(r, EFFECT_CONNECTOR,
				    "keys for a terminal");
				return;
			}
	for (size_t k = 0; from < r->argc && k < ARRAY_LEN(looks); k++)
		harmless = harmless || str_eq(r->argv[from].val, looks[k]);
	for (size_t i = from; i < r->argc; i++)
		if (strchr(r->argv[i].val, ';') != NULL ||
		    !value_constant(r->argv[i].val))
			harmless = false;
	if (!harmless)
		run_effect(r, EFFECT_EXEC, r->argv[0].val);
}

const struct cmd_program *
program_sub(const struct cmd_program *p, const struct arg *a)
{
	char name[128];
	size_t n = strlen(commands_name(p)), m = strlen(a->val);

	if (!value_constant(a->val) || a->many || n + m + 2 >= sizeof(name))
		return NULL;
	memcpy(name, commands_name(p), n);
	name[n] = ' ';
	memcpy(name + n + 1, a->val, m + 1);
	return commands_find(name);
}

/* `bun publish`, `python3 -m pip install`: not only code that runs. */
void
special_known(struct run *r, const struct cmd_program *p, size_t from)
{
	static const char *const modules[] = { "pip", "pipx", "twine",
		"poetry", "uv", "hatch", "pdm" };
	const struct cmd_program *sub = from < r->argc && p->has_subs ?
	    program_sub(p, &r->argv[from]) : NULL;

	if (sub != NULL)
		program_apply(r, sub, from + 1);
	if (from + 1 >= r->argc || !str_eq(r->argv[from].val, "-m"))
		return;
	for (size_t i = 0; i < ARRAY_LEN(modules); i++)
		if (str_eq(r->argv[from + 1].val, modules[i]))
			program_apply(r, commands_find(modules[i]), from + 2);
}

/* Does the next word belong to this option of ps? */
static bool
ps_takes(const char *option)
{
	static const char *const alone[] = { "--forest", "--headers",
		"--headings", "--no-headers", "--no-headings", "--deselect" };

	if (option[0] != '-' || option[1] == '\0')
		return false;
	if (option[1] != '-')
		return strchr("oOpCuUgGtsqk",
		    option[strlen(option) - 1]) != NULL;
	for (size_t i = 0; i < ARRAY_LEN(alone); i++)
		if (str_eq(option, alone[i]))
			return false;
	return strchr(option, '=') == NULL;
}

/* `ps auxe`, `ps -e e`: the environments of all programs. */
void
special_ps(struct run *r, const struct cmd_program *p, size_t from)
{
	(void)p;
	for (size_t i = from; i < r->argc; i++) {
		const char *v = r->argv[i].val;

		if (v[0] != '-' && !ps_takes(r->argv[i - 1].val) &&
		    (strchr(v, 'e') != NULL || !value_constant(v)))
			run_effect(r, EFFECT_SECRET, "the environment");
	}
}
