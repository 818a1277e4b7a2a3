/* URLs: a host that is read is one a resolver and a policy see alike. */
#include "policy/hosts.h"
#include "tests/fuzz/fuzz.h"

static void
check(const char *host)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
	size_t len = strlen(host);

	MUST(len > 0 && len < HOST_MAX);
	if (strcmp(host, "[::1]") == 0)
		return;
	MUST(host[strspn(host, plain)] == '\0');
	MUST(strstr(host, "..") == NULL && host[0] != '.');
	MUST(host[len - 1] != '.' && strncmp(host, "xn--", 4) != 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	char host[HOST_MAX];

	if (host_of_url(text, host)) {
		check(host);
		MUST(strchr(text, '@') == NULL ||
		    strcspn(text + 8, "/?#") < strcspn(text + 8, "@"));
	}
	if (host_of_operand(text, host))
		check(host);
	free(text);
	return 0;
}
