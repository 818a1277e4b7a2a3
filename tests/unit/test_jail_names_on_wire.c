/* TLS hellos, DNS questions and answers, aliases, the resolver's files. */
#include <string.h>

#include "common/mem.h"
#include "jail/proxy/alias.h"
#include "jail/proxy/hello.h"
#include "jail/proxy/lookup.h"
#include "tests/unit/unit.h"

/* A ClientHello; name NULL: without server_name.  Its size. */
static size_t
make_hello(const char *name, unsigned char *p)
{
	size_t n = name == NULL ? 0 : strlen(name), ext = n == 0 ? 0 : n + 9;
	size_t body = 2 + 32 + 1 + 4 + 2 + 2 + 4 + ext, at = 0;
	unsigned char head[] = { 22, 3, 1, (unsigned char)((body + 4) >> 8),
	    (unsigned char)(body + 4), 1, 0, (unsigned char)(body >> 8),
	    (unsigned char)body, 3, 3 };
	unsigned char sni[] = { 0, 0, 0, (unsigned char)(n + 5), 0,
	    (unsigned char)(n + 3), 0, 0, (unsigned char)n };

	memcpy(p, head, sizeof head);
	at = sizeof head;
	memset(p + at, 7, 32);
	at += 32;
	memcpy(p + at, "\0\0\002\023\001\001\0", 7);
	at += 7;
	p[at++] = (unsigned char)((ext + 4) >> 8);
	p[at++] = (unsigned char)(ext + 4);
	memcpy(p + at, "\0\027\0\0", 4);	/* some other extension */
	at += 4;
	if (n > 0) {
		memcpy(p + at, sni, sizeof sni);
		memcpy(p + at + sizeof sni, name, n);
	}
	return at + ext;
}

START_TEST(hellos)
{
	unsigned char p[512], two[600];
	struct host h;
	size_t n = make_hello("A.Test", p);

	ck_assert_int_eq(hello_read(p, n, &h), HELLO_NAMED);
	ck_assert_str_eq(h.text, "a.test");
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(hello_read(p, i, &h), HELLO_MORE);
	/* cut into two records it is the same */
	memcpy(two, p, 3);
	two[3] = 0;
	two[4] = 20;
	memcpy(two + 5, p + 5, 20);
	memcpy(two + 25, p, 3);
	two[28] = (unsigned char)((n - 25) >> 8);
	two[29] = (unsigned char)(n - 25);
	memcpy(two + 30, p + 25, n - 25);
	ck_assert_int_eq(hello_read(two, n + 5, &h), HELLO_NAMED);
	ck_assert_str_eq(h.text, "a.test");
	n = make_hello(NULL, p);
	ck_assert_int_eq(hello_read(p, n, &h), HELLO_NAMELESS);
	n = make_hello("a b", p);
	ck_assert_int_eq(hello_read(p, n, &h), HELLO_BAD);
	ck_assert_int_eq(hello_read((const unsigned char *)"SSH-2.0-x", 9,
	    &h), HELLO_BAD);
	ck_assert_int_eq(hello_read((const unsigned char *)"GET / HT", 8, &h),
	    HELLO_BAD);
}
END_TEST

/* Whatever one byte becomes: no crash, and never another good name. */
START_TEST(hellos_with_a_wrong_byte)
{
	unsigned char p[512];
	size_t n = make_hello("a.test", p);

	for (size_t i = 0; i < n; i++)
		for (int v = 0; v < 256; v += 5) {
			unsigned char was = p[i];
			struct host h;

			p[i] = (unsigned char)v;
			if (hello_read(p, n, &h) == HELLO_NAMED)
				ck_assert(h.text[0] != '\0');
			p[i] = was;
		}
}
END_TEST

static const struct dns_asked asked = { "a.test", DNS_A, 7 };

START_TEST(questions)
{
	static const struct dns_asked others[] = {
		{ "b.test", DNS_A, 7 }, { "a.tes", DNS_A, 7 },
		{ "a.test", DNS_A, 8 }, { "a.test", DNS_AAAA, 7 },
	};
	unsigned char q[DNS_MAX], reply[DNS_MAX];
	static const unsigned char v4[4] = { 127, 1, 0, 9 };
	struct dns_question d;
	struct address got[DNS_ANSWERS];
	size_t n = dns_query_write(&asked, q), found = 0, m;

	ck_assert_int_eq(dns_question_read(q, n, &d), 0);
	ck_assert(d.is_host && d.type == DNS_A);
	ck_assert_str_eq(d.name.text, "a.test");
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(dns_question_read(q, i, &d), -1);
	ck_assert_int_eq(dns_question_read(q, n, &d), 0);
	m = dns_reply_write(q, &d, DNS_OK, v4, reply);
	ck_assert_int_eq(dns_answer_read(reply, m, &asked, got, &found), 1);
	ck_assert(got[0].b[15] == 9 && got[0].b[12] == 127);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		ck_assert_int_eq(dns_answer_read(reply, m, &others[i], got,
		    &found), -1);
	/* a query is no answer */
	ck_assert_int_eq(dns_answer_read(q, n, &asked, got, &found), -1);
	m = dns_reply_write(q, &d, DNS_NO_NAME, NULL, reply);
	ck_assert_int_eq(dns_answer_read(reply, m, &asked, got, &found), 0);
	/* a dot within a label is no border */
	memcpy(q + 12, "\006a.test\0\0\001\0\001", 12);
	ck_assert_int_eq(dns_question_read(q, 24, &d), 0);
	ck_assert(!d.is_host);
}
END_TEST

START_TEST(answers_that_lie)
{
	unsigned char q[DNS_MAX], r[DNS_MAX];
	static const unsigned char v4[4] = { 127, 1, 0, 9 };
	struct dns_question d;
	size_t n = dns_query_write(&asked, q), m;

	ck_assert_int_eq(dns_question_read(q, n, &d), 0);
	m = dns_reply_write(q, &d, DNS_OK, v4, r);
	for (size_t i = 0; i < m; i++)
		for (int v = 0; v < 256; v += 3) {
			struct address got[DNS_ANSWERS];
			unsigned char was = r[i];
			size_t found = 0;

			r[i] = (unsigned char)v;
			dns_answer_read(r, m, &asked, got, &found);
			ck_assert_uint_le(found, 1);
			r[i] = was;
		}
	/* more records than there are bytes */
	r[6] = 0xff;
	for (size_t i = 0; i <= m; i++) {
		struct address got[DNS_ANSWERS];
		size_t found = 0;

		dns_answer_read(r, i, &asked, got, &found);
		ck_assert_uint_le(found, 1);
	}
}
END_TEST

START_TEST(aliases)
{
	struct aliases a = { 0 };
	unsigned char v4[4], again[4];
	struct address at;
	struct host h;

	host_parse("a.test", 6, &h);
	ck_assert_int_eq(alias_for(&a, &h, v4), 0);
	ck_assert_int_eq(alias_for(&a, &h, again), 0);
	ck_assert_mem_eq(v4, again, 4);
	address_from_v4(v4, &at);
	ck_assert_str_eq(alias_of(&a, &at)->text, "a.test");
	at.b[15]++;
	ck_assert_ptr_null(alias_of(&a, &at));
	host_parse("127.0.0.1", 9, &h);
	ck_assert_ptr_null(alias_of(&a, &h.ip));
	host_parse("127.1.0.0", 9, &h);
	ck_assert_ptr_null(alias_of(&a, &h.ip));
	for (int i = 1; i < ALIASES_MAX; i++) {
		auto_free char *name = xasprintf("h%d.test", i);

		host_parse(name, strlen(name), &h);
		ck_assert_int_eq(alias_for(&a, &h, v4), 0);
	}
	host_parse("more.test", 9, &h);
	ck_assert_int_eq(alias_for(&a, &h, v4), -1);
	aliases_clear(&a);
}
END_TEST

START_TEST(resolver_files)
{
	struct resolver r;
	struct lookup l;
	struct host h;

	resolver_read("# x\nnameserver 10.0.0.53 # y\nnameserver ::1\n"
	    "search a.test\nnameserver bad name\nnameserver 1.1.1.1\n"
	    "nameserver 2.2.2.2\n", "127.0.0.1 localhost\n"
	    "203.0.113.9\ta.test B.Test # c.test\n"
	    "2001:db8::9 a.test\nnonsense\n1.2.3.4\n", &r);
	ck_assert_uint_eq(r.n_servers, 3);
	ck_assert_uint_eq(r.n_hosts, 4);
	host_parse("a.test", 6, &h);
	ck_assert_int_eq(lookup_begin(&r, &h, 0, &l), 1);
	ck_assert_uint_eq(l.n, 2);
	host_parse("b.test", 6, &h);
	ck_assert_int_eq(lookup_begin(&r, &h, 0, &l), 1);
	ck_assert_uint_eq(l.n, 1);
	host_parse("1.2.3.4", 7, &h);
	ck_assert_int_eq(lookup_begin(&r, &h, 0, &l), 1);
	ck_assert(address_within(&l.found[0], &h.ip, 128));
	resolver_clear(&r);
	resolver_read("", "", &r);
	ck_assert_uint_eq(r.n_servers, 1);
	resolver_clear(&r);
}
END_TEST

UNIT_MAIN("jail/proxy names",
	tcase_add_test(tc, hellos);
	tcase_add_test(tc, hellos_with_a_wrong_byte);
	tcase_add_test(tc, questions);
	tcase_add_test(tc, answers_that_lie);
	tcase_add_test(tc, aliases);
	tcase_add_test(tc, resolver_files);
)
