/*
 * jail/harden.h - what a process gives up before it becomes the command.
 *
 * In this order, all before exec, none can be taken back: a session keyring of
 * its own, resource limits, no_new_privs, every capability, Landlock, and last
 * the system call filter.
 */
#ifndef JAIL_HARDEN_H
#define JAIL_HARDEN_H

#include "jail/plan.h"
#include "jail/spec.h"

/* Keyring, limits: of the jail as a whole, still with capabilities. */
int	harden_session(const struct spec *, struct err *);

/*
 * The address space of the command and what it starts.  Not of process 1,
 * which needs what the command leaves to be looked through.
 */
int	harden_memory(const struct spec *, struct err *);

/* no_new_privs, and every capability gone from every set. */
int	harden_rights(struct err *);
/* The same but for the bounding set, which takes a capability to empty. */
int	harden_plain(struct err *);

/*
 * Landlock, as a coarse second floor under the mounts: reading everywhere,
 * writing only where the plan has something writable; signals and abstract
 * sockets stay inside (kernel permitting).  It cannot subtract: denials below a
 * writable place are mounts alone.
 */
int	harden_files(const struct plan *, struct err *);

/* Its version here; less than 1: there is none. */
long	harden_landlock(void);

/* Landlock for who needs no file at all, nor anybody else's process. */
int	harden_no_files(struct err *);

/*
 * The filter.  Refused: other ABIs (32 bit, x32), io_uring, bpf, perf,
 * userfaultfd, keyrings, mounting, new namespaces, module and machine control,
 * socket families but unix, inet and route netlink, pushing characters into a
 * terminal, file leases, and the limits and turns of process 1.  `nested`:
 * namespaces and mounting are left in.
 */
int	harden_calls(bool nested, struct err *);

#endif
