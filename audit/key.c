#include "audit/key.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "audit/chain.h"
#include "common/digest.h"

#include "common/banned.h"

#define MAGIC		"sbxkey1\n"
#define AT_SEQ		8
#define AT_SEED		16
#define AT_ZERO		48
#define AT_SUM		96

static void
slot_sum(const unsigned char *slot, struct digest *ret)
{
	digest_of(slot, AT_SUM, "sandbox-audit-slot", ret);
}

static void
slot_encode(uint64_t seq, const unsigned char *seed, unsigned char *ret)
{
	struct digest sum;

	memset(ret, 0, KEY_SLOT_BYTES);
	memcpy(ret, MAGIC, AT_SEQ);
	for (int i = 0; i < 8; i++)
		ret[AT_SEQ + i] = (unsigned char)(seq >> (56 - 8 * i));
	memcpy(ret + AT_SEED, seed, SIGN_SEED);
	slot_sum(ret, &sum);
	memcpy(ret + AT_SUM, sum.b, DIGEST_BYTES);
}

static void
slot_decode(const unsigned char *p, struct key_slot *ret)
{
	static const unsigned char zero[AT_SUM - AT_ZERO];
	struct digest sum;

	slot_sum(p, &sum);
	*ret = (struct key_slot){ 0 };
	if (memcmp(p, MAGIC, AT_SEQ) != 0 ||
	    memcmp(p + AT_ZERO, zero, sizeof zero) != 0 ||
	    memcmp(p + AT_SUM, sum.b, DIGEST_BYTES) != 0)
		return;
	ret->valid = true;
	for (int i = 0; i < 8; i++)
		ret->seq = ret->seq << 8 | p[AT_SEQ + i];
	memcpy(ret->seed, p + AT_SEED, SIGN_SEED);
}

/* What is not there is read as zeros. */
static int
read_raw(int fd, unsigned char ret[static KEY_SLOTS * KEY_SLOT_BYTES])
{
	ssize_t n;

	memset(ret, 0, KEY_SLOTS * KEY_SLOT_BYTES);
	do
		n = pread(fd, ret, KEY_SLOTS * KEY_SLOT_BYTES, 0);
	while (n == -1 && errno == EINTR);
	return n == -1 ? -1 : 0;
}

int
key_slots_read(int fd, struct key_slots *ret, struct err *e)
{
	if (read_raw(fd, ret->raw) == -1)
		return err_sys(e, "cannot read 'log.key'");
	for (int i = 0; i < KEY_SLOTS; i++)
		slot_decode(ret->raw + i * KEY_SLOT_BYTES, &ret->slot[i]);
	ret->known = true;
	return 0;
}

bool
key_slots_unchanged(int fd, const struct key_slots *s)
{
	unsigned char now[KEY_SLOTS * KEY_SLOT_BYTES];
	bool same = s->known && read_raw(fd, now) == 0 &&
	    memcmp(now, s->raw, sizeof now) == 0;

	sodium_memzero(now, sizeof now);
	return same;
}

void
key_slots_changed(struct key_slots *s)
{
	s->known = false;
	sodium_memzero(s->raw, sizeof s->raw);
}

void
key_slots_wipe(struct key_slots *s)
{
	sodium_memzero(s, sizeof *s);
}

bool
key_slots_newest(const struct key_slots *s, uint64_t *ret_seq)
{
	bool any = false;

	for (int i = 0; i < KEY_SLOTS; i++) {
		if (!s->slot[i].valid || (any && s->slot[i].seq <= *ret_seq))
			continue;
		any = true;
		*ret_seq = s->slot[i].seq;
	}
	return any;
}

static void
evolve(unsigned char seed[static SIGN_SEED])
{
	struct digest d;

	digest_of(seed, SIGN_SEED, "sandbox-audit-evolve", &d);
	memcpy(seed, d.b, SIGN_SEED);
	sodium_memzero(&d, sizeof d);
}

static bool
slot_reaches(const struct key_slot *s, uint64_t seq,
    const unsigned char pub[static SIGN_PUB], struct chain_key *ret)
{
	auto_key struct chain_key k = { 0 };
	unsigned char seed[SIGN_SEED];

	if (!s->valid || s->seq > seq || seq - s->seq > KEY_STEPS_MAX)
		return false;
	memcpy(seed, s->seed, SIGN_SEED);
	for (uint64_t i = s->seq; i < seq; i++)
		evolve(seed);
	key_make(seed, &k);
	sodium_memzero(seed, sizeof seed);
	if (memcmp(k.pub, pub, SIGN_PUB) != 0)
		return false;
	*ret = k;
	return true;
}

bool
key_find(const struct key_slots *s, uint64_t seq,
    const unsigned char pub[static SIGN_PUB], struct chain_key *ret,
    int *ret_slot)
{
	/* The newer seed first: the older one is only there after a crash. */
	int first = s->slot[1].valid &&
	    (!s->slot[0].valid || s->slot[1].seq > s->slot[0].seq);

	for (int i = 0; i < KEY_SLOTS; i++) {
		int at = i == 0 ? first : !first;

		if (slot_reaches(&s->slot[at], seq, pub, ret)) {
			*ret_slot = at;
			return true;
		}
	}
	return false;
}

static int
put_slot(int fd, int at, const unsigned char *slot, struct err *e)
{
	ssize_t n;

	do
		n = pwrite(fd, slot, KEY_SLOT_BYTES,
		    (off_t)at * KEY_SLOT_BYTES);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return err_sys(e, "cannot write 'log.key'");
	if (n != KEY_SLOT_BYTES)
		return err_set(e, ERR_SYSTEM, "'log.key' is cut short");
	return 0;
}

int
key_slot_write(int fd, int at, uint64_t seq,
    const unsigned char seed[static SIGN_SEED], struct err *e)
{
	unsigned char slot[KEY_SLOT_BYTES];
	int r;

	slot_encode(seq, seed, slot);
	r = put_slot(fd, at, slot, e);
	sodium_memzero(slot, sizeof slot);
	return r;
}

int
key_slot_zero(int fd, int at, struct err *e)
{
	static const unsigned char zero[KEY_SLOT_BYTES];

	return put_slot(fd, at, zero, e);
}

void
key_slots_destroy(int fd)
{
	for (int i = 0; i < KEY_SLOTS; i++)
		key_slot_zero(fd, i, NULL);
}

void
key_slots_encode(uint64_t seq, const unsigned char seed[static SIGN_SEED],
    unsigned char ret[static KEY_SLOTS * KEY_SLOT_BYTES])
{
	memset(ret, 0, KEY_SLOTS * KEY_SLOT_BYTES);
	slot_encode(seq, seed, ret);
}

void
key_make(const unsigned char seed[static SIGN_SEED], struct chain_key *ret)
{
	memcpy(ret->seed, seed, SIGN_SEED);
	crypto_sign_seed_keypair(ret->pub, ret->secret, seed);
}

void
key_next(const struct chain_key *k, struct chain_key *ret)
{
	unsigned char seed[SIGN_SEED];

	memcpy(seed, k->seed, SIGN_SEED);
	evolve(seed);
	key_make(seed, ret);
	sodium_memzero(seed, sizeof seed);
}

void
key_sign(const struct chain_key *k, struct str *line)
{
	unsigned char sig[SIGN_SIG];

	crypto_sign_detached(sig, NULL, (const unsigned char *)line->s,
	    line->len, k->secret);
	chain_put_sig(sig, line);
}

void
key_wipe(struct chain_key *k)
{
	sodium_memzero(k, sizeof *k);
}
