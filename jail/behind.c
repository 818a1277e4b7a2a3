#include "jail/behind.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "common/mem.h"
#include "common/str.h"
#include "jail/glob.h"
#include "jail/names.h"
#include "jail/plan.h"
#include "jail/walk.h"

#include "common/banned.h"

#define HEADS_MAX	128

struct below {
	const struct behind	*ask;
	const char		*link;
	const struct list	 real;		/* alone */
	bool			 packages;
};

/* The beginnings of protected names, up to each of their slashes. */
struct head {
	const char	*run;
	size_t		 len;
	char		 last;		/* small */
};

/*
 * Git's own parts are left out: they are seen by the shape of their directory,
 * wherever a link to it lies.
 */
static size_t
heads_get(struct head heads[static HEADS_MAX])
{
	enum guard guard;
	const char *run;
	size_t n = 0;

	for (size_t i = 0; (run = names_run(i, &guard)) != NULL; i++)
		for (const char *p = run; (p = strchr(p, '/')) != NULL &&
		    !str_starts(run, ".git/"); p++) {
			if (n == HEADS_MAX)
				BUG("more protected names than were thought "
				    "of");
			heads[n++] = (struct head){ run, (size_t)(p - run),
			    (char)tolower((unsigned char)p[-1]) };
		}
	return n;
}

/* Does path end in these components?  Case is no way around. */
static bool
ends_in(const char *path, size_t len, const struct head *h)
{
	return len > h->len && path[len - h->len - 1] == '/' &&
	    strncasecmp(path + len - h->len, h->run, h->len) == 0;
}

/*
 * What of a protected name is left below the link, from the i-th head on;
 * NULL when there is no more.  Moves i behind it.
 */
static const char *
rest(const char *link, const struct list *places, size_t *i)
{
	static struct head heads[HEADS_MAX];
	static size_t n;
	size_t len = strlen(link);
	int last = tolower((unsigned char)link[len - 1]);

	if (n == 0)
		n = heads_get(heads);
	while (*i < n) {
		const struct head *h = &heads[(*i)++];

		if (h->last == last && ends_in(link, len, h) &&
		    !names_packages(link, places))
			return h->run + h->len + 1;
	}
	return NULL;
}

/*
 * A pattern of one name at any depth finds what is in these places by its own
 * path as well.
 */
static bool
finds_itself(const char *pattern, const struct list *places)
{
	const char *stars = strstr(pattern, "/**/");
	auto_free char *base = NULL;

	if (stars == NULL || strpbrk(stars + 4, "/") != NULL)
		return false;
	base = glob_base(pattern);
	if (strlen(base) != (stars == pattern ? 1 : (size_t)(stars - pattern)))
		return false;
	for (size_t i = 0; i < places->n; i++)
		if (!path_in(places->v[i], base))
			return false;
	return true;
}

static bool
any_pattern(const struct spec *spec, const char *link,
    const struct list *places)
{
	const struct list *l = &spec->list[SPEC_DENY_WRITE];

	for (size_t i = 0; i < l->n; i++)
		if (glob_is(l->v[i]) && !finds_itself(l->v[i], places) &&
		    glob_leads(l->v[i], link))
			return true;
	return false;
}

bool
behind_names(const char *link, const struct list *places)
{
	size_t i = 0;

	return rest(link, places, &i) != NULL;
}

bool
behind_may(const struct spec *spec, const char *link,
    const struct list *places)
{
	return behind_names(link, places) || any_pattern(spec, link, places);
}

bool
behind_packages(const char *link, const char *real,
    const struct list *places)
{
	return !names_packages(link, places) && names_packages(real, places);
}

int
behind_follow(int dirfd, const char *name, char ret[static PATH_MAX])
{
	auto_close int fd = openat(dirfd, name, O_PATH | O_CLOEXEC);
	char self[64];
	ssize_t n;

	if (fd == -1)
		return 0;
	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	n = readlink(self, ret, PATH_MAX);
	if (n == -1 || n == PATH_MAX)
		return -1;
	ret[n] = '\0';
	return 1;
}

/* What of the protected names that begin with the link is there. */
static void
tell_names(const struct below *b, const char *link, const char *real)
{
	const char *left;

	for (size_t i = 0; (left = rest(link, b->ask->places, &i)) !=
	    NULL; ) {
		auto_free char *path = xasprintf("%s/%s", real, left);

		if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			b->ask->fn(b->ask->arg, path, MARK_NAME);
	}
}

/*
 * One that leads on to other packages stands for all that it may lead to:
 * links among them can go round in circles.
 */
static bool
leads_on(const struct below *b, const struct walk_entry *ent, const char *link)
{
	char to[PATH_MAX];
	struct stat st;

	return behind_follow(ent->dirfd, ent->name, to) == 1 &&
	    behind_packages(link, to, b->ask->places) &&
	    !path_in(to, b->real.v[0]) &&
	    fstatat(ent->dirfd, ent->name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

/* An entry of a package, by the name that the link gives it. */
static enum walk_next
judge(const struct below *b, const struct walk_entry *ent, const char *path)
{
	if (names_packages(path, b->ask->places))
		return WALK_SKIP;
	if (names_guarded(path, b->ask->places) != GUARD_NONE ||
	    (ent->type == DT_LNK && leads_on(b, ent, path))) {
		b->ask->fn(b->ask->arg, ent->path, MARK_NAME);
		return WALK_SKIP;
	}
	if (ent->type == DT_LNK)
		tell_names(b, path, ent->path);
	return WALK_ON;
}

static enum walk_next
match(void *arg, const struct walk_entry *ent)
{
	struct below *b = arg;
	auto_free char *path = xasprintf("%s%s", b->link, ent->path +
	    strlen(b->real.v[0]));
	enum walk_next next = b->packages ? judge(b, ent, path) : WALK_SKIP;

	const struct list *deny = &b->ask->spec->list[SPEC_DENY_WRITE];

	for (size_t i = 0; i < deny->n; i++) {
		const char *pattern = deny->v[i];

		if (!glob_is(pattern) || finds_itself(pattern, &b->real))
			continue;
		if (glob_match(pattern, path))
			b->ask->fn(b->ask->arg, ent->path, MARK_DENY_WRITE);
		if (glob_leads(pattern, path))
			next = WALK_ON;
	}
	return next;
}

int
behind(const struct behind *ask, const char *link, const char *real)
{
	auto_free char *one = xstrdup(real);
	struct below b = { ask, link, { &one, 1 },
	    behind_packages(link, real, ask->places) };

	tell_names(&b, link, real);
	return b.packages || any_pattern(ask->spec, link, &b.real) ?
	    walk(real, match, &b, ask->budget, NULL) : 0;
}
