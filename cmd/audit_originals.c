#include "cmd/audit_originals.h"

#include <inttypes.h>
#include <stdio.h>

#include "audit/originals/check.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define SHOWN	64

struct said {
	cJSON	*list;		/* NULL: to stdout */
	int	 n;
};

static void
put_json(cJSON *list, const struct originals_finding *f)
{
	cJSON *o = json_object();
	char hex[DIGEST_HEX + 1];

	digest_hex(&f->name, hex);
	json_add_str(o, "kind", f->missing ? "missing" : "edited");
	json_add_int(o, "seq", (int64_t)f->seq);
	json_add_str(o, "content", hex);
	json_add_str(o, "path", f->path == NULL ? "" : f->path);
	json_push(list, o);
}

static void
say(void *arg, const struct originals_finding *f)
{
	struct said *s = arg;
	auto_free char *path = f->path == NULL ? NULL :
	    visible_line(f->path);
	char hex[DIGEST_HEX + 1];

	if (s->n++ >= SHOWN)
		return;
	if (s->list != NULL) {
		put_json(s->list, f);
		return;
	}
	digest_hex(&f->name, hex);
	printf("originals: %s (seq %" PRIu64 ", %.16s...): %s\n",
	    f->missing ? "missing" : "edited", f->seq, hex,
	    path == NULL ? "the list of that record" : path);
}

int
audit_originals(const struct home *home, bool full, cJSON *json,
    struct err *e)
{
	struct said s = { .list = json == NULL ? NULL : json_array() };
	size_t checked = 0;

	if (json != NULL)
		json_add(json, "originals", s.list);
	if (originals_verify(home->priv, full, say, &s, &checked, e) == -1)
		return -1;
	if (json == NULL && checked + (size_t)s.n > 0)
		printf("%zu kept lists and contents checked: %s\n", checked,
		    s.n == 0 ? "ok" : "NOT what was kept");
	return s.n;
}
