/* One spelling per host, and the one decision of the proxy. */
#include <string.h>
#include <sys/socket.h>

#include "common/mem.h"
#include "common/str.h"
#include "jail/proxy/rules.h"
#include "tests/unit/unit.h"

/* What is written, and what it is; NULL: no host. */
static const struct { const char *in, *want; } spellings[] = {
	{ "Example.COM", "example.com" }, { "example.com.", "example.com" },
	{ "a_b.x-y.test", "a_b.x-y.test" }, { "localhost", "localhost" },
	{ "xn--bcher-kva.example", "xn--bcher-kva.example" },
	{ "1.2.3.4", "1.2.3.4" }, { "1.2.3.4.", "1.2.3.4" },
	{ "0x7f.1", "127.0.0.1" }, { "2130706433", "127.0.0.1" },
	{ "017700000001", "127.0.0.1" }, { "0xCB00710A", "203.0.113.10" },
	{ "127.1", "127.0.0.1" }, { "0", "0.0.0.0" },
	{ "::1", "::1" }, { "[::1]", "::1" }, { "[::ffff:1.2.3.4]", "1.2.3.4" },
	{ "::ffff:7f00:1", "127.0.0.1" }, { "2001:DB8::A", "2001:db8::a" },
	{ "1.2.3.4.5", NULL }, { "256.1.1.1", NULL }, { "1.2.3.x", "1.2.3.x" },
	{ "a.1", NULL }, { "a.0x1", NULL }, { "1.2.3.09", NULL },
	{ "", NULL }, { ".", NULL }, { "..", NULL }, { ".a", NULL },
	{ "a..b", NULL }, { "a..", NULL }, { "-a.b", NULL }, { "a-.b", NULL },
	{ "a b", NULL }, { "a\tb", NULL }, { "a\nb", NULL }, { "a/b", NULL },
	{ "a@b", NULL }, { "a%b", NULL }, { "a\\b", NULL }, { "*", NULL },
	{ "*.a", NULL }, { "b\303\274cher.example", NULL }, { "a:1", NULL },
	{ "[a]", NULL }, { "[1.2.3.4]", NULL }, { "[]", NULL },
	{ "[::1", NULL }, { "::1]", NULL }, { "fe80::1%eth0", NULL },
	{ "1.2.3.4 x", NULL }, { "1.2.3.4\n", NULL },
};

START_TEST(hosts)
{
	struct host h;
	char big[300];

	for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
		const char *in = spellings[i].in;
		int rc = host_parse(in, strlen(in), &h);

		ck_assert_msg(rc == (spellings[i].want == NULL ? -1 : 0),
		    "'%s' gives %d", in, rc);
		if (rc == 0)
			ck_assert_str_eq(h.text, spellings[i].want);
	}
	ck_assert_int_eq(host_parse("a.test\0.b", 9, &h), -1);
	memset(big, 'a', sizeof big);
	ck_assert_int_eq(host_parse(big, 64, &h), -1);
	ck_assert_int_eq(host_parse(big, 63, &h), 0);
	for (size_t i = 60; i < sizeof big; i += 60)
		big[i] = '.';
	ck_assert_int_eq(host_parse(big, 253, &h), 0);
	ck_assert_int_eq(host_parse(big, 255, &h), -1);
	ck_assert_int_eq(host_parse(big, 300, &h), -1);
}
END_TEST

static const struct { const char *in, *host; unsigned port; } ports[] = {
	{ "a.test:8080", "a.test", 8080 }, { "a.test", "a.test", 7 },
	{ "[::1]:443", "::1", 443 }, { "[::1]", "::1", 7 }, { "::1", "::1", 7 },
	{ "1.2.3.4:80", "1.2.3.4", 80 }, { "a:65535", "a", 65535 },
	{ "a:0", NULL, 0 }, { "a:65536", NULL, 0 }, { "a:", NULL, 0 },
	{ "a:8x", NULL, 0 }, { "a:-1", NULL, 0 }, { "a:+80", NULL, 0 },
	{ "a: 80", NULL, 0 }, { ":80", NULL, 0 }, { "a:80:90", NULL, 0 },
	{ "a:000080", NULL, 0 },
};

START_TEST(hosts_with_ports)
{
	for (size_t i = 0; i < ARRAY_LEN(ports); i++) {
		unsigned port = 0;
		struct host h;
		int rc = host_port_parse(ports[i].in, strlen(ports[i].in), 7,
		    &h, &port);

		ck_assert_msg(rc == (ports[i].host == NULL ? -1 : 0), "'%s'",
		    ports[i].in);
		if (rc == -1)
			continue;
		ck_assert_str_eq(h.text, ports[i].host);
		ck_assert_uint_eq(port, ports[i].port);
	}
}
END_TEST

START_TEST(addresses)
{
	struct sockaddr_storage s;
	struct address back;
	struct host h, again;

	ck_assert_int_eq(host_parse("2001:db8::1", 11, &h), 0);
	address_to_sock(&h.ip, 443, &s);
	ck_assert_int_eq(s.ss_family, AF_INET6);
	address_from_sock(&s, &back);
	ck_assert_int_eq(host_from_address(&back, &again), 0);
	ck_assert(host_same(&h, &again));
	ck_assert_int_eq(host_parse("10.1.2.3", 8, &h), 0);
	address_to_sock(&h.ip, 443, &s);
	ck_assert_int_eq(s.ss_family, AF_INET);
	address_from_sock(&s, &back);
	ck_assert(address_within(&back, &h.ip, 128));
	back.b[15] ^= 1;
	ck_assert(!address_within(&back, &h.ip, 128));
	ck_assert(address_within(&back, &h.ip, 127));
}
END_TEST

static const char *const bad_rules[] = {
	"", "a b", "*.", "*x", "a.*", "**.a", "*.1.2.3.4", "a/8", "*/8",
	"1.2.3.4/33", "::1/129", "::ffff:10.0.0.0/8", "::ffff:10.0.0.0/95", "1.2.3.4/", "1.2.3.4/x", "a:0", "a:http",
	"http://a", "a/b", "*:0", "b\303\274cher.example", "1.2.3.4/0x8",
};

START_TEST(rules_that_are_none)
{
	struct rules r;
	struct rule one;
	struct err e;
	static const char *const files[] = { "allow", "permit a", "allow  a",
	    "deny-address a.test", "allow a\nallow b c\n", "ask x" };

	for (size_t i = 0; i < ARRAY_LEN(bad_rules); i++)
		ck_assert_msg(rule_parse(bad_rules[i], &one, &e) == -1, "'%s'",
		    bad_rules[i]);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		ck_assert_msg(rules_read(files[i], strlen(files[i]), &r, &e)
		    == -1, "'%s'", files[i]);
}
END_TEST

/* 'a'llow, 'd'eny, '?' ask; `at` an address the name led to. */
static const struct {
	const char	*rules, *host, *at;
	unsigned	 port;
	char		 want;
} judged[] = {
	{ "", "a.test", NULL, 443, 'd' },
	{ "allow a.test\n", "a.test", NULL, 443, 'a' },
	{ "allow a.test\n", "a.test", NULL, 80, 'a' },
	{ "allow a.test\n", "a.test", NULL, 22, 'd' },
	{ "allow a.test\n", "A.TEST.", NULL, 443, 'a' },
	{ "allow a.test\n", "b.a.test", NULL, 443, 'd' },
	{ "allow a.test\n", "xa.test", NULL, 443, 'd' },
	{ "allow a.test\n", "a.test.evil", NULL, 443, 'd' },
	{ "allow a.test:22\n", "a.test", NULL, 22, 'a' },
	{ "allow a.test:22\n", "a.test", NULL, 443, 'd' },
	{ "allow *.a.test\n", "b.a.test", NULL, 443, 'a' },
	{ "allow *.a.test\n", "c.b.a.test", NULL, 443, 'a' },
	{ "allow *.a.test\n", "a.test", NULL, 443, 'd' },
	{ "allow *.a.test\n", "xa.test", NULL, 443, 'd' },
	{ "allow *\n", "any.test", NULL, 443, 'a' },
	{ "allow *\n", "any.test", NULL, 25, 'd' },
	{ "allow *\n", "any.test", "10.0.0.1", 443, 'd' },
	{ "allow *:25\n", "any.test", NULL, 25, 'a' },
	{ "allow *.a.test\ndeny b.a.test\n", "b.a.test", NULL, 443, 'd' },
	{ "allow *.a.test\ndeny b.a.test\n", "B.a.Test", NULL, 443, 'd' },
	{ "allow *.a.test\ndeny *.b.a.test\n", "b.a.test", NULL, 443, 'a' },
	{ "allow a.test:22\ndeny *:22\n", "a.test", NULL, 22, 'd' },
	{ "allow a.test\ndeny *:22\n", "a.test", NULL, 443, 'a' },
	{ "allow a.test\ndeny *:22\n", "a.test", NULL, PORT_ANY, 'a' },
	{ "allow a.test\ndeny a.test\n", "a.test", NULL, PORT_ANY, 'd' },
	{ "allow a.test:99\n", "a.test", NULL, PORT_ANY, 'a' },
	{ "ask\n", "a.test", NULL, 443, '?' },
	{ "ask\ndeny a.test\n", "a.test", NULL, 443, 'd' },
	{ "ask\nallow a.test\n", "a.test", NULL, 443, 'a' },
	{ "ask\n", "10.0.0.1", NULL, 443, '?' },
	/* addresses */
	{ "allow a.test\n", "a.test", "203.0.113.9", 443, 'a' },
	{ "allow a.test\n", "a.test", "127.0.0.1", 443, 'd' },
	{ "allow a.test\n", "a.test", "0.0.0.0", 443, 'd' },
	{ "allow a.test\n", "a.test", "10.1.2.3", 443, 'd' },
	{ "allow a.test\n", "a.test", "172.31.0.1", 443, 'd' },
	{ "allow a.test\n", "a.test", "172.32.0.1", 443, 'a' },
	{ "allow a.test\n", "a.test", "192.168.9.9", 443, 'd' },
	{ "allow a.test\n", "a.test", "100.64.0.1", 443, 'd' },
	{ "allow a.test\n", "a.test", "169.254.169.254", 443, 'd' },
	{ "allow a.test\n", "a.test", "224.0.0.1", 443, 'd' },
	{ "allow a.test\n", "a.test", "255.255.255.255", 443, 'd' },
	{ "allow a.test\n", "a.test", "::", 443, 'd' },
	{ "allow a.test\n", "a.test", "::1", 443, 'd' },
	{ "allow a.test\n", "a.test", "::7f00:1", 443, 'd' },
	{ "allow a.test\n", "a.test", "::ffff:10.0.0.1", 443, 'd' },
	{ "allow a.test\n", "a.test", "64:ff9b::a00:1", 443, 'd' },
	{ "allow a.test\n", "a.test", "2002:a00:1::1", 443, 'd' },
	{ "allow a.test\n", "a.test", "fd00::1", 443, 'd' },
	{ "allow a.test\n", "a.test", "fe80::1", 443, 'd' },
	{ "allow a.test\n", "a.test", "ff02::1", 443, 'd' },
	{ "allow a.test\n", "a.test", "2a00::1", 443, 'a' },
	{ "allow a.test\nallow 10.0.0.0/8\n", "a.test", "10.1.2.3", 443, 'a' },
	{ "allow a.test\nallow 10.0.0.0/8:80\n", "a.test", "10.1.2.3", 443,
	  'd' },
	{ "allow 10.0.0.0/8\n", "a.test", "10.1.2.3", 443, 'd' },
	{ "allow a.test\ndeny 203.0.113.9\n", "a.test", "203.0.113.9", 443,
	  'd' },
	{ "allow a.test\ndeny-address 203.0.113.0/24\n", "a.test",
	  "203.0.113.9", 443, 'd' },
	{ "allow a.test\ndeny-address 203.0.113.0/24\n", "a.test",
	  "203.0.114.9", 443, 'a' },
	{ "allow a.test\nallow 203.0.113.9\ndeny-address 203.0.113.0/24\n",
	  "a.test", "203.0.113.9", 443, 'd' },
	/* a host that is an address */
	{ "allow 127.0.0.1:8080\n", "0x7f.1", NULL, 8080, 'a' },
	{ "allow 127.0.0.1:8080\n", "127.0.0.2", NULL, 8080, 'd' },
	{ "allow 127.0.0.1:8080\n", "[::ffff:127.0.0.1]", NULL, 8080, 'a' },
	{ "allow *\n", "127.0.0.1", NULL, 80, 'd' },
	{ "allow *\n", "203.0.113.9", NULL, 80, 'a' },
	{ "allow *\ndeny 203.0.113.9\n", "3405803785", NULL, 80, 'd' },
	{ "allow [2001:db8::]/32:80\n", "2001:db8::7", NULL, 80, 'a' },
	{ "allow 2001:db8::/32\n", "2001:db9::7", NULL, 80, 'd' },
	/* version 4 in the words of 6 */
	{ "allow *\ndeny ::ffff:203.0.113.0/124\n", "203.0.113.9", NULL, 80,
	  'd' },
	{ "allow *\ndeny ::ffff:203.0.113.0/124\n", "203.0.113.16", NULL, 80,
	  'a' },
	{ "allow [::ffff:10.0.0.0]/104:80\n", "10.1.2.3", NULL, 80, 'a' },
};

START_TEST(decisions)
{
	for (size_t i = 0; i < ARRAY_LEN(judged); i++) {
		const char *at = judged[i].at;
		struct rules r = { .ask = false };
		struct target t = { .port = judged[i].port };
		struct reached to = { .own = false };
		struct host h;
		struct decided d;
		struct err e;

		ck_assert_int_eq(rules_read(judged[i].rules,
		    strlen(judged[i].rules), &r, &e), 0);
		ck_assert_int_eq(host_parse(judged[i].host,
		    strlen(judged[i].host), &t.host), 0);
		if (at != NULL) {
			ck_assert_int_eq(host_parse(at, strlen(at), &h), 0);
			to.address = h.ip;
		}
		d = rules_decide(&r, &t, at == NULL ? NULL : &to);
		ck_assert_msg("d?a"[d.what] == judged[i].want,
		    "%zu: %s to %s", i, judged[i].host, at == NULL ? "-" : at);
		ck_assert((d.why != NULL) == (d.what == DECIDE_DENY));
		rules_clear(&r);
	}
}
END_TEST

START_TEST(our_own_machine)
{
	struct rules r = { .ask = false };
	struct target t = { .port = 443 };
	struct reached to = { .own = true };
	struct host h;
	struct err e;

	ck_assert_int_eq(rules_read("allow a.test\n", 13, &r, &e), 0);
	host_parse("a.test", 6, &t.host);
	host_parse("203.0.113.1", 11, &h);
	to.address = h.ip;
	ck_assert_int_eq(rules_decide(&r, &t, &to).what, DECIDE_DENY);
	rules_clear(&r);
	ck_assert_int_eq(rules_read("allow a.test\nallow 203.0.113.1\n", 31,
	    &r, &e), 0);
	ck_assert_int_eq(rules_decide(&r, &t, &to).what, DECIDE_ALLOW);
	rules_clear(&r);
}
END_TEST

UNIT_MAIN("jail/proxy/rules",
	tcase_add_test(tc, hosts);
	tcase_add_test(tc, hosts_with_ports);
	tcase_add_test(tc, addresses);
	tcase_add_test(tc, rules_that_are_none);
	tcase_add_test(tc, decisions);
	tcase_add_test(tc, our_own_machine);
)
