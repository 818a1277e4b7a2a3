/*
 * tests/unit/remember_bed.h - a policy, a directory for its memory, a key.
 *
 *	memory_open(&m, policy text)	with the fixtures set_up and tear_down
 *	remember(&m, command, scope)	signed, written, recalled
 *	memory_close(&m)
 */
#ifndef TESTS_REMEMBER_BED_H
#define TESTS_REMEMBER_BED_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/mem.h"
#include "policy/remember.h"
#include "policy/rules.h"
#include "tests/unit/policy_unit.h"

static char top[64];
static int dir;

static void
set_up(void)
{
	snprintf(top, sizeof(top), "/tmp/test-remember.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	dir = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ne(dir, -1);
}

static void
tear_down(void)
{
	struct fs_names l = { 0 };

	ck_assert_int_eq(fs_list(dir, NULL, 100, &l, NULL, NULL), 0);
	for (size_t i = 0; i < l.n; i++)
		unlinkat(dir, l.names[i], 0);
	fs_names_clear(&l);
	close(dir);
	ck_assert_int_eq(rmdir(top), 0);
}

#define NOW	((int64_t)1700000000000)
#define TEXT	"{\"version\":1}"

static unsigned char seed[SIGN_SEED] = { 7 };
static struct key_entry entry = { .name = (char[]){ "alice" } };
static const struct keyring ring = { &entry, 1 };

struct memory {
	struct bench		 b;
	struct recall_from	 from;
};

__attribute__((unused)) static void
memory_open(struct memory *m, const char *text)
{
	ck_assert_int_eq(digest_setup(NULL), 0);
	sign_public(seed, entry.pub);
	bench_open(&m->b, text);
	m->b.policy->place.approvers = &ring;
	m->from = (struct recall_from){ dir, dir, NOW };
}

__attribute__((unused)) static void
memory_close(struct memory *m)
{
	bench_close(&m->b);
}

__attribute__((unused)) static struct remembered
make(struct memory *m, const char *command, enum remember_scope scope)
{
	struct remembered r;
	struct err own = { 0 };

	ck_action(&m->b, command, ACTION_ESCALATE);
	ck_assert_msg(remember_make(m->b.j, scope, &r, &own) == 0, "%s: %s",
	    command, own.text);
	r.made_ms = NOW;
	r.until_ms = NOW + 1000;
	r.who = xstrdup("alice");
	memcpy(r.approver, entry.pub, SIGN_PUB);
	snprintf(r.request, sizeof(r.request), "0123456789abcdef-%012x-1", 1);
	remember_sign(&r, "t", seed);
	return r;
}

__attribute__((unused)) static void
write_file(const char *text, size_t len)
{
	ck_assert_int_eq(fs_replace(dir, REMEMBER_FILE, text, len, 0600,
	    NULL), 0);
}

/* Remember, and let the policy look. */
__attribute__((unused)) static void
remember(struct memory *m, const char *command, enum remember_scope scope)
{
	struct remembered r = make(m, command, scope);
	struct str line;

	str_init(&line, 8192);
	remember_put(&r, &line);
	write_file(line.s, line.len);
	ck_assert_uint_eq(policy_recall(m->b.policy, &m->from), 1);
	str_clear(&line);
	remembered_clear(&r);
}

__attribute__((unused)) static void
refused(struct memory *m, const char *command, enum remember_scope scope,
    const char *why)
{
	struct remembered r;
	struct err own = { 0 };

	bench_shell(&m->b, command);
	ck_assert_msg(remember_make(m->b.j, scope, &r, &own) == -1 &&
	    own.code == ERR_PERMITTED, "remembered: %s", command);
	ck_assert_msg(strstr(own.text, why) != NULL, "'%s': %s", command,
	    own.text);
}

#endif
