#include "cmd/install.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define RECORD		INSTALL_RECORD
#define RECORD_MAX	(64 * 1024 * 1024)
#define ORIGINAL_MAX	(1024 * 1024)

struct install_file *
install_find(struct install *in, const char *path)
{
	for (size_t i = 0; i < in->n; i++)
		if (strcmp(in->f[i].path, path) == 0)
			return &in->f[i];
	return NULL;
}

struct install_file *
install_new(struct install *in, const char *path, const char *agent)
{
	if (in->n == INSTALL_FILES)
		BUG("too many installed files");
	struct install_file *f = &in->f[in->n++];

	*f = (struct install_file){ .path = xstrdup(path),
	    .agent = xstrdup(agent) };
	str_init(&f->original, ORIGINAL_MAX);
	return f;
}

void
install_clear(struct install *in)
{
	for (size_t i = 0; i < in->n; i++) {
		free(in->f[i].path);
		free(in->f[i].agent);
		str_clear(&in->f[i].original);
	}
	in->n = 0;
}

static const struct json_field fields[] = {
	{ "path", JSON_STRING, true, 4096 },
	{ "agent", JSON_STRING, true, 64 },
	{ "existed", JSON_BOOL, true, 0 },
	{ "made_dirs", JSON_INT, true, 0 },
	{ "mode", JSON_INT, true, 0 },
	{ "original", JSON_STRING, true, ORIGINAL_MAX * 2 },
	{ "written", JSON_STRING, true, DIGEST_HEX },
};

static int
load_one(const cJSON *v, struct install *in, struct err *e)
{
	if (json_check(v, fields, ARRAY_LEN(fields), true, e) == -1)
		return -1;

	struct install_file *f = install_new(in, json_str(v, "path"),
	    json_str(v, "agent"));
	const char *hex = json_str(v, "original");
	size_t n = strlen(hex) / 2;
	auto_free char *bytes = xcalloc(n + 1, 1);

	f->existed = json_bool(v, "existed", false);
	f->made_dirs = (int)json_int(v, "made_dirs", 0) % 8;
	f->mode = (mode_t)json_int(v, "mode", 0);
	if (hex_get(hex, bytes, n) == -1 ||
	    digest_parse(json_str(v, "written"), &f->written) == -1)
		return err_set(e, ERR_FORMAT, "bad hex");
	str_addn(&f->original, bytes, n);
	return 0;
}

int
install_load(int privfd, struct install *ret, struct err *e)
{
	auto_str struct str text = { 0 };
	auto_json cJSON *v = NULL;
	const cJSON *one;

	*ret = (struct install){ 0 };
	str_init(&text, RECORD_MAX);
	if (fs_read_own(privfd, RECORD, RECORD_MAX, &text, e) == -1)
		return e->sys == ENOENT ? 0 : -1;
	if (json_parse(text.s, text.len, JSON_DEPTH, &v, e) == -1 ||
	    !cJSON_IsArray(v))
		return err_add(e, "'%s'", RECORD);
	cJSON_ArrayForEach(one, v)
		if (ret->n == INSTALL_FILES || load_one(one, ret, e) == -1) {
			install_clear(ret);
			return err_add(e, "'%s'", RECORD);
		}
	return 0;
}

int
install_save(int privfd, const struct install *in, struct err *e)
{
	auto_json cJSON *v = json_array();
	auto_str struct str text = { 0 };
	char hex[DIGEST_HEX + 1];

	for (size_t i = 0; i < in->n; i++) {
		const struct install_file *f = &in->f[i];
		auto_free char *original = xcalloc(f->original.len * 2 + 1, 1);
		cJSON *o = json_object();

		hex_put(f->original.s, f->original.len, original);
		digest_hex(&f->written, hex);
		json_add_str(o, "path", f->path);
		json_add_str(o, "agent", f->agent);
		json_add_bool(o, "existed", f->existed);
		json_add_int(o, "made_dirs", f->made_dirs);
		json_add_int(o, "mode", (int64_t)f->mode);
		json_add_str(o, "original", original);
		json_add_str(o, "written", hex);
		json_push(v, o);
	}
	str_init(&text, RECORD_MAX);
	json_print(v, &text);
	return fs_replace(privfd, RECORD, text.s, text.len, 0600, e);
}

/* --- one file of a person's --- */

static int
read_target(struct target *t, size_t max, struct err *e)
{
	struct stat st;
	auto_close int fd = fs_open_plain(AT_FDCWD, t->path, &st, e);

	if (fd == -1)
		return -1;
	t->exists = true;
	t->mode = st.st_mode & 07777;
	return io_read_all(fd, max, &t->text, e);
}

/* The directory a path lies in; the caller frees. */
static char *
parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Where a file that is not there would lie, links in its folders followed. */
static char *
path_to_be(const char *path, int *ret_missing)
{
	auto_free char *dir = parent_of(path);
	auto_free char *real = realpath(dir, NULL), *above = NULL;

	if (real == NULL && errno == ENOENT && strcmp(dir, "/") != 0) {
		above = path_to_be(dir, ret_missing);
		++*ret_missing;
	}
	if (real == NULL && above == NULL)
		return NULL;
	return xasprintf("%s%s", real != NULL ? real : above,
	    strrchr(path, '/'));
}

int
target_read(const char *root, const char *relative, size_t max,
    struct target *ret, struct err *e)
{
	struct target t = { .mode = 0600 };
	auto_free char *path = xasprintf("%s/%s", root, relative);
	struct stat st;

	str_init(&t.text, max);
	t.path = realpath(path, NULL);
	t.asked = xstrdup(path);
	if (t.path == NULL && errno == ENOENT && (lstat(path, &st) == -1 ||
	    !S_ISLNK(st.st_mode)))
		t.path = path_to_be(path, &t.make_dirs);
	else if (t.path != NULL && read_target(&t, max, e) == -1) {
		target_clear(&t);
		return err_add(e, "'%s'", path);
	}
	if (t.path == NULL) {
		err_sys(e, "cannot resolve '%s'", path);
		target_clear(&t);
		return -1;
	}
	/* The folder may be the link as well as the file. */
	t.linked = strcmp(t.path, path) != 0;
	*ret = t;
	return 0;
}

int
target_check_dir(const char *dir, struct err *e)
{
	auto_free char *at = xstrdup(dir);
	struct stat st;

	while (lstat(at, &st) == -1 && errno == ENOENT && strcmp(at, "/") !=
	    0) {
		char *above = parent_of(at);

		free(at);
		at = above;
	}
	return access(at, W_OK | X_OK) == 0 ? 0 :
	    err_sys(e, "cannot write in '%s'", at);
}

/* A new file takes the old one's place: the folder is what counts. */
int
target_check(const struct target *t, struct err *e)
{
	auto_free char *dir = parent_of(t->path);

	return target_check_dir(dir, e);
}

static int
make_dirs(const char *dir, int n, struct err *e)
{
	auto_free char *above = parent_of(dir);

	if (n > 1 && make_dirs(above, n - 1, e) == -1)
		return -1;
	if (n > 0 && mkdir(dir, 0755) == -1 && errno != EEXIST)
		return err_sys(e, "cannot make '%s'", dir);
	return 0;
}

int
target_same(const struct target *t, struct err *e)
{
	struct target now = { 0 };
	bool same;

	if (target_read("", t->asked + 1, t->text.max, &now, e) == -1)
		return -1;
	same = str_eq(now.path, t->path) && now.exists == t->exists &&
	    now.text.len == t->text.len && str_eq(now.text.s, t->text.s);
	target_clear(&now);
	return same ? 0 : err_set(e, ERR_LOST, "'%s' changed in the meantime "
	    "and is left alone: run this again", t->asked);
}

static int
open_dir(const char *path, struct err *e)
{
	auto_close int top = fs_open_dir_follow("/", e);

	return top == -1 ? -1 : fs_open_dir(top, path[1] == '\0' ? "." :
	    path + 1, e);
}

int
target_write(const struct target *t, const struct str *text, struct err *e)
{
	auto_free char *dir = parent_of(t->path);

	if (make_dirs(dir, t->make_dirs, e) == -1)
		return -1;

	auto_close int fd = open_dir(dir, e);

	if (fd == -1)
		return -1;
	return fs_replace(fd, strrchr(t->path, '/') + 1, text->s, text->len,
	    t->mode, e);
}

int
target_remove(const char *path, int n, struct err *e)
{
	auto_free char *at = parent_of(path);
	auto_close int dir = open_dir(at, e);

	if (dir == -1)
		return -1;
	if (unlinkat(dir, strrchr(path, '/') + 1, 0) == -1 && errno != ENOENT)
		return err_sys(e, "cannot remove '%s'", path);
	for (; n > 0; n--) {
		char *above = parent_of(at);

		/* Somebody's by now, if there is something in it. */
		if (rmdir(at) == -1 && errno != ENOTEMPTY && errno != EEXIST &&
		    errno != ENOENT) {
			err_sys(e, "cannot remove '%s'", at);
			free(above);
			return -1;
		}
		free(at);
		at = above;
	}
	return 0;
}

void
target_clear(struct target *t)
{
	free(t->path);
	free(t->asked);
	t->path = t->asked = NULL;
	str_clear(&t->text);
}
