/*
 * record.json: which folder a private directory belongs to.
 */
#include "queue/home.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/str.h"
#include "queue/inside.h"

#include "common/banned.h"

static const struct json_field record_fields[] = {
	{ "v", JSON_INT, true, 0 },
	{ "root", JSON_STRING, true, HOME_ROOT_MAX },
	{ "project", JSON_STRING, true, HOME_PROJECT },
	{ "uid", JSON_INT, true, 0 },
	{ "created", JSON_INT, true, 0 },
	{ "genesis", JSON_STRING, true, DIGEST_HEX },
	{ "keys", JSON_STRING, false, HOME_ROOT_MAX },
};

void
home_record_clear(struct home_record *r)
{
	free(r->root);
	free(r->keys);
}

int
home_record_read(int priv, struct home_record *ret, struct err *e)
{
	unsigned char bin[DIGEST_BYTES];
	auto_json cJSON *j = NULL;
	auto_str struct str text = { 0 };

	str_init(&text, HOME_RECORD_MAX);
	if (fs_read_own(priv, "record.json", HOME_RECORD_MAX, &text, e) == -1)
		return -1;
	if (json_parse(text.s, text.len, JSON_DEPTH, &j, e) == -1 ||
	    json_check(j, record_fields, ARRAY_LEN(record_fields), true, e)
	    == -1)
		return err_add(e, "record.json");

	const char *project = json_str(j, "project");
	const char *genesis = json_str(j, "genesis");

	if (json_int(j, "v", 0) != 1 ||
	    hex_get(project, bin, HOME_PROJECT / 2) == -1 ||
	    (genesis[0] != '\0' && hex_get(genesis, bin, DIGEST_BYTES) == -1))
		return err_set(e, ERR_FORMAT, "record.json is damaged");
	*ret = (struct home_record){ .root = xstrdup(json_str(j, "root")),
		.keys = xstrdup(json_str(j, "keys")),
		.uid = json_int(j, "uid", -1),
		.created_wall_ms = json_int(j, "created", 0) };
	memcpy(ret->project, project, sizeof ret->project);
	memcpy(ret->genesis, genesis, strlen(genesis) + 1);
	return 0;
}

int
home_record_write(int priv, const struct home_record *r, struct err *e)
{
	auto_json cJSON *j = json_object();
	auto_str struct str text = { 0 };

	str_init(&text, HOME_RECORD_MAX);
	json_add_int(j, "v", 1);
	json_add_str(j, "root", r->root);
	json_add_str(j, "project", r->project);
	json_add_int(j, "uid", r->uid);
	json_add_int(j, "created", r->created_wall_ms);
	json_add_str(j, "genesis", r->genesis);
	if (r->keys != NULL)
		json_add_str(j, "keys", r->keys);
	json_print(j, &text);
	str_addc(&text, '\n');
	return fs_replace(priv, "record.json", text.s, text.len, 0600, e);
}

static int
record_match(const struct home *h, const struct home_record *r, struct err *e)
{
	if (r->uid != (int64_t)geteuid())
		return err_set(e, ERR_FORMAT, "'%s' was set up by uid %"
		    PRId64, h->priv_path, r->uid);
	if (!str_eq(r->root, h->root_path))
		return err_set(e, ERR_FORMAT,
		    "'%s' was set up for '%s', this is '%s'", h->priv_path,
		    r->root, h->root_path);
	return 0;
}

int
home_record_adopt(struct home *h, struct err *e)
{
	auto_record struct home_record r = { 0 };

	if (home_record_read(h->priv, &r, e) == -1)
		return err_add(e, "'%s'", h->priv_path);
	if (record_match(h, &r, e) == -1)
		return -1;
	memcpy(h->project, r.project, sizeof h->project);
	memcpy(h->genesis, r.genesis, sizeof h->genesis);
	free(h->keys_path);
	h->keys_path = mem_steal(&r.keys);
	return 0;
}

int
home_set_keys(struct home *h, const char *path, struct err *e)
{
	auto_record struct home_record r = { 0 };

	if (str_eq(h->keys_path, path))
		return 0;
	if (home_record_read(h->priv, &r, e) == -1)
		return -1;
	free(r.keys);
	r.keys = xstrdup(path);
	if (home_record_write(h->priv, &r, e) == -1)
		return -1;
	free(h->keys_path);
	h->keys_path = mem_steal(&r.keys);
	return 0;
}

int
home_set_genesis(struct home *h, const char *digest_hex_text, struct err *e)
{
	unsigned char bin[DIGEST_BYTES];
	auto_record struct home_record r = { 0 };

	if (hex_get(digest_hex_text, bin, sizeof bin) == -1)
		BUG("genesis is not a digest");
	if (home_record_read(h->priv, &r, e) == -1)
		return -1;
	memcpy(r.genesis, digest_hex_text, sizeof r.genesis);
	if (home_record_write(h->priv, &r, e) == -1)
		return -1;
	memcpy(h->genesis, r.genesis, sizeof h->genesis);
	return 0;
}

