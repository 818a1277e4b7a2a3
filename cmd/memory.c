/* cmd/memory.c - what is remembered, and how often it was used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "cmd/memory.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"
#include "policy/remember.h"

#include "common/banned.h"

struct uses {
	const struct remembered_list	*l;
	size_t				*count;
};

static int
count(void *arg, const cJSON *record, const char *line, size_t len)
{
	const struct uses *u = arg;
	const char *rule = json_str(record, "rule");

	(void)line;
	(void)len;
	/* An approval's record names the rule that asked, no use. */
	if (rule == NULL || json_str(record, "stmt") != NULL)
		return 0;
	for (size_t i = 0; i < u->l->n; i++)
		if (remember_used(rule, u->l->list[i].id))
			u->count[i]++;
	return 0;
}

/* The words people read; a call's digest is none. */
static const char *
what_of(const struct remembered *r)
{
	return r->scope == REMEMBER_CALL ? r->what + DIGEST_HEX + 1 : r->what;
}

static void
print(const struct remembered *r, const char *defect, size_t used)
{
	auto_free char *shown = visible_line(what_of(r));
	auto_free char *who = visible_line(r->who);
	char until[21];

	clock_format(r->until_ms, until);
	printf("// %s  %s  %s  used %zu time%s, %s %s, by %s%s%s\n", r->id,
	    remember_scope_name(r->scope), shown, used, used == 1 ? "" : "s",
	    r->has_session ? "in one session until" : "until", until, who,
	    defect == NULL ? "" : "; does not count: ",
	    defect == NULL ? "" : defect);
}

static void
push(cJSON *list, const struct remembered *r, const char *defect, size_t used)
{
	cJSON *o = json_object();
	char until[21];

	clock_format(r->until_ms, until);
	json_add_str(o, "id", r->id);
	json_add_str(o, "scope", remember_scope_name(r->scope));
	json_add_str(o, "what", what_of(r));
	json_add_int(o, "uses", (int64_t)used);
	json_add_str(o, "until", until);
	json_add_bool(o, "one_session", r->has_session);
	json_add_str(o, "by", r->who);
	json_add_str(o, "request", r->request);
	json_add_str(o, "defect", defect);
	json_push(list, o);
}

/* `list`: into it; NULL: to stdout. */
static int
show(const struct home *home, const struct remembered_list *l,
    const struct recall_from *from, cJSON *list, struct err *e)
{
	struct uses uses = { l, xcalloc(l->n + 1, sizeof *uses.count) };
	struct keyring ring = { 0 };
	int rc = -1;

	if (home_approvers(home, &ring, e) == 0 && (l->n == 0 ||
	    audit_walk(home->priv, count, &uses, e) == 0)) {
		if (list == NULL && l->n + l->damaged > 0)
			printf("// remembered decisions: %zu\n", l->n);
		for (size_t i = 0; i < l->n; i++) {
			const char *defect = remember_defect(&l->list[i], from,
			    &ring);

			if (list == NULL)
				print(&l->list[i], defect, uses.count[i]);
			else
				push(list, &l->list[i], defect,
				    uses.count[i]);
		}
		if (list == NULL && l->damaged > 0)
			printf("// and %zu damaged lines that nobody "
			    "believes\n", l->damaged);
		rc = 0;
	}
	keyring_clear(&ring);
	free(uses.count);
	return rc;
}

int
memory_show(const struct home *home, cJSON *list, struct err *e)
{
	struct recall_from from = { .viewfd = home->view,
	    .ledgerfd = home->ledger };
	struct remembered_list l;
	struct clock now;
	int rc;

	if (clock_now(&now, e) == -1)
		return -1;
	from.wall_ms = now.wall_ms;
	if (remember_read(&from, home->project, &l, e) == -1)
		return -1;
	rc = show(home, &l, &from, list, e);
	remembered_list_clear(&l);
	return rc;
}
