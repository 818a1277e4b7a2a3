/*
 * approver/fetch/address.h - is this address somewhere in the internet?
 *
 * Asked about the very address that is about to be connected to, after the
 * name was resolved, so that no name, redirect or rebinding leads to this
 * machine, its networks or a cloud's metadata.  What is not known to be
 * public is private.
 */
#ifndef APPROVER_FETCH_ADDRESS_H
#define APPROVER_FETCH_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

bool	address_is_public(const struct sockaddr *, socklen_t len);

#endif
