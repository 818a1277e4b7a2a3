/*
 * jail/filter.h - system call filters, made when the tree is built
 * (jail/filter/make.c has the lists and why).
 *
 *	filter_jail	a command
 *	filter_nested	one that may make a jail inside
 *	filter_proxy	sandbox-proxy: only what is listed
 *
 * Other ABIs (32 bit, x32) are refused by each.
 */
#ifndef JAIL_FILTER_H
#define JAIL_FILTER_H

#include <linux/filter.h>

#include "common/err.h"

struct filter {
	const struct sock_filter *v;
	unsigned short		  n;
};

extern const struct filter filter_jail, filter_nested, filter_proxy;

/* From now on, for this process and all it starts; needs no_new_privs. */
int	filter_enter(const struct filter *, struct err *);

#endif
