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

#define BASE64	ALNUM "+/="

#define JWT_PART	16384	/* characters */

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
	{ "ya29.", TOKEN ".", 20, 512, "google-token" },
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
	{ "ops_eyJ", TOKEN, 40, 1024, "api-key" },
	{ "glsoat-", TOKEN, 20, 64, "gitlab-token" },
	{ "glcbt-", TOKEN, 20, 64, "gitlab-token" },
	{ "glimt-", TOKEN, 20, 64, "gitlab-token" },
	{ "glagent-", TOKEN, 40, 80, "gitlab-token" },
	{ "glft-", TOKEN, 20, 64, "gitlab-token" },
	{ "gloas-", HEX, 64, 64, "gitlab-token" },
	{ "xoxe.", ALNUM "-.", 40, 512, "slack-token" },
	{ "xoxe-", ALNUM "-", 40, 512, "slack-token" },
	{ "ATBB", ALNUM, 32, 64, "atlassian-token" },
	{ "ATCTT3xFfG", TOKEN "=", 60, 512, "atlassian-token" },
	{ "dor_v1_", HEX, 64, 64, "digitalocean-token" },
	{ "dp.pt.", ALNUM, 40, 48, "api-key" },
	{ "dp.st.", TOKEN ".", 40, 80, "api-key" },
	{ "dapi", HEX, 32, 32, "databricks-token" },
	{ "NRAK-", UPPER DIGIT, 27, 27, "newrelic-key" },
	{ "NRJS-", HEX, 19, 19, "newrelic-key" },
	{ "nfp_", ALNUM, 36, 40, "netlify-token" },
	{ "sbp_", HEX, 40, 40, "supabase-token" },
	{ "sb_secret_", TOKEN, 20, 80, "supabase-token" },
	{ "shppa_", HEX, 32, 32, "shopify-token" },
	{ "shpca_", HEX, 32, 32, "shopify-token" },
	{ "EAAA", TOKEN, 56, 64, "square-key" },
	{ "sq0atp-", TOKEN, 22, 22, "square-key" },
	{ "rzp_live_", ALNUM, 14, 24, "api-key" },
	{ "rzp_test_", ALNUM, 14, 24, "api-key" },
	{ "pk.eyJ", TOKEN ".", 60, 256, "mapbox-token" },
	{ "sk.eyJ", TOKEN ".", 60, 256, "mapbox-token" },
	{ "key-", HEX, 32, 32, "mailgun-key" },
	{ "tskey-", TOKEN, 30, 80, "tailscale-key" },
	{ "pul-", HEX, 40, 40, "pulumi-token" },
	{ "pplx-", ALNUM, 40, 64, "api-key" },
	{ "ntn_", ALNUM, 40, 60, "notion-token" },
	{ "secret_", ALNUM, 43, 43, "notion-token" },
	{ "pat", ALNUM ".", 79, 79, "airtable-token" },
	{ "cio", ALNUM, 32, 32, "crates-token" },
	{ "oy2", LOWER DIGIT, 43, 43, "nuget-key" },
	{ "AKCp", ALNUM, 60, 80, "jfrog-key" },
	{ "CLOJARS_", LOWER DIGIT, 60, 60, "clojars-token" },
	{ "sntryu_", HEX, 64, 64, "sentry-token" },
	{ "HRKU-", TOKEN, 36, 64, "heroku-key" },
	{ "fo1_", TOKEN, 43, 43, "fly-token" },
	{ "FlyV1 fm2_", ALNUM "+/=,_", 60, 2048, "fly-token" },
	{ "v1.0-", HEX "-", 100, 180, "cloudflare-key" },
	{ "rdme_", LOWER DIGIT, 70, 70, "api-key" },
	{ "EZAK", ALNUM, 54, 54, "api-key" },
	{ "EZTK", ALNUM, 54, 54, "api-key" },
	{ "duffel_live_", TOKEN, 43, 43, "api-key" },
	{ "shippo_live_", HEX, 40, 40, "api-key" },
	{ "access_token$production$", LOWER DIGIT "$", 40, 60, "paypal-token" },
	{ "hooks.slack.com/services/T", ALNUM "/", 30, 80, "webhook" },
	{ "discord.com/api/webhooks/", TOKEN "/", 60, 120, "webhook" },
	{ "AAAA", ALNUM "%", 100, 140, "twitter-token" },
	{ "ghcr_", ALNUM, 36, 36, "github-token" },
	{ "cfut_", ALNUM, 40, 64, "cloudflare-key" },
	{ "bkua_", HEX, 40, 40, "buildkite-token" },
	{ "ccipat_", TOKEN, 40, 80, "circleci-token" },
	{ "phx_", ALNUM, 40, 64, "posthog-key" },
	{ "sgp_", HEX "_", 40, 64, "sourcegraph-token" },
	{ "lsv2_", ALNUM "_", 40, 64, "langsmith-key" },
	{ "co_api_", ALNUM, 30, 64, "api-key" },
};

static bool
in(const char *alphabet, char c)
{
	return c != '\0' && strchr(alphabet, c) != NULL;
}

/* Stops one behind `most`: what is longer is not the token that is sought. */
static size_t
run(const char *text, size_t len, const char *alphabet, size_t most)
{
	size_t n = 0;

	while (n < len && n <= most && in(alphabet, text[n]))
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
		n = run(text + at + head, len - at - head, s->alphabet, s->max);
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
		size_t n = run(text + p, len - p, TOKEN, JWT_PART);

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

/* Lines of base64 that are wrapped where such lines are. */
static size_t
run_wrapped(const char *text, size_t len)
{
	size_t at = 0, n;

	for (;;) {
		n = run(text + at, len - at, BASE64, len);
		at += n;
		if ((n != 64 && n != 76) || len - at < 2 || text[at] != '\n' ||
		    !in(BASE64, text[at + 1]))
			return at;
		at++;
	}
}

/* The same block in base64: a kubeconfig, a secret of Kubernetes. */
bool
scrub_pem_base64(const char *text, size_t len, size_t at, struct hit *ret)
{
	static const char begin[] = "LS0tLS1CRUdJTiB";	/* -----BEGIN */
	static const char *const keys[] = {
		/* PRIVATE KEY; of RSA, EC, DSA, OPENSSH, ENCRYPTED, PGP */
		"QUklWQVRF", "SU0EgUFJJ", "FQyBQUklW", "EU0EgUFJJ",
		"PUEVOU1NI", "FTkNSWVBU", "QR1AgUFJJ"
	};
	const char *kind = text + at + sizeof begin - 1;

	if (len - at < 64 || memcmp(text + at, begin, sizeof begin - 1) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (memcmp(kind, keys[i], strlen(keys[i])) != 0)
			continue;
		*ret = (struct hit){ .len = run_wrapped(text + at, len - at),
			.kind = "private-key" };
		return true;
	}
	return false;
}
