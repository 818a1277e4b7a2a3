#include "approver/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "approver/mixed.h"
#include "common/fs.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

int
view_open_cwd(const struct request *req, struct err *e)
{
	struct stat st;
	auto_close int fd = fs_open_dir_follow(req->cwd, e);

	if (fd == -1)
		return -1;
	if (fstat(fd, &st) == -1)
		return err_sys(e, "cannot stat '%s'", req->cwd);
	if ((uint64_t)st.st_dev != req->cwd_dev ||
	    (uint64_t)st.st_ino != req->cwd_ino)
		return err_set(e, ERR_DIGEST, "'%s' is another directory than "
		    "when the request was made", req->cwd);
	return fd_steal(&fd);
}

static struct call
call_of(const struct request *req)
{
	return (struct call){
		.client = req->agent,
		.session = req->session,
		.agent_id = req->agent_id,
		.tool = req->tool,
		.input = req->input,
		.cwd = req->cwd,
	};
}

cJSON *
edited_input(const cJSON *input, const char *edited)
{
	cJSON *copy = json_object();
	const cJSON *c;

	cJSON_ArrayForEach(c, input)
		if (str_eq(c->string, "command"))
			json_add_str(copy, "command", edited);
		else
			json_add(copy, c->string, cJSON_Duplicate(c, true));
	return copy;
}

/* The sentence a human needs when a request does not say what it is. */
static char *
misdescribed(const struct request *req)
{
	const struct call call = call_of(req);
	struct digest key;
	struct err e;
	auto_close int cwd = view_open_cwd(req, &e);

	call_key(&call, &key);
	if (!digest_eq(&key, &req->call_key))
		return xstrdup("its call key belongs to another call");
	if (cwd == -1)
		return xstrdup(e.text);
	return xstrdup("");
}

static char *
resolve(const struct call *call, enum call_kind kind)
{
	const char *subject = call_subject(call);
	char real[WORLD_PATH];
	auto_free char *path = NULL;

	if (subject == NULL || (kind != CALL_WRITE && kind != CALL_EDIT &&
	    kind != CALL_READ))
		return xstrdup("");
	path = subject[0] == '/' ? xstrdup(subject) :
	    xasprintf("%s/%s", call->cwd, subject);
	if (world_real.resolve(world_real.arg, path, real) == -1)
		return xstrdup("");
	return xstrdup(real);
}

/* `proj/../elsewhere` and a link in the project are not in the project. */
static char *
real_dir(const struct request *req)
{
	char real[WORLD_PATH];

	if (world_real.resolve(world_real.arg, req->cwd, real) == -1)
		return xstrdup(req->cwd);
	return xstrdup(real);
}

static bool
is_outside(const char *dir, const char *root)
{
	size_t n = strlen(root);

	return strncmp(dir, root, n) != 0 ||
	    (dir[n] != '\0' && dir[n] != '/');
}

/* Of all texts and names: JSON escapes would hide what we look for. */
static size_t
hidden_in(const cJSON *v)
{
	const cJSON *c;
	size_t n = v->string == NULL ? 0 :
	    visible_hidden(v->string, strlen(v->string));

	if (cJSON_IsString(v))
		n += visible_hidden(v->valuestring, strlen(v->valuestring));
	else
		cJSON_ArrayForEach(c, v)
			n += hidden_in(c);
	return n;
}

static size_t
hidden(const struct call *call)
{
	return hidden_in(call->input) + visible_hidden(call->tool,
	    strlen(call->tool)) + visible_hidden(call->cwd, strlen(call->cwd));
}

static void
find_mixed(struct view *v)
{
	struct str first;

	str_init(&first, 160);
	v->mixed = mixed_words(v->subject, strlen(v->subject), &first);
	v->mixed_first = str_take(&first);
}

static enum tier
tier_of(const struct view *v)
{
	enum tier t = v->verdict.tier;

	if (v->misdescribed[0] != '\0')
		return TIER_CRITICAL;
	if (v->hidden + v->mixed > 0 && t > TIER_HIGH)
		return TIER_HIGH;
	return t;
}

/* The tool's own timeout counts where it is shorter than ours. */
static int
timeout_of(const struct view *v, const struct policy_limits *l)
{
	int64_t ms = json_int(v->req->input, "timeout", 0);
	int64_t s = (ms + 999) / 1000;

	if (v->background)
		return 0;
	return s > 0 && s < l->exec_timeout_s ? (int)s : l->exec_timeout_s;
}

/* What a key would approve: another command is another digest. */
static void
seal(const struct request *req, struct view *v)
{
	auto_str struct str text = { 0 };

	scripts_digest(&v->scripts, v->target, &v->scripts_digest);
	request_digest(req, &v->scripts_digest, &v->asked);
	v->digest = v->asked;
	if (v->edited == NULL)
		return;
	str_init(&text, BLOB_MAX);
	str_addn(&text, v->asked.b, sizeof v->asked.b);
	str_add(&text, v->edited);
	digest_of(text.s, text.len, NULL, &v->digest);
}

static int
judge(struct desk *d, const struct request *req, const struct call *call,
    const char *edited, struct view *ret)
{
	const char *subject = call_subject(call);
	auto_str struct str words = { 0 };
	struct view v = { .req = req, .judgement = d->judgement };

	v.edited = xstrdup(edited);
	policy_decide(d->policy, &world_real, call, d->judgement);
	v.verdict = d->judgement->verdict;
	v.kind = call_kind(call);
	v.executor = executor_find(req->tool);
	str_init(&words, BLOB_MAX);
	v.subject = xstrdup(subject != NULL ? subject :
	    call_words(call, &words) ? words.s : req->tool);
	v.target = resolve(call, v.kind);
	/* A file tool without a certain file is not ours to do. */
	if (v.executor != NULL && v.executor->perform != NULL &&
	    v.target[0] == '\0')
		v.executor = NULL;
	if (v.executor != NULL && v.executor->start != NULL && subject == NULL)
		v.executor = NULL;
	v.dir = real_dir(req);
	v.outside = is_outside(v.dir, d->home->root_path);
	v.misdescribed = misdescribed(req);
	v.hidden = hidden(call);
	find_mixed(&v);
	v.tier = tier_of(&v);
	v.background = json_bool(req->input, "run_in_background", false);
	v.timeout_s = timeout_of(&v, policy_limits(d->policy));
	scripts_find(d->judgement, &v.scripts);
	seal(req, &v);
	*ret = v;
	return 0;
}

int
view_make_edited(struct desk *d, const struct request *req,
    const char *edited, struct view *ret, struct err *e)
{
	auto_json cJSON *input = NULL;
	struct call call = call_of(req);
	const struct executor *x = executor_find(req->tool);

	if (!str_eq(req->project, d->home->project))
		return err_set(e, ERR_FORMAT, "request '%s' belongs to another "
		    "project", req->id);
	if (edited != NULL) {
		if (x == NULL || call_kind(&call) != CALL_SHELL)
			return err_set(e, ERR_USAGE, "only a command can be "
			    "edited");
		if (strlen(edited) > EDITED_MAX || edited[0] == '\0' ||
		    !utf8_ok(edited, strlen(edited)))
			return err_set(e, ERR_USAGE, "that is no command");
		input = edited_input(req->input, edited);
		call.input = input;
	}
	return judge(d, req, &call, edited, ret);
}

int
view_make(struct desk *d, const struct request *req, struct view *ret,
    struct err *e)
{
	return view_make_edited(d, req, NULL, ret, e);
}

void
view_clear(struct view *v)
{
	free(v->subject);
	free(v->target);
	free(v->dir);
	free(v->misdescribed);
	free(v->edited);
	free(v->mixed_first);
	scripts_clear(&v->scripts);
	memset(v, 0, sizeof *v);
}
