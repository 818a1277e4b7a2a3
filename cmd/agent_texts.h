/*
 * cmd/agent_texts.h - the shapes that entries of ours have: one function per
 * shape, for the rows of cmd/agent.c.
 */
#ifndef CMD_AGENT_TEXTS_H
#define CMD_AGENT_TEXTS_H

#include "cmd/agent.h"

typedef cJSON *agent_group_fn(const struct agent *,
    const struct registration *, const struct registration_place *);
typedef void agent_text_fn(const struct agent *, const struct registration *,
    const struct registration_place *, struct str *);

agent_group_fn	agent_claude_group;	/* without a shell */
agent_group_fn	agent_nested_group;	/* {matcher?, hooks: [entry]} */
agent_group_fn	agent_flat_group;	/* the entry itself, failClosed */
agent_group_fn	agent_shown_group;	/* {command, show_output} */
agent_group_fn	agent_bash_group;	/* {type, bash, timeoutSec} */

agent_text_fn	agent_script_text;	/* a shell script */
agent_text_fn	agent_plugin_text;	/* a JavaScript module */

#endif
