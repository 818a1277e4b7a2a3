#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "approver/fetch/address.h"
#include "approver/fetch/text.h"
#include "common/json.h"
#include "common/mem.h"
#include "tests/unit/unit.h"

static bool
is_public(const char *text)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		return address_is_public((struct sockaddr *)(void *)&v4,
		    sizeof v4);
	ck_assert_int_eq(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
	return address_is_public((struct sockaddr *)(void *)&v6, sizeof v6);
}

START_TEST(addresses)
{
	static const char *const public[] = { "1.1.1.1", "8.8.8.8",
	    "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
	    "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0",
	    "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
	    "198.17.255.255", "198.20.0.0", "223.255.255.255",
	    "2606:4700::1111", "2001:4860:4860::8888", "2a00::1",
	    "64:ff9b::808:808" };
	static const char *const private[] = { "0.0.0.0", "0.1.2.3",
	    "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
	    "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254",
	    "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1",
	    "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
	    "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255",
	    "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1",
	    "::ffff:127.0.0.1", "::ffff:8.8.8.8", "fe80::1", "fec0::1",
	    "fc00::1", "fd00::1", "ff02::1", "100::1", "64:ff9b::7f00:1",
	    "64:ff9b:1::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
	    "3fff::1", "4000::1" };

	for (size_t i = 0; i < ARRAY_LEN(public); i++)
		ck_assert_msg(is_public(public[i]), "%s", public[i]);
	for (size_t i = 0; i < ARRAY_LEN(private); i++)
		ck_assert_msg(!is_public(private[i]), "%s", private[i]);
}
END_TEST

START_TEST(an_address_that_is_none)
{
	struct sockaddr sa = { .sa_family = AF_UNIX };

	ck_assert(!address_is_public(&sa, sizeof sa));
	sa.sa_family = AF_INET;
	ck_assert(!address_is_public(&sa, 2));
}
END_TEST

START_TEST(types)
{
	static const struct {
		const char	*type;
		enum text_kind	 kind;
	} rows[] = {
		{ NULL, TEXT_NONE }, { "", TEXT_NONE },
		{ "text/html", TEXT_HTML }, { "TEXT/HTML; charset=x",
		    TEXT_HTML },
		{ "application/xhtml+xml", TEXT_HTML },
		{ "text/plain", TEXT_PLAIN }, { "text/x-c", TEXT_PLAIN },
		{ "application/json", TEXT_PLAIN },
		{ "application/ld+json;a=b", TEXT_PLAIN },
		{ "image/svg+xml", TEXT_PLAIN }, { "+json", TEXT_NONE },
		{ "image/png", TEXT_NONE }, { "application/pdf", TEXT_NONE },
		{ "application/octet-stream", TEXT_NONE },
		{ "multipart/form-data", TEXT_NONE },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_int_eq(text_kind(rows[i].type), rows[i].kind);
	ck_assert(text_is_latin1("text/html; charset=\"Latin1\""));
	ck_assert(text_is_latin1("text/html;CHARSET=windows-1252"));
	ck_assert(!text_is_latin1("text/html; charset=utf-8"));
	ck_assert(!text_is_latin1(NULL));
}
END_TEST

static void
html_is(const char *html, const char *want)
{
	struct str s;

	str_init(&s, 65536);
	text_from_html(html, strlen(html), &s);
	ck_assert_str_eq(s.s, want);
	ck_assert(utf8_ok(s.s, s.len));
	str_clear(&s);
}

START_TEST(html)
{
	html_is("", "");
	html_is("   \n ", "");
	html_is("a  b\n\tc", "a b c\n");
	html_is("<p>a</p><p>b</p>", "a\n\nb\n");
	html_is("a<br>b<BR/>c", "a\nb\nc\n");
	html_is("<a href=\">\" title='>'>x</a>", "x\n");
	html_is("1 < 2 &lt; 3 &amp;amp; &#65;&#x42;", "1 < 2 < 3 &amp; AB\n");
	html_is("&#0;&#55296;&#x110000;&#99999999999;&bogus;",
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd&#99999999999;&bogus;\n");
	html_is("<script>if (a<b) '</p>'</script >x", "x\n");
	html_is("<SCRIPT>never ends", "");
	html_is("<!-- a > b -->x<!-- no end", "x\n");
	html_is("<", "<\n");
	html_is("a<b", "a\n");
	html_is("<!doctype html><?xml?>x", "x\n");
	html_is("\xff<p>\xc3", "\xef\xbf\xbd\n\n\xef\xbf\xbd\n");
	html_is("<pre>a\n  b</pre>", "a\n  b\n");
}
END_TEST

START_TEST(latin1)
{
	struct str s;

	str_init(&s, 64);
	text_from_latin1("caf\xe9\x80", 5, &s);
	ck_assert_str_eq(s.s, "caf\xc3\xa9\xc2\x80");
	str_clear(&s);
}
END_TEST

UNIT_MAIN("approver/fetch",
    tcase_add_test(tc, addresses);
    tcase_add_test(tc, an_address_that_is_none);
    tcase_add_test(tc, types);
    tcase_add_test(tc, html);
    tcase_add_test(tc, latin1);
)
