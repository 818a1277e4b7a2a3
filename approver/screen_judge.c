/* What is on the screen is judged, by the rules of now. */
#include "approver/screen_inside.h"

#include <string.h>

#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

static void
judge_rows(struct screen *s)
{
	struct err e;

	for (size_t i = 0; i < s->on->n; i++)
		if (desk_refresh(&s->on->desks[i], &e) == -1) {
			screen_say_err(s, &e);
			return;
		}
	for (size_t i = 0; i < s->m.n; i++)
		if (!s->m.items[i].judged && s->m.items[i].state < AT_OVER)
			detail_judge(s, &s->m.items[i], false, &e);
}

/* What cannot be judged, or not be shown, is not approved. */
static void
judge_focus(struct screen *s, struct model_item *focus)
{
	struct err e;

	if (desk_refresh(&s->on->desks[focus->place], &e) == 0 &&
	    detail_judge(s, focus, true, &e) == 0)
		return;
	focus->judged = false;
	str_reset(&s->detail);
	visible(e.text, strlen(e.text), VISIBLE_LINE, &s->detail);
}

void
screen_judge(struct screen *s)
{
	struct model_item *focus = model_focused(&s->m);

	judge_rows(s);
	str_reset(&s->detail);
	s->columns = screen_columns(s);
	detail_side(s);
	if (s->m.page == PAGE_HELP)
		detail_help(s);
	else if (s->m.page == PAGE_RULES)
		detail_rules(s);
	else if (focus != NULL && focus->state == AT_WAITS)
		judge_focus(s, focus);
	else if (focus != NULL && focus->state > AT_OVER)
		shelf_detail(s, focus);
	else if (focus != NULL)
		detail_run(s, focus);
	if (focus == NULL || focus->state == AT_WAITS ||
	    focus->state > AT_OVER)
		tail_close(&s->own);
}
