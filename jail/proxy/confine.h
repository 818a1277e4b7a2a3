/*
 * jail/proxy/confine.h - what the proxy gives up before its first client.
 *
 * It reads hostile bytes and holds the host's network, so it keeps only what
 * that takes: no capability, no file (Landlock), and of the system calls those
 * on sockets, pipes and memory it already has.  It cannot start a program,
 * open a file, listen, or signal anybody.
 */
#ifndef JAIL_PROXY_CONFINE_H
#define JAIL_PROXY_CONFINE_H

#include "common/err.h"

int	confine(struct err *);

#endif
