#include "approver/job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "approver/environ.h"
#include "approver/view.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"

#include "common/banned.h"

#define ENV_MAX		128
#define JOB_DEPTH	4

static const struct json_field fields[] = {
	{ "v", JSON_INT, true, 0 },
	{ "request", JSON_STRING, true, REQUEST_MAX },
	{ "blob", JSON_STRING_OR_NULL, true, BLOB_MAX },
	{ "approval", JSON_STRING, true, 8192 },
	{ "approval_sig", JSON_STRING, true, SIGN_SIG_HEX },
	{ "approval_seq", JSON_INT, true, 0 },
	{ "env", JSON_ARRAY, true, ENV_MAX },
	{ "target", JSON_STRING, true, 4096 },
	{ "edited", JSON_STRING_OR_NULL, true, EDITED_MAX },
	{ "scripts", JSON_ARRAY, true, SCRIPTS_MAX },
	{ "background", JSON_BOOL, true, 0 },
	{ "attached", JSON_BOOL, true, 0 },
	{ "timeout_s", JSON_INT, true, 0 },
	{ "output_units", JSON_INT, true, 0 },
};

static cJSON *
job_json(const struct job *job)
{
	cJSON *j = json_object(), *env = json_array();
	const char *blob = job->req.has_blob ?
	    json_str(job->req.input, job->req.blob_field) : NULL;

	for (char **p = job->env; *p != NULL; p++)
		json_push_str(env, *p);
	json_add_int(j, "v", 1);
	json_add_strn(j, "request", job->req.bytes.s, job->req.bytes.len);
	json_add_str(j, "blob", blob);
	json_add_str(j, "approval", job->approval);
	json_add_str(j, "approval_sig", job->approval_sig);
	json_add_int(j, "approval_seq", (int64_t)job->approval_seq);
	json_add(j, "env", env);
	json_add_str(j, "target", job->target);
	json_add_str(j, "edited", job->edited);
	json_add(j, "scripts", scripts_json(&job->scripts));
	json_add_bool(j, "background", job->background);
	json_add_bool(j, "attached", job->attached);
	json_add_int(j, "timeout_s", job->timeout_s);
	json_add_int(j, "output_units", job->output_units);
	return j;
}

int
job_write(const struct job *job, struct err *e)
{
	auto_close int fd = memfd_create("sandbox-job", MFD_CLOEXEC);
	auto_json cJSON *j = job_json(job);
	auto_str struct str text = { 0 };

	if (fd == -1)
		return err_sys(e, "cannot make a memory file");
	str_init(&text, JOB_MAX);
	json_print(j, &text);
	if (text.full)
		return err_set(e, ERR_FORMAT, "the call is too large");
	if (io_write_all(fd, text.s, text.len, e) == -1)
		return -1;
	if (lseek(fd, 0, SEEK_SET) == -1)
		return err_sys(e, "cannot rewind a memory file");
	return fd_steal(&fd);
}

static int
read_env(const cJSON *list, char ***ret, struct err *e)
{
	char **env = xcalloc(ENV_MAX + 1, sizeof *env);
	const cJSON *one;
	size_t n = 0;

	cJSON_ArrayForEach(one, list) {
		if (!cJSON_IsString(one)) {
			environ_free(env);
			return err_set(e, ERR_FORMAT, "a job's environment "
			    "is damaged");
		}
		env[n++] = xstrdup(one->valuestring);
	}
	*ret = env;
	return 0;
}

static int
take(const cJSON *j, const char *id, struct job *job, struct err *e)
{
	const char *request = json_str(j, "request");
	const char *blob = json_str(j, "blob");

	job->approval = xstrdup(json_str(j, "approval"));
	job->approval_sig = xstrdup(json_str(j, "approval_sig"));
	job->approval_seq = (uint64_t)json_int(j, "approval_seq", 0);
	job->target = xstrdup(json_str(j, "target"));
	job->edited = xstrdup(json_str(j, "edited"));
	job->background = json_bool(j, "background", false);
	job->attached = json_bool(j, "attached", false);
	job->timeout_s = (int)json_int(j, "timeout_s", 0);
	job->output_units = (int)json_int(j, "output_units", 0);
	if (read_env(json_get(j, "env"), &job->env, e) == -1 ||
	    scripts_from_json(json_get(j, "scripts"), &job->scripts, e) == -1)
		return -1;
	request_clear(&job->req);
	if (request_decode(id, request, strlen(request), &job->req, e) == -1)
		return -1;
	if (!job->req.has_blob)
		return 0;
	if (blob == NULL)
		return err_set(e, ERR_FORMAT, "a job lacks its blob");
	return request_set_blob(&job->req, blob, strlen(blob), e);
}

int
job_read(int fd, const char *id, struct job *ret, struct err *e)
{
	auto_str struct str text = { 0 };
	auto_json cJSON *j = NULL;
	struct job job = { 0 };

	str_init(&text, JOB_MAX);
	if (io_read_all(fd, JOB_MAX, &text, e) == -1 ||
	    json_parse(text.s, text.len, JOB_DEPTH, &j, e) == -1 ||
	    json_check(j, fields, ARRAY_LEN(fields), true, e) == -1)
		return err_add(e, "job");
	request_init(&job.req);
	if (take(j, id, &job, e) == -1) {
		job_clear(&job);
		return -1;
	}
	*ret = job;
	return 0;
}

void
job_clear(struct job *job)
{
	request_clear(&job->req);
	free(job->approval);
	free(job->approval_sig);
	free(job->target);
	free(job->edited);
	environ_free(job->env);
	scripts_clear(&job->scripts);
	memset(job, 0, sizeof *job);
}

int
job_check(const struct job *job, const struct approval *a, int64_t now_wall_ms,
    struct err *e)
{
	struct digest scripts, env, digest, edited = { 0 };

	scripts_digest(&job->scripts, job->target, &scripts);
	environ_digest(job->env, &env);
	request_digest(&job->req, &scripts, &digest);
	if (job->edited != NULL)
		digest_of(job->edited, strlen(job->edited), NULL, &edited);
	if (!digest_eq(&digest, &a->digest) ||
	    (job->edited != NULL) != a->has_edited ||
	    (a->has_edited && !digest_eq(&edited, &a->edited)) ||
	    !digest_eq(&scripts, &a->scripts) ||
	    !digest_eq(&env, &a->environment) ||
	    a->cwd_dev != job->req.cwd_dev || a->cwd_ino != job->req.cwd_ino)
		return err_set(e, ERR_DIGEST,
		    "this is not what was approved");
	if (a->decision != DECISION_RUN)
		return err_set(e, ERR_PERMITTED, "this was not approved to "
		    "run here");
	if (now_wall_ms > a->expires_wall_ms)
		return err_set(e, ERR_LOST, "the approval expired");
	return 0;
}
