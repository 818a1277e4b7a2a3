#include "cmd/accept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "cmd/cmd.h"
#include "common/fs.h"
#include "common/io.h"
#include "common/mem.h"

#include "common/banned.h"

#define ACCEPTED	"policy.accepted"

int
accept_place(const struct home *home, struct accept_place *ret, struct err *e)
{
	struct accept_place p = { .user_dir = home_user_dir() };

	p.libexec = cmd_libexec(e);
	if (p.libexec == NULL || home_approvers(home, &p.ring, e) == -1) {
		accept_place_clear(&p);
		return -1;
	}
	*ret = p;
	ret->place = (struct policy_place){
		.project = home->project, .root = home->root_path,
		.home = p.user_dir == NULL ? "/" : p.user_dir,
		.state = home->priv_path, .keys = home->keys_path,
		.libexec = p.libexec,
		.approvers = &ret->ring,
	};
	return 0;
}

void
accept_place_clear(struct accept_place *p)
{
	keyring_clear(&p->ring);
	free(p->user_dir);
	free(p->libexec);
	*p = (struct accept_place){ 0 };
}

int
accept_read_edited(const struct home *home, struct str *ret, struct err *e)
{
	auto_close int fd = fs_open_plain(home->sandbox, POLICY_FILE, NULL, e);

	if (fd == -1 && e->sys == ENOENT)
		return err_set(e, ERR_SETUP, "there is no '.sandbox/"
		    POLICY_FILE "'");
	if (fd == -1)
		return -1;
	return io_read_all(fd, POLICY_MAX, ret, e);
}

int
accept_read_accepted(const struct home *home, struct str *ret, struct err *e)
{
	auto_str struct str file = { 0 };
	const char *end;

	str_init(&file, POLICY_MAX + 4096);
	if (fs_read_own(home->view, ACCEPTED, POLICY_MAX + 4096, &file, e) ==
	    -1)
		return e->sys == ENOENT ? 0 : -1;
	end = memchr(file.s, '\n', file.len);
	if (end == NULL)
		return err_set(e, ERR_FORMAT, "'%s' is damaged", ACCEPTED);
	str_addn(ret, end + 1, file.len - (size_t)(end + 1 - file.s));
	return 0;
}

/* The seal's first line is the statement, its last word the signature. */
static int
record(const struct home *home, const struct str *sealed,
    const struct key *key, struct err *e)
{
	const char *end = memchr(sealed->s, '\n', sealed->len);
	auto_free char *line = xstrndup(sealed->s, (size_t)(end - sealed->s));
	char *sig = strrchr(line, ' ');
	auto_json cJSON *fields = json_object();
	struct event ev = { .kind = "policy.accept", .fields = fields };
	struct audit *log;
	struct clock now;
	int rc;

	*sig++ = '\0';
	json_add_str(fields, "approver", key_owner(key));
	json_add_str(fields, "stmt", line);
	json_add_str(fields, "stmt_sig", sig);
	if (clock_now(&now, e) == -1 ||
	    audit_open(home->priv, home->project, &log, e) == -1)
		return -1;
	rc = audit_append(log, &ev, &now, NULL, e);
	audit_free(log);
	return rc;
}

int
accept_policy(const struct home *home, const struct policy_place *place,
    const struct str *text, const struct key *key, struct err *e)
{
	auto_str struct str sealed = { 0 };
	struct policy *p;

	if (policy_parse(text->s, text->len, POLICY_FILE, place, &p, e) == -1)
		return -1;
	policy_free(p);
	str_init(&sealed, POLICY_MAX + 4096);
	policy_seal(text->s, text->len, home->project, key_seed(key), &sealed);
	if (sealed.full)
		return err_set(e, ERR_FORMAT, "the policy is too large");
	/* The record first: what is not recorded does not happen. */
	if (record(home, &sealed, key, e) == -1)
		return -1;
	return fs_replace(home->view, ACCEPTED, sealed.s, sealed.len, 0600, e);
}
