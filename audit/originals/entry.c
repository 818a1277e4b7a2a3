#include "audit/originals/entry.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define LIST_MAX	(128 * 1024 * 1024)

static const char *const lost_names[] = {
	[LOST_NOT] = "", [LOST_LARGE] = "large",
	[LOST_UNREADABLE] = "unreadable", [LOST_LIMIT] = "limit",
	[LOST_BUSY] = "busy",
};

static const char letters[] = {
	[FILE_ABSENT] = '-', [FILE_REGULAR] = 'f', [FILE_LINK] = 'l',
	[FILE_DIR] = 'd', [FILE_OTHER] = 'o',
};

const char *
file_lost_name(enum file_lost l)
{
	return lost_names[l];
}

void
file_state_clear(struct file_state *s)
{
	free(s->link);
	*s = (struct file_state){ 0 };
}

void
file_state_copy(const struct file_state *s, struct file_state *ret)
{
	*ret = *s;
	ret->link = xstrdup(s->link);
}

bool
file_state_same(const struct file_state *a, const struct file_state *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case FILE_ABSENT:
		return true;
	case FILE_REGULAR:
		return a->lost == LOST_NOT && b->lost == LOST_NOT &&
		    a->mode == b->mode && a->sparse == b->sparse &&
		    digest_eq(&a->content, &b->content);
	case FILE_LINK:
		return str_eq(a->link, b->link);
	case FILE_DIR:
		return a->mode == b->mode;
	case FILE_OTHER:
	default:
		return false;
	}
}

void
file_list_add(struct file_list *l, const char *path,
    const struct file_state *st)
{
	if (l->n == l->cap) {
		l->cap = l->cap == 0 ? 16 : l->cap * 2;
		l->e = xrealloc(l->e, l->cap, sizeof *l->e);
	}
	l->e[l->n++] = (struct file_entry){ xstrdup(path), *st };
}

void
file_list_clear(struct file_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->e[i].path);
		file_state_clear(&l->e[i].st);
	}
	free(l->e);
	*l = (struct file_list){ 0 };
}

/* --- order --------------------------------------------------------------- */

/* A slash sorts before everything: what is in a folder follows it. */
static int
path_compare(const char *a, const char *b)
{
	while (*a == *b && *a != '\0') {
		a++;
		b++;
	}
	int x = *a == '/' ? 1 : *a == '\0' ? 0 : (unsigned char)*a + 1;
	int y = *b == '/' ? 1 : *b == '\0' ? 0 : (unsigned char)*b + 1;

	return x - y;
}

struct place {
	struct file_entry e;
	size_t		  at;
};

static int
place_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int c = path_compare(x->e.path, y->e.path);

	return c != 0 ? c : x->at < y->at ? -1 : x->at > y->at;
}

void
file_list_sort(struct file_list *l)
{
	struct place *p = xcalloc(l->n + 1, sizeof *p);
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		p[i] = (struct place){ l->e[i], i };
	qsort(p, l->n, sizeof *p, place_compare);
	for (size_t i = 0; i < l->n; i++) {
		if (n > 0 && strcmp(l->e[n - 1].path, p[i].e.path) == 0) {
			free(p[i].e.path);
			file_state_clear(&p[i].e.st);
		} else {
			l->e[n++] = p[i].e;
		}
	}
	l->n = n;
	free(p);
}

static int
entry_compare(const void *key, const void *e)
{
	return path_compare(key, ((const struct file_entry *)e)->path);
}

const struct file_entry *
file_list_find(const struct file_list *l, const char *path)
{
	return l->n == 0 ? NULL :
	    bsearch(path, l->e, l->n, sizeof *l->e, entry_compare);
}

bool
file_path_ok(const char *path)
{
	if (path[0] == '\0' || strlen(path) >= PATH_MAX)
		return false;
	for (const char *p = path;; ) {
		size_t n = strcspn(p, "/");

		if (n == 0 || n > NAME_MAX || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (p[n] == '\0')
			return true;
		p += n + 1;
	}
}

/* --- writing ------------------------------------------------------------- */

static void
put_text(const char *name, const char *text, struct str *ret)
{
	size_t len = strlen(text);
	auto_free char *hex = NULL;

	if (utf8_ok(text, len)) {
		str_addf(ret, "\"%s\":", name);
		json_quote(text, len, ret);
		return;
	}
	hex = xcalloc(1, 2 * len + 1);
	hex_put(text, len, hex);
	str_addf(ret, "\"%sx\":\"%s\"", name, hex);
}

static void
put_content(const struct file_state *st, struct str *ret)
{
	char hex[DIGEST_HEX + 1];

	str_addf(ret, ",\"s\":%" PRIu64, st->size);
	if (st->lost != LOST_NOT) {
		str_addf(ret, ",\"no\":\"%s\"", lost_names[st->lost]);
		return;
	}
	digest_hex(&st->content, hex);
	str_addf(ret, ",\"o\":\"%s\"", hex);
	if (st->sparse)
		str_add(ret, ",\"sp\":true");
}

static void
put_entry(const struct file_entry *e, struct str *ret)
{
	const struct file_state *st = &e->st;

	str_addc(ret, '{');
	put_text("p", e->path, ret);
	str_addf(ret, ",\"t\":\"%c\"", letters[st->kind]);
	if (st->kind != FILE_ABSENT)
		str_addf(ret, ",\"m\":%u,\"u\":%u,\"g\":%u",
		    (unsigned)st->mode, (unsigned)st->uid, (unsigned)st->gid);
	if (st->kind == FILE_REGULAR)
		put_content(st, ret);
	if (st->kind == FILE_LINK) {
		str_addc(ret, ',');
		put_text("to", st->link, ret);
	}
	if (st->ino != 0)
		str_addf(ret, ",\"i\":\"%" PRIu64 "\",\"c\":%" PRId64,
		    st->ino, st->ctime_us);
	str_add(ret, "}\n");
}

int
file_list_put(struct store *s, const struct file_list *l,
    const struct digest *base, struct digest *ret, struct err *e)
{
	auto_str struct str text = { 0 };

	str_init(&text, LIST_MAX);
	str_addf(&text, "{\"v\":1,\"files\":%zu,\"cut\":%s}\n", l->n,
	    l->cut ? "true" : "false");
	for (size_t i = 0; i < l->n; i++)
		put_entry(&l->e[i], &text);
	if (text.full)
		return err_set(e, ERR_SYSTEM, "too many files for one list");
	return store_put(s, text.s, text.len, base, ret, e);
}

/* --- reading ------------------------------------------------------------- */

/* NAME as text or NAMEx as hex; the caller frees, NULL: neither. */
static char *
get_text(const cJSON *o, const char *name, const char *name_x)
{
	const char *text = json_str(o, name), *hex = json_str(o, name_x);
	auto_free char *raw = NULL;
	size_t len;

	if (text != NULL)
		return hex == NULL ? xstrdup(text) : NULL;
	len = hex == NULL ? 0 : strlen(hex) / 2;
	raw = xcalloc(1, len + 1);
	if (len == 0 || hex_get(hex, raw, len) == -1 || strlen(raw) != len)
		return NULL;
	return mem_steal(&raw);
}

static bool
get_lost(const char *name, enum file_lost *ret)
{
	*ret = LOST_NOT;
	if (name == NULL)
		return true;
	for (size_t i = 1; i < ARRAY_LEN(lost_names); i++)
		if (strcmp(lost_names[i], name) == 0)
			*ret = (enum file_lost)i;
	return *ret != LOST_NOT;
}

static bool
get_kind(const char *letter, enum file_kind *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(letters); i++)
		if (letter[0] == letters[i] && letter[1] == '\0') {
			*ret = (enum file_kind)i;
			return true;
		}
	return false;
}

static bool
get_state(const cJSON *o, struct file_state *st)
{
	const char *digest = json_str(o, "o"), *ino = json_str(o, "i");

	st->mode = (mode_t)json_int(o, "m", 0) & 07777;
	st->uid = (uid_t)json_int(o, "u", 0);
	st->gid = (gid_t)json_int(o, "g", 0);
	st->size = (uint64_t)json_int(o, "s", 0);
	st->sparse = json_bool(o, "sp", false);
	st->ino = ino == NULL ? 0 : strtoull(ino, NULL, 10);
	st->ctime_us = json_int(o, "c", 0);
	if (!get_kind(json_str(o, "t"), &st->kind) ||
	    !get_lost(json_str(o, "no"), &st->lost))
		return false;
	if (st->kind == FILE_LINK)
		st->link = get_text(o, "to", "tox");
	if (st->kind == FILE_LINK && st->link == NULL)
		return false;
	return st->kind != FILE_REGULAR || st->lost != LOST_NOT ||
	    (digest != NULL && digest_parse(digest, &st->content) == 0);
}

static int
get_entry(const char *line, size_t len, struct file_list *l, struct err *e)
{
	static const struct json_field fields[] = {
		{ "p", JSON_STRING, false, 0 }, { "px", JSON_STRING, false, 0 },
		{ "t", JSON_STRING, true, 1 }, { "m", JSON_INT, false, 0 },
		{ "u", JSON_INT, false, 0 }, { "g", JSON_INT, false, 0 },
		{ "s", JSON_INT, false, 0 }, { "o", JSON_STRING, false, 64 },
		{ "sp", JSON_BOOL, false, 0 }, { "no", JSON_STRING, false, 0 },
		{ "to", JSON_STRING, false, 0 },
		{ "tox", JSON_STRING, false, 0 },
		{ "i", JSON_STRING, false, 0 }, { "c", JSON_INT, false, 0 },
	};
	auto_json cJSON *o = NULL;
	auto_free char *path = NULL;
	struct file_state st = { 0 };

	if (json_parse(line, len, 2, &o, e) == -1 ||
	    json_check(o, fields, ARRAY_LEN(fields), true, e) == -1)
		return -1;
	path = get_text(o, "p", "px");
	if (path == NULL || !file_path_ok(path) || !get_state(o, &st)) {
		file_state_clear(&st);
		return err_set(e, ERR_FORMAT, "a list of originals is damaged");
	}
	file_list_add(l, path, &st);
	return 0;
}

static int
get_head(const char *line, size_t len, struct file_list *l, struct err *e)
{
	static const struct json_field fields[] = {
		{ "v", JSON_INT, true, 0 }, { "files", JSON_INT, true, 0 },
		{ "cut", JSON_BOOL, true, 0 },
	};
	auto_json cJSON *o = NULL;

	if (json_parse(line, len, 2, &o, e) == -1 ||
	    json_check(o, fields, ARRAY_LEN(fields), true, e) == -1)
		return -1;
	if (json_int(o, "v", 0) != 1)
		return err_set(e, ERR_FORMAT, "a list of another version");
	l->cut = json_bool(o, "cut", false);
	return 0;
}

int
file_list_get(struct store *s, const struct digest *d, struct file_list *ret,
    struct err *e)
{
	auto_str struct str text = { 0 };
	auto_list struct file_list l = { 0 };
	size_t at = 0, number = 0;

	str_init(&text, LIST_MAX);
	if (store_get(s, d, LIST_MAX, &text, e) == -1)
		return err_add(e, "a list of originals");
	while (at < text.len) {
		const char *line = text.s + at;
		const char *nl = memchr(line, '\n', text.len - at);
		size_t len = nl == NULL ? text.len - at : (size_t)(nl - line);

		if ((number++ == 0 ? get_head(line, len, &l, e) :
		    get_entry(line, len, &l, e)) == -1)
			return -1;
		at += len + 1;
	}
	*ret = l;
	l = (struct file_list){ 0 };
	return 0;
}
