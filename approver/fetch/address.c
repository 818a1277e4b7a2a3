#include "approver/fetch/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

#include "common/mem.h"

#include "common/banned.h"

/* The special-purpose registries of IANA (RFC 6890 and its updates). */
static const struct net4 {
	unsigned char	a, b, c, d, bits;
} private4[] = {
	{ 0, 0, 0, 0, 8 },		/* this network */
	{ 10, 0, 0, 0, 8 },
	{ 100, 64, 0, 0, 10 },		/* carriers' own */
	{ 127, 0, 0, 0, 8 },
	{ 169, 254, 0, 0, 16 },		/* link local, metadata */
	{ 172, 16, 0, 0, 12 },
	{ 192, 0, 0, 0, 24 },
	{ 192, 0, 2, 0, 24 },		/* documentation */
	{ 192, 31, 196, 0, 24 },
	{ 192, 52, 193, 0, 24 },
	{ 192, 88, 99, 0, 24 },		/* 6to4 relays */
	{ 192, 168, 0, 0, 16 },
	{ 192, 175, 48, 0, 24 },
	{ 198, 18, 0, 0, 15 },		/* benchmarks */
	{ 198, 51, 100, 0, 24 },
	{ 203, 0, 113, 0, 24 },
	{ 224, 0, 0, 0, 3 },		/* multicast, reserved, broadcast */
};

static uint32_t
word(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

static bool
public4(const unsigned char *p)
{
	uint32_t ip = word(p);

	for (size_t i = 0; i < ARRAY_LEN(private4); i++) {
		const struct net4 *n = &private4[i];
		const unsigned char net[] = { n->a, n->b, n->c, n->d };
		uint32_t mask = ~(uint32_t)0 << (32 - n->bits);

		if (((ip ^ word(net)) & mask) == 0)
			return false;
	}
	return true;
}

/*
 * Global unicast is 2000::/3; inside it lie documentation, benchmarks and the
 * tunnels that carry an IPv4 address, which would be another way there.
 */
static bool
public6(const unsigned char *p)
{
	static const unsigned char nat64[12] = { 0, 0x64, 0xff, 0x9b };

	if (memcmp(p, nat64, sizeof nat64) == 0)
		return public4(p + 12);
	if ((p[0] & 0xe0) != 0x20)
		return false;
	if (p[0] == 0x20 && p[1] == 0x01 && p[2] < 2)
		return false;		/* 2001::/23: Teredo, ORCHID, ... */
	if (p[0] == 0x20 && p[1] == 0x01 && p[2] == 0x0d && p[3] == 0xb8)
		return false;		/* documentation */
	if (p[0] == 0x20 && p[1] == 0x02)
		return false;		/* 6to4 */
	if (p[0] == 0x3f && p[1] == 0xff && p[2] < 0x10)
		return false;		/* documentation */
	return true;
}

bool
address_is_public(const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (len >= (socklen_t)sizeof v4 && sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof v4);
		return public4((const unsigned char *)&v4.sin_addr);
	}
	if (len >= (socklen_t)sizeof v6 && sa->sa_family == AF_INET6) {
		memcpy(&v6, sa, sizeof v6);
		return public6(v6.sin6_addr.s6_addr);
	}
	return false;
}
