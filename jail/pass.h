/*
 * jail/pass.h - packets that carry descriptors, over a SOCK_SEQPACKET pair.
 */
#ifndef JAIL_PASS_H
#define JAIL_PASS_H

#include <stddef.h>
#include <sys/types.h>

#define PASS_MAX	24	/* descriptors in one packet */

/* One packet; n may be 0.  -1: nobody is there. */
int	pass_send(int sock, const void *, size_t len, const int *fds,
	    size_t n);

/* Its bytes; 0 at the end, or for one that is broken. */
ssize_t	pass_receive(int sock, void *, size_t len,
	    int ret_fds[static PASS_MAX], size_t *ret_n);

#endif
