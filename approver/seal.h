/*
 * approver/seal.h - a checkpoint of the log, when one is due and the key is at
 * hand anyway.
 *
 * Nobody is asked for a passphrase for it: a locked key that is not held is
 * left alone.  A log that does not verify gets no checkpoint; who looks learns
 * it from `sandbox doctor`.
 */
#ifndef APPROVER_SEAL_H
#define APPROVER_SEAL_H

#include "approver/desk.h"
#include "approver/signer.h"

void	seal_log(const struct desk *, struct signer *);

#endif
