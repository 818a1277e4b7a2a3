/* What a person types into the bottom line: a text, never a key. */
#include <stdlib.h>
#include <string.h>

#include "approver/model_inside.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define ESC		27
#define CTRL(c)		((c) & 0x1f)

void
model_ask(struct model *m, enum model_ask ask, const char *text)
{
	size_t n = strnlen(text, MODEL_EDIT);

	m->ask = ask;
	memcpy(m->typed, text, n);
	m->typed[n] = '\0';
	m->cursor = n;
}

static size_t
room(const struct model *m)
{
	return m->ask == ASK_EDIT ? MODEL_EDIT : MODEL_TEXT;
}

/* Where the character before, or behind, the cursor begins. */
static size_t
before(const struct model *m)
{
	size_t at = m->cursor;

	while (at > 0 && (m->typed[--at] & 0xc0) == 0x80)
		continue;
	return at;
}

static size_t
behind(const struct model *m)
{
	size_t at = m->cursor;

	if (m->typed[at] != '\0')
		at++;
	while ((m->typed[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static void
cut(struct model *m, size_t from, size_t to)
{
	memmove(m->typed + from, m->typed + to, strlen(m->typed + to) + 1);
	m->cursor = from;
}

static void
put(struct model *m, char c)
{
	size_t n = strlen(m->typed);

	if (n >= room(m))
		return;
	memmove(m->typed + m->cursor + 1, m->typed + m->cursor,
	    n - m->cursor + 1);
	m->typed[m->cursor++] = c;
}

/* Another command for what was drawn when `e` was pressed, or nothing. */
static void
edited(struct model *m)
{
	struct model_item *it = model_find(m, m->asked.place, m->asked.id);

	if (it == NULL || it->state != AT_WAITS || it->command == NULL ||
	    !digest_eq(&it->digest, &m->asked.digest)) {
		model_say(m, "nothing was edited: the request changed");
		return;
	}
	free(it->edited);
	it->edited = NULL;
	it->ticked = false;
	if (m->typed[0] == '\0' || strcmp(m->typed, it->command) == 0)
		model_say(m, "as it was asked");
	else
		it->edited = xstrdup(m->typed);
}

/* Empty: nothing is to be remembered after all. */
static void
wished(struct model *m)
{
	struct model_item *it = model_find(m, m->asked.place, m->asked.id);

	if (it == NULL || it->state != AT_WAITS ||
	    !digest_eq(&it->digest, &m->asked.digest)) {
		model_say(m, "nothing is remembered: the request changed");
		return;
	}
	free(it->wish);
	it->wish = m->typed[0] == '\0' ? NULL : xstrdup(m->typed);
	it->ticked = false;
}

/* The end of a typed line; it belongs to what was drawn when it began. */
static void
answered(struct model *m, struct model_act *ret)
{
	enum model_ask ask = m->ask;

	m->ask = ASK_NOTHING;
	if (ask == ASK_FILTER) {
		memcpy(m->filter, m->typed, strlen(m->typed) + 1);
	} else if (!utf8_ok(m->typed, strlen(m->typed))) {
		model_say(m, "that was not UTF-8: nothing was done");
	} else if (ask == ASK_EDIT) {
		edited(m);
	} else if (ask == ASK_WISH) {
		wished(m);
	} else if ((ask == ASK_DROP || ask == ASK_UNDO) &&
	    strcmp(m->typed, "yes") != 0) {
		model_say(m, ask == ASK_UNDO ? "nothing was restored" :
		    "nothing was denied");
	} else {
		*ret = m->asked;
		if (ask == ASK_REASON)
			memcpy(ret->text, m->typed, strlen(m->typed) + 1);
	}
}

static void
given_up(struct model *m)
{
	if (m->ask == ASK_FILTER)
		m->filter[0] = '\0';
	else
		model_say(m, m->ask == ASK_EDIT ? "nothing was edited" :
		    m->ask == ASK_WISH ? "nothing changed" :
		    m->ask == ASK_UNDO ? "nothing was restored" :
		    "nothing was denied");
	m->ask = ASK_NOTHING;
}

static bool
move(struct model *m, int key)
{
	if (key == KEY_IS_LEFT || key == CTRL('b'))
		m->cursor = before(m);
	else if (key == KEY_IS_RIGHT || key == CTRL('f'))
		m->cursor = behind(m);
	else if (key == KEY_IS_HOME || key == CTRL('a'))
		m->cursor = 0;
	else if (key == KEY_IS_END || key == CTRL('e'))
		m->cursor = strlen(m->typed);
	else
		return false;
	return true;
}

void
model_spell(struct model *m, int key, struct model_act *ret)
{
	bool line_end = key == '\r' || (key == '\n' && m->ask != ASK_EDIT);

	if (move(m, key))
		return;
	if (m->pasting && (key == '\r' || key == '\n'))
		put(m, m->ask == ASK_EDIT ? '\n' : ' ');
	else if (line_end)
		answered(m, ret);
	else if (key == ESC && !m->pasting)
		given_up(m);
	else if (key == KEY_IS_BACKSPACE || key == 127 || key == CTRL('h'))
		cut(m, before(m), m->cursor);
	else if (key == KEY_IS_DELETE)
		cut(m, m->cursor, behind(m));
	else if (key == CTRL('u'))
		cut(m, 0, m->cursor);
	else if (key == CTRL('k'))
		m->typed[m->cursor] = '\0';
	else if (key == '\n' || (key >= ' ' && key < 0x100 && key != 127))
		put(m, (char)key);
}
