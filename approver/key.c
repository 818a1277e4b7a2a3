#include "approver/key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "approver/tty.h"
#include "common/digest.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define FILE_MAX	4096
#define PAGE		4096
#define SALT		crypto_pwhash_SALTBYTES
#define NONCE		crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG		crypto_aead_xchacha20poly1305_ietf_ABYTES
#define BOX		(SIGN_SEED + TAG)

/* About half a second and 256 MiB per guess. */
#define OPS		crypto_pwhash_OPSLIMIT_MODERATE
#define MEM		crypto_pwhash_MEMLIMIT_MODERATE
#define OPS_MAX		16
#define MEM_MAX		(1024LL * 1024 * 1024)

struct key {
	char		 name[KEY_NAME_MAX + 1];
	unsigned char	 pub[SIGN_PUB];
	bool		 locked_kind;
	int64_t		 ops, mem;
	unsigned char	 salt[SALT], nonce[NONCE], box[BOX];
	size_t		 box_len;
	unsigned char	*page;		/* the seed's own page, or NULL */
};

bool
key_name_ok(const char *name)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
	size_t n = strlen(name);

	return n > 0 && n <= KEY_NAME_MAX && strspn(name, ok) == n;
}

static const struct json_field key_fields[] = {
	{ "v", JSON_INT, true, 0 },
	{ "name", JSON_STRING, true, KEY_NAME_MAX },
	{ "pub", JSON_STRING, true, SIGN_PUB_HEX },
	{ "kdf", JSON_STRING, true, 16 },
	{ "ops", JSON_INT, true, 0 },
	{ "mem", JSON_INT, true, 0 },
	{ "salt", JSON_STRING, true, 2 * SALT },
	{ "nonce", JSON_STRING, true, 2 * NONCE },
	{ "box", JSON_STRING, true, 2 * BOX },
};

static int
fill(struct key *k, const cJSON *j, struct err *e)
{
	const char *name = json_str(j, "name"), *kdf = json_str(j, "kdf");

	k->locked_kind = str_eq(kdf, "argon2id");
	k->ops = json_int(j, "ops", -1);
	k->mem = json_int(j, "mem", -1);
	k->box_len = k->locked_kind ? BOX : SIGN_SEED;
	if (json_int(j, "v", 0) != 1 || !key_name_ok(name) ||
	    (!k->locked_kind && !str_eq(kdf, "none")) ||
	    k->ops > OPS_MAX || k->mem > MEM_MAX ||
	    hex_get(json_str(j, "pub"), k->pub, sizeof k->pub) == -1 ||
	    hex_get(json_str(j, "salt"), k->salt, sizeof k->salt) == -1 ||
	    hex_get(json_str(j, "nonce"), k->nonce, sizeof k->nonce) == -1 ||
	    hex_get(json_str(j, "box"), k->box, k->box_len) == -1)
		return err_set(e, ERR_FORMAT, "'%s' is not an approver key",
		    KEY_FILE);
	memcpy(k->name, name, strlen(name) + 1);
	return 0;
}

int
key_load(int dirfd, struct key **ret, struct err *e)
{
	struct str text;
	auto_json cJSON *j = NULL;
	auto_key struct key *k = xcalloc(1, sizeof *k);
	int r;

	str_init(&text, FILE_MAX);
	r = fs_read_own(dirfd, KEY_FILE, FILE_MAX, &text, e);
	if (r == -1 && e != NULL && e->sys == ENOENT)
		err_set(e, ERR_SETUP, "there is no approver key yet: "
		    "run `sandbox key new`");
	if (r == 0)
		r = json_parse(text.s, text.len, 2, &j, e);
	if (r == 0)
		r = json_check(j, key_fields, ARRAY_LEN(key_fields), true, e);
	str_wipe(&text);
	if (r == -1)
		return err_add(e, "approver key");
	if (fill(k, j, e) == -1)
		return -1;
	*ret = k;
	k = NULL;
	return 0;
}

/* A page for the seed, gone in children and in dumps. */
static int
seed_page(struct key *k, struct err *e)
{
	void *p;

	if (k->page != NULL)
		return 0;
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || p == NULL)
		return err_sys(e, "cannot get memory for the key");
	if (mlock(p, PAGE) == -1 || madvise(p, PAGE, MADV_DONTDUMP) == -1 ||
	    madvise(p, PAGE, MADV_WIPEONFORK) == -1) {
		err_sys(e, "cannot protect the key in memory");
		munmap(p, PAGE);
		return -1;
	}
	k->page = p;
	return 0;
}

void
key_lock(struct key *k)
{
	if (k->page == NULL)
		return;
	explicit_bzero(k->page, PAGE);
	munmap(k->page, PAGE);
	k->page = NULL;
}

static int
derive(const struct key *k, const struct str *pass,
    unsigned char out[static 32], struct err *e)
{
	if (crypto_pwhash(out, 32, pass->s, pass->len, k->salt,
	    (unsigned long long)k->ops, (size_t)k->mem,
	    crypto_pwhash_ALG_ARGON2ID13) != 0)
		return err_set(e, ERR_SYSTEM, "cannot get the memory that the "
		    "key's passphrase needs (%lld MiB)",
		    (long long)(k->mem >> 20));
	return 0;
}

int
key_unlock(struct key *k, const struct str *pass, struct err *e)
{
	unsigned char secret[32], pub[SIGN_PUB];
	int bad;

	if (k->page != NULL)
		return 0;
	if (k->locked_kind && pass == NULL)
		return err_set(e, ERR_PERMITTED, "the key is locked");
	if (k->locked_kind && derive(k, pass, secret, e) == -1)
		return -1;
	if (seed_page(k, e) == -1 || k->page == NULL) {
		explicit_bzero(secret, sizeof secret);
		return -1;
	}
	if (k->locked_kind) {
		bad = crypto_aead_xchacha20poly1305_ietf_decrypt(k->page,
		    NULL, NULL, k->box, BOX, k->pub, sizeof k->pub, k->nonce,
		    secret);
		explicit_bzero(secret, sizeof secret);
		if (bad != 0) {
			key_lock(k);
			return err_set(e, ERR_PERMITTED,
			    "the passphrase is wrong");
		}
	} else {
		memcpy(k->page, k->box, SIGN_SEED);
	}
	sign_public(k->page, pub);
	if (memcmp(pub, k->pub, sizeof pub) != 0) {
		key_lock(k);
		return err_set(e, ERR_FORMAT,
		    "the approver key does not fit its own public half");
	}
	return 0;
}

int
key_unlock_ask(struct key *k, int passphrase_fd, struct err *e)
{
	struct str pass;
	int r;

	str_init(&pass, KEY_PASS_MAX);
	if (!k->locked_kind)
		r = 0;
	else if (passphrase_fd != -1)
		r = tty_line_from(passphrase_fd, KEY_PASS_MAX, &pass, e);
	else
		r = tty_passphrase("Passphrase of the approver key: ", &pass,
		    e);
	if (r == 0)
		r = key_unlock(k, &pass, e);
	str_wipe(&pass);
	return r;
}

/* Put the seed into k->box, under the passphrase if there is one. */
static int
seal(struct key *k, const struct str *pass, struct err *e)
{
	unsigned char secret[32];

	k->locked_kind = pass != NULL && pass->len > 0;
	k->box_len = k->locked_kind ? BOX : SIGN_SEED;
	k->ops = k->locked_kind ? (int64_t)OPS : 0;
	k->mem = k->locked_kind ? (int64_t)MEM : 0;
	randombytes_buf(k->salt, sizeof k->salt);
	randombytes_buf(k->nonce, sizeof k->nonce);
	if (pass == NULL || pass->len == 0) {
		memcpy(k->box, k->page, SIGN_SEED);
		return 0;
	}
	if (derive(k, pass, secret, e) == -1)
		return -1;
	crypto_aead_xchacha20poly1305_ietf_encrypt(k->box, NULL, k->page,
	    SIGN_SEED, k->pub, sizeof k->pub, NULL, k->nonce, secret);
	explicit_bzero(secret, sizeof secret);
	return 0;
}

static void
print_key(const struct key *k, struct str *ret)
{
	char hex[2 * BOX + 1];
	auto_json cJSON *j = json_object();

	json_add_int(j, "v", 1);
	json_add_str(j, "name", k->name);
	hex_put(k->pub, sizeof k->pub, hex);
	json_add_str(j, "pub", hex);
	json_add_str(j, "kdf", k->locked_kind ? "argon2id" : "none");
	json_add_int(j, "ops", k->ops);
	json_add_int(j, "mem", k->mem);
	hex_put(k->salt, sizeof k->salt, hex);
	json_add_str(j, "salt", hex);
	hex_put(k->nonce, sizeof k->nonce, hex);
	json_add_str(j, "nonce", hex);
	hex_put(k->box, k->box_len, hex);
	json_add_str(j, "box", hex);
	json_print(j, ret);
	str_addc(ret, '\n');
	explicit_bzero(hex, sizeof hex);
}

int
key_new(int dirfd, const char *name, const struct str *pass, struct key **ret,
    struct err *e)
{
	auto_key struct key *k = xcalloc(1, sizeof *k);
	struct str text;
	int r;

	if (!key_name_ok(name))
		return err_set(e, ERR_USAGE, "a key's name is 1 to %d of "
		    "letters, digits and ._@-", KEY_NAME_MAX);
	memcpy(k->name, name, strlen(name) + 1);
	if (seed_page(k, e) == -1)
		return -1;
	randombytes_buf(k->page, SIGN_SEED);
	sign_public(k->page, k->pub);
	if (seal(k, pass, e) == -1)
		return -1;
	str_init(&text, FILE_MAX);
	print_key(k, &text);
	r = fs_publish(dirfd, KEY_FILE, text.s, text.len, e);
	str_wipe(&text);
	if (r == -1 && e != NULL && e->sys == EEXIST) {
		err_set(e, ERR_PERMITTED, "there is an approver key "
		    "already; it is not overwritten");
		e->sys = EEXIST;
		return -1;
	}
	if (r == -1)
		return -1;
	*ret = k;
	k = NULL;
	return 0;
}

int
key_rewrite(int dirfd, struct key *k, const struct str *pass, struct err *e)
{
	struct str text;
	int r;

	if (k->page == NULL)
		BUG("key_rewrite: the key is locked");
	if (seal(k, pass, e) == -1)
		return -1;
	str_init(&text, FILE_MAX);
	print_key(k, &text);
	r = fs_replace(dirfd, KEY_FILE, text.s, text.len, 0600, e);
	str_wipe(&text);
	return r;
}

void
key_free(struct key *k)
{
	if (k == NULL)
		return;
	key_lock(k);
	explicit_bzero(k, sizeof *k);
	free(k);
}

void
key_free_ptr(struct key **k)
{
	key_free(*k);
}

bool
key_is_locked_kind(const struct key *k)
{
	return k->locked_kind;
}

const char *
key_owner(const struct key *k)
{
	return k->name;
}

const unsigned char *
key_public(const struct key *k)
{
	return k->pub;
}

const unsigned char *
key_seed(const struct key *k)
{
	return k->page;
}
