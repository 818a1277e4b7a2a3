/*
 * sandbox completion bash|zsh|fish - what a shell needs to complete our words,
 * made from the command table: names, the options and verbs in a synopsis,
 * and the ids of what waits.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cmd/agent.h"
#include "cmd/cmd.h"
#include "common/mem.h"

#include "common/banned.h"

#define WORDS_MAX	64

struct words {
	char	*w[WORDS_MAX];
	size_t	 n;
};

static void
words_add(struct words *list, const char *word, size_t len)
{
	for (size_t i = 0; i < list->n; i++)
		if (strlen(list->w[i]) == len &&
		    strncmp(list->w[i], word, len) == 0)
			return;
	if (list->n < WORDS_MAX)
		list->w[list->n++] = xstrndup(word, len);
}

static void
words_clear(struct words *list)
{
	for (size_t i = 0; i < list->n; i++)
		mem_free_ptr(&list->w[i]);
	list->n = 0;
}

/* -m, --digest, ... in a synopsis. */
static void
find_options(const struct cmd *c, struct words *ret)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";

	for (const char *p = c->synopsis; *p != '\0'; p++) {
		size_t n = strspn(p, letters);

		if (*p == '-' && n > 1 && (p == c->synopsis ||
		    strchr(" [|(", p[-1]) != NULL) && strspn(p, "-") < n)
			words_add(ret, p, n);
		p += n > 0 ? n - 1 : 0;
	}
	if ((c->flags & CMD_JSON) != 0)
		words_add(ret, "--json", 6);
	words_add(ret, "-C", 2);
	words_add(ret, "--state", 7);
	words_add(ret, "--help", 6);
}

/* "show|check|try [FILE] | forget ID": words that stand before a bar, behind
 * one, or alone in front. */
static void
find_verbs(const struct cmd *c, struct words *ret)
{
	const char *p = c->synopsis;
	bool head = strchr(p, '|') != NULL;

	for (; head && *p != '\0'; p++) {
		size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz");
		bool front = p == c->synopsis || p[-1] == '|' ||
		    (p - c->synopsis >= 2 && strncmp(p - 2, "| ", 2) == 0);

		if (n > 1 && front && (p[n] == '|' || p[n] == ' ' ||
		    p[n] == '\0'))
			words_add(ret, p, n);
		p += n > 0 ? n - 1 : 0;
	}
}

static bool
takes_id(const struct cmd *c)
{
	return str_starts(c->synopsis, "ID");
}

static void
print_words(const struct words *list)
{
	for (size_t i = 0; i < list->n; i++)
		printf("%s%s", i == 0 ? "" : " ", list->w[i]);
}

/* The ids that wait, for any shell. */
#define IDS	"sandbox pending --json 2>/dev/null | " \
	"grep -o '\"id\":\"[^\"]*\"' | cut -d'\"' -f4"

/* One word for any of the three; the caller frees. */
static char *
quoted(const char *text)
{
	struct str s;

	str_init(&s, 4096);
	agent_shell_word(text, &s);
	return str_take(&s);
}

static void
begin_bash(void)
{
	puts("# bash completion of sandbox, made by `sandbox completion bash`");
	puts("_sandbox()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=");
	puts("\tif [ \"$COMP_CWORD\" -eq 1 ]; then");
	fputs("\t\twords='", stdout);
	for (const struct cmd *c = cmd_table; c->name != NULL; c++)
		printf("%s ", c->name);
	puts("--help --version'\n\telse\n\t\tcase ${COMP_WORDS[1]} in");
}

static void
one_bash(const struct cmd *c, const struct words *options,
    const struct words *verbs)
{
	printf("\t\t%s)\n\t\t\twords='", c->name);
	print_words(options);
	if (verbs->n > 0)
		putchar(' ');
	print_words(verbs);
	puts("'");
	if (takes_id(c))
		puts("\t\t\twords=\"$words $(" IDS ")\"");
	puts("\t\t\t;;");
}

static void
end_bash(void)
{
	puts("\t\tesac\n\tfi\n"
	    "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	    "}\ncomplete -o bashdefault -o default -F _sandbox sandbox");
}

static void
begin_zsh(void)
{
	puts("#compdef sandbox\n"
	    "# zsh completion of sandbox, made by `sandbox completion zsh`\n"
	    "_sandbox() {\n\tlocal -a commands words_\n\tcommands=(");
	for (const struct cmd *c = cmd_table; c->name != NULL; c++) {
		auto_free char *pair = xasprintf("%s:%s", c->name, c->about);
		auto_free char *word = quoted(pair);

		printf("\t\t%s\n", word);
	}
	puts("\t)\n\tif (( CURRENT == 2 )); then\n"
	    "\t\t_describe command commands\n\t\treturn\n\tfi\n"
	    "\tcase ${words[2]} in");
}

static void
one_zsh(const struct cmd *c, const struct words *options,
    const struct words *verbs)
{
	printf("\t%s)\n\t\twords_=(", c->name);
	print_words(options);
	if (verbs->n > 0)
		putchar(' ');
	print_words(verbs);
	puts(")");
	if (takes_id(c))
		puts("\t\twords_+=(${(f)\"$(" IDS ")\"})");
	puts("\t\t;;");
}

static void
end_zsh(void)
{
	puts("\tesac\n\tcompadd -- $words_\n\t_files\n}\n"
	    "if [ \"$funcstack[1]\" = _sandbox ]; then\n"
	    "\t_sandbox \"$@\"\nelse\n\tcompdef _sandbox sandbox\nfi");
}

static void
begin_fish(void)
{
	puts("# fish completion of sandbox, made by `sandbox completion fish`");
	for (const struct cmd *c = cmd_table; c->name != NULL; c++) {
		auto_free char *about = quoted(c->about);

		printf("complete -c sandbox -n __fish_use_subcommand "
		    "-f -a %s -d %s\n", c->name, about);
	}
}

static void
one_fish(const struct cmd *c, const struct words *options,
    const struct words *verbs)
{
	auto_free char *when = xasprintf("complete -c sandbox -n "
	    "'__fish_seen_subcommand_from %s'", c->name);

	for (size_t i = 0; i < options->n; i++) {
		const char *o = options->w[i];

		printf("%s -%s %s\n", when, o[1] == '-' ? "l" : "s",
		    o + (o[1] == '-' ? 2 : 1));
	}
	for (size_t i = 0; i < verbs->n; i++)
		printf("%s -f -a %s\n", when, verbs->w[i]);
	if (takes_id(c))
		printf("%s -f -a '(%s)'\n", when, "sandbox pending --json "
		    "2>/dev/null | string match -ra -g \"\\\"id\\\":\\\""
		    "([^\\\"]*)\\\"\"");
}

static void
nothing(void)
{
}

static const struct shell {
	const char *name;
	void (*begin)(void), (*end)(void);
	void (*one)(const struct cmd *, const struct words *,
	    const struct words *);
} shells[] = {
	{ "bash", begin_bash, end_bash, one_bash },
	{ "zsh", begin_zsh, end_zsh, one_zsh },
	{ "fish", begin_fish, nothing, one_fish },
};

static void
print_shell(const struct shell *sh)
{
	sh->begin();
	for (const struct cmd *c = cmd_table; c->name != NULL; c++) {
		struct words options = { .n = 0 }, verbs = { .n = 0 };

		find_options(c, &options);
		find_verbs(c, &verbs);
		sh->one(c, &options, &verbs);
		words_clear(&options);
		words_clear(&verbs);
	}
	sh->end();
}

int
cmd_completion(struct cmd_ctx *ctx, int argc, char **argv)
{
	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1)
		return cmd_usage(ctx, "bash, zsh or fish");
	for (size_t i = 0; i < ARRAY_LEN(shells); i++)
		if (strcmp(shells[i].name, argv[0]) == 0) {
			print_shell(&shells[i]);
			return 0;
		}
	return cmd_usage(ctx, "bash, zsh or fish");
}
