/*
 * queue/request.h - the question: one JSON object, at most 256 KiB.
 *
 * docs/QUEUE.md lists the fields.  Reading is strict (common/json.h) and
 * closed: a missing, doubled, unknown or mistyped field refuses the file.
 * Nothing in a request is believed: who judges, judges `tool`, `input` and
 * `cwd` again.  A value too large for the file travels as blobs/<digest>; the
 * field it belongs to is then absent from `input` until the blob is loaded.
 */
#ifndef QUEUE_REQUEST_H
#define QUEUE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/digest.h"
#include "common/err.h"
#include "common/id.h"
#include "common/json.h"
#include "common/str.h"

#define REQUEST_MAX	(256 * 1024)
#define BLOB_MAX	(8 * 1024 * 1024)

struct request {
	char		 id[ID_MAX + 1];
	char		 project[33];
	char		*origin;	/* "hook", "mcp" or "jail" */
	char		*agent;		/* client name: "claude" */
	char		*session;
	char		*agent_id;	/* "" for the main thread */
	char		*tool_use_id;
	char		*tool;
	cJSON		*input;
	char		*cwd;
	uint64_t	 cwd_dev, cwd_ino;
	char		*lang;		/* LANG, or "" */
	cJSON		*lc;		/* object of LC_* strings */
	char		*tz;
	char		*agent_says;	/* the agent's own reason, a claim */
	int64_t		 created_wall_ms, created_boot_ms;
	char		 boot_id[37];
	int64_t		 ttl_s;
	char		 nonce[33];
	struct digest	 call_key;
	bool		 has_blob;
	char		*blob_field;
	struct digest	 blob_digest;
	int64_t		 blob_bytes;

	/* Not in the file: */
	struct str	 bytes;		/* the exact bytes it was read from */
};

void	request_init(struct request *);
void	request_clear(struct request *);

/*
 * Fill `bytes` (and, where a string of input is too large, take it out of
 * input into *ret_blob).  *ret_blob is empty when none is needed.
 */
int	request_encode(struct request *, struct str *ret_blob, struct err *);

/* decode(encode(x)) = x; `id` is the file's name and must equal the field. */
int	request_decode(const char *id, const char *bytes, size_t len,
	    struct request *ret, struct err *);

/* Put a blob's bytes back into input, after its digest was compared. */
int	request_set_blob(struct request *, const char *, size_t len,
	    struct err *);

/* Past its time by either clock, or from another boot. */
bool	request_expired(const struct request *, const struct clock *);
/* Seconds until expiry; 0 when over. */
int64_t	request_left_s(const struct request *, const struct clock *);

/*
 * The digest a human approves: over the exact request bytes, the blob's
 * digest and `scripts`, the combined digest of the files the command runs
 * (computed by our side; all zero when it names none).
 */
void	request_digest(const struct request *, const struct digest *scripts,
	    struct digest *ret);

#endif
