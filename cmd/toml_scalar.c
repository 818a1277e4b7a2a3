#include "cmd/toml_scalar.h"

#include <string.h>

#include "common/err.h"
#include "common/mem.h"

#include "common/banned.h"

#define LONGEST	200
#define ENDS	",]}# \t\r\n"

#define DIGITS	"[0-9](_?[0-9])*"
#define WHOLE	"(0|[1-9](_?[0-9])*)"
#define DATE	"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
#define HOUR	"([01][0-9]|2[0-3]):[0-5][0-9]"
#define CLOCK	HOUR ":[0-5][0-9](\\.[0-9]+)?"

static const char shape[] = "^("
    "true|false|[+-]?(inf|nan)|"
    "0x[0-9a-fA-F](_?[0-9a-fA-F])*|0o[0-7](_?[0-7])*|0b[01](_?[01])*|"
    "[+-]?" WHOLE "(\\." DIGITS ")?([eE][+-]?" DIGITS ")?|"
    CLOCK "|" DATE "([Tt ]" CLOCK "([Zz]|[+-]" HOUR ")?)?"
    ")$";

void
toml_scalar_init(struct toml_scalar *t)
{
	if (regcomp(&t->shape, shape, REG_EXTENDED | REG_NOSUB) != 0)
		BUG("a pattern of ours");
}

void
toml_scalar_clear(struct toml_scalar *t)
{
	regfree(&t->shape);
}

size_t
toml_scalar_len(const struct toml_scalar *t, const char *at)
{
	size_t n = strcspn(at, ENDS);
	auto_free char *word = NULL;

	/* One blank may stand between a date and its time. */
	if (n == 10 && at[4] == '-' && at[n] == ' ' && at[n + 1] >= '0' &&
	    at[n + 1] <= '9')
		n += 1 + strcspn(at + n + 1, ENDS);
	if (n > LONGEST)
		return 0;
	word = xstrndup(at, n);
	return regexec(&t->shape, word, 0, NULL, 0) == 0 ? n : 0;
}
