/* What destroys something, shown: marks for eyes (approver/signals.h). */
#include "approver/show_inside.h"

#include <stdlib.h>
#include <string.h>

#include "approver/follow.h"
#include "approver/signals.h"
#include "common/fs.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define FILE_MAX	(1024 * 1024)	/* of a file that is looked into */
#define PLAN_MAX	(1024 * 1024)	/* of what a plan said */
#define PLANS_AMONG	64		/* of the newest runs */
#define TEXT_SHOWN	160		/* bytes of a line */

/* Each line that was found, whoever wants it. */
struct finder {
	const struct showing	*s;
	void	(*put)(struct finder *, const char *where,
		    const struct signal_line *);
	void	(*more)(struct finder *, const char *where, size_t n);
	struct str		*text;
	cJSON			*json;
};

static void
put_all(struct finder *f, const char *where, const struct signals *l)
{
	for (size_t i = 0; i < l->n; i++)
		f->put(f, where, &l->s[i]);
	if (l->more > 0)
		f->more(f, where, l->more);
}

/* --- files --------------------------------------------------------------- */

/* Only the bytes that the digest stands for: they are what would run. */
static void
find_in_file(struct finder *f, const struct script *script)
{
	auto_str struct str text = { 0 };
	struct digest digest;
	struct signals l;

	str_init(&text, FILE_MAX);
	if (!scripts_is_known(script) ||
	    file_load(script->path, &text, NULL) == -1 || text.full ||
	    memchr(text.s, '\0', text.len) != NULL)
		return;
	digest_of(text.s, text.len, NULL, &digest);
	if (!digest_eq(&digest, &script->digest))
		return;
	signals_of_file(script->path, text.s, text.len, &l);
	put_all(f, script->path, &l);
}

/* --- the plan ------------------------------------------------------------ */

struct plan {
	const char	*cwd;
	char		 id[ID_MAX + 1];	/* "": none */
	int64_t		 end_ms;
};

static void
take_plan(void *arg, const struct decided_before *d)
{
	struct plan *p = arg;
	const char *command = d->req == NULL ? NULL :
	    json_str(d->req->input, "command");

	if (command == NULL || d->edited || d->end_ms == 0 ||
	    strcmp(d->req->cwd, p->cwd) != 0 || !signals_is_plan(command))
		return;
	memcpy(p->id, d->id, sizeof p->id);
	p->end_ms = d->end_ms;
}

static int
keep(void *arg, int fd, const char *text, size_t len, struct err *e)
{
	(void)fd;
	(void)e;
	str_addn(arg, text, len);
	return 0;
}

static bool
read_plan(const struct showing *s, struct plan *ret, struct str *text)
{
	struct follow_end end = { 0 };
	struct follow *follow;
	int got;

	*ret = (struct plan){ .cwd = s->view->req->cwd };
	history_each(s->home, s->queue, PLANS_AMONG, take_plan, ret);
	if (ret->id[0] == '\0' || follow_open(s->home, ret->id, keep, text,
	    &follow, NULL) == -1)
		return false;
	got = follow_more(follow, &end, NULL);
	follow_close(follow);
	return got == 0 && end.state == FOLLOW_DONE;
}

/* --- all of it ----------------------------------------------------------- */

static void
find_plan(struct finder *f, struct str *head)
{
	auto_str struct str text = { 0 };
	struct signals l;
	struct plan plan;

	str_init(&text, PLAN_MAX);
	if (!read_plan(f->s, &plan, &text)) {
		str_add(head, "none was made here through sandbox: what it "
		    "changes is not known");
		return;
	}
	signals_of_plan(text.s, text.len, &l);
	str_addf(head, "of %lld s ago, request %.8s%s%s", (long long)
	    ((f->s->now.wall_ms - plan.end_ms) / 1000), plan.id,
	    text.full ? ", only its beginning" : "",
	    l.n > 0 ? ":" : ": no line in it destroys anything");
	put_all(f, "plan", &l);
}

static void
find_all(struct finder *f, struct str *head)
{
	const struct view *v = f->s->view;
	struct signals l;

	if (v->kind != CALL_SHELL)
		return;
	signals_of_command(v->subject, strlen(v->subject), &l);
	put_all(f, "", &l);
	for (size_t i = 0; i < v->scripts.n; i++)
		find_in_file(f, &v->scripts.s[i]);
	if (l.applies)
		find_plan(f, head);
}

/* --- for eyes ------------------------------------------------------------ */

static void
text_line(struct finder *f, const char *where, const struct signal_line *l)
{
	bool one = where[0] == '\0' &&
	    strchr(f->s->view->subject, '\n') == NULL;
	size_t n = l->len < TEXT_SHOWN ? l->len : TEXT_SHOWN;

	str_addf(f->text, "%-8s ", "destroys");
	if (where[0] != '\0' && where[0] != '/')
		str_addf(f->text, "%s ", where);
	else if (where[0] == '/')
		visible(where, strlen(where), VISIBLE_LINE, f->text);
	if (!one)
		str_addf(f->text, "%sline %zu ", where[0] == '/' ? " " : "",
		    l->line);
	str_addf(f->text, "(%s)", l->why);
	if (!one) {
		str_add(f->text, ": ");
		visible(l->text, n, VISIBLE_LINE, f->text);
		str_add(f->text, n < l->len ? " [...]" : "");
	}
	str_addc(f->text, '\n');
}

static void
text_more(struct finder *f, const char *where, size_t n)
{
	(void)where;
	str_addf(f->text, "%-8s %zu more lines\n", "destroys", n);
}

void
show_signals(const struct showing *s, struct str *ret)
{
	auto_str struct str head = { 0 }, lines = { 0 };
	struct finder f = { .s = s, .put = text_line, .more = text_more,
		.text = &lines };

	str_init(&head, 256);
	str_init(&lines, ret->max);
	find_all(&f, &head);
	str_addn(ret, lines.s, lines.len);
	if (head.len > 0)
		str_addf(ret, "%-8s %s\n", "plan", head.s);
}

/* --- as JSON ------------------------------------------------------------- */

static void
json_line(struct finder *f, const char *where, const struct signal_line *l)
{
	cJSON *o = json_object();

	json_add_str(o, "in", where[0] == '\0' ? "command" : where);
	json_add_int(o, "line", (int64_t)l->line);
	json_add_strn(o, "text", l->text, l->len);
	json_add_str(o, "why", l->why);
	json_push(f->json, o);
}

static void
json_more(struct finder *f, const char *where, size_t n)
{
	cJSON *o = json_object();

	json_add_str(o, "in", where[0] == '\0' ? "command" : where);
	json_add_int(o, "more", (int64_t)n);
	json_push(f->json, o);
}

cJSON *
show_signals_json(const struct showing *s)
{
	auto_str struct str head = { 0 };
	struct finder f = { .s = s, .put = json_line, .more = json_more,
		.json = json_array() };

	str_init(&head, 256);
	find_all(&f, &head);
	if (head.len > 0) {
		cJSON *o = json_object();

		json_add_str(o, "in", "plan");
		json_add_str(o, "note", head.s);
		json_push(f.json, o);
	}
	return f.json;
}
