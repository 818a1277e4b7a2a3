/*
 * cmd/audit.h - `sandbox audit` in parts: audit.c reads and checks,
 * audit_key.c does what needs an approver's key, audit_export.c writes
 * evidence, audit_anchor.c keeps checkpoints elsewhere.
 */
#ifndef CMD_AUDIT_H
#define CMD_AUDIT_H

#include <stdbool.h>

#include "audit/verify.h"
#include "cmd/cmd.h"
#include "queue/home.h"

struct audit_args {
	bool		 full, fast, anchors;
	int		 passphrase_fd;		/* -1: the terminal */
	const char	*anchor;		/* checkpoint: its place */
	const char	*proof;			/* export: of this request */
	const char	*request, *since, *until;
	const char	*key;			/* verify: the one to believe */
	const char	*file;			/* operand; NULL: none */
};

/* Each returns the exit code. */
int	audit_checkpoint_cmd(const struct cmd_ctx *,
	    const struct audit_args *);
int	audit_resume_cmd(const struct cmd_ctx *, const struct audit_args *);
int	audit_export_cmd(const struct cmd_ctx *, const struct audit_args *);
/* verify FILE: an archive or a proof, without a log. */
int	audit_evidence_cmd(const struct cmd_ctx *, const struct audit_args *);

/* --- anchors: audit_anchor.c --- */
/* Keep a sealed checkpoint at `where` too: syslog, git, or a path. */
int	audit_anchor_keep(const struct home *, const char *where,
	    const char *sealed, struct err *);
/* All that were kept anywhere; the caller frees.  Lines that cannot be read
 * are told on stderr and counted. */
int	audit_anchor_read(const struct home *, struct anchor **ret,
	    size_t *ret_n, struct err *);

#endif
