/*
 * policy/world_git.c - does a repository's own configuration start programs?
 *
 * git runs what core.fsmonitor, diff.*.textconv, filter.*.clean, aliases and
 * many other keys say, so the file is code.  Keys that are known to be plain
 * settings are listed; any other key counts as a helper, because the list of
 * the dangerous ones grows with every git release.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/str.h"
#include "policy/world_git.h"
#include "common/banned.h"

#define CONFIG_MAX	(256 << 10)
#define UPWARD_MAX	64

/* section.key, or section.* ; subsections are left out of the name. */
static const char *const plain_keys[] = {
	"core.repositoryformatversion", "core.filemode", "core.bare",
	"core.logallrefupdates", "core.ignorecase", "core.precomposeunicode",
	"core.symlinks", "core.autocrlf", "core.eol", "core.safecrlf",
	"core.quotepath", "core.abbrev", "core.compression",
	"core.untrackedcache", "core.longpaths", "core.protecthfs",
	"core.protectntfs", "core.whitespace", "core.trustctime",
	"core.checkstat", "core.sparsecheckout", "core.sparsecheckoutcone",
	"remote.url", "remote.pushurl", "remote.fetch", "remote.push",
	"remote.mirror", "remote.prune", "remote.prunetags", "remote.tagopt",
	"remote.gh-resolved", "remote.promisor", "remote.partialclonefilter",
	"remote.pushdefault", "branch.*", "user.*", "author.*", "committer.*",
	"color.*", "advice.*", "pull.*", "push.*", "fetch.*", "gc.*",
	"pack.*", "index.*", "status.*", "column.*", "rerere.*", "commit.*",
	"tag.sort", "tag.gpgsign", "rebase.*", "log.date", "log.decorate",
	"log.follow", "init.defaultbranch", "submodule.url",
	"submodule.active", "submodule.branch", "submodule.recurse",
	"merge.conflictstyle", "merge.ff", "merge.renames", "merge.stat",
	"diff.algorithm", "diff.renames", "diff.mnemonicprefix",
	"diff.colormoved", "diff.context", "diff.submodule",
	"extensions.objectformat", "extensions.partialclone",
	"lfs.repositoryformatversion", "lfs.access", "maintenance.*",
	"feature.*", "blame.*",
};

static bool
key_is_plain(const char *section, const char *key)
{
	size_t len = strlen(section);

	for (size_t i = 0; i < ARRAY_LEN(plain_keys); i++) {
		const char *k = plain_keys[i];

		if (strncmp(k, section, len) != 0 || k[len] != '.')
			continue;
		if (str_eq(k + len + 1, "*") || str_eq(k + len + 1, key))
			return true;
	}
	return false;
}

/* Copy a lower-case word of [a-z0-9-.]; returns what follows, NULL: no word. */
static const char *
word_take(const char *p, char ret[static 64])
{
	size_t n = 0;

	while (isalnum((unsigned char)*p) || *p == '-' || *p == '.') {
		if (n == 63)
			return NULL;
		ret[n++] = (char)tolower((unsigned char)*p++);
	}
	ret[n] = '\0';
	return n == 0 ? NULL : p;
}

/* One line; 0 plain, 1 a helper or not understood. */
static int
line_check(const char *p, char section[static 64])
{
	char key[64];

	p += strspn(p, " \t\r");
	if (*p == '\0' || *p == '#' || *p == ';')
		return 0;
	if (*p == '[') {
		p = word_take(p + 1, section);
		if (p == NULL || strchr(section, '.') != NULL)
			return 1;
		p = strrchr(p, ']');	/* behind the last one: no key */
		return p == NULL || p[1 + strspn(p + 1, " \t\r")] != '\0';
	}
	p = word_take(p, key);
	if (p == NULL || section[0] == '\0' || !key_is_plain(section, key))
		return 1;
	/* A value that goes on in the next line could hide a section. */
	return strchr(p, '\\') != NULL;
}

static int
config_check(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
	    O_NOCTTY);
	char section[64] = "";
	auto_str struct str s = { 0 };
	struct stat st;
	int bad = 0;

	str_init(&s, CONFIG_MAX);
	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) ||
	    io_read_all(fd, CONFIG_MAX, &s, NULL) == -1 ||
	    strlen(s.s) != s.len)
		return -1;
	for (char *p = s.s, *end; bad == 0 && p != NULL; p = end) {
		end = strchr(p, '\n');
		if (end != NULL)
			*end++ = '\0';
		bad = line_check(p, section);
	}
	return bad;
}

/* The path a one-line file names, absolute or relative to `base`. */
static int
pointer_read(const char *file, const char *prefix, const char *base,
    char ret[static WORLD_PATH])
{
	char text[WORLD_PATH];
	auto_close int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
	    O_NOCTTY);
	ssize_t n = fd == -1 ? -1 : read(fd, text, sizeof(text) - 1);
	int len;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!str_starts(text, prefix))
		return -1;
	if (text[strlen(prefix)] == '/')
		len = snprintf(ret, WORLD_PATH, "%s", text + strlen(prefix));
	else
		len = snprintf(ret, WORLD_PATH, "%s/%s", base,
		    text + strlen(prefix));
	return len < 0 || len >= WORLD_PATH ? -1 : 0;
}

/* gitdir/config, gitdir/config.worktree and those of the common directory. */
static int
gitdir_check(const char *gitdir)
{
	static const char *const names[] = { "config", "config.worktree" };
	char path[WORLD_PATH + 32], common[WORLD_PATH];
	const char *dirs[2] = { gitdir, NULL };

	snprintf(path, sizeof(path), "%s/commondir", gitdir);
	if (pointer_read(path, "", gitdir, common) == 0)
		dirs[1] = common;
	for (size_t i = 0; i < 4; i++) {
		int r;

		if (dirs[i / 2] == NULL)
			break;
		snprintf(path, sizeof(path), "%s/%s", dirs[i / 2],
		    names[i % 2]);
		r = config_check(path);
		if (r != 0)
			return r;
	}
	return 0;
}

/* Anything in hooks/ that is no sample. */
static int
gitdir_hooks(const char *gitdir)
{
	char path[WORLD_PATH + 32], common[WORLD_PATH];
	struct dirent *d;
	DIR *stream;
	int found = 0;

	snprintf(path, sizeof(path), "%s/commondir", gitdir);
	if (pointer_read(path, "", gitdir, common) == 0)
		gitdir = common;
	snprintf(path, sizeof(path), "%s/hooks", gitdir);
	stream = opendir(path);
	if (stream == NULL)
		return errno == ENOENT ? 0 : -1;
	while (found == 0 && (d = readdir(stream)) != NULL)
		found = d->d_name[0] != '.' && !str_ends(d->d_name, ".sample");
	closedir(stream);
	return found;
}

/* Is there a repository right here?  1 yes, judged into ret; 0 go on up. */
static int
here_check(const char *dir, int (*ask)(const char *), int *ret)
{
	char path[WORLD_PATH + 16], gitdir[WORLD_PATH];
	struct stat st;

	snprintf(path, sizeof(path), "%s/.git", dir);
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			*ret = ask(path);
		else if (pointer_read(path, "gitdir: ", dir, gitdir) == 0)
			*ret = ask(gitdir);
		else
			*ret = -1;
		return 1;
	}
	snprintf(path, sizeof(path), "%s/HEAD", dir);
	if (access(path, F_OK) == 0) {	/* looks bare: its config counts */
		*ret = ask(dir);
		return 1;
	}
	return 0;
}

static int
look_upward(const char *dir, int (*ask)(const char *))
{
	char at[WORLD_PATH];
	int ret = -1;

	if (dir[0] != '/' || strlen(dir) >= sizeof(at))
		return -1;
	memcpy(at, dir, strlen(dir) + 1);
	for (int i = 0; i < UPWARD_MAX; i++) {
		char *slash;

		if (here_check(at, ask, &ret) == 1)
			return ret;
		slash = strrchr(at, '/');
		if (slash == NULL || at[1] == '\0')
			return 0;	/* no repository: git only complains */
		slash[slash == at ? 1 : 0] = '\0';
	}
	return -1;
}

int
world_git_helpers(void *arg, const char *dir)
{
	(void)arg;
	return look_upward(dir, gitdir_check);
}

int
world_git_hooks(void *arg, const char *dir)
{
	(void)arg;
	return look_upward(dir, gitdir_hooks);
}
