/*
 * templates/templates.h - files that init writes, embedded at build time from
 * this folder by templates/gen.awk.
 */
#ifndef TEMPLATES_TEMPLATES_H
#define TEMPLATES_TEMPLATES_H

extern const char template_policy_json[];

#endif
