/*
 * audit/key.h - the one-way ratchet and the file that holds its pawl.
 *
 * Record i is signed by the key whose seed is seed(i);
 * seed(i+1) = BLAKE2b-256 keyed "sandbox-audit-evolve" of seed(i).
 *
 * log.key is two slots of 128 bytes, `magic8 seq8 seed32 zero48 blake32`; seq
 * (big endian) is the first record that the seed signs.  After a sync point at
 * record s the file holds seed(s+1) and nothing older: what was synced cannot
 * be signed again.  A slot that is being written is never the only good one.
 */
#ifndef AUDIT_KEY_H
#define AUDIT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/sign.h"
#include "common/str.h"

#define KEY_SLOT_BYTES	128
#define KEY_SLOTS	2
/*
 * A sync is due after 64 records; a process killed between its record and its
 * sync leaves that to the next one, so the bound for deriving is far above.
 */
#define KEY_SYNC_EVERY	64
#define KEY_STEPS_MAX	4096

struct key_slot {
	bool		valid;
	uint64_t	seq;
	unsigned char	seed[SIGN_SEED];
};

struct key_slots {
	struct key_slot	slot[KEY_SLOTS];
	bool		known;		/* raw is what the file held */
	unsigned char	raw[KEY_SLOTS * KEY_SLOT_BYTES];
};

/* A seed made ready to sign. */
struct chain_key {
	unsigned char	seed[SIGN_SEED];
	unsigned char	pub[SIGN_PUB];
	unsigned char	secret[64];
};

/* Slots that are torn, zero or foreign are read as not valid. */
int	key_slots_read(int fd, struct key_slots *ret, struct err *);
/* Does the file hold what they were read from?  Sooner than reading it. */
bool	key_slots_unchanged(int fd, const struct key_slots *);
/* It holds something else now. */
void	key_slots_changed(struct key_slots *);
void	key_slots_wipe(struct key_slots *);

/*
 * The key of record `seq`, whose public half must be `pub`.  ret_slot: which
 * slot it was derived from.  False: no slot fits.
 */
bool	key_find(const struct key_slots *, uint64_t seq,
	    const unsigned char pub[static SIGN_PUB], struct chain_key *ret,
	    int *ret_slot);

/* The newest valid slot's seq; false when both are bad. */
bool	key_slots_newest(const struct key_slots *, uint64_t *ret_seq);

/*
 * The steps of forgetting (logfile_sync has them in order): the new seed into
 * the other slot, a sync, zeroes over the old one.
 */
int	key_slot_write(int fd, int at, uint64_t seq,
	    const unsigned char seed[static SIGN_SEED], struct err *);
int	key_slot_zero(int fd, int at, struct err *);

/* Zero both: the log is closed. */
void	key_slots_destroy(int fd);

/* The 256 bytes of a fresh file. */
void	key_slots_encode(uint64_t seq,
	    const unsigned char seed[static SIGN_SEED],
	    unsigned char ret[static KEY_SLOTS * KEY_SLOT_BYTES]);

void	key_make(const unsigned char seed[static SIGN_SEED],
	    struct chain_key *ret);
void	key_next(const struct chain_key *, struct chain_key *ret);
void	key_sign(const struct chain_key *, struct str *line);
void	key_wipe(struct chain_key *);
#define auto_key	__attribute__((cleanup(key_wipe)))

#endif
