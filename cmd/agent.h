/*
 * cmd/agent.h - the agents init connects: where their settings lie and what an
 * entry of ours looks like in them.
 *
 * One row per agent.  What is common to rows lives in cmd/settings.h, which
 * puts entries into a text and takes them out again; nothing but a row and a
 * dialect (hooks/dialect/) is needed for one agent more.
 */
#ifndef CMD_AGENT_H
#define CMD_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/str.h"
#include "hooks/registration.h"

enum agent_form {
	AGENT_JSON,		/* JSON to the letter */
	AGENT_JSONC,		/* with comments */
	AGENT_FILE,		/* one whole file of ours */
	AGENT_FILES,		/* one per event, named after it, in `file` */
	AGENT_TOML
};

struct agent {
	const char	*name;		/* of --client, and of init's option */
	const char	*title;
	enum agent_form	 form;
	const char	*file;		/* below the project */
	mode_t		 mode;		/* of a file we make */
	const struct registration *events;	/* ends with a NULL event */
	int		 per_second;	/* the unit of its timeouts */

	bool		 by_exit;	/* refusing is exit 2, with our words */

	/* A member its file needs besides `hooks`, as JSON; NULL: none.
	 * `key_goes`: without our entries it is of no use to anybody. */
	const char	*key, *value;
	bool		 key_goes;
	/* The member `off` of the object `off_in` switches hooks off by being
	 * false; NULL: there is none. */
	const char	*off_in, *off;
	const char	*machine;	/* where root's settings lie; NULL: the
					   other layers are not looked at */
	/* Files below the project whose variables reach our hooks' shell. */
	const char	*env_files[2];

	/* JSON: the element of hooks.<event>[]; the caller frees. */
	cJSON	*(*group)(const struct agent *, const struct registration *,
		    const struct registration_place *);
	/* FILE, FILES: the file's text. */
	void	(*text)(const struct agent *, const struct registration *,
		    const struct registration_place *, struct str *ret);

	/* Of a committed registration: its file, where that is another one, and
	 * the variable that holds the project's folder. */
	const char	*shared_file, *project_var;
	const char	*program;	/* in $PATH; NULL: none is there */
	/* A row for an MCP client: the member that holds its servers, and an
	 * entry of it.  `mcp_of`: the row whose option chooses it, with --mcp;
	 * NULL: it has an option of its own. */
	const char	*mcp_key, *mcp_of;
	cJSON	*(*entry)(const struct registration_place *);
	bool		 in_home;	/* `file` is below a user's home ... */
	const char	*home_var;	/* ... or this variable's folder, if it
					   is set; NULL: there is none */
	const char	*home_dir;	/* and that is below the home else */

	const char	*measured;	/* with this version; NULL: by its
					   documentation only */
	const char	*update;	/* the command that brings the newest */
	const char	*left_to_do;	/* by the human; NULL: nothing */
	const char	*not_covered;
};

extern const struct agent agents[];	/* ends with a NULL name */
#define AGENT_MAX	20

/* NULL: no such agent. */
const struct agent *agent_find(const char *name);

/*
 * The folder `file` is below, for a row with in_home, from the environment;
 * NULL: no home, or none that begins with a slash.  The caller frees.
 */
char   *agent_home(const struct agent *, const char *user_home);

/*
 * The shell command for an event.  The client is named to the guard, because
 * a shell stands between them; and where an event can refuse, that shell turns
 * every bad end of the guard (killed, not there) into a refusal.
 */
void	agent_command(const struct agent *, const struct registration *,
	    const struct registration_place *, struct str *ret);
/* The same without what happens behind a bad end. */
void	agent_line(const struct agent *, const struct registration *,
	    const struct registration_place *, struct str *ret);

/* Is this text of a command one of ours for this agent? */
bool	agent_command_ours(const struct agent *, const char *text);
/* Is this the text of a whole file that we wrote? */
bool	agent_file_ours(const struct agent *, const char *text);

/* The same for an element of hooks.<event>[]. */
bool	agent_group_ours(const struct agent *, const cJSON *group);

/* One word of a shell's command line, quoted where needed. */
void	agent_shell_word(const char *, struct str *ret);

#endif
