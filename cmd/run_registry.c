#include "cmd/run_registry.h"

#include "cmd/accept.h"
#include "common/mem.h"
#include "policy/hosts.h"
#include "policy/policy.h"

#include "common/banned.h"

/* A directory that its owner makes at need. */
static const char *const caches[] = {
	"npm_config_cache=/tmp/.npm", "YARN_CACHE_FOLDER=/tmp/.yarn",
	"GOMODCACHE=/tmp/.go", "GOCACHE=/tmp/.gocache",
};

static void
add(const struct policy *policy, struct spec *spec)
{
	const char *host;

	for (size_t i = 0; (host = host_registry(policy, i)) != NULL; i++)
		if (host_allowed(policy, host))
			list_add(&spec->list[SPEC_ALLOW_DOMAINS],
			    xstrdup(host));
}

void
run_registry(const struct cmd_ctx *ctx, struct spec *spec, struct list *set)
{
	auto_home struct home home = HOME_INIT;
	struct cmd_ctx here = *ctx;
	struct accept_place place;
	struct policy *policy = NULL;
	size_t before = spec->list[SPEC_ALLOW_DOMAINS].n;

	here.dir = ".";
	if (cmd_home(&here, &home, NULL) == -1 ||
	    accept_place(&home, &place, NULL) == -1)
		return;
	if (policy_load(home.view, &place.place, &policy, NULL) == 0)
		add(policy, spec);
	policy_free(policy);
	accept_place_clear(&place);
	for (size_t i = 0; i < ARRAY_LEN(caches) &&
	    set != NULL && spec->list[SPEC_ALLOW_DOMAINS].n > before; i++)
		list_add(set, xstrdup(caches[i]));
}
