#include "jail/gitread.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
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

/* "~name/x" is below that user's home; a prefix of git's says only "or not". */
static char *
meant(const char *text, const char *dir, const char *home)
{
	static const char maybe[] = ":(optional)";
	const struct passwd *pw;
	auto_free char *name = NULL;
	size_t n;

	if (str_starts(text, maybe))
		text += sizeof maybe - 1;
	n = strcspn(text, "/");
	if (text[0] != '~' || n == 1)
		return dir == NULL ? xstrdup(text) :
		    path_normal(text, dir, home);
	name = xstrndup(text + 1, n - 1);
	pw = getpwnam(name);
	/* Git gives up over one that nobody has. */
	return pw == NULL ? NULL : xasprintf("%s%s", pw->pw_dir, text + n);
}

static void
take(struct gitread *g, const char *section, const char *key,
    const char *text, const char *dir)
{
	static const struct {
		const char	*section, *key;
		size_t		 list;	/* of struct gitread */
		bool		 later;	/* it begins elsewhere */
	} t[] = {
		{ "core", "hooksPath", offsetof(struct gitread, hooks), true },
		{ "core", "worktree", offsetof(struct gitread, trees), false },
		{ "include", "path", offsetof(struct gitread, includes),
		  false },
		{ "includeIf", "path", offsetof(struct gitread, includes),
		  false },
	};

	for (size_t i = 0; i < ARRAY_LEN(t) && *text != '\0'; i++) {
		auto_free char *to = NULL;
		struct list *l = (struct list *)(void *)((char *)g + t[i].list);

		if (strcasecmp(section, t[i].section) != 0 ||
		    strcasecmp(key, t[i].key) != 0)
			continue;
		to = meant(text, t[i].later ? NULL : dir, g->home);
		if (to != NULL && !list_has(l, to))
			list_add(l, mem_steal(&to));
	}
}

void
gitread_text(struct gitread *g, const char *text, const char *dir)
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
read_one(struct gitread *g, const char *path)
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
	gitread_text(g, text.s + (str_starts(text.s, "\xef\xbb\xbf") ? 3 : 0),
	    dir);
	return true;
}

void
gitread_file(struct gitread *g, const char *path)
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
gitread_clear(struct gitread *g)
{
	list_clear(&g->hooks);
	list_clear(&g->trees);
	list_clear(&g->includes);
}
