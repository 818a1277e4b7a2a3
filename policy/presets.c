/* policy/presets.c - the answers a policy starts from, and its limits. */
#include <stddef.h>
#include <stdlib.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/remember.h"
#include "policy/rules.h"
#include "common/banned.h"

static const char *const trigger_names[TRIGGER_COUNT] = {
	[TRIGGER_READ_INSIDE] = "read_inside",
	[TRIGGER_READ_OUTSIDE] = "read_outside",
	[TRIGGER_SECRET_READ] = "secret_read",
	[TRIGGER_FILE_WRITE] = "file_write",
	[TRIGGER_WRITE_OUTSIDE] = "write_outside",
	[TRIGGER_SHELL_WRITE] = "shell_write",
	[TRIGGER_SHELL_REMOVE] = "shell_remove",
	[TRIGGER_SHELL_DELETE] = "shell_delete",
	[TRIGGER_SHELL_TEMP] = "shell_temp",
	[TRIGGER_SHELL_OUTSIDE] = "shell_outside",
	[TRIGGER_NETWORK] = "network",
	[TRIGGER_PROJECT_CODE] = "project_code",
	[TRIGGER_GIT_LOCAL] = "git_local",
	[TRIGGER_GIT_TREE] = "git_tree",
	[TRIGGER_GIT_HISTORY] = "git_history",
	[TRIGGER_SIGNAL] = "signal",
	[TRIGGER_PROCESS] = "process",
	[TRIGGER_SYSTEM] = "system",
	[TRIGGER_PERSIST] = "persist",
	[TRIGGER_UNKNOWN_COMMAND] = "unknown_command",
	[TRIGGER_UNKNOWN_TOOL] = "unknown_tool",
};

#define DENY	ACTION_DENY
#define ASK	ACTION_ESCALATE
#define JAIL	ACTION_CONTAIN
#define NOTE	ACTION_OBSERVE
#define PASS	ACTION_ALLOW

/* In the order of enum trigger: reads; files; commands that write; network
 * and code; git; the machine; what nobody knows. */
static const struct preset presets[] = {
	{ "strict", { PASS, ASK, ASK, PASS, DENY, ASK, ASK, ASK, ASK, ASK,
	    ASK, ASK, ASK, ASK, ASK, ASK, ASK, ASK, ASK, ASK, ASK } },
	{ "default", { PASS, NOTE, ASK, PASS, DENY, NOTE, JAIL, ASK, NOTE, ASK,
	    ASK, JAIL, NOTE, NOTE, ASK, NOTE, JAIL, ASK, ASK, ASK, ASK } },
	{ "relaxed", { PASS, NOTE, ASK, PASS, ASK, NOTE, NOTE, NOTE, NOTE, ASK,
	    ASK, JAIL, NOTE, NOTE, ASK, NOTE, JAIL, ASK, ASK, ASK, ASK } },
};

#define LIMIT(field, normal, least, most) \
	{ #field, offsetof(struct policy_limits, field), normal, least, most }

const struct limit limits[] = {
	LIMIT(wait_s, 1800, 1, 86000),
	LIMIT(wait_alone_s, 20, 0, 86000),
	LIMIT(request_ttl_s, 28800, 2, 604800),
	LIMIT(exec_timeout_s, 600, 1, 86400),
	LIMIT(output_bytes, 40000, 500, 1000000),
	LIMIT(pending_max, 64, 1, 100000),
	LIMIT(pending_session_max, 8, 1, 100000),
	LIMIT(new_per_minute, 10, 1, 1000000),
	LIMIT(queue_bytes, 16 << 20, 64 << 10, 1 << 30),
	LIMIT(answer_keep_s, 28800, 60, 604800),
	LIMIT(approval_ttl_s, 900, 1, 86400),
	LIMIT(critical_ttl_s, 300, 1, 86400),
	LIMIT(originals_mb, 2048, 1, 1 << 20),
	LIMIT(originals_days, 30, 1, 3650),
};
const size_t limits_count = ARRAY_LEN(limits);

const struct preset *
preset_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(presets); i++)
		if (str_eq(presets[i].name, name))
			return &presets[i];
	return NULL;
}

const char *
trigger_name(enum trigger t)
{
	return trigger_names[t];
}

int
trigger_parse(const char *name)
{
	for (int i = 0; i < TRIGGER_COUNT; i++)
		if (str_eq(trigger_names[i], name))
			return i;
	return -1;
}

struct policy *
policy_new(const struct policy_place *place, const struct preset *preset)
{
	struct policy *p = xcalloc(1, sizeof(*p));

	p->place = *place;
	for (size_t i = 0; i < TRIGGER_COUNT; i++)
		p->trigger[i] = preset->trigger[i];
	for (size_t i = 0; i < limits_count; i++) {
		int *slot = (int *)(void *)((char *)&p->limits +
		    limits[i].offset);

		*slot = limits[i].normal;
	}
	return p;
}

static void
words_clear(char **words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(words[i]);
	free(words);
}

void
rule_clear(struct rule *r)
{
	free(r->match.tool);
	free(r->match.agent);
	free(r->match.program);
	words_clear(r->match.args, r->match.n_args);
	free(r->match.path);
	free(r->match.net);
	free(r->why);
}

void
policy_free(struct policy *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n_rules; i++)
		rule_clear(&p->rules[i]);
	free(p->rules);
	words_clear(p->net_allow.words, p->net_allow.n);
	words_clear(p->net_deny.words, p->net_deny.n);
	words_clear(p->net_registries.words, p->net_registries.n);
	words_clear(p->secret.words, p->secret.n);
	words_clear(p->protect.words, p->protect.n);
	if (p->memory != NULL)
		remembered_list_clear(p->memory);
	free(p->memory);
	free(p);
}

const struct policy_limits *
policy_limits(const struct policy *p)
{
	return &p->limits;
}

bool
policy_auto_allow(const struct policy *p)
{
	return p->auto_allow;
}

enum policy_mode
policy_mode(const struct policy *p)
{
	return p->mode;
}

void
policy_no_jail(struct policy *p)
{
	p->contain = false;
}

const struct digest *
policy_digest(const struct policy *p)
{
	return &p->digest;
}
