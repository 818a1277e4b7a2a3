#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/stats.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define SHOWN		5
#define TIRED_FAST	50	/* percent approved that fast */
#define TIRED_LEAST	10	/* questions, before anything is said */

static int
by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int
by_asked(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->asked < y->asked) - (x->asked > y->asked);
}

static int
by_refused(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->refused < y->refused) - (x->refused > y->refused);
}

/* Only what a human always approved, and more than once, is worth a rule. */
static int
by_saved(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	size_t p = x->denied > 0 ? 0 : x->approved;
	size_t q = y->denied > 0 ? 0 : y->approved;

	return (p < q) - (p > q);
}

static void
sort(struct groups *gs, int (*by)(const void *, const void *))
{
	if (gs->n > 0)
		qsort(gs->g, gs->n, sizeof *gs->g, by);
}

static unsigned
percent(size_t part, size_t whole)
{
	return whole == 0 ? 0 : (unsigned)(part * 100 / whole);
}

static int64_t
median(struct stats *s)
{
	if (s->n_took == 0)
		return 0;
	qsort(s->took_ms, s->n_took, sizeof *s->took_ms, by_time);
	return s->took_ms[s->n_took / 2];
}

static bool
is_tired(const struct stats *s)
{
	return s->n_took >= TIRED_LEAST && s->denied == 0 &&
	    percent(s->fast, s->n_took) >= TIRED_FAST;
}

static bool
would_save(const struct group *g)
{
	return g->denied == 0 && g->approved > 1;
}

static void
print_groups(struct stats *s)
{
	sort(&s->sessions, by_asked);
	for (size_t i = 0; i < s->sessions.n && i < SHOWN; i++) {
		const struct group *g = &s->sessions.g[i];
		auto_free char *name = visible_line(g->name);

		printf("%s%-20.20s %zu calls, %zu questions, %zu approved, "
		    "%zu denied, %zu refused\n", i == 0 ? "session    " :
		    "           ", name, g->calls, g->asked, g->approved,
		    g->denied, g->refused);
	}
	sort(&s->kinds, by_saved);
	for (size_t i = 0; i < s->kinds.n && i < SHOWN &&
	    would_save(&s->kinds.g[i]); i++) {
		auto_free char *name = visible_line(s->kinds.g[i].name);

		printf("%s`%s`: %zu questions, all approved\n", i == 0 ?
		    "a rule for " : "           ", name,
		    s->kinds.g[i].approved);
	}
	sort(&s->refusals, by_refused);
	for (size_t i = 0; i < s->refusals.n && i < SHOWN; i++) {
		auto_free char *name = visible_line(s->refusals.g[i].name);

		printf("%s%s: %zu times\n", i == 0 ? "refused by " :
		    "           ", name, s->refusals.g[i].refused);
	}
}

static void
print_text(struct stats *s)
{
	int64_t mid = median(s);

	printf("calls      %zu, of which %zu were asked about (%u %%) and %zu "
	    "refused\n", s->calls, s->asked, percent(s->asked, s->calls),
	    s->refused);
	printf("decisions  %zu approved, %zu denied (%u %% approved)\n",
	    s->approved, s->denied,
	    percent(s->approved, s->approved + s->denied));
	if (s->n_took > 0)
		printf("speed      half of them within %" PRId64 ".%" PRId64
		    " s, %u %% within 3 s\n", mid / 1000, mid / 100 % 10,
		    percent(s->fast, s->n_took));
	if (is_tired(s))
		puts("           most were approved too fast to be read: think "
		    "of a rule for what is harmless");
	if (s->missed > 0)
		printf("missed     %zu tools ran that no hook of ours had "
		    "judged (sandbox log --kind hook.missed)\n", s->missed);
	print_groups(s);
}

static cJSON *
json_groups(const struct groups *gs, bool (*want)(const struct group *))
{
	cJSON *list = json_array();

	for (size_t i = 0; i < gs->n; i++) {
		const struct group *g = &gs->g[i];
		cJSON *o = json_object();

		json_add_str(o, "name", g->name);
		json_add_int(o, "calls", (int64_t)g->calls);
		json_add_int(o, "asked", (int64_t)g->asked);
		json_add_int(o, "approved", (int64_t)g->approved);
		json_add_int(o, "denied", (int64_t)g->denied);
		json_add_int(o, "refused", (int64_t)g->refused);
		if (want == NULL || want(g))
			json_push(list, o);
		else
			json_free(o);
	}
	return list;
}

static void
print_json(struct stats *s)
{
	auto_json cJSON *v = json_object();

	sort(&s->sessions, by_asked);
	sort(&s->kinds, by_saved);
	sort(&s->refusals, by_refused);
	json_add_int(v, "calls", (int64_t)s->calls);
	json_add_int(v, "asked", (int64_t)s->asked);
	json_add_int(v, "approved", (int64_t)s->approved);
	json_add_int(v, "denied", (int64_t)s->denied);
	json_add_int(v, "refused", (int64_t)s->refused);
	json_add_int(v, "missed", (int64_t)s->missed);
	json_add_int(v, "median_ms", median(s));
	json_add_int(v, "fast", (int64_t)s->fast);
	json_add_bool(v, "tired", is_tired(s));
	json_add(v, "sessions", json_groups(&s->sessions, NULL));
	json_add(v, "rules", json_groups(&s->kinds, would_save));
	json_add(v, "refusals", json_groups(&s->refusals, NULL));
	cmd_put_json(v);
}

void
stats_print(struct stats *s, bool json)
{
	if (json)
		print_json(s);
	else
		print_text(s);
}
