#include "hooks/contain.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/mem.h"
#include "hooks/contain_rules.h"
#include "policy/places.h"

#include "common/banned.h"

#define WRAPPED_MAX	(4 << 20)
#define LL_VERSION	1U
#define RUN		" run --profile project --project "
#define SHELL		" -- /bin/bash -c "

/* Settings of the machine, and the value under which there are no walls. */
static const struct { const char *path; long bad; } machine[] = {
	{ "/proc/sys/user/max_user_namespaces", 0 },
	{ "/proc/sys/kernel/unprivileged_userns_clone", 0 },
	{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1 },
};

static bool
machine_can(void)
{
	/* Root would have to become somebody first, and who is not known. */
	if (geteuid() == 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(machine); i++) {
		char buf[32];
		auto_close int fd = open(machine[i].path, O_RDONLY |
		    O_CLOEXEC);
		ssize_t n = fd == -1 ? -1 : read(fd, buf, sizeof buf - 1);

		if (n <= 0)
			continue;
		buf[n] = '\0';
		if (strtol(buf, NULL, 10) == machine[i].bad)
			return false;
	}
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LL_VERSION) >= 1;
}

/* Where `sandbox` is: in the build tree, or installed. */
static char *
find_sandbox(const struct gate *g)
{
	static const char *const tails[] = { "sandbox", "../../bin/sandbox" };

	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		auto_free char *path = xasprintf("%s/%s", g->libexec,
		    tails[i]);
		auto_free char *real = realpath(path, NULL);
		struct stat st;

		if (real != NULL && stat(real, &st) == 0 &&
		    S_ISREG(st.st_mode) && access(real, X_OK) == 0)
			return mem_steal(&real);
	}
	return NULL;
}

bool
contain_offered(const struct gate *g)
{
	/* What MCP asks for is executed by our side, not in the agent. */
	return g->dialect != NULL && g->dialect->contain != NULL &&
	    str_eq(g->args->event, g->dialect->contain_event);
}

/* Elsewhere another project would be found, or none. */
static bool
in_project(const struct gate *g, const struct call *call)
{
	auto_free char *real = realpath(call->cwd, NULL);

	return real != NULL && place_under(real, g->home.root_path);
}

bool
contain_possible(const struct gate *g, const struct call *call)
{
	auto_free char *sandbox = NULL;

	if (!contain_offered(g) || !in_project(g, call) || !machine_can())
		return false;
	sandbox = find_sandbox(g);
	return sandbox != NULL && !contain_boxed(g->dialect->name,
	    g->transcript) && !contain_rules(g->dialect->name,
	    g->home.root_path, g->user_home);
}

/* One word for a shell. */
static void
add_quoted(struct str *s, const char *word)
{
	str_addc(s, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			str_add(s, "'\\''");
		else
			str_addc(s, *word);
	}
	str_addc(s, '\'');
}

/*
 * What stands before the command.  Where it starts may be another project's by
 * then, so that the one that was judged is named.  NULL: there is no sandbox.
 */
static char *
before(const struct gate *g)
{
	auto_free char *sandbox = find_sandbox(g);
	auto_str struct str s = { 0 };

	if (sandbox == NULL)
		return NULL;
	str_init(&s, WRAPPED_MAX);
	add_quoted(&s, sandbox);
	str_add(&s, RUN);
	add_quoted(&s, g->home.root_path);
	str_add(&s, SHELL);
	return str_take(&s);
}

/* NULL: there is no sandbox, or the text would be too long. */
static char *
wrap(const struct gate *g, const char *command)
{
	auto_free char *front = before(g);
	auto_str struct str s = { 0 };

	if (front == NULL)
		return NULL;
	str_init(&s, WRAPPED_MAX);
	str_add(&s, front);
	add_quoted(&s, command);
	return s.full ? NULL : str_take(&s);
}

char *
contain_unwrap(const struct gate *g, const char *command)
{
	auto_free char *front = before(g), *again = NULL;
	const char *at = command;
	auto_str struct str s = { 0 };

	if (front == NULL || !str_starts(command, front) ||
	    at[strlen(front)] != '\'')
		return NULL;
	str_init(&s, WRAPPED_MAX);
	for (at += strlen(front) + 1; *at != '\0' && strcmp(at, "'") != 0; ) {
		if (str_starts(at, "'\\''")) {
			str_addc(&s, '\'');
			at += 4;
		} else {
			str_addc(&s, *at++);
		}
	}
	again = wrap(g, s.s);
	return str_eq(again, command) ? str_take(&s) : NULL;
}

cJSON *
contain_input(const cJSON *input, const char *command)
{
	cJSON *whole = cJSON_Duplicate(input, true);

	if (whole == NULL)
		BUG("no memory for a copy");
	cJSON_DeleteItemFromObjectCaseSensitive(whole, "command");
	json_add_str(whole, "command", command);
	return whole;
}

/* For a client that merges. */
static cJSON *
contain_part(const char *command)
{
	cJSON *part = json_object();

	json_add_str(part, "command", command);
	return part;
}

int
gate_contain(struct gate *g, const struct hook_input *in, struct reply *r,
    struct err *e)
{
	const char *command = g->jail && call_kind(&in->call) == CALL_SHELL ?
	    call_subject(&in->call) : NULL;
	auto_free char *text = command == NULL ? NULL : wrap(g, command);
	auto_json cJSON *input = NULL;

	/* In the jail already: there is none to be looked for (decide()). */
	if (g->home.jailed) {
		if (gate_record(g, in, "contain", NULL, e) == -1)
			return -1;
		if (!in->planning)
			dialect_allow(g->dialect, in->event, r);
		return 0;
	}
	/* A tool that is no shell runs in the client itself; a rule may say
	   contain where it cannot be done. */
	if (text == NULL)
		return gate_ask(g, in, r, e);
	if (gate_keep(g, e) == -1)
		return -1;
	/* What cannot be taken back is not done unasked in there either. */
	if (g->lost) {
		g->originals[0] = '\0';
		return gate_ask(g, in, r, e);
	}
	if (gate_record(g, in, "contain", NULL, e) == -1)
		return -1;
	input = g->dialect->contain_part ? contain_part(text) :
	    contain_input(in->call.input, text);
	dialect_contain(g->dialect, input, in->planning, r);
	return 0;
}
