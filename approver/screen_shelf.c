/* The tabs of what is no request: files that agents changed, the audit log. */
#include "approver/screen_inside.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "common/mem.h"
#include "common/visible.h"

#include "common/banned.h"

#define SHELF_ROWS	100
/* A long log is read again after twenty times as long as that takes. */
#define SHELF_REST	20
#define DIFF_SHOWN	(12 * 1024 * 1024)

/* Did a log grow since the last look? */
static bool
has_grown(struct screen *s)
{
	struct shelf *sh = &s->shelf;
	bool grown = false;
	struct stat st;

	for (size_t i = 0; i < s->on->n && i < SHELF_PLACES; i++) {
		if (fstatat(sh->homes[i]->priv, "audit.head", &st,
		    AT_SYMLINK_NOFOLLOW) == -1)
			continue;
		grown = grown || memcmp(&sh->pins[i], &st.st_mtim,
		    sizeof st.st_mtim) != 0;
		sh->pins[i] = st.st_mtim;
	}
	return grown;
}

static void
put_file(struct screen *s, const struct changed_row *r)
{
	struct model_item *it = model_meet(&s->m, r->place, r->id, r->session,
	    AT_FILE);

	if (it != NULL)
		model_judged(it, &(struct model_look){ .tier = TIER_LOW,
		    .digest = &r->digest, .line = r->line, .like = "" });
}

static void
put_record(struct screen *s, const struct log_row *r)
{
	struct model_item *it = model_meet(&s->m, r->place, r->id, r->session,
	    AT_RECORD);

	if (it != NULL)
		model_judged(it, &(struct model_look){ .tier = TIER_LOW,
		    .digest = &r->digest, .line = r->line, .like = "" });
}

static void
drop(struct screen *s)
{
	struct shelf *sh = &s->shelf;

	model_forget(&s->m, AT_FILE);
	model_forget(&s->m, AT_RECORD);
	changed_clear(&sh->files);
	logtail_clear(&sh->log);
	sh->has_files = sh->has_log = false;
}

static void
read_files(struct screen *s)
{
	struct shelf *sh = &s->shelf;
	struct err e;

	if (changed_read(sh->homes, s->on->n, SHELF_ROWS, &sh->files,
	    &e) == -1)
		screen_say_err(s, &e);
	for (size_t i = 0; i < sh->files.n; i++)
		put_file(s, &sh->files.row[i]);
	sh->has_files = true;
}

static void
read_log(struct screen *s)
{
	struct shelf *sh = &s->shelf;
	struct err e;

	str_reset(&sh->chain);
	sh->broken = !logtail_verify(sh->homes, s->on->n, &sh->chain);
	if (logtail_read(sh->homes, s->on->n, SHELF_ROWS, &sh->log, &e) == -1)
		screen_say_err(s, &e);
	for (size_t i = 0; i < sh->log.n; i++)
		put_record(s, &sh->log.row[i]);
	sh->has_log = true;
}

void
shelf_look(struct screen *s)
{
	struct shelf *sh = &s->shelf;
	enum model_page tab = model_tab(&s->m);
	bool files = tab == PAGE_FILES, log = tab == PAGE_AUDIT;
	int64_t began = clock_boot_ms();
	bool grown;

	if (!files && !log) {
		if (sh->has_files || sh->has_log)
			drop(s);
		return;
	}
	if (files == sh->has_files && log == sh->has_log &&
	    began < sh->due_ms)
		return;
	grown = has_grown(s);
	if (files == sh->has_files && log == sh->has_log && !grown)
		return;
	drop(s);
	if (files)
		read_files(s);
	else
		read_log(s);
	model_refocus(&s->m);
	sh->due_ms = clock_boot_ms() + SHELF_REST * (clock_boot_ms() - began);
}

static int
write_file(struct screen *s, const struct model_item *it, struct str *ret,
    struct err *e)
{
	const struct changed_row *r = changed_find(&s->shelf.files, it->place,
	    it->id);

	return r == NULL ? err_set(e, ERR_NO_ID, "it is not there any more") :
	    changed_text(&s->shelf.files, r, ret, e);
}

void
shelf_detail(struct screen *s, const struct model_item *it)
{
	auto_str struct str text = { 0 };
	const struct log_row *r;
	struct err e;

	str_init(&text, DIFF_SHOWN);
	if (it->state == AT_FILE && write_file(s, it, &text, &e) == -1)
		visible(e.text, strlen(e.text), VISIBLE_LINE, &text);
	if (it->state == AT_RECORD) {
		str_addn(&text, s->shelf.chain.s, s->shelf.chain.len);
		str_addc(&text, '\n');
		r = logtail_find(&s->shelf.log, it->place, it->id);
		if (r != NULL)
			logtail_text(r, &text);
	}
	if (text.full)
		model_say(&s->m, "more text than this screen can show");
	detail_fold(s, &text);
}

/* The row that was drawn, or nothing. */
void
shelf_restore(struct screen *s, const struct model_act *act)
{
	const struct changed_row *r = changed_find(&s->shelf.files, act->place,
	    act->id);
	auto_str struct str said = { 0 };
	struct err e;

	if (r == NULL || !digest_eq(&r->digest, &act->shown)) {
		model_say(&s->m, "nothing was restored: the change is another "
		    "one now");
		return;
	}
	str_init(&said, 32768);
	if (changed_restore(s->shelf.homes[r->place], r, &said, &e) == -1)
		screen_say_err(s, &e);
	else
		model_say(&s->m, said.s);
	s->shelf.due_ms = 0;
}

void
shelf_close(struct shelf *sh)
{
	changed_clear(&sh->files);
	logtail_clear(&sh->log);
	str_clear(&sh->chain);
}
