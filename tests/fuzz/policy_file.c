/* policy.json: refused with a reason, or a policy whose words are in range. */
#include "common/digest.h"
#include "policy/policy.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct policy_place place = { .project = "t",
	    .root = "/p", .home = "/home/u", .state = "/s", .libexec = "/l" };
	char *text = fuzz_text(data, size);
	struct err e = { 0 };
	struct policy *p;

	MUST(digest_setup(&e) == 0);
	if (policy_parse(text, size, "p", &place, &p, &e) == 0) {
		const struct policy_limits *l = policy_limits(p);

		MUST(l->wait_s > 0 && l->wait_s < l->request_ttl_s);
		policy_free(p);
	} else {
		MUST(e.text[0] != '\0');
	}
	free(text);
	return 0;
}
