/* policy/load.c - the accepted copy: who signed it, for what, and its bytes. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"
#include "policy/layers.h"
#include "policy/rules.h"
#include "common/banned.h"

#define ACCEPTED	"policy.accepted"
#define ACCEPTED_MAX	(1 << 20)
#define TITLE		"sandbox-policy-v1"

int
policy_builtin(const struct policy_place *place, struct policy **ret,
    struct err *e)
{
	struct policy *p = policy_new(place, preset_find("strict"));

	(void)e;
	digest_of("", 0, NULL, &p->digest);
	*ret = p;
	return 0;
}

/* The fields between the blanks of the first line, in place. */
static int
header_split(char *line, char *field[5])
{
	for (int i = 0; i < 5; i++) {
		field[i] = line;
		line = strchr(line, ' ');
		if (i < 4 && line == NULL)
			return -1;
		if (i == 4)
			return line == NULL ? 0 : -1;
		*line++ = '\0';
	}
	return -1;
}

/* Is the header signed by one of the approvers, for this project and text? */
static int
header_check(const struct policy_place *place, const char *line,
    const struct digest *body, struct err *e)
{
	auto_free char *copy = xstrdup(line);
	char hex[DIGEST_HEX + 1], pub[SIGN_PUB_HEX + 1];
	const struct key_entry *key;
	char *f[5];

	if (header_split(copy, f) == -1 || !str_eq(f[0], TITLE))
		return err_set(e, ERR_FORMAT, "its first line is no header");
	if (!str_eq(f[1], place->project))
		return err_set(e, ERR_FORMAT, "it is for another project");
	digest_hex(body, hex);
	if (!str_eq(f[2], hex))
		return err_set(e, ERR_FORMAT, "its digest does not fit");
	key = keyring_verify(place->approvers, line,
	    strlen(line) - strlen(f[4]) - 1, f[4]);
	if (key == NULL)
		return err_set(e, ERR_FORMAT, "no approver signed it");
	hex_put(key->pub, SIGN_PUB, pub);
	if (!str_eq(f[3], pub))
		return err_set(e, ERR_FORMAT, "it names another key");
	return 0;
}

static int
accepted_read(const struct policy_place *place, const struct str *file,
    struct policy **ret, struct err *e)
{
	const char *end = memchr(file->s, '\n', file->len);
	auto_free char *line = NULL;
	struct digest body;
	size_t at;

	if (end == NULL)
		return err_set(e, ERR_FORMAT, "it has no header");
	at = (size_t)(end - file->s) + 1;
	line = xstrndup(file->s, at - 1);
	if (strlen(line) != at - 1)
		return err_set(e, ERR_FORMAT, "its header holds a NUL");
	digest_of(file->s + at, file->len - at, NULL, &body);
	if (header_check(place, line, &body, e) == -1)
		return -1;
	return policy_parse(file->s + at, file->len - at, "policy.json", place,
	    ret, e);
}

static int
load_accepted(int viewfd, const struct policy_place *place,
    struct policy **ret, struct err *e)
{
	struct err own = { 0 };
	auto_str struct str file = { 0 };

	str_init(&file, ACCEPTED_MAX);
	if (fs_read_own(viewfd, ACCEPTED, ACCEPTED_MAX, &file, &own) == -1) {
		if (own.sys == ENOENT)
			return policy_builtin(place, ret, e);
		if (e != NULL)
			*e = own;
		return err_add(e, "the accepted policy");
	}
	if (accepted_read(place, &file, ret, e) == -1)
		return err_add(e, "the accepted policy");
	return 0;
}

int
policy_load(int viewfd, const struct policy_place *place, struct policy **ret,
    struct err *e)
{
	auto_free char *user = xasprintf("%s/" LAYER_USER, place->home);
	struct policy *p = NULL;

	if (load_accepted(viewfd, place, &p, e) == -1)
		return -1;
	if (layer_add(p, user, geteuid(), LAYER_TIGHTENS, e) == -1 ||
	    layer_add(p, LAYER_SITE, 0, LAYER_MAY_ALLOW, e) == -1) {
		policy_free(p);
		return -1;
	}
	*ret = p;
	return 0;
}

void
policy_seal(const char *text, size_t len, const char *project,
    const unsigned char seed[static SIGN_SEED], struct str *ret)
{
	char hex[DIGEST_HEX + 1], pub_hex[SIGN_PUB_HEX + 1];
	char sig[SIGN_SIG_HEX + 1];
	unsigned char pub[SIGN_PUB];
	auto_str struct str line = { 0 };
	struct digest body;

	digest_of(text, len, NULL, &body);
	digest_hex(&body, hex);
	sign_public(seed, pub);
	hex_put(pub, SIGN_PUB, pub_hex);
	str_init(&line, 4096);
	str_addf(&line, TITLE " %s %s %s", project, hex, pub_hex);
	sign_make(seed, line.s, line.len, sig);
	str_addf(ret, "%s %s\n", line.s, sig);
	str_addn(ret, text, len);
}
