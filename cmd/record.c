#include "cmd/record.h"

#include "audit/audit.h"
#include "common/clock.h"
#include "common/mem.h"

#include "common/banned.h"

#define DAYS_MS	(7LL * 24 * 3600 * 1000)

struct missed {
	int64_t	since_ms, last_ms;
	size_t	n;
};

static int
count(void *arg, const cJSON *record, const char *line, size_t len)
{
	struct missed *m = arg;
	int64_t when = json_int(record, "t_wall_ms", 0);

	(void)line;
	(void)len;
	if (str_eq(json_str(record, "kind"), "hook.missed") &&
	    when >= m->since_ms) {
		m->n++;
		m->last_ms = when;
	}
	return 0;
}

int
record_missed(const struct home *home, size_t *ret, char last[static 21],
    struct err *e)
{
	struct missed m = { .n = 0 };
	struct clock now;

	if (clock_now(&now, e) == -1)
		return -1;
	m.since_ms = now.wall_ms - DAYS_MS;
	if (audit_walk_with(home->priv, "\"kind\":\"hook.missed\"", count, &m,
	    e) == -1)
		return -1;
	last[0] = '\0';
	if (m.n > 0)
		clock_format(m.last_ms, last);
	*ret = m.n;
	return 0;
}

char *
record_missed_text(const struct home *home)
{
	char last[21];
	size_t n;

	if (record_missed(home, &n, last, NULL) == -1 || n == 0)
		return NULL;
	return xasprintf("%zu tools ran within a week that no hook of ours had "
	    "judged, last %s (sandbox log --kind hook.missed)", n, last);
}

enum verify_exit
record_health(const struct home *home, char **ret_text)
{
	const struct keyring nobody = { 0 };	/* as `audit verify` */
	struct keyring today = { 0 };
	struct verify_report r = { 0 };
	struct err e = { 0 };
	int rc = home_approvers(home, &today, &e);
	const struct verify_options o = {
		.project = home->project, .genesis = home->genesis,
		.approvers = &nobody, .believed = &today,
	};

	if (rc == 0)
		rc = audit_verify(home->priv, &o, &r, &e);
	keyring_clear(&today);
	if (rc == -1) {
		*ret_text = xstrdup(e.text);
		return VERIFY_EXIT_UNREADABLE;
	}
	*ret_text = r.exit == VERIFY_EXIT_OK ?
	    xasprintf("%llu records, as they were written",
	    (unsigned long long)r.records) :
	    xasprintf("%s (sandbox audit verify)", r.n_findings > 0 ?
	    verify_kind_name(r.findings[0].kind) : "not ok");
	return r.exit;
}
