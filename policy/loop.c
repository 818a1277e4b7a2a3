/* policy/loop.c - what is done again and again. */
#include <string.h>

#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

static const char anything[] = { VALUE_ANY, '\0' };

/* One round; what it sets is noted. */
static void
walk_round(struct walk *w, const struct sh_node *n, struct state *st,
    struct sets *sets)
{
	struct sets *outer = w->sets;
	const struct sh_node *k = n->kids;

	w->sets = sets;
	if (n->kind == SH_LOOP && k != NULL) {	/* the body is behind it */
		struct state after = *st;

		w->maybe++;
		walk_node(w, k, &after);
		w->maybe--;
		st->vars = after.vars;
		st->n_vars = after.n_vars;
		st->lost = after.lost;
		state_join(w, st, &after);
		k = k->next;
	}
	for (; k != NULL; k = k->next)
		walk_maybe(w, k, st);
	w->sets = outer;
}

/*
 * Later rounds start from what the earlier ones set: round after round, until
 * that is no news.  Where a round was left half way, all it sets may be the
 * case.
 */
void
walk_loop(struct walk *w, const struct sh_node *n, const char *each,
    struct state *st)
{
	struct sets sets = { .n = 0 }, *outer = w->sets;
	bool wider = true;

	for (unsigned round = 0; wider; round++) {
		struct state start = *st;

		if (round > 0 && w->texts >= WALK_TEXTS) {
			facts_unknown(w->f, NULL, walk_span(w, n->at, n->len),
			    "loops that change their own conditions");
			break;
		}
		if (each != NULL) {	/* every round sets it again */
			w->sets = NULL;
			state_set(w, st, n->name, each);
			w->sets = outer;
		}
		w->texts += round > 0;	/* again per level: keep it bounded */
		walk_round(w, n, st, &sets);
		w->texts -= round > 0;
		wider = !start.cwds.unknown && (st->cwds.unknown ||
		    st->cwds.n != start.cwds.n ||
		    (sets.moved && sets.jumps));
		start.cwds = st->cwds;
		start.cwds.unknown = start.cwds.unknown || wider;
		sets.all = sets.all || round == 2;
		if (state_widen(w, &start, &sets))
			wider = true;
		*st = start;
	}
	state_note(outer, &sets);
}

/* `for x in a b c`: few known words are judged one after the other. */
static void
walk_each(struct walk *w, const struct sh_node *n, const char *const *values,
    size_t count, struct state *st)
{
	struct sets sets = { .n = 0 };

	w->unrolled++;
	for (size_t i = 0; i < count; i++) {
		state_set(w, st, n->name, values[i]);
		walk_round(w, n, st, &sets);
		if (sets.jumps) {
			state_widen(w, st, &sets);
			st->cwds.unknown = st->cwds.unknown || sets.moved;
		}
	}
	w->unrolled--;
	state_note(w->sets, &sets);
	state_set(w, st, n->name, anything);	/* a break leaves any */
}

void
walk_for(struct walk *w, const struct sh_node *n, struct state *st)
{
	const char *values[WALK_UNROLL];
	const char *value = n->implicit ? anything : NULL;
	bool known = !n->implicit && n->name != NULL && w->unrolled < 2;
	size_t count = 0;

	for (const struct sh_word *v = n->words; v != NULL; v = v->next) {
		struct arg all[BRACE_WORDS];
		size_t some = 1;

		if (count < WALK_UNROLL)
			some = expand_words(w, st, v, all);
		else
			all[0] = expand_word(w, st, v);
		for (size_t i = 0; i < some; i++) {
			const struct arg *a = &all[i];

			known = known && !a->many && value_constant(a->val) &&
			    count < WALK_UNROLL;
			if (known)
				values[count] = a->val;
			value = count++ == 0 && (!a->many ||
			    strchr(a->val, VALUE_ANY) == NULL) ? a->val :
			    anything;
			if (a->many >= ARG_SPLIT && n->name != NULL)
				state_split(w, n->name);
		}
	}
	if (n->name != NULL) {
		if (state_grave(n->name))
			facts_unknown(w->f, NULL, walk_span(w, n->at, n->len),
			    "it sets a variable that programs obey");
		if (known && count > 1) {
			walk_each(w, n, values, count, st);
			return;
		}
		value = value != NULL ? value : anything;
		state_set(w, st, n->name, value);
	}
	walk_loop(w, n, n->name != NULL ? value : NULL, st);
}
