#include "cmd/grade.h"

#include <fcntl.h>
#include <unistd.h>

#include "approver/key.h"
#include "common/mem.h"

#include "common/banned.h"

static char
say(struct str *why, char is, const char *text)
{
	if (why != NULL)
		str_add(why, text);
	return is;
}

/* Inside: seen, not believed. */
static char
inside(const struct home *home, bool has_key, struct str *why)
{
	auto_free char *probe = xasprintf("%s/view/.probe", home->priv_path);

	if (has_key)
		return say(why, '-', "in the jail the approver's key can be "
		    "read");
	if (open(probe, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) != -1)
		return say(why, '-', "in the jail the view can be written");
	return say(why, 'B', "an agent in the jail: the private directory, "
	    "the keys and the sockets of terminals and engines are hidden, "
	    "its settings cannot be changed");
}

char
grade(const struct home *home, struct str *why)
{
	auto_close int dir = key_dir_open(false, NULL);
	auto_key struct key *k = NULL;
	struct err e = { 0 };
	bool has = dir != -1 && key_load(dir, &k, &e) == 0;

	if (home->jailed)
		return inside(home, has, why);
	if (!has)
		return say(why, '-', dir == -1 ? "there is none" : e.text);
	if (key_is_locked_kind(k))
		return say(why, 'C', "same user, key locked by a passphrase; "
		    "an agent started by `sandbox run --agent` is in B");
	return say(why, 'D', "same user, open key: code that already runs as "
	    "you could approve; a passphrase locks it, and "
	    "`sandbox run --agent` keeps an agent's code away (B)");
}
