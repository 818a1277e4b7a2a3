/*
 * policy/layers.h - what the machine and the user say beside the project.
 *
 *	/etc/sandbox/policy.json	the site: root's
 *	~/.config/sandbox/policy.json	the user's, for all projects
 *
 * Both are optional and have the form of a project's policy.json.  Order of
 * authority: built-in stops, site, user, project.  A deny of a higher layer
 * stays; of its other rules a lower layer's later ones may say otherwise; its
 * secret and protected paths, denied hosts and triggers that are stricter than
 * the preset "default" add to the project's.  Only the site may allow
 * anything: the user's file is not signed, so it can only tighten.
 */
#ifndef POLICY_LAYERS_H
#define POLICY_LAYERS_H

#include <sys/types.h>

#include "policy/rules.h"

#define LAYER_SITE	"/etc/sandbox/policy.json"
#define LAYER_USER	".config/sandbox/policy.json"	/* below the home */

enum layer { LAYER_MAY_ALLOW, LAYER_TIGHTENS };

/*
 * Lay a file over p.  0 also when there is none; -1 when it is not a plain
 * file of `owner` that nobody else may write, or is wrong: the caller denies.
 */
int	layer_add(struct policy *p, const char *path, uid_t owner, enum layer,
	    struct err *);

#endif
