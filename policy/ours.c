/* policy/ours.c - our own program behind others. */
#include <ctype.h>
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/ours.h"
#include "policy/tools.h"
#include "policy/value.h"
#include "common/banned.h"

#define LINE_BYTES	4096

static bool
in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/*
 * Behind `sandbox`: options, a value of each, then the word?  What stands
 * between two words of a shell may be the list of an interpreter.  *ret is
 * where it cannot go on; no `sandbox` in front of that gets further.
 */
static bool
approve_next(const char *p, const char **ret)
{
	static const char word[] = "approve";
	bool option = false;

	for (;;) {
		size_t gap = strspn(p, " \t'\",\\()[]");
		size_t n = 0;

		p += gap;
		*ret = p;
		while (in_name(p[n]) || p[n] == '/' || p[n] == '=')
			n++;
		if (gap == 0 || n == 0)
			return false;
		if (n == sizeof(word) - 1 && strncmp(p, word, n) == 0)
			return true;
		if (p[0] != '-' && !option)
			return false;
		option = p[0] == '-';
		p += n;
	}
}

bool
ours_text(const char *text)
{
	static const char name[] = "sandbox";

	for (const char *p = text; (p = strstr(p, name)) != NULL;) {
		const char *from = p;

		p += sizeof(name) - 1;
		if ((from == text || !in_name(from[-1])) &&
		    approve_next(p, &p))
			return true;
	}
	return false;
}

/* Programs that start the words behind them, on this machine or another. */
static const char starters[] = "sudo doas pkexec runuser setpriv capsh chroot "
    "unshare nsenter strace ltrace perf valgrind systemd-run machinectl docker "
    "podman kubectl busybox toybox unbuffer fakeroot bwrap firejail proot entr "
    "rlwrap faketime proxychains torsocks";

/* Those that take a text for a shell, and behind others, for themselves. */
static const char readers[] = "su ssh script watch parallel sem expect gdb "
    "lldb tmux screen flock alias at batch";
static const char inner[] = "sh bash zsh dash ash ksh fish python python3 perl "
    "ruby node php lua";

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* From the word on: `sandbox [OPTION [VALUE]]... approve`? */
static bool
words_approve(const struct run *r, size_t at)
{
	bool option = false;

	if (!str_eq(base_of(r->argv[at].val), "sandbox"))
		return false;
	while (++at < r->argc) {
		const char *v = r->argv[at].val;

		if (str_eq(v, "approve"))
			return true;
		if (v[0] != '-' && !option)
			return false;
		option = v[0] == '-';
	}
	return false;
}

bool
ours_behind(const struct run *r, const char *program)
{
	bool text = tool_listed(readers, program);

	if (!text && !tool_listed(starters, program))
		return false;
	for (size_t i = 1; i < r->argc; i++) {
		const char *base = base_of(r->argv[i].val);

		if (words_approve(r, i) ||
		    (text && ours_text(r->argv[i].val)))
			return true;
		text = text || tool_listed(readers, base) ||
		    tool_listed(inner, base);
	}
	return false;
}

/* Programs that print where another lies, or just their words. */
static bool
prints_name(const struct sh_word *w)
{
	static const char *const names[] = { "which", "command", "type",
		"whence", "realpath", "readlink", "echo", "printf" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eq(w->text, names[i]))
			return true;
	return false;
}

/* Is this list such a program with our name, `which sandbox`? */
static bool
body_names(const struct sh_node *n)
{
	const struct sh_word *w;

	while (n != NULL && n->words == NULL && n->next == NULL)
		n = n->kids;
	if (n == NULL || n->words == NULL || !prints_name(n->words))
		return false;
	for (w = n->words->next; w != NULL; w = w->next) {
		if (w->text != NULL && str_eq(base_of(w->text), "sandbox"))
			return true;
		if (w->text == NULL && w->parts != NULL &&
		    body_names(w->parts->body))
			return true;
	}
	return false;
}

bool
ours_first(const struct run *r)
{
	const struct sh_word *w = r->node == NULL ? NULL : r->node->words;
	const struct sh_part *p = w == NULL ? NULL : w->parts;
	const char *v;
	char line[LINE_BYTES];
	size_t n;

	if (p == NULL || p->next != NULL)
		return false;
	if (p->kind == SH_SUBST && body_names(p->body))
		v = "sandbox";
	else if (p->kind == SH_PARAM && !p->quoted)
		v = state_var(r->w, r->st, p->text);
	else
		return false;
	if (v == NULL || !value_constant(v) || strlen(v) >= sizeof(line))
		return false;
	n = strlen(v);
	memcpy(line, v, n);
	for (size_t i = 1; i < r->argc; i++) {
		size_t m = strlen(r->argv[i].val);

		if (n + m + 2 > sizeof(line))
			break;
		line[n++] = ' ';
		memcpy(line + n, r->argv[i].val, m);
		n += m;
	}
	line[n] = '\0';
	/* $x may as well begin with a program that only shows its words. */
	n = strcspn(line, " \t\n");
	return ours_text(line) && n >= 7 &&
	    strncmp(line + n - 7, "sandbox", 7) == 0;
}
