/* policy/special_more.c - sqlite3, kill, terminals: small knowledge. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/special.h"
#include "policy/value.h"
#include "common/banned.h"

/* sqlite3 DB QUERY...: without a query it would read commands. */
void
special_sqlite(struct run *r, const struct cmd_program *p, size_t from)
{
	const struct arg **words = program_room(r);
	size_t n = words == NULL ? 0 : program_operands(r, p, from, words);

	if (n > 0)
		run_path(r, PATH_READ, words[0]);
	if (n < 2)
		run_unknown(r, "a database shell that reads its commands");
	for (size_t i = 1; i < n; i++)
		program_role(r, ROLE_SQL, words[i]);
}

/* Jobs of this very shell (%1, $!) and mere questions hurt nobody. */
void
special_kill(struct run *r, const struct cmd_program *p, size_t from)
{
	(void)p;
	for (size_t i = from; i < r->argc; i++) {
		const char *v = r->argv[i].val;

		if (i == from && (str_eq(v, "-0") || str_eq(v, "-l") ||
		    str_eq(v, "-L")))
			return;
		if (v[0] == '%' && value_constant(v))
			continue;
		if (i == from && v[0] == '-' && value_constant(v) &&
		    i + 1 < r->argc && str_eq(v, "-s")) {
			from = ++i + 1;
			continue;
		}
		if (i == from && v[0] == '-' && value_constant(v) &&
		    i + 1 < r->argc)
			continue;
		run_effect(r, EFFECT_PROCESS, value_constant(v) ? v : "kill");
	}
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
