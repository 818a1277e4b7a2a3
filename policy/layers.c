/* policy/layers.c - one policy file over another. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "policy/layers.h"
#include "common/banned.h"

#define LAYER_MAX	((size_t)256 << 10)

static int
layer_read(const char *path, uid_t owner, struct str *ret, struct err *e)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd == -1)
		return errno == ENOENT || errno == ENOTDIR ? 0 :
		    err_sys(e, "cannot open '%s'", path);
	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != owner ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(e, ERR_FORMAT, "'%s' must be a file that only "
		    "its owner may write", path);
	return io_read_all(fd, LAYER_MAX, ret, e) == -1 ? -1 : 1;
}

static void
words_add(struct words *to, struct words *from)
{
	to->words = xrealloc(to->words, to->n + from->n + 1,
	    sizeof(*to->words));
	for (size_t i = 0; i < from->n; i++)
		to->words[to->n++] = from->words[i];
	from->n = 0;		/* they belong to `to` now */
}

static bool
stays(const struct rule *r, enum layer how)
{
	return r->action == ACTION_DENY || (how == LAYER_TIGHTENS &&
	    r->action == ACTION_ESCALATE);
}

/* Its milder rules in front, where later ones win; what stays, behind. */
static void
rules_add(struct policy *p, struct policy *over, enum layer how)
{
	struct rule *all = xcalloc(p->n_rules + over->n_rules + 1,
	    sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < over->n_rules && how == LAYER_MAY_ALLOW; i++)
		if (!stays(&over->rules[i], how))
			all[n++] = over->rules[i];
	for (size_t i = 0; i < p->n_rules; i++)
		all[n++] = p->rules[i];
	for (size_t i = 0; i < over->n_rules; i++)
		if (stays(&over->rules[i], how))
			all[n++] = over->rules[i];
		else if (how == LAYER_TIGHTENS)
			rule_clear(&over->rules[i]);
	free(p->rules);
	p->rules = all;
	p->n_rules = n;
	over->n_rules = 0;
}

static void
merge(struct policy *p, struct policy *over, enum layer how)
{
	const struct preset *usual = preset_find("default");

	rules_add(p, over, how);
	words_add(&p->net_deny, &over->net_deny);
	words_add(&p->secret, &over->secret);
	words_add(&p->protect, &over->protect);
	if (how == LAYER_MAY_ALLOW) {
		words_add(&p->net_allow, &over->net_allow);
		words_add(&p->net_registries, &over->net_registries);
	}
	for (size_t i = 0; i < TRIGGER_COUNT; i++)
		if (over->trigger[i] < usual->trigger[i] &&
		    over->trigger[i] < p->trigger[i])
			p->trigger[i] = over->trigger[i];
}

int
layer_add(struct policy *p, const char *path, uid_t owner, enum layer how,
    struct err *e)
{
	auto_str struct str file = { 0 };
	struct policy *over;
	int r;

	str_init(&file, LAYER_MAX);
	r = layer_read(path, owner, &file, e);
	if (r <= 0)
		return r;
	if (policy_parse(file.s, file.len, path, &p->place, &over, e) == -1)
		return -1;
	merge(p, over, how);
	policy_free(over);
	return 0;
}
