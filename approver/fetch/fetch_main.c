/*
 * sandbox-fetch - one approved page, as text.
 *
 *	sandbox-fetch --state DIR URL
 *
 * The runner starts it, so that bytes from the network are read by a process
 * that holds no key.  stdout: the text for the model.  stderr: what the human
 * sees: status, content type, size, where it came from.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "approver/fetch/fetch.h"
#include "approver/fetch/text.h"
#include "common/cmd.h"
#include "common/digest.h"
#include "common/io.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"
#include "policy/policy.h"
#include "queue/home.h"

#include "common/banned.h"

static void
say(const char *text)
{
	auto_free char *line = visible_line(text);

	dprintf(STDERR_FILENO, "%s\n", line);
}

static int
load(struct home *home, const char *state, struct keyring *approvers,
    struct policy **ret, struct err *e)
{
	auto_free char *user = NULL;
	struct policy_place place = { .approvers = approvers };

	if (home_open_state(state, home, e) == -1 ||
	    home_approvers(home, approvers, e) == -1)
		return -1;
	user = home_user_dir();
	if (user == NULL)
		return err_set(e, ERR_SETUP, "this user has no home");
	place.project = home->project;
	place.root = home->root_path;
	place.state = home->priv_path;
	place.keys = home->keys_path;
	place.home = user;
	/* Which of our programs are protected is no question of a URL. */
	place.libexec = home->priv_path;
	return policy_load(home->view, &place, ret, e);
}

static void
describe(const struct fetched *got)
{
	auto_free char *line = xasprintf("HTTP %ld, %s, %zu bytes%s, from %s",
	    got->status, got->type[0] == '\0' ? "no content type" : got->type,
	    got->body.len, got->cut ? " (the rest was cut off)" : "",
	    got->url);

	say(line);
}

static int
print(const struct fetched *got, struct err *e)
{
	enum text_kind kind = text_kind(got->type);
	auto_str struct str utf8 = { 0 }, text = { 0 };
	const struct str *from = &got->body;

	str_init(&utf8, FETCH_BODY * 2 + 1);
	str_init(&text, FETCH_BODY * 6 + 1);
	if (text_is_latin1(got->type)) {
		text_from_latin1(got->body.s, got->body.len, &utf8);
		from = &utf8;
	}
	if (kind == TEXT_HTML)
		text_from_html(from->s, from->len, &text);
	else if (kind == TEXT_PLAIN)
		utf8_clean(from->s, from->len, &text);
	else if (got->body.len > 0)
		return err_set(e, ERR_NEGATIVE, "this is no text and was not "
		    "passed on");
	return io_write_all(STDOUT_FILENO, text.s, text.len, e);
}

static int
run(const char *state, const char *url, struct err *e)
{
	auto_home struct home home = HOME_INIT;
	struct keyring approvers = { 0 };
	struct policy *policy = NULL;
	struct fetched got = { 0 };
	int rc = load(&home, state, &approvers, &policy, e);

	if (rc == 0) {
		const struct fetch f = { policy, home.root_path };

		rc = fetch(&f, url, &got, e);
	}
	if (rc == 0) {
		describe(&got);
		rc = print(&got, e);
	}
	if (rc == 0 && got.status >= 400)
		rc = err_set(e, ERR_NEGATIVE, "the server says no");
	fetched_clear(&got);
	policy_free(policy);
	keyring_clear(&approvers);
	return rc;
}

int
main(int argc, char **argv)
{
	const char *state = NULL;
	const struct opt opts[] = {
		{ "state", 0, OPT_TEXT, "DIR", "", &state },
	};
	struct err e = { 0 };

	if (digest_setup(&e) == -1 ||
	    opt_parse(opts, ARRAY_LEN(opts), &argc, argv, &e) != 0 ||
	    argc != 1 || state == NULL) {
		say("sandbox-fetch: `sandbox approve` starts this");
		return ERR_USAGE;
	}
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
		say("sandbox-fetch: cannot start");
		return ERR_SYSTEM;
	}
	if (run(state, argv[0], &e) == 0)
		return 0;
	say(e.text);
	return err_exit(&e);
}
