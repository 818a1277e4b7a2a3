/* policy/names.c - the words people and files use for our enums. */
#include "common/mem.h"
#include "common/str.h"
#include "policy/names.h"
#include "policy/policy.h"
#include "policy/value.h"
#include "common/banned.h"

static const char *const action_names[] = {
	"deny", "escalate", "contain", "observe", "allow"
};
static const char *const tier_names[] = {
	"critical", "high", "medium", "low"
};
static const char *const effect_names[] = {
	"unknown", "read", "write", "delete", "net", "exec", "project-code",
	"privilege", "persist", "secret", "process", "device", "history",
	"connector"
};

/* Where name stands in a list of words; -1 when it does not. */
static int
names_find(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(names[i], name))
			return (int)i;
	return -1;
}

const char *
action_name(enum action a)
{
	return action_names[a];
}

const char *
tier_name(enum tier t)
{
	return tier_names[t];
}

const char *
effect_name(enum effect_kind k)
{
	return effect_names[k];
}

char *
effect_target(const struct effect *f)
{
	char *text = xstrdup(f->target == NULL ? "" : f->target);

	for (char *p = text; *p != '\0'; p++)
		*p = *p == VALUE_ANY || *p == VALUE_STAR ? '*' :
		    *p == VALUE_ONE ? '?' : *p;
	return text;
}

int
action_parse(const char *name)
{
	return names_find(action_names, ARRAY_LEN(action_names), name);
}

int
tier_parse(const char *name)
{
	return names_find(tier_names, ARRAY_LEN(tier_names), name);
}

int
effect_parse(const char *name)
{
	return names_find(effect_names, ARRAY_LEN(effect_names), name);
}
