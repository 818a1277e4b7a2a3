/*
 * The reader of bash syntax: it ends, every span lies in the text, and what it
 * calls a constant word is one: quoted again it is read as the same word.
 */
#include "common/str.h"
#include "policy/shell/arena.h"
#include "policy/shell/shell.h"
#include "tests/fuzz/fuzz.h"

static void
again(struct arena *a, const char *word)
{
	struct sh_tree tree;
	struct str s;

	str_init(&s, 1 << 20);
	str_add(&s, "x '");
	for (; *word != '\0'; word++)
		if (*word == '\'')
			str_add(&s, "'\\''");
		else
			str_addc(&s, *word);
	str_addc(&s, '\'');
	shell_read(a, s.s, s.len, &tree);
	str_clear(&s);
	/* the list, its only command, its second word */
	if (tree.fail == NULL) {
		MUST(tree.root->kids->kind == SH_SIMPLE);
		MUST(tree.root->kids->words->next->text != NULL);
		MUST(tree.root->kids->words->next->next == NULL);
	}
}

static void
look(struct arena *a, const struct sh_node *n, size_t len)
{
	for (; n != NULL; n = n->next) {
		MUST(n->at <= len && n->len <= len - n->at);
		for (const struct sh_word *w = n->words; w != NULL;
		    w = w->next) {
			MUST(w->at <= len && w->len <= len - w->at);
			if (w->text != NULL && strlen(w->text) < 4096)
				again(a, w->text);
		}
		look(a, n->kids, len);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena a;
	char *text = fuzz_text(data, size);
	size_t len = strlen(text);
	struct sh_tree tree;

	if (a.base == NULL)
		arena_init(&a, (size_t)64 << 20);
	arena_reset(&a);
	shell_read(&a, text, len, &tree);
	MUST((tree.fail == NULL) == (tree.root != NULL));
	look(&a, tree.root, len);
	free(text);
	return 0;
}
