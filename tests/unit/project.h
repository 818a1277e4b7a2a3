/*
 * tests/unit/project.h - a throw-away project as `sandbox init` leaves it:
 * both sides of a home, one approver, a log, an accepted policy.
 *
 *	struct project p;
 *
 *	project_make(&p);
 *	project_policy(&p, "{\"version\":1}");
 *	...
 *	project_remove(&p);
 *
 * Everything lies below one fresh directory in TMPDIR.  A failure ends the
 * program: a test without its project proves nothing.
 */
#ifndef TESTS_PROJECT_H
#define TESTS_PROJECT_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit.h"
#include "common/fs.h"
#include "common/mem.h"
#include "policy/policy.h"
#include "queue/home.h"

struct project {
	char		 dir[64];	/* holds all of the below */
	char		 root[80];
	char		 base[80];	/* of private directories */
	unsigned char	 seed[SIGN_SEED];	/* the approver's */
	unsigned char	 pub[SIGN_PUB];
	struct home	 home;
};

static inline void
project_fail(const char *what, const struct err *e)
{
	fprintf(stderr, "%s: %s\n", what, e->text);
	abort();
}

/* Put a policy in force, as `sandbox policy accept` does. */
static inline void
project_policy(struct project *p, const char *text)
{
	struct str sealed;
	struct err e;

	str_init(&sealed, 1024 * 1024);
	policy_seal(text, strlen(text), p->home.project, p->seed, &sealed);
	if (fs_replace(p->home.view, "policy.accepted", sealed.s, sealed.len,
	    0600, &e) == -1 ||
	    fs_replace(p->home.sandbox, "policy.json", text, strlen(text),
	    0600, &e) == -1)
		project_fail("policy", &e);
	str_clear(&sealed);
}

static inline void
project_approver(struct project *p)
{
	char hex[SIGN_PUB_HEX + 1], line[128];
	struct err e;
	int n;

	memset(p->seed, 7, sizeof p->seed);
	sign_public(p->seed, p->pub);
	hex_put(p->pub, sizeof p->pub, hex);
	n = snprintf(line, sizeof line, "ed25519 %s tester\n", hex);
	if (fs_replace(p->home.view, "approvers", line, (size_t)n, 0600, &e)
	    == -1)
		project_fail("approvers", &e);
}

/* Below `parent`, which exists. */
static inline void
project_make_in(struct project *p, const char *parent)
{
	char hex[DIGEST_HEX + 1];
	struct digest genesis;
	struct clock now;
	struct err e;

	*p = (struct project){ .home = HOME_INIT };
	umask(077);
	snprintf(p->dir, sizeof p->dir, "%.40s/hook.XXXXXX", parent);
	if (digest_setup(&e) == -1 || mkdtemp(p->dir) == NULL)
		abort();
	snprintf(p->root, sizeof p->root, "%s/project", p->dir);
	snprintf(p->base, sizeof p->base, "%s/state", p->dir);
	if (mkdir(p->root, 0700) == -1)
		abort();
	if (home_create(p->root, p->base, &p->home, &e) == -1)
		project_fail("home", &e);
	project_approver(p);

	const struct audit_birth b = { p->home.project, p->home.root_path,
	    p->seed, &now };

	if (clock_now(&now, &e) == -1 ||
	    audit_genesis(p->home.priv, &b, &genesis, &e) == -1)
		project_fail("log", &e);
	digest_hex(&genesis, hex);
	if (home_set_genesis(&p->home, hex, &e) == -1)
		project_fail("genesis", &e);
	project_policy(p, "{ \"version\": 1, \"preset\": \"default\" }\n");
}

static inline void
project_make(struct project *p)
{
	const char *tmp = getenv("TMPDIR");

	project_make_in(p, tmp == NULL ? "/tmp" : tmp);
}

static inline int
project_unlink(const char *path, const struct stat *st, int kind,
    struct FTW *f)
{
	(void)st;
	(void)kind;
	(void)f;
	return remove(path);
}

static inline void
project_remove(struct project *p)
{
	home_close(&p->home);
	nftw(p->dir, project_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
