#include "approver/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/follow.h"
#include "common/fs.h"
#include "common/id.h"

#include "common/banned.h"

#define RUNS_MAX	4096

size_t
history_of(const struct home *home, const struct digest *call_key,
    const struct clock *now, struct past ret[static HISTORY_MAX])
{
	struct fs_names names = { 0 };
	char key[DIGEST_HEX + 1];
	size_t n = 0;

	digest_hex(call_key, key);
	if (fs_list(home->run, id_ok, RUNS_MAX, &names, NULL, NULL) == -1)
		return 0;
	if (names.n > 1)
		qsort(names.names, names.n, sizeof *names.names, id_compare);
	for (size_t i = names.n; i-- > 0 && n < HISTORY_MAX;) {
		struct follow_end end;
		struct past *p = &ret[n];

		if (follow_look(home, names.names[i], &end, NULL) == -1 ||
		    end.state != FOLLOW_DONE || strcmp(end.call_key, key) != 0)
			continue;
		snprintf(p->id, sizeof p->id, "%s", names.names[i]);
		snprintf(p->outcome, sizeof p->outcome, "%s", end.outcome);
		p->ago_s = (now->wall_ms - end.end_ms) / 1000;
		if (p->ago_s < 0)
			p->ago_s = 0;
		n++;
	}
	fs_names_clear(&names);
	return n;
}
