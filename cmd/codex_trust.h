/*
 * cmd/codex_trust.h - does Codex run the hooks it has been given?
 *
 * It skips, without a word, hooks of a folder that is not trusted and hooks
 * whose definition nobody trusted: per hook `trusted_hash` in its config.toml,
 * SHA-256 over the definition as compact JSON with sorted keys (measured with
 * 0.171.0; tests/e2e/lib/agents.mjs computes it a second time, and the real
 * client then runs the hooks).
 */
#ifndef CMD_CODEX_TRUST_H
#define CMD_CODEX_TRUST_H

#include "cmd/agent.h"

/*
 * -1: this config.toml switches hooks off as a whole.  0: it does not, or
 * cannot be read.  Of a profile nothing is known.
 */
int	codex_hooks_on(const char *dir, const char *file, struct err *);

/*
 * 0: the folder and each of our hooks is trusted; -1: err says what is not.
 * `codex_home` is where its config.toml lies: $CODEX_HOME or ~/.codex.
 */
int	codex_trust_check(const struct agent *, const char *root,
	    const char *codex_home, struct err *);

#endif
