/*
 * approver/model_inside.h - what the files of the model share: model.c keeps
 * the items, model_keys.c says what a key means and when it is dead,
 * model_decide.c what the deciding ones want, model_ask.c takes typed text.
 */
#ifndef APPROVER_MODEL_INSIDE_H
#define APPROVER_MODEL_INSIDE_H

#include "approver/model.h"

/* Something else is looked at from now on. */
void	model_to_top(struct model *);
/* Begin to ask for a text, with this one already there. */
void	model_ask(struct model *, enum model_ask, const char *text);
/* One key of a text; at its end `ret` may want something. */
void	model_spell(struct model *, int key, struct model_act *ret);

/*
 * One function per key; `arg` from the table of keys.  Those of model_decide.c
 * are called only while is_live().
 */
typedef void model_key_fn(struct model *, long arg, struct model_act *ret);
model_key_fn	model_do_approve, model_do_attach, model_do_edit,
		model_do_remember, model_do_tick, model_do_ticked,
		model_do_deny, model_do_drop, model_do_stop, model_do_undo,
		model_do_page;

#endif
