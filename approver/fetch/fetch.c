#include "approver/fetch/fetch.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "approver/fetch/address.h"
#include "common/json.h"
#include "common/mem.h"
#include "policy/hosts.h"

#include "common/banned.h"

/* One hop: a URL, and what its connection may do. */
struct hop {
	const struct fetch	*f;
	bool			 named;		/* policy names this host */
	bool			 refused;	/* an address was private */
	struct fetched		*got;
};

void
fetched_clear(struct fetched *g)
{
	free(g->url);
	free(g->type);
	str_clear(&g->body);
	*g = (struct fetched){ 0 };
}

/* --- what policy says ---------------------------------------------------- */

static enum action
judge(const struct fetch *f, const char *url, char *why, size_t size)
{
	auto_json cJSON *input = json_object();
	const struct call call = { .tool = "fetch_url", .input = input,
	    .cwd = f->root };
	struct judgement *j = judgement_new();
	enum action a;

	json_add_str(input, "url", url);
	policy_decide(f->policy, &world_real, &call, j);
	a = j->verdict.action;
	snprintf(why, size, "%s", j->verdict.why);
	judgement_free(j);
	return a;
}

/* The scheme and authority of both; "" where a URL has none. */
static bool
same_origin(const char *from, const char *to)
{
	const char *a = strstr(from, "://"), *b = strstr(to, "://");
	size_t n, m;

	if (a == NULL || b == NULL)
		return false;
	n = strcspn(a + 3, "/?#");
	m = strcspn(b + 3, "/?#");
	if (n != m || strncasecmp(a + 3, b + 3, n) != 0 ||
	    memchr(a + 3, '@', n) != NULL)
		return false;
	return strncasecmp(to, "https://", 8) == 0 ||
	    strncasecmp(from, "http://", 7) == 0;
}

static int
admit(const struct fetch *f, const char *from, const char *url,
    bool *ret_named, struct err *e)
{
	char why[320], host[HOST_MAX];
	enum action a = judge(f, url, why, sizeof why);

	if (strncasecmp(url, "https://", 8) != 0 &&
	    strncasecmp(url, "http://", 7) != 0)
		return err_set(e, ERR_PERMITTED, "only http and https are "
		    "fetched, not '%.200s'", url);
	if (a == ACTION_DENY)
		return err_set(e, ERR_PERMITTED, "policy denies '%.100s': "
		    "%.160s", url, why);
	*ret_named = host_of_url(url, host) && a >= ACTION_OBSERVE;
	if (from != NULL && !same_origin(from, url) && a < ACTION_OBSERVE)
		return err_set(e, ERR_PERMITTED, "it redirects to '%.200s', "
		    "which was not approved: ask for that URL", url);
	return 0;
}

/* --- the connection ------------------------------------------------------ */

/* The last moment: this address is about to be connected to. */
static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct hop *hop = arg;

	(void)purpose;
	if (!hop->named && !address_is_public(&to->addr, to->addrlen)) {
		hop->refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static size_t
take(char *p, size_t size, size_t n, void *arg)
{
	struct fetched *got = arg;

	str_addn(&got->body, p, size * n);
	if (!got->body.full)
		return size * n;
	got->cut = true;
	return 0;			/* enough: curl ends the transfer */
}

static void
set_up(CURL *c, struct hop *hop, const char *url)
{
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, 15L);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)FETCH_SECONDS);
	curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(c, CURLOPT_USERAGENT,
	    "sandbox-fetch/" SANDBOX_VERSION);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, hop);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, hop->got);
}

static int
transfer(CURL *c, const struct hop *hop, const char *url, struct err *e)
{
	CURLcode code = curl_easy_perform(c);

	if (hop->refused)
		return err_set(e, ERR_PERMITTED, "'%.200s' leads to an address "
		    "that is not public: refused", url);
	if (code != CURLE_OK && !(code == CURLE_WRITE_ERROR && hop->got->cut))
		return err_set(e, ERR_SYSTEM, "'%.160s': %s", url,
		    curl_easy_strerror(code));
	return 0;
}

static void
keep_facts(CURL *c, const char *url, struct fetched *got)
{
	char *type = NULL;

	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &got->status);
	curl_easy_getinfo(c, CURLINFO_CONTENT_TYPE, &type);
	free(got->type);
	free(got->url);
	got->type = xstrdup(type == NULL ? "" : type);
	got->url = xstrdup(url);
}

/* 1: it points elsewhere (*ret_next); 0: this is it. */
static int
one_hop(const struct fetch *f, const char *from, const char *url,
    struct fetched *got, char **ret_next, struct err *e)
{
	struct hop hop = { .f = f, .got = got };
	char *next = NULL;
	CURL *c;
	int rc;

	if (admit(f, from, url, &hop.named, e) == -1)
		return -1;
	c = curl_easy_init();
	if (c == NULL)
		return err_set(e, ERR_SYSTEM, "out of memory");
	str_reset(&got->body);
	got->cut = got->body.full = false;
	set_up(c, &hop, url);
	rc = transfer(c, &hop, url, e);
	if (rc == 0)
		keep_facts(c, url, got);
	if (rc == 0 && curl_easy_getinfo(c, CURLINFO_REDIRECT_URL, &next) ==
	    CURLE_OK && next != NULL) {
		*ret_next = xstrdup(next);
		rc = 1;
	}
	curl_easy_cleanup(c);
	return rc;
}

int
fetch(const struct fetch *f, const char *url, struct fetched *ret,
    struct err *e)
{
	auto_free char *from = NULL;
	auto_free char *at = xstrdup(url);
	struct fetched got = { 0 };
	int rc = 1;

	str_init(&got.body, FETCH_BODY);
	for (int i = 0; i <= FETCH_HOPS && rc == 1; i++) {
		char *next = NULL;

		rc = one_hop(f, from, at, &got, &next, e);
		if (rc != 1 || next == NULL)
			break;
		free(from);
		from = at;
		at = next;
	}
	if (rc == 1)
		rc = err_set(e, ERR_PERMITTED, "it redirects more than %d "
		    "times", FETCH_HOPS);
	if (rc == -1)
		fetched_clear(&got);
	else
		*ret = got;
	return rc;
}
