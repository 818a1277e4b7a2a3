#include "approver/signer.h"

#include "approver/tty.h"
#include "common/digest.h"
#include "common/mem.h"

#include "common/banned.h"

int
signer_open(const struct keyring *ring, int passphrase_fd, bool held,
    struct signer *ret, struct err *e)
{
	struct signer s = { .passphrase_fd = passphrase_fd, .held = held };
	auto_close int dir = key_dir_open(false, e);

	if (dir == -1 || key_load(dir, &s.key, e) == -1)
		return -1;
	if (signer_serves(&s, ring, e) == -1) {
		signer_close(&s);
		return -1;
	}
	if (held && key_unlock_ask(s.key, passphrase_fd, e) == -1) {
		signer_close(&s);
		return -1;
	}
	*ret = s;
	return 0;
}

int
signer_serves(const struct signer *s, const struct keyring *ring,
    struct err *e)
{
	char pub[SIGN_PUB_HEX + 1];

	hex_put(key_public(s->key), SIGN_PUB, pub);
	if (keyring_find(ring, pub) == NULL)
		return err_set(e, ERR_SETUP, "your key '%s' is not an approver "
		    "of this project: run `sandbox init` here",
		    key_owner(s->key));
	return 0;
}

void
signer_close(struct signer *s)
{
	key_free(s->key);
	s->key = NULL;
}

int
signer_ready(struct signer *s, const char *ask_again, struct err *e)
{
	if (key_is_locked_kind(s->key) && (!s->held || ask_again != NULL))
		key_lock(s->key);
	if (key_unlock_ask(s->key, s->passphrase_fd, e) == -1)
		return -1;
	if (ask_again == NULL || key_is_locked_kind(s->key))
		return 0;
	return tty_confirm(ask_again, e);
}

void
signer_done(struct signer *s)
{
	if (!s->held)
		key_lock(s->key);
}
