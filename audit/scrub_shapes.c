/*
 * Token shapes, as their issuers document them: a fixed beginning, then so
 * many characters of one alphabet.
 */
#include "audit/scrub_rules.h"

#include <string.h>

#include "common/mem.h"
#include "common/str.h"

#include "common/banned.h"

#define UPPER	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LOWER	"abcdefghijklmnopqrstuvwxyz"
#define DIGIT	"0123456789"
#define ALNUM	UPPER LOWER DIGIT
#define WORD	ALNUM "_"
#define TOKEN	ALNUM "_-"
#define HEX	DIGIT "abcdef"

struct shape {
	const char	*start;
	const char	*alphabet;
	size_t		 min, max;	/* characters behind start */
	const char	*kind;
};

static const struct shape shapes[] = {
	{ "AKIA", UPPER DIGIT, 16, 16, "aws-key" },
	{ "ASIA", UPPER DIGIT, 16, 16, "aws-key" },
	{ "ABIA", UPPER DIGIT, 16, 16, "aws-key" },
	{ "ACCA", UPPER DIGIT, 16, 16, "aws-key" },
	{ "ghp_", ALNUM, 36, 255, "github-token" },
	{ "gho_", ALNUM, 36, 255, "github-token" },
	{ "ghu_", ALNUM, 36, 255, "github-token" },
	{ "ghs_", ALNUM, 36, 255, "github-token" },
	{ "ghr_", ALNUM, 36, 255, "github-token" },
	{ "github_pat_", WORD, 40, 255, "github-token" },
	{ "glpat-", TOKEN ".", 20, 255, "gitlab-token" },
	{ "gldt-", TOKEN, 20, 255, "gitlab-token" },
	{ "glrt-", TOKEN ".", 20, 255, "gitlab-token" },
	{ "glptt-", HEX, 40, 40, "gitlab-token" },
	{ "xoxb-", ALNUM "-", 20, 255, "slack-token" },
	{ "xoxp-", ALNUM "-", 20, 255, "slack-token" },
	{ "xoxa-", ALNUM "-", 20, 255, "slack-token" },
	{ "xoxr-", ALNUM "-", 20, 255, "slack-token" },
	{ "xoxs-", ALNUM "-", 20, 255, "slack-token" },
	{ "xapp-", ALNUM "-", 20, 255, "slack-token" },
	{ "sk_live_", ALNUM, 16, 255, "stripe-key" },
	{ "sk_test_", ALNUM, 16, 255, "stripe-key" },
	{ "rk_live_", ALNUM, 16, 255, "stripe-key" },
	{ "rk_test_", ALNUM, 16, 255, "stripe-key" },
	{ "whsec_", ALNUM "+/=", 24, 255, "stripe-key" },
	{ "sk-ant-", TOKEN, 24, 255, "api-key" },
	{ "sk-proj-", TOKEN, 24, 255, "api-key" },
	{ "sk-svcacct-", TOKEN, 24, 255, "api-key" },
	{ "sk-or-v1-", HEX, 40, 64, "api-key" },
	{ "sk-", ALNUM, 32, 255, "api-key" },
	{ "gsk_", ALNUM, 40, 255, "api-key" },
	{ "xai-", ALNUM, 40, 255, "api-key" },
	{ "nvapi-", TOKEN, 40, 255, "api-key" },
	{ "r8_", ALNUM, 37, 40, "api-key" },
	{ "AIza", TOKEN, 35, 35, "google-key" },
	{ "ya29.", TOKEN ".", 20, 2048, "google-token" },
	{ "GOCSPX-", TOKEN, 20, 64, "google-key" },
	{ "npm_", ALNUM, 36, 36, "npm-token" },
	{ "pypi-AgE", TOKEN, 40, 1024, "pypi-token" },
	{ "dop_v1_", HEX, 64, 64, "digitalocean-token" },
	{ "doo_v1_", HEX, 64, 64, "digitalocean-token" },
	{ "SG.", TOKEN ".", 60, 80, "sendgrid-key" },
	{ "hf_", ALNUM, 30, 64, "huggingface-token" },
	{ "hvs.", TOKEN, 24, 255, "vault-token" },
	{ "hvb.", TOKEN, 24, 512, "vault-token" },
	{ "glsa_", WORD, 32, 255, "grafana-token" },
	{ "glc_", ALNUM "+/=", 32, 512, "grafana-token" },
	{ "shpat_", HEX, 32, 32, "shopify-token" },
	{ "shpss_", HEX, 32, 32, "shopify-token" },
	{ "dckr_pat_", TOKEN, 24, 64, "docker-token" },
	{ "lin_api_", ALNUM, 32, 64, "api-key" },
	{ "figd_", TOKEN, 32, 64, "api-key" },
	{ "PMAK-", ALNUM "-", 40, 80, "api-key" },
	{ "xkeysib-", ALNUM "-", 64, 128, "api-key" },
	{ "ATATT3", ALNUM "_-=", 60, 255, "atlassian-token" },
	{ "sntrys_", ALNUM "_+/=", 40, 512, "sentry-token" },
	{ "pscale_pw_", TOKEN ".", 32, 64, "api-key" },
	{ "rubygems_", HEX, 48, 48, "api-key" },
	{ "EAACEdEose0cBA", ALNUM, 20, 255, "facebook-token" },
	{ "AGE-SECRET-KEY-1", UPPER DIGIT, 50, 64, "age-key" },
	{ "sq0csp-", TOKEN, 43, 43, "square-key" },
	{ "ops_eyJ", TOKEN, 40, 2048, "api-key" },
};

static bool
in(const char *alphabet, char c)
{
	return c != '\0' && strchr(alphabet, c) != NULL;
}

static size_t
run(const char *text, size_t len, const char *alphabet)
{
	size_t n = 0;

	while (n < len && in(alphabet, text[n]))
		n++;
	return n;
}

/* A token begins where no word is going on. */
static bool
at_start(const char *text, size_t at)
{
	return at == 0 || !in(TOKEN, text[at - 1]) ||
	    /* "\n" written out, as in a JSON string */
	    (at >= 2 && text[at - 2] == '\\' && in("ntr", text[at - 1]));
}

bool
scrub_shape(const char *text, size_t len, size_t at, struct hit *ret)
{
	if (!at_start(text, at))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		const struct shape *s = &shapes[i];
		size_t head, n;

		if (s->start[0] != text[at])
			continue;
		head = strlen(s->start);
		if (len - at < head || memcmp(text + at, s->start, head) != 0)
			continue;
		n = run(text + at + head, len - at - head, s->alphabet);
		if (n < s->min || n > s->max)
			continue;
		*ret = (struct hit){ .len = head + n, .kind = s->kind };
		return true;
	}
	return false;
}

/* header.payload.signature: the first two are JSON objects, base64url. */
bool
scrub_jwt(const char *text, size_t len, size_t at, struct hit *ret)
{
	size_t p = at;

	if (len - at < 30 || memcmp(text + at, "eyJ", 3) != 0 ||
	    !at_start(text, at))
		return false;
	for (int part = 0; part < 3; part++) {
		size_t n = run(text + p, len - p, TOKEN);

		if (n < 10)
			return false;
		p += n;
		if (part < 2 && (p == len || text[p++] != '.'))
			return false;
	}
	*ret = (struct hit){ .len = p - at, .kind = "jwt" };
	return true;
}

/* A private key block; without its end, to the end of the text. */
bool
scrub_pem(const char *text, size_t len, size_t at, struct hit *ret)
{
	static const char begin[] = "-----BEGIN ", key[] = "PRIVATE KEY";
	static const char end[] = "-----END ", dashes[] = "-----";
	size_t left = len - at;
	const char *t = text + at, *line, *stop;

	if (left < sizeof begin || memcmp(t, begin, sizeof begin - 1) != 0)
		return false;
	line = memmem(t + 11, left - 11, dashes, 5);
	if (line == NULL || line - t > 80 ||
	    memmem(t, (size_t)(line - t), key, sizeof key - 1) == NULL)
		return false;
	stop = memmem(line, left - (size_t)(line - t), end, sizeof end - 1);
	if (stop != NULL)
		stop = memmem(stop + 9, left - (size_t)(stop + 9 - t),
		    dashes, 5);
	ret->keep = 0;
	ret->len = stop == NULL ? left : (size_t)(stop + 5 - t);
	ret->kind = "private-key";
	return true;
}
