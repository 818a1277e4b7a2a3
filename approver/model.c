#include "approver/model_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

void
model_init(struct model *m)
{
	*m = (struct model){ 0 };
	m->items = xcalloc(MODEL_ITEMS, sizeof *m->items);
}

static void
item_clear(struct model_item *it)
{
	free(it->line);
	free(it->command);
	free(it->edited);
	free(it->wish);
}

void
model_clear(struct model *m)
{
	for (size_t i = 0; i < m->n; i++)
		item_clear(&m->items[i]);
	free(m->items);
	*m = (struct model){ 0 };
}

struct model_item *
model_find(struct model *m, unsigned place, const char *id)
{
	for (size_t i = m->n; i-- > 0;)
		if (m->items[i].place == place &&
		    strcmp(m->items[i].id, id) == 0)
			return &m->items[i];
	return NULL;
}

bool
model_has_focus(const struct model *m, const struct model_item *it)
{
	return it->place == m->focus_place && strcmp(it->id, m->focus) == 0;
}

struct model_item *
model_focused(struct model *m)
{
	return m->focus[0] == '\0' ? NULL : model_find(m, m->focus_place,
	    m->focus);
}

static void
take_out(struct model *m, size_t i)
{
	item_clear(&m->items[i]);
	m->n--;
	memmove(&m->items[i], &m->items[i + 1],
	    (m->n - i) * sizeof *m->items);
}

/* The oldest that is over goes; false when all that is there must stay. */
static bool
make_room(struct model *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].state >= AT_OVER) {
			take_out(m, i);
			return true;
		}
	return false;
}

void
model_forget(struct model *m, enum model_state state)
{
	for (size_t i = m->n; i-- > 0;)
		if (m->items[i].state == state)
			take_out(m, i);
}

enum model_page
model_tab(const struct model *m)
{
	return m->page == PAGE_DETAIL ? m->from : m->page;
}

struct model_item *
model_meet(struct model *m, unsigned place, const char *id,
    const char *session, enum model_state state)
{
	struct model_item *it = model_find(m, place, id);

	if (it == NULL) {
		if (m->n == MODEL_ITEMS && !make_room(m))
			return NULL;
		it = &m->items[m->n++];
		*it = (struct model_item){ .place = place,
		    .put_off = m->paused };
		snprintf(it->id, sizeof it->id, "%s", id);
		snprintf(it->session, sizeof it->session, "%s", session);
	}
	if (it->state == AT_OVER)
		it->end[0] = '\0';
	it->state = state;
	it->met = true;
	return it;
}

void
model_to_top(struct model *m)
{
	m->top = 0;
	m->loose = false;
}

/* Where the focus was, the next row is; behind the last, the one before. */
static void
move_on(struct model *m, size_t was)
{
	size_t rows[MODEL_ITEMS], n = model_rows(m, rows);

	model_to_top(m);
	m->focus[0] = '\0';
	for (size_t i = 0; i < n; i++)
		if (rows[i] >= was || i == n - 1) {
			const struct model_item *it = &m->items[rows[i]];

			memcpy(m->focus, it->id, sizeof m->focus);
			m->focus_place = it->place;
			return;
		}
}

static bool
is_similar(const struct model *m, const struct model_item *it)
{
	return it->state == AT_WAITS && it->judged &&
	    it->tier >= TIER_MEDIUM && strcmp(it->like, m->like) == 0;
}

static bool
is_shown(const struct model *m, const struct model_item *it)
{
	static const unsigned here[] = {
		[PAGE_LIST] = 1U << AT_WAITS | 1U << AT_RUNS,
		[PAGE_RUNS] = 1U << AT_RUNS, [PAGE_PAST] = 1U << AT_OVER,
		[PAGE_FILES] = 1U << AT_FILE, [PAGE_AUDIT] = 1U << AT_RECORD,
		[PAGE_RULES] = 1U << AT_WAITS | 1U << AT_RUNS,
		[PAGE_DETAIL] = 1U << AT_WAITS | 1U << AT_RUNS,
		[PAGE_HELP] = 1U << AT_WAITS | 1U << AT_RUNS,
	};

	if (it->put_off)
		return false;
	/* Who reads on is not torn away when it ends. */
	if (m->page == PAGE_DETAIL && model_has_focus(m, it))
		return true;
	if (m->page == PAGE_SIMILAR)
		return is_similar(m, it);
	if ((here[m->page] & 1U << it->state) == 0)
		return false;
	return m->filter[0] == '\0' || (it->line != NULL &&
	    strcasestr(it->line, m->filter) != NULL);
}

void
model_refocus(struct model *m)
{
	const struct model_item *it = model_focused(m);

	if (it == NULL || !is_shown(m, it))
		move_on(m, it == NULL || it->state > AT_OVER ? 0 :
		    (size_t)(it - m->items));
}

void
model_met(struct model *m, size_t more)
{
	m->more = more;
	for (size_t i = 0; i < m->n; i++) {
		if (!m->items[i].met && m->items[i].state < AT_OVER)
			m->items[i].state = AT_OVER;
		m->items[i].met = false;
		m->items[i].put_off = m->paused && m->items[i].put_off;
	}
	model_refocus(m);
}

static void
keep(char **at, const char *text)
{
	free(*at);
	*at = xstrdup(text);
}

/* To be remembered is another decision than to run once. */
static void
with_wish(struct model_item *it)
{
	unsigned char both[sizeof it->shown.b + MODEL_TEXT];
	size_t n = strnlen(it->wish, MODEL_TEXT);

	memcpy(both, it->shown.b, sizeof it->shown.b);
	memcpy(both + sizeof it->shown.b, it->wish, n);
	digest_of(both, sizeof it->shown.b + n, NULL, &it->digest);
}

void
model_judged(struct model_item *it, const struct model_look *look)
{
	keep(&it->line, look->line);
	keep(&it->command, look->command);
	snprintf(it->like, sizeof it->like, "%s", look->like);
	it->tier = look->tier;
	it->shown = it->digest = *look->digest;
	if (it->wish != NULL)
		with_wish(it);
	it->judged = true;
}

bool
model_is_ticked(const struct model_item *it)
{
	return it->ticked && it->state == AT_WAITS && it->judged &&
	    digest_eq(&it->tick, &it->digest);
}

size_t
model_rows(const struct model *m, size_t ret[static MODEL_ITEMS])
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (is_shown(m, &m->items[i]))
			ret[n++] = i;
	return n;
}

size_t
model_count(const struct model *m, enum model_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->items[i].state == state;
	return n;
}

size_t
model_put_off(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->items[i].put_off && m->items[i].state == AT_WAITS;
	return n;
}

size_t
model_flood(const struct model *m, const char **ret_session)
{
	size_t most = 0;

	for (size_t i = 0; i < m->n; i++) {
		size_t n = 0;

		if (m->items[i].state != AT_WAITS)
			continue;
		for (size_t k = i; k < m->n; k++)
			n += m->items[k].state == AT_WAITS &&
			    strcmp(m->items[k].session,
			    m->items[i].session) == 0;
		if (n >= MODEL_FLOOD && n > most) {
			most = n;
			*ret_session = m->items[i].session;
		}
	}
	return most;
}

bool
model_drew(struct model *m, size_t from, size_t to, size_t lines,
    int64_t now_ms)
{
	static const struct digest none;
	const struct model_item *it = model_focused(m);
	const struct digest *digest = it == NULL ? &none : &it->digest;
	enum tier tier = it == NULL ? TIER_CRITICAL : it->tier;
	bool other = strcmp(m->drawn.id, m->focus) != 0 ||
	    m->drawn.place != m->focus_place ||
	    !digest_eq(&m->drawn.digest, digest) || m->drawn.tier != tier;

	if (other) {
		memcpy(m->drawn.id, m->focus, sizeof m->drawn.id);
		m->drawn.place = m->focus_place;
		m->drawn.digest = *digest;
		m->drawn.tier = tier;
		m->drawn.at_ms = now_ms;
		m->drawn.whole = false;
		m->live_ms = now_ms + MODEL_DEAD_MS;
	}
	if (other || lines != m->drawn.lines)
		m->drawn.seen = 0;
	m->drawn.lines = lines;
	m->drawn.rows = to - from;
	if (from <= m->drawn.seen && to > m->drawn.seen)
		m->drawn.seen = to;
	if (m->drawn.seen >= lines)
		m->drawn.whole = true;
	return other;
}

void
model_hid(struct model *m)
{
	memset(&m->drawn, 0, sizeof m->drawn);
}

void
model_say(struct model *m, const char *text)
{
	snprintf(m->said, sizeof m->said, "%s", text);
}
