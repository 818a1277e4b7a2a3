/*
 * approver/key.h - the human's key, and how little of it lies around.
 *
 * One file, `approver.key`, 0600 in a 0700 directory below the data home:
 *
 *	{"v":1,"name":"alice","pub":HEX32,"kdf":"none"|"argon2id",
 *	 "ops":N,"mem":N,"salt":HEX16,"nonce":HEX24,"box":HEX}
 *
 * kdf none: `box` is the seed itself (an *open* key: whoever reads the file
 * approves).  kdf argon2id: `box` is the seed under XChaCha20-Poly1305, the
 * key from the passphrase, `pub` as associated data (a *locked* key).
 *
 *	key_protect()			first in a program that may hold one
 *	key_load(...)			the public half; nothing secret yet
 *	key_unlock(...)			for one decision
 *	sign_make(key_seed(k), ...)
 *	key_free(k)			wiped
 *
 * The seed lives in one page of its own that is locked in memory, left out of
 * core dumps, and zero in every child that is forked.
 */
#ifndef APPROVER_KEY_H
#define APPROVER_KEY_H

#include <stdbool.h>

#include "common/err.h"
#include "common/sign.h"
#include "common/str.h"

#define KEY_FILE	"approver.key"
#define KEY_NAME_MAX	64
#define KEY_PASS_MAX	1024

struct key;

/* Not dumpable, no core files: other processes of this user cannot attach. */
void	key_protect(void);

/*
 * $XDG_DATA_HOME/sandbox/keys, else the passwd home's .local/share/sandbox/
 * keys.  `make`: create what is missing.  Returns a directory descriptor;
 * ERR_SETUP when there is none: "run sandbox key new".
 */
int	key_dir_open(bool make, struct err *);

/* What that lies in: $XDG_DATA_HOME or .local/share; NULL: there is no home.
 * The caller frees. */
char   *key_base_path(void);

/* ERR_SETUP when there is no key; ERR_FORMAT when it cannot be one. */
int	key_load(int dirfd, struct key **ret, struct err *);

/*
 * Make a key and write its file; refuses when there is one (EEXIST in
 * err.sys: two may make the first one at the same time).  `name` is 1..64
 * of [A-Za-z0-9._@-].  pass NULL or empty: an open key.  The key comes back
 * unlocked.
 */
int	key_new(int dirfd, const char *name, const struct str *pass,
	    struct key **ret, struct err *);

/* Write the (unlocked) key again under another passphrase, or open. */
int	key_rewrite(int dirfd, struct key *, const struct str *pass,
	    struct err *);

/*
 * Make the seed usable.  An open key needs nothing.  A locked one needs its
 * passphrase: ERR_PERMITTED when it is wrong.
 */
int	key_unlock(struct key *, const struct str *pass, struct err *);
/*
 * The same, asking for what is needed: from passphrase_fd when it is not -1
 * (up to end of file or newline), else on /dev/tty without echo.
 */
int	key_unlock_ask(struct key *, int passphrase_fd, struct err *);
/* Wipe the seed; the key must be unlocked again. */
void	key_lock(struct key *);
void	key_free(struct key *);
void	key_free_ptr(struct key **);
#define auto_key	__attribute__((cleanup(key_free_ptr)))

bool			key_is_locked_kind(const struct key *);
const char	       *key_owner(const struct key *);
const unsigned char    *key_public(const struct key *);
/* NULL while locked. */
const unsigned char    *key_seed(const struct key *);

bool	key_name_ok(const char *);

#endif
