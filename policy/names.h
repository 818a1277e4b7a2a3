/*
 * policy/names.h - from the words of a policy file to our enums; the way back
 * is in policy/policy.h.
 */
#ifndef POLICY_NAMES_H
#define POLICY_NAMES_H

/* The enum's value, or -1 when there is no such word. */
int	action_parse(const char *name);
int	tier_parse(const char *name);
int	effect_parse(const char *name);

#endif
