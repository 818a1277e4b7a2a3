#include "approver/scripts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"

#include "common/banned.h"

#define SCRIPT_BYTES	(64 * 1024 * 1024)

/* Too large to read each time: nobody can write into it and keep all these. */
static void
hash_identity(const struct stat *st, struct digest *ret)
{
	const int64_t id[] = { (int64_t)st->st_dev, (int64_t)st->st_ino,
		st->st_size, st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
		st->st_ctim.tv_sec, st->st_ctim.tv_nsec };

	digest_of(id, sizeof id, "sandbox-script-identity", ret);
}

static void
hash(const char *path, struct digest *ret)
{
	auto_close int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	memset(ret, 0, sizeof *ret);
	if (root == -1 || path[0] != '/' || path[1] == '\0')
		return;

	auto_close int fd = fs_beneath(root, path + 1,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY, NULL);

	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return;
	if (st.st_size > SCRIPT_BYTES)
		hash_identity(&st, ret);
	else if (digest_fd(fd, SCRIPT_BYTES, ret, NULL) == -1)
		memset(ret, 0, sizeof *ret);
}

/* What an agent running as the user could have put there. */
static bool
foreign(const char *path)
{
	static const char *const system_dirs[] = {
		"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/"
	};

	if (path == NULL || path[0] != '/')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(system_dirs); i++)
		if (str_starts(path, system_dirs[i]))
			return str_starts(path, "/usr/local/");
	return true;
}

static int
by_path(const void *a, const void *b)
{
	const struct script *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static bool
is_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Does something run that no effect names by its path: what a pipe brings,
 * what a build finds, what nobody knows?
 */
static bool
runs_unnamed(const struct judgement *j)
{
	for (size_t i = 0; i < j->n_effects; i++) {
		enum effect_kind k = j->effects[i].kind;

		if (k == EFFECT_PRIVILEGE || k == EFFECT_UNKNOWN ||
		    ((k == EFFECT_CODE || k == EFFECT_EXEC) &&
		    j->effects[i].target[0] != '/'))
			return true;
	}
	return false;
}

/* Then all that the call reads by name is taken for it: `cat x | sh`. */
static bool
may_be_run(const struct effect *f, bool unnamed)
{
	if (f->kind == EFFECT_CODE || f->kind == EFFECT_EXEC)
		return true;
	return unnamed && f->certainty == CERTAIN_YES && foreign(f->target) &&
	    (f->kind == EFFECT_READ || f->kind == EFFECT_SECRET) &&
	    !is_folder(f->target);
}

void
scripts_find(const struct judgement *j, struct scripts *ret)
{
	struct scripts out = { 0 };
	bool unnamed = runs_unnamed(j);
	size_t kept = 0;

	out.s = xcalloc(SCRIPTS_MAX, sizeof *out.s);
	for (size_t i = 0; i < j->n_effects; i++) {
		const struct effect *f = &j->effects[i];

		if (may_be_run(f, unnamed) && foreign(f->target))
			out.s[out.n++].path = xstrdup(f->target);
	}
	if (out.n > 1)
		qsort(out.s, out.n, sizeof *out.s, by_path);
	for (size_t i = 0; i < out.n; i++) {
		if (kept > 0 && strcmp(out.s[kept - 1].path,
		    out.s[i].path) == 0)
			free(out.s[i].path);
		else
			out.s[kept++].path = out.s[i].path;
	}
	out.n = kept;
	for (size_t i = 0; i < out.n; i++)
		hash(out.s[i].path, &out.s[i].digest);
	*ret = out;
}

void
scripts_clear(struct scripts *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->s[i].path);
	free(l->s);
	*l = (struct scripts){ 0 };
}

bool
scripts_is_known(const struct script *s)
{
	static const struct digest none;

	return !digest_eq(&s->digest, &none);
}

void
scripts_digest(const struct scripts *l, const char *target,
    struct digest *ret)
{
	struct digest_state st;

	if (l->n == 0 && target[0] == '\0') {
		memset(ret, 0, sizeof *ret);
		return;
	}
	digest_begin(&st, "sandbox-scripts-v1");
	digest_add_field(&st, target, strlen(target));
	for (size_t i = 0; i < l->n; i++) {
		digest_add_field(&st, l->s[i].path, strlen(l->s[i].path));
		digest_add(&st, l->s[i].digest.b, DIGEST_BYTES);
	}
	digest_end(&st, ret);
}

int
scripts_compare(const struct scripts *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		struct digest now;

		hash(l->s[i].path, &now);
		if (!digest_eq(&now, &l->s[i].digest))
			return err_set(e, ERR_DIGEST, "'%s' changed since the "
			    "request was approved", l->s[i].path);
	}
	return 0;
}

cJSON *
scripts_json(const struct scripts *l)
{
	cJSON *out = json_array();

	for (size_t i = 0; i < l->n; i++) {
		char hex[DIGEST_HEX + 1];
		cJSON *one = json_object();

		digest_hex(&l->s[i].digest, hex);
		json_add_str(one, "path", l->s[i].path);
		json_add_str(one, "digest", hex);
		json_push(out, one);
	}
	return out;
}

int
scripts_from_json(const cJSON *j, struct scripts *ret, struct err *e)
{
	static const struct json_field fields[] = {
		{ "path", JSON_STRING, true, 4096 },
		{ "digest", JSON_STRING, true, DIGEST_HEX },
	};
	struct scripts out = { 0 };
	const cJSON *one;

	out.s = xcalloc(SCRIPTS_MAX, sizeof *out.s);
	cJSON_ArrayForEach(one, j) {
		struct script *s = &out.s[out.n];

		if (out.n == SCRIPTS_MAX || json_check(one, fields,
		    ARRAY_LEN(fields), true, e) == -1 ||
		    digest_parse(json_str(one, "digest"), &s->digest) == -1) {
			scripts_clear(&out);
			return err_set(e, ERR_FORMAT,
			    "the list of scripts is damaged");
		}
		s->path = xstrdup(json_str(one, "path"));
		out.n++;
	}
	*ret = out;
	return 0;
}
