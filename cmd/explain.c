/*
 * sandbox explain: what a command would do, and what policy says to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approver/desk.h"
#include "cmd/cmd.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define COMMAND_MAX	(128 * 1024)

static void
print_effect(const struct effect *f, const char *command)
{
	auto_free char *target = visible_line(f->target);

	printf("  %-12s %s%s\n", effect_name(f->kind),
	    *target != '\0' ? target : "-",
	    f->certainty == CERTAIN_YES ? "" : "  (and perhaps more)");
	if (f->span_len == 0 || f->span_at + f->span_len > strlen(command))
		return;

	auto_free char *words = xstrndup(command + f->span_at, f->span_len);
	auto_free char *shown = visible_line(words);

	printf("  %-12s because of: %s\n", "", shown);
}

static void
print_text(const struct judgement *j, const char *command)
{
	const struct verdict *v = &j->verdict;
	auto_free char *shown = visible_line(command);
	auto_free char *why = visible_line(v->why);

	printf("$ %s\n\neffects\n", shown);
	for (size_t i = 0; i < j->n_effects; i++)
		print_effect(&j->effects[i], command);
	if (j->n_effects == 0)
		puts("  none");
	printf("\nverdict  %s, tier %s\nrule     %s\nwhy      %s\n",
	    action_name(v->action), tier_name(v->tier), v->rule, why);
	if (v->next[0] != '\0')
		printf("next     %s\n", v->next);
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

		json_add_str(one, "kind", effect_name(f->kind));
		json_add_str(one, "target", f->target);
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
	struct err e;

	if (cmd_parse(ctx, NULL, 0, &argc, argv) != 0)
		return ctx->exit;
	if (argc != 1 || strlen(argv[0]) > COMMAND_MAX)
		return cmd_usage(ctx, "one command, quoted");

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

	policy_decide(desk.policy, &world_real, &call, desk.judgement);
	if (ctx->json)
		print_json(desk.judgement, argv[0]);
	else
		print_text(desk.judgement, argv[0]);
	return 0;
}
