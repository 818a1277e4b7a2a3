/*
 * cmd/accept.h - put a policy text into force: sealed by the approver's key in
 * the private directory, with its record in the log.
 */
#ifndef CMD_ACCEPT_H
#define CMD_ACCEPT_H

#include "approver/key.h"
#include "common/err.h"
#include "common/str.h"
#include "policy/policy.h"
#include "queue/home.h"

#define POLICY_FILE	"policy.json"
#define POLICY_MAX	(1024 * 1024)

/* Parsed first; what cannot be read is not accepted.  `key` is unlocked. */
int	accept_policy(const struct home *, const struct policy_place *,
	    const struct str *text, const struct key *, struct err *);

/* .sandbox/policy.json as it is now; ERR_SETUP when there is none. */
int	accept_read_edited(const struct home *, struct str *ret,
	    struct err *);

/* The accepted text; "" when the built-in rules are in force. */
int	accept_read_accepted(const struct home *, struct str *ret,
	    struct err *);

/*
 * What policy needs to know of this machine and project.  `ring` is filled
 * and must outlive the place, as must home and the two strings.
 */
struct accept_place {
	struct policy_place	 place;
	struct keyring		 ring;
	char			*user_dir, *libexec;
};
int	accept_place(const struct home *, struct accept_place *ret,
	    struct err *);
void	accept_place_clear(struct accept_place *);
#define auto_place	__attribute__((cleanup(accept_place_clear)))

#endif
