/*
 * sandbox explain: what a command would do, and what policy says to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "approver/desk.h"
#include "approver/human.h"
#include "cmd/cmd.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"
#include "policy/review.h"

#include "common/banned.h"

#define COMMAND_MAX	(128 * 1024)

static void
print_effect(const struct effect *f, const char *command)
{
	auto_free char *raw = effect_target(f);
	auto_free char *target = visible_line(raw);

	printf("  %-12s %s%s\n", effect_name(f->kind),
	    *target != '\0' ? target : "-",
	    f->certainty == CERTAIN_YES ? "" : "  (and perhaps more)");
	if (f->span_len == 0 || f->span_at + f->span_len > strlen(command))
		return;

	auto_free char *words = xstrndup(command + f->span_at, f->span_len);
	auto_free char *shown = visible_line(words);

	printf("  %-12s because of: %s\n", "", shown);
}

/* How many columns the first `len` bytes take, counting wide ones as one. */
static int
columns(const char *text, size_t len)
{
	auto_free char *part = xstrndup(text, len);
	auto_free char *shown = visible_line(part);
	int n = 0;

	for (const char *p = shown; *p != '\0'; p++)
		n += ((unsigned char)*p & 0xc0) != 0x80;
	return n;
}

/* Under the words that an effect came from. */
static void
underline(const struct effect *f, const char *command)
{
	size_t len = strlen(command);
	int from, n;

	if (f->span_len == 0 || f->span_at > len ||
	    f->span_len > len - f->span_at)
		return;
	from = columns(command, f->span_at);
	n = columns(command + f->span_at, f->span_len);
	printf("  %*s", from, "");
	for (int i = 0; i < n; i++)
		putchar('^');
	printf(" %s\n", effect_name(f->kind));
}

static void
print_text(const struct judgement *j, const char *command)
{
	const struct verdict *v = &j->verdict;
	auto_free char *shown = visible_line(command);
	auto_free char *why = visible_line(v->why);

	printf("$ %s\n", shown);
	for (size_t i = 0; i < j->n_effects; i++)
		underline(&j->effects[i], command);
	puts("\neffects");
	for (size_t i = 0; i < j->n_effects; i++)
		print_effect(&j->effects[i], command);
	if (j->n_effects == 0)
		puts("  none");
	printf("\nverdict  %s, tier %s\nrule     %s\nwhy      %s\n",
	    action_name(v->action), tier_name(v->tier), v->rule, why);
	if (v->next[0] != '\0')
		printf("next     %s\n", v->next);
}

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Every rule tried, and what would allow it: that only a human is told. */
static void
print_rules(const struct home *home, const struct desk *desk)
{
	auto_str struct str s = { 0 }, shown = { 0 };
	struct err e;

	str_init(&s, 1 << 20);
	str_init(&shown, 4 << 20);
	review_tried(desk->policy, desk->judgement, &s);
	if (s.len > 0)
		str_add(&shown, "\nrules\n");
	visible(s.s, s.len, VISIBLE_TEXT, &shown);
	str_reset(&s);
	if (human_only(home, &e) == 0 &&
	    review_rule(desk->policy, desk->judgement, &s)) {
		str_add(&shown, "\nthe smallest rule that would allow it, "
		    "for policy.json\n  ");
		visible(s.s, s.len, VISIBLE_LINE, &shown);
		str_addc(&shown, '\n');
	}
	fputs(shown.s, stdout);
}

static void
print_json(const struct judgement *j, const char *command)
{
	const struct verdict *v = &j->verdict;
	auto_json cJSON *o = json_object();
	cJSON *list = json_array();

	json_add_str(o, "command", command);
	json_add_str(o, "decision", action_name(v->action));
	json_add_str(o, "tier", tier_name(v->tier));
	json_add_str(o, "rule", v->rule);
	json_add_str(o, "why", v->why);
	for (size_t i = 0; i < j->n_effects; i++) {
		const struct effect *f = &j->effects[i];
		cJSON *one = json_object();
		cJSON *span = json_array();
		auto_free char *target = effect_target(f);

		json_add_str(one, "kind", effect_name(f->kind));
		json_add_str(one, "target", target);
		json_add_bool(one, "certain", f->certainty == CERTAIN_YES);
		json_push(span, cJSON_CreateNumber(f->span_at));
		json_push(span, cJSON_CreateNumber(f->span_len));
		json_add(one, "span", span);
		json_push(list, one);
	}
	json_add(o, "effects", list);
	cmd_put_json(o);
}

int
cmd_explain(struct cmd_ctx *ctx, int argc, char **argv)
{
	auto_home struct home home = HOME_INIT;
	auto_desk struct desk desk = { 0 };
	auto_json cJSON *input = json_object();
	double us[3];
	struct err e;

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1 || strlen(argv[0]) > COMMAND_MAX)
		return cmd_usage(ctx, "one command, quoted");

	us[0] = now_us();

	auto_free char *libexec = cmd_libexec(&e);
	auto_free char *cwd = realpath(ctx->dir, NULL);

	if (libexec == NULL || cmd_home(ctx, &home, &e) == -1 ||
	    desk_open(&home, libexec, &desk, &e) == -1)
		return cmd_fail(&e);
	json_add_str(input, "command", argv[0]);

	const struct call call = {
		.client = "claude", .tool = "Bash", .input = input,
		.cwd = cwd != NULL ? cwd : home.root_path,
	};

	us[1] = now_us();
	policy_decide(desk.policy, &world_real, &call, desk.judgement);
	us[2] = now_us();
	if (ctx->json)
		print_json(desk.judgement, argv[0]);
	else
		print_text(desk.judgement, argv[0]);
	if (ctx->json)
		return 0;
	print_rules(&home, &desk);
	printf("\ntime     loading the policy %.0f us, judging %.0f us\n",
	    us[1] - us[0], us[2] - us[1]);
	return 0;
}
