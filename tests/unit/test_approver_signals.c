/* Which lines are marked, and which are not. */
#include "approver/signals.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "common/mem.h"

struct want {
	const char	*text;
	const char	*found;		/* "line why" of each, by "; " */
};

static void
say(const struct signals *l, char *buf, size_t len)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < l->n && at < len; i++)
		at += (size_t)snprintf(buf + at, len - at, "%s%zu %s",
		    i == 0 ? "" : "; ", l->s[i].line, l->s[i].why);
}

static void
check(const struct want *w, size_t n, void (*fn)(const char *, size_t,
    struct signals *))
{
	struct signals l;
	char got[1024];

	for (size_t i = 0; i < n; i++) {
		fn(w[i].text, strlen(w[i].text), &l);
		say(&l, got, sizeof got);
		if (strcmp(got, w[i].found) != 0)
			ck_abort_msg("'%s': '%s', not '%s'", w[i].text, got,
			    w[i].found);
	}
}

START_TEST(commands)
{
	static const struct want want[] = {
		{ "", "" },
		{ "ls -la", "" },
		{ "rm file", "" },
		{ "rm -r build", "1 deletes a tree" },
		{ "rm -fr build", "1 deletes a tree" },
		{ "/bin/rm --recursive x", "1 deletes a tree" },
		{ "sudo -n rm -Rf /", "1 deletes a tree" },
		{ "env A=1 B=2 nice -n 5 rm -r x", "1 deletes a tree" },
		{ "echo rm -r x", "" },
		{ "git commit -m 'rm -r x'", "" },
		{ "grep -r rm .", "" },
		{ "rm x | sort -r", "" },
		{ "cd a && rm -r b; ls", "1 deletes a tree" },
		{ "sh -c 'rm -r b'", "1 deletes a tree" },
		{ "ssh -p 22 host rm -r b", "1 deletes a tree" },
		{ "find . -name x -delete", "1 deletes what it finds" },
		{ "find . -exec rm {} +", "1 deletes what it finds" },
		{ "ls | xargs rm -r", "1 deletes a tree" },
		{ "make\nrm \\\n  -r b\nls", "2 deletes a tree" },
		{ "rm -r a\nrm -r b", "1 deletes a tree; 2 deletes a tree" },
		{ "for i in a b; do rm -r $i; done", "1 deletes a tree" },
		{ "x=$(rm -r a)", "1 deletes a tree" },
		{ "dd if=/dev/zero of=/dev/sda",
		  "1 overwrites a file or device" },
		{ "mkfs.ext4 /dev/sdb", "1 overwrites a device" },
		{ "git push", "" },
		{ "git push -f", "1 rewrites a remote branch" },
		{ "git -C x push --force-with-lease=a",
		  "1 rewrites a remote branch" },
		{ "git push origin +main", "1 rewrites a remote branch" },
		{ "git push origin :gone", "1 deletes remote refs" },
		{ "git reset --hard HEAD~3", "1 throws changes away" },
		{ "git reset HEAD a", "" },
		{ "git branch -D x", "1 deletes a branch" },
		{ "terraform plan", "" },
		{ "terraform plan -destroy", "1 plans to destroy" },
		{ "terraform apply -auto-approve", "1 applies a plan" },
		{ "tofu -chdir=x apply p.out", "1 applies a plan" },
		{ "terraform destroy", "1 destroys what runs" },
		{ "terraform apply -destroy", "1 destroys what runs" },
		{ "pulumi up --yes", "1 applies a plan" },
		{ "pulumi destroy", "1 destroys what runs" },
		{ "kubectl get pods", "" },
		{ "kubectl -n x delete pod y", "1 deletes from the cluster" },
		{ "kubectl apply -f x.yaml", "1 changes the cluster" },
		{ "kubectl scale deploy/x --replicas=0", "1 stops what runs" },
		{ "helm uninstall x", "1 deletes a release" },
		{ "docker system prune -af",
		  "1 deletes what is not in use" },
		{ "aws ec2 terminate-instances --instance-ids i-1",
		  "1 deletes in the cloud" },
		{ "aws s3 rm s3://b/x", "1 deletes in the cloud" },
		{ "aws s3 ls", "" },
		{ "dropdb prod", "1 drops a database or a role" },
		{ "redis-cli FLUSHALL", "1 deletes data" },
	};

	check(want, ARRAY_LEN(want), signals_of_command);
}
END_TEST

START_TEST(words_of_sql)
{
	static const struct want want[] = {
		{ "psql -c 'DROP TABLE users'", "1 drops it" },
		{ "echo drop table users", "" },
		{ "echo 'drop table users' | psql db", "1 drops it" },
		{ "/usr/bin/mysql db -e \"delete from t\"",
		  "1 deletes EVERY row" },
		{ "mysql -e 'DELETE FROM t WHERE id = 3'", "1 deletes rows" },
		{ "sqlite3 x.db 'TRUNCATE t'", "1 empties a table" },
		{ "sqlite3 x.db 'update t set a = 1 where b = 2'", "" },
		{ "sqlite3 x.db 'update t set a = 1'",
		  "1 changes EVERY row" },
		{ "psql <<END\nselect 1;\nDrop Schema x;\nalter table t drop "
		  "c;\nEND", "3 drops it; 4 drops a column" },
		{ "psql -c 'select dropped from tables'", "" },
		{ "psql -f x.sql", "" },
	};

	check(want, ARRAY_LEN(want), signals_of_command);
}
END_TEST

START_TEST(files)
{
	static const char sql[] = "-- drop nothing\nselect 1;\ndrop table t;\n";
	static const char sh[] = "#!/bin/sh\nset -e\nrm -rf \"$1\"\n"
	    "drop table t\n";
	struct signals l;

	signals_of_file("/x/y.sql", sql, strlen(sql), &l);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(l.s[0].line, 3);
	ck_assert_uint_eq(l.s[0].len, strlen("drop table t;"));
	signals_of_file("/x/y.sh", sh, strlen(sh), &l);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(l.s[0].line, 3);
	ck_assert_str_eq(l.s[0].why, "deletes a tree");
}
END_TEST

START_TEST(plans)
{
	static const struct want want[] = {
		{ "  # aws_x.y will be created\n  + resource \"aws_x\" \"y\"\n"
		  "Plan: 1 to add, 0 to change, 0 to destroy.\n", "" },
		{ "  # aws_x.y will be destroyed\n  - resource\n"
		  "  # aws_x.z must be replaced\n"
		  "      ~ name = \"a\" -> \"b\" # forces replacement\n"
		  "Plan: 1 to add, 0 to change, 2 to destroy.",
		  "1 destroys; 3 destroys and makes anew; "
		  "4 why it is replaced; 5 how many" },
		{ "Plan: 1 to add, 0 to change, 10 to destroy.",
		  "1 how many" },
		{ "    - 1 to delete\n    +-1 to replace\n",
		  "1 how many; 2 how many" },
		{ "", "" },
	};

	check(want, ARRAY_LEN(want), signals_of_plan);
}
END_TEST

START_TEST(what_a_plan_is)
{
	struct signals l;

	ck_assert(signals_is_plan("terraform plan -out p"));
	ck_assert(signals_is_plan("cd x && tofu -chdir=y plan"));
	ck_assert(signals_is_plan("pulumi preview --diff"));
	ck_assert(!signals_is_plan("terraform apply"));
	ck_assert(!signals_is_plan("echo plan"));
	signals_of_command("terraform apply p", 17, &l);
	ck_assert(l.applies);
	signals_of_command("kubectl delete x", 16, &l);
	ck_assert(!l.applies);
}
END_TEST

/* Bounded, whatever is in it. */
START_TEST(more_than_fits)
{
	static char many[200 * 8 + 1], words[4096 * 2 + 16];
	struct signals l;

	for (int i = 0; i < 200; i++)
		memcpy(many + 8 * (size_t)i, "rm -r x\n", 8);
	signals_of_command(many, 1600, &l);
	ck_assert_uint_eq(l.n, SIGNALS_MAX);
	ck_assert_uint_eq(l.more, 200 - SIGNALS_MAX);
	memcpy(words, "rm ", 3);
	for (size_t i = 3; i < 8192; i += 2)
		memcpy(words + i, "x ", 2);
	signals_of_command(words, strlen(words), &l);
	ck_assert_uint_eq(l.n, 0);
	/* Bytes that are nothing, one after the other. */
	for (int c = 0; c < 256; c++) {
		const char odd[] = { 'r', 'm', (char)c, '-', 'r', (char)c,
			'\\' };

		signals_of_command(odd, sizeof odd, &l);
		signals_of_plan(odd, sizeof odd, &l);
		ck_assert_uint_le(l.n, 1);
	}
}
END_TEST

UNIT_MAIN("approver/signals",
	tcase_add_test(tc, commands);
	tcase_add_test(tc, words_of_sql);
	tcase_add_test(tc, files);
	tcase_add_test(tc, plans);
	tcase_add_test(tc, what_a_plan_is);
	tcase_add_test(tc, more_than_fits);)
