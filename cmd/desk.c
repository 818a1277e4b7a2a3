#include "cmd/desk.h"

#include <string.h>

#include "approver/sweep.h"
#include "common/mem.h"

#include "common/banned.h"

int
cmd_desk_open(const struct cmd_ctx *ctx, struct home *home, struct desk *desk,
    struct err *e)
{
	auto_free char *libexec = cmd_libexec(e);

	return libexec == NULL || cmd_home(ctx, home, e) == -1 ? -1 :
	    desk_open(home, libexec, desk, e);
}

int
cmd_desk(const struct cmd_ctx *ctx, struct home *home, struct desk *desk,
    struct err *e)
{
	return cmd_desk_open(ctx, home, desk, e) == -1 ? -1 :
	    sweep_run(desk, NULL, e);
}

int
cmd_find(struct desk *d, const char *prefix, char ret_id[static ID_MAX + 1],
    struct err *e)
{
	enum entry_state state;

	return queue_resolve(d->queue, prefix, ret_id, &state, e);
}

static void
add_quoted(struct str *s, const char *option, const char *text)
{
	str_addf(s, " %s '", option);
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			str_add(s, "'\\''");
		else
			str_addc(s, *text);
	}
	str_addc(s, '\'');
}

char *
cmd_paste_options(const struct cmd_ctx *ctx, const struct home *home)
{
	struct str s;

	str_init(&s, 16384);
	/* The root: init saw that nothing in it moves a screen. */
	if (strcmp(ctx->dir, ".") != 0)
		add_quoted(&s, "-C", home->root_path);
	if (ctx->state != NULL)
		add_quoted(&s, "--state", ctx->state);
	return str_take(&s);
}
