/* policy/redirect.c - where a command's bytes come from and go to. */
#include <string.h>

#include "common/str.h"
#include "policy/remember.h"
#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

/* bash itself opens these as connections. */
static bool
is_network(const char *val)
{
	return str_starts(val, "/dev/tcp/") || str_starts(val, "/dev/udp/");
}

/* `> file` alone only empties it; so do `: > file`, `true > file` and
 * `cat /dev/null > file`. */
static bool
is_empty(const struct run *r)
{
	return r->node == NULL || (r->node->kind == SH_SIMPLE &&
	    (r->argc == 0 || str_eq(r->argv[0].val, ":") ||
	    str_eq(r->argv[0].val, "true") || (r->argc == 2 &&
	    str_eq(r->argv[0].val, "cat") &&
	    str_eq(r->argv[1].val, "/dev/null"))));
}

static void
add_target(struct run *r, const struct sh_redir *d, const struct arg *a)
{
	bool in = d->kind == SH_IN || d->kind == SH_INOUT;
	const char *target = a->many ? "\001" : a->val;

	if (!str_eq(target, "/dev/null"))
		r->w->f->shape |= REMEMBER_REDIRECTS;
	if (is_network(target)) {
		facts_effect(r->w->f, EFFECT_NET, target, NULL, a->span);
		return;
	}
	if (in)
		run_path(r, PATH_READ, a);
	/* What /dev/stdout opens anew, it opens to write. */
	if (d->kind == SH_IN && d->fd != 1 && d->fd != 2)
		return;
	run_path(r, is_empty(r) && d->kind != SH_APPEND ? PATH_WRITE :
	    PATH_KEEP, a);
}

/* >&2, <&3, >&-, 2>&1-: no file is touched. */
static bool
is_descriptor(const char *val)
{
	size_t n = strspn(val, "0123456789");

	return (n > 0 || val[0] == '-') &&
	    (val[n] == '\0' || str_eq(val + n, "-"));
}

void
redirect_add(struct run *r, const struct sh_redir *d)
{
	/* The file is opened by the shell, not by the program. */
	struct run own = *r;
	struct arg a;

	own.cmd = NULL;
	if (d->kind == SH_HEREDOC) {
		expand_parts(r->w, r->st, d->body);
		return;
	}
	a = expand_word(r->w, r->st, d->word);
	if (str_eq(a.val, "!"))		/* `>! f` of zsh */
		facts_unknown(r->w->f, NULL, walk_span(r->w, d->at, d->len),
		    "a file whose name shells read differently");
	a.span = walk_span(r->w, d->at, d->len);
	if (d->kind == SH_HERESTRING)
		return;
	if (d->kind == SH_DUP_IN || d->kind == SH_DUP_OUT) {
		if (is_descriptor(a.val))
			return;
		if (d->kind == SH_DUP_IN || !value_constant(a.val)) {
			facts_unknown(r->w->f, NULL, a.span,
			    "a descriptor that is not a number");
			return;
		}
	}
	add_target(&own, d, &a);
}
