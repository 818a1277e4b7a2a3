/* policy/output.c - what $(...) will be, where that can be told. */
#include <string.h>

#include "common/mem.h"
#include "common/str.h"
#include "policy/value.h"
#include "policy/walk.h"
#include "common/banned.h"

/* `echo x`, `printf x`, `pwd`: what they print is known. */
static const char *
constant_output(struct walk *w, const struct state *st,
    const struct sh_node *n)
{
	const struct sh_word *v = n->words->next;

	if (n->redirs != NULL)
		return NULL;
	if (str_eq(n->words->text, "pwd") && v == NULL)
		return state_var(w, st, "PWD");
	if (!str_eq(n->words->text, "echo") &&
	    !str_eq(n->words->text, "printf"))
		return NULL;
	if (v == NULL || v->next != NULL || v->text == NULL ||
	    v->text[0] == '\0' || v->text[0] == '-' ||
	    strpbrk(v->text, "%\\ \t\n*?[") != NULL)
		return NULL;
	return v->text;
}

/* What may stand behind the known words and change nothing about the kind. */
enum more { MORE_NONE, MORE_WORD, MORE_PAIR, MORE_PICK };

static bool
more_ok(enum more more, const struct sh_word *v)
{
	static const char *const picks[] = { "--grep=", "--since=",
	    "--until=", "--author=", "--after=", "--before=" };
	bool ok = false;

	if (v == NULL)
		return true;
	if (v->text == NULL || more == MORE_NONE)
		return false;
	if (v->text[0] != '-')
		return more == MORE_PICK ? more_ok(more, v->next) :
		    v->next == NULL || (more == MORE_PAIR &&
		    more_ok(MORE_WORD, v->next));
	if (more != MORE_PICK)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(picks); i++)
		ok = ok || str_starts(v->text, picks[i]);
	ok = ok || str_eq(v->text, "-n") || str_eq(v->text, "--") ||
	    v->text[1 + strspn(v->text + 1, "0123456789")] == '\0';
	return ok && more_ok(more, v->next);
}

#define NUMBER	"\003\002"	/* a word that is no option */
#define PATH	"/\001"

static const struct {
	const char	*words, *value;
	enum more	 more;
} known[] = {
	{ "git rev-parse --show-toplevel", PATH, MORE_NONE },
	{ "go list -m -f {{.Dir}}", PATH, MORE_WORD },
	{ "go env GOPATH", PATH, MORE_NONE },
	{ "go env GOROOT", PATH, MORE_NONE },
	{ "go env GOMODCACHE", PATH, MORE_NONE },
	{ "npm root -g", PATH, MORE_NONE },
	{ "npm prefix -g", PATH, MORE_NONE },
	{ "mktemp", "/tmp/\002", MORE_NONE },
	{ "mktemp -d", "/tmp/\002", MORE_NONE },
	{ "nproc", NUMBER, MORE_NONE }, { "id -u", NUMBER, MORE_NONE },
	{ "id -g", NUMBER, MORE_NONE }, { "wc -l", NUMBER, MORE_NONE },
	{ "wc -c", NUMBER, MORE_NONE }, { "grep -c", NUMBER, MORE_PAIR },
	{ "git rev-parse HEAD", NUMBER, MORE_NONE },
	{ "git rev-parse --short HEAD", NUMBER, MORE_NONE },
	{ "git log --format=%h", NUMBER, MORE_PICK },
	{ "git log --format=%H", NUMBER, MORE_PICK },
	{ "git log -1 --format=%h", NUMBER, MORE_PICK },
	{ "git log -1 --format=%H", NUMBER, MORE_PICK },
	{ "git merge-base", NUMBER, MORE_PICK },
	{ "git rev-list --count HEAD", NUMBER, MORE_NONE },
	{ "date +%s", NUMBER, MORE_NONE }, { "date +%F", NUMBER, MORE_NONE },
	{ "date -I", NUMBER, MORE_NONE }, { "date +%Y", NUMBER, MORE_NONE },
	{ "date +%Y-%m-%d", NUMBER, MORE_NONE },
	{ "date +%Y-%m", NUMBER, MORE_NONE },
	{ "date +%Y%m%d", NUMBER, MORE_NONE },
	{ "date +%Y%m%d%H%M%S", NUMBER, MORE_NONE },
	{ "date +%Y%m%d-%H%M%S", NUMBER, MORE_NONE },
	{ "date +%Y%m%d_%H%M%S", NUMBER, MORE_NONE },
};

static bool
says(const struct sh_word *v, const char *words, enum more more)
{
	while (*words != '\0') {
		size_t n;

		if (v == NULL || v->text == NULL)
			return false;
		n = strlen(v->text);
		if (strncmp(words, v->text, n) != 0 ||
		    (words[n] != ' ' && words[n] != '\0'))
			return false;
		words += n + (words[n] == ' ');
		v = v->next;
	}
	return more_ok(more, v);
}

const char *
output_of(struct walk *w, const struct state *st, const struct sh_node *body)
{
	const struct sh_node *n = body == NULL ? NULL : body->kids;
	const char *text;

	if (n == NULL || n->next != NULL)
		return NULL;
	if (n->kind == SH_PIPE)		/* what its last command prints */
		for (n = n->kids; n != NULL && n->next != NULL;)
			n = n->next;
	if (n == NULL || n->kind != SH_SIMPLE || n->assigns != NULL ||
	    n->words == NULL || n->words->text == NULL)
		return NULL;
	for (const struct name *f = w->functions; f != NULL; f = f->next)
		if (str_eq(f->name, n->words->text))
			return NULL;
	text = constant_output(w, st, n);
	for (size_t i = 0; text == NULL && i < ARRAY_LEN(known); i++)
		if (says(n->words, known[i].words, known[i].more))
			text = known[i].value;
	return text;
}
