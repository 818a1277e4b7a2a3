/*
 * hooks/contain_rules.h - a client's own rules about its shell.
 *
 * A client applies them to the command as we rewrote it, where they match
 * nothing: so a call is not contained where a settings file that can be read
 * denies the shell something or asks about it.  Rules given on the client's
 * command line, or in a configuration directory that its environment names,
 * cannot be seen from a hook.
 */
#ifndef HOOKS_CONTAIN_RULES_H
#define HOOKS_CONTAIN_RULES_H

#include <stdbool.h>

/* Is there one?  Also where a file is there and cannot be understood. */
bool	contain_rules(const char *client, const char *root, const char *home);

/*
 * Codex alone: does it keep commands in a sandbox of its own, where no jail can
 * be built?  Its transcript says for each turn; unless it says that there is
 * none, there is one.  A wrong answer runs nothing: `sandbox run` cannot build
 * its walls there.
 */
bool	contain_boxed(const char *client, const char *transcript);

#endif
