#include "jail/gitleads.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define CONFIG_MAX	(1 << 20)
#define WORD_MAX	64	/* of a section or key; no longer one is ours */

static const char *
line_end(const char *p)
{
	return p + strcspn(p, "\n");
}

static const char *
blanks(const char *p)
{
	return p + strspn(p, " \t\r");
}

/* Letters, digits and dashes; what is cut off makes another name of it. */
static const char *
word(const char *p, char ret[static WORD_MAX])
{
	size_t n = 0;

	for (; isalnum((unsigned char)*p) || *p == '-'; p++)
		if (n < WORD_MAX - 1)
			ret[n++] = *p;
	ret[n] = '\0';
	return p;
}

/* [section], [section "x"], [section.x]: what the section is. */
static const char *
header(const char *p, char ret[static WORD_MAX])
{
	bool quoted = false;

	p = word(blanks(p + 1), ret);
	for (; *p != '\0' && *p != '\n' && (quoted || *p != ']'); p++) {
		quoted ^= *p == '"';
		p += *p == '\\' && p[1] != '\0' && p[1] != '\n';
	}
	return p + (*p == ']');
}

/* To the end of the line that it ends in, quotes and escapes undone. */
static const char *
value(const char *p, struct str *ret)
{
	static const char escaped[] = "ntb", meant[] = "\n\t\b";
	bool quoted = false;
	size_t keep = 0;	/* blanks behind it are no part of it */

	for (p = blanks(p); *p != '\0' && *p != '\n'; p++) {
		char c = *p;

		if (!quoted && (c == '#' || c == ';'))
			break;
		if (c == '"') {
			quoted = !quoted;
			keep = ret->len;
			continue;
		}
		if (c == '\\') {
			const char *e;

			p += p[1] == '\r' && p[2] == '\n';
			if (*++p == '\0')
				break;
			if (*p == '\n')
				continue;
			e = strchr(escaped, *p);
			c = e == NULL ? *p : meant[e - escaped];
		}
		str_addc(ret, c);
		if (quoted || strchr(" \t\r", c) == NULL)
			keep = ret->len;
	}
	ret->s[ret->len = keep] = '\0';
	return line_end(p);
}

static void
take(struct gitleads *g, const char *section, const char *key,
    const char *text, const char *dir)
{
	bool hooks = strcasecmp(section, "core") == 0 &&
	    strcasecmp(key, "hooksPath") == 0;
	bool more = strcasecmp(key, "path") == 0 &&
	    (strcasecmp(section, "include") == 0 ||
	    strcasecmp(section, "includeIf") == 0);

	if (*text == '\0')
		return;
	if (hooks && !list_has(&g->hooks, text))
		list_add(&g->hooks, xstrdup(text));
	if (more) {
		auto_free char *path = path_normal(text, dir, g->home);

		if (!list_has(&g->includes, path))
			list_add(&g->includes, mem_steal(&path));
	}
}

void
gitleads_text(struct gitleads *g, const char *text, const char *dir)
{
	char section[WORD_MAX] = "", key[WORD_MAX];

	for (const char *p = text; *p != '\0'; ) {
		auto_str struct str v = { 0 };

		p += strspn(p, " \t\r\n");
		if (*p == '[') {
			p = header(p, section);
			continue;
		}
		if (!isalpha((unsigned char)*p)) {
			p = line_end(p);
			continue;
		}
		p = blanks(word(p, key));
		str_init(&v, CONFIG_MAX);
		p = *p == '=' ? value(p + 1, &v) : line_end(p);
		take(g, section, key, v.s, dir);
	}
}

/* True: it was read. */
static bool
read_one(struct gitleads *g, const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
	    O_NOCTTY);
	auto_str struct str text = { 0 };
	auto_free char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');
	struct stat st;

	str_init(&text, CONFIG_MAX);
	if (fd == -1 || slash == NULL || fstat(fd, &st) == -1 ||
	    !S_ISREG(st.st_mode) ||
	    io_read_all(fd, CONFIG_MAX, &text, NULL) == -1)
		return false;
	slash[slash == dir] = '\0';
	/* A byte order mark is no part of the first name. */
	gitleads_text(g, text.s + (str_starts(text.s, "\xef\xbb\xbf") ? 3 : 0),
	    dir);
	return true;
}

void
gitleads_file(struct gitleads *g, const char *path)
{
	size_t i = g->includes.n;

	read_one(g, path);
	/* Each is in the list once, so that a circle ends. */
	for (; i < g->includes.n; i++) {
		auto_free char *more = xstrdup(g->includes.v[i]);

		read_one(g, more);
	}
}

void
gitleads_users(struct gitleads *g, const char *home)
{
	static const char *const names[] = {
		".gitconfig", ".config/git/config",
	};

	for (size_t i = 0; home != NULL && i < ARRAY_LEN(names); i++) {
		auto_free char *path = xasprintf("%s/%s", home, names[i]);

		gitleads_file(g, path);
	}
}

void
gitleads_trees(struct gitleads *g, const char *path, int up)
{
	auto_free char *dir = xstrdup(path);
	char *slash;

	for (; up > 0 && (slash = strrchr(dir, '/')) != NULL; up--) {
		*slash = '\0';
		if (!list_has(&g->trees, dir))
			list_add(&g->trees, xstrdup(dir));
	}
}

void
gitleads_paths(const struct gitleads *g, struct list *ret)
{
	list_join(ret, &g->includes);
	for (size_t i = 0; i < g->hooks.n; i++)
		for (size_t k = 0; k < g->trees.n; k++) {
			auto_free char *path = path_normal(g->hooks.v[i],
			    g->trees.v[k], g->home);

			if (!list_has(ret, path))
				list_add(ret, mem_steal(&path));
		}
}

void
gitleads_clear(struct gitleads *g)
{
	list_clear(&g->hooks);
	list_clear(&g->includes);
	list_clear(&g->trees);
}
