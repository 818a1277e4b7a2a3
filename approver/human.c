#include "approver/human.h"

#include <stdlib.h>

#include "common/mem.h"

#include "common/banned.h"

int
human_only(const struct home *home, struct err *e)
{
	static const char *const marks[] = { "CLAUDECODE", "AI_AGENT" };
	int under;

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (getenv(marks[i]) != NULL)
			return err_set(e, ERR_PERMITTED, "%s is set: an agent "
			    "asks, and only a human may do this; use a "
			    "terminal of your own", marks[i]);
	if (home == NULL)
		return 0;
	under = home_under_agent(home, e);
	if (under == -1)
		return -1;
	if (under == 1)
		return err_set(e, ERR_PERMITTED, "an agent started this, and "
		    "only a human may do it; use a terminal of your own");
	return 0;
}
