/*
 * audit/scrub.h - keep secrets out of what is hashed, stored, shown or
 * returned.
 *
 * Replaces what looks like a secret by "[scrubbed:KIND]": private key blocks,
 * provider token shapes, JWTs, bearer headers, userinfo in URLs, and values
 * behind names such as PASSWORD= or "api_key":.  False hits cost a reader
 * little; the corpus in tests/ counts both kinds of error.
 */
#ifndef AUDIT_SCRUB_H
#define AUDIT_SCRUB_H

#include <stddef.h>

#include "common/str.h"

/* Append the scrubbed text; returns how many secrets were replaced. */
size_t	scrub(const char *, size_t len, struct str *ret);

/* A copy of a JSON value with every string scrubbed; the caller frees. */
struct cJSON;
struct cJSON *scrub_json(const struct cJSON *);

#endif
