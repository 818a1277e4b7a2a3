/*
 * approver/signals_rows.h - what approver/signals.c looks for; only it reads
 * this.
 */
#ifndef APPROVER_SIGNALS_ROWS_H
#define APPROVER_SIGNALS_ROWS_H

/*
 * `words`: each must be there, in this order, others between them do not
 * matter.  a|b: either; -x: also in -yxz; x*: begins so.  The first row that
 * fits counts; why NULL: it is harmless.
 */
struct row {
	const char	*words, *why;
};

static const struct row shell_rows[] = {
	{ "rm -r|-R|--recursive", "deletes a tree" },
	{ "find -delete", "deletes what it finds" },
	{ "find -exec|-execdir|-ok rm|shred|unlink", "deletes what it finds" },
	{ "shred", "overwrites a file" },
	{ "truncate", "cuts a file" },
	{ "dd of=*", "overwrites a file or device" },
	{ "mkfs|mkfs.*|wipefs|mkswap", "overwrites a device" },
	{ "fdisk|sfdisk|parted|sgdisk", "changes partitions" },
	{ "lvremove|vgremove|pvremove", "deletes a volume" },
	{ "zfs|zpool destroy", "destroys a file system" },
	{ "btrfs subvolume delete", "deletes a subvolume" },
	{ "rsync --delete*|--remove-source-files",
	    "deletes what is elsewhere" },
	{ "rclone sync|purge|delete|move", "deletes what is elsewhere" },
	{ "chmod|chown|chgrp -R|--recursive", "changes the rights of a tree" },
	{ "crontab -r", "deletes all timers" },
	{ "userdel|groupdel|deluser", "deletes a user" },

	{ "git push -f|--force|--force-with-lease*|--force-if-includes",
	  "rewrites a remote branch" },
	{ "git push +*", "rewrites a remote branch" },
	{ "git push -d|--delete|--mirror|--prune|:*", "deletes remote refs" },
	{ "git reset --hard", "throws changes away" },
	{ "git clean -f|-d|-x|--force", "deletes files git does not know" },
	{ "git checkout|restore .|-f|--force", "throws changes away" },
	{ "git branch -D", "deletes a branch" },
	{ "git branch|tag -d|--delete", "deletes a ref" },
	{ "git stash drop|clear", "throws changes away" },
	{ "git filter-branch|filter-repo", "rewrites history" },
	{ "git reflog|gc expire|--prune*", "deletes what could be recovered" },

	{ "terraform|tofu|terragrunt destroy", "destroys what runs" },
	{ "terraform|tofu|terragrunt apply -destroy|--destroy",
	  "destroys what runs" },
	{ "terraform|tofu|terragrunt plan -destroy|--destroy",
	  "plans to destroy" },
	{ "terraform|tofu|terragrunt apply", "applies a plan" },
	{ "terraform|tofu|terragrunt state rm|push|mv", "changes the state" },
	{ "terraform|tofu|terragrunt taint", "will be replaced" },
	{ "terraform|tofu|terragrunt workspace delete", "deletes a state" },
	{ "pulumi destroy|down", "destroys what runs" },
	{ "pulumi stack rm", "deletes a state" },
	{ "pulumi state delete", "changes the state" },
	{ "pulumi up|update", "applies a plan" },
	{ "kubectl|oc delete", "deletes from the cluster" },
	{ "kubectl|oc apply --prune", "deletes from the cluster" },
	{ "kubectl|oc replace --force", "deletes and makes anew" },
	{ "kubectl|oc drain", "drives all off a node" },
	{ "kubectl|oc scale --replicas=0", "stops what runs" },
	{ "kubectl|oc apply|replace|patch", "changes the cluster" },
	{ "helm uninstall|delete", "deletes a release" },
	{ "helm upgrade|rollback", "changes a release" },
	{ "docker|podman system|volume|image|container|network|builder prune",
	  "deletes what is not in use" },
	{ "docker|podman volume rm", "deletes a volume" },
	{ "docker|podman compose down -v|--volumes", "deletes volumes" },
	{ "docker-compose down -v|--volumes", "deletes volumes" },

	{ "aws delete-*|terminate-*|remove-*|deregister-*|purge-*",
	  "deletes in the cloud" },
	{ "aws s3 rm|rb", "deletes in the cloud" },
	{ "aws s3 sync --delete", "deletes in the cloud" },
	{ "gcloud|az|doctl|hcloud|linode-cli|oci|ibmcloud delete|purge|destroy",
	  "deletes in the cloud" },
	{ "gsutil|s3cmd|mc rm|rb|del", "deletes in the cloud" },
	{ "heroku *:destroy|pg:reset", "deletes in the cloud" },
	{ "fly|flyctl|vercel|netlify|wrangler destroy|remove|rm|delete",
	  "deletes in the cloud" },
	{ "gh delete", "deletes on the server" },
	{ "npm|yarn|pnpm unpublish", "withdraws a release" },
	{ "cargo yank", "withdraws a release" },

	{ "dropdb|dropuser", "drops a database or a role" },
	{ "pg_restore -c|--clean", "drops what is there first" },
	{ "mysqladmin drop", "drops a database" },
	{ "redis-cli|valkey-cli flushall|flushdb|del|unlink", "deletes data" },
	{ "mongosh|mongo *dropDatabase*|*drop(*|*deleteMany*", "deletes data" },
};

static const struct row sql_rows[] = {
	{ "drop table|database|schema|view|materialized|index|column|user|"
	  "role|owned|function|trigger|sequence|type|tablespace|constraint",
	  "drops it" },
	{ "alter table drop", "drops a column" },
	{ "truncate", "empties a table" },
	{ "delete from where", "deletes rows" },
	{ "delete from", "deletes EVERY row" },
	{ "update set where", NULL },
	{ "update set", "changes EVERY row" },
	{ "replace into", "replaces rows" },
};

static const char *const sql_clients[] = { "psql", "mysql", "mariadb",
	"sqlite3", "sqlite", "duckdb", "sqlcmd", "sqlplus", "cockroach",
	"clickhouse-client", "usql", "pgcli", "mycli", "bq", "snowsql",
	"trino", "isql", "tsql" };

/* Behind these the command proper begins. */
static const char *const wrappers[] = { "sudo", "doas", "env", "nohup",
	"time", "xargs", "exec", "command", "nice", "ionice", "setsid",
	"timeout", "stdbuf", "eval", "sh", "bash", "dash", "zsh", "ksh",
	"then", "do", "else", "if", "while", "until", "!", "run", "poetry",
	"npx", "builtin", "watch", "parallel" };

/* In a plan's text, anywhere on a line. */
static const struct row plan_rows[] = {
	{ " 0 to destroy", NULL },
	{ "will be destroyed", "destroys" },
	{ "must be replaced", "destroys and makes anew" },
	{ "will be replaced", "destroys and makes anew" },
	{ "forces replacement", "why it is replaced" },
	{ "to destroy", "how many" },
	{ "to delete", "how many" },
	{ "to replace", "how many" },
};

#endif
