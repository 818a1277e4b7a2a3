/*
 * "The log is edited, cut, reordered, forked, replaced": attacks on archives
 * and checkpoints of a log in several files, each found in every mode, with
 * its kind, its file, its line and its exit code.
 */
#include "tests/attack/tamper_files.h"

/* --- archives --- */

static void archive_gone(struct bed *b) { unlinkat(b->t.fd, b->names[1], 0); }
static void first_gone(struct bed *b) { unlinkat(b->t.fd, b->names[0], 0); }

static void
archive_edited(struct bed *b)
{
	change(b, b->names[1], "\"agent\":\"claude\"", "\"agent\":\"clauda\"");
}

static void
archive_line_gone(struct bed *b)
{
	size_t len, at = line_at(b, b->names[1], 4, &len);

	take_out(b, b->names[1], at, len);
}

static void
archive_cut(struct bed *b)
{
	size_t len, at = line_at(b, b->names[1], 6, &len);

	take_out(b, b->names[1], at, 0);
}

static void
archive_emptied(struct bed *b)
{
	testlog_write(&b->t, b->names[1], "", 0);
}

static void
archive_copied(struct bed *b)
{
	size_t len;
	char *text = testlog_read(&b->t, b->names[0], &len);
	char name[LOGSET_NAME + 8] = "audit/";

	logset_archive_name(9999, name + 6);
	testlog_write(&b->t, name, text, len);
	free(text);
}

static void
archives_swapped(struct bed *b)
{
	ck_assert_int_eq(renameat2(b->t.fd, b->names[1], b->t.fd, b->names[2],
	    RENAME_EXCHANGE), 0);
}

static void
archive_of_strangers(struct bed *b)
{
	char name[LOGSET_NAME + 8] = "audit/";

	logset_archive_name(9999, name + 6);
	testlog_write(&b->t, name, "{\"hello\":1}\n", 12);
}

/* --- checkpoints --- */

static void
put_note(struct bed *b, const unsigned char *seed, const struct note *n)
{
	struct str text, sealed;
	unsigned char pub[SIGN_PUB];
	char sig[SIGN_SIG_HEX + 1];

	str_init(&text, NOTE_MAX);
	str_init(&sealed, NOTE_MAX);
	note_encode(n, &text);
	sign_make(seed, text.s, text.len, sig);
	sign_public(seed, pub);
	note_seal(text.s, sig, pub, &sealed);
	testlog_write(&b->t, NOTE, sealed.s, sealed.len);
	str_clear(&text);
	str_clear(&sealed);
}

static struct note
the_note(struct bed *b)
{
	struct sealed s;

	ck_assert_int_eq(audit_checkpoint_last(b->t.fd, &s, NULL), 0);
	return s.note;
}

static void
note_flipped(struct bed *b)
{
	size_t len;
	char *text = testlog_read(&b->t, NOTE, &len);

	text[len - 10] ^= 1;
	testlog_write(&b->t, NOTE, text, len);
	free(text);
}

static void
note_garbage(struct bed *b)
{
	testlog_write(&b->t, NOTE, "hello\n", 6);
}

static void
note_by_a_stranger(struct bed *b)
{
	static const unsigned char seed[SIGN_SEED] = { 99 };
	struct note n = the_note(b);

	n.size++;
	put_note(b, seed, &n);
}

static void
note_of_a_fork(struct bed *b)
{
	struct note n = the_note(b);

	n.root.b[0] ^= 1;
	put_note(b, b->t.seed, &n);
}

static void
note_of_more(struct bed *b)
{
	struct note n = the_note(b);

	n.size += 1000;
	put_note(b, b->t.seed, &n);
}

static void
note_of_another_project(struct bed *b)
{
	struct note n = the_note(b);

	memcpy(n.project, "fedcba9876543210fedcba9876543210", 33);
	put_note(b, b->t.seed, &n);
}

static void
put_back(struct bed *b)
{
	for (size_t i = 0; i < b->n; i++)
		unlinkat(b->t.fd, b->names[i], 0);
	testlog_write(&b->t, CURRENT, b->old_log.s, b->old_log.len);
	testlog_write(&b->t, "log.key", b->old_key.s, b->old_key.len);
	testlog_write(&b->t, "audit.head", b->old_pin.s, b->old_pin.len);
}

/* Log, keys, pin of before, whole in themselves: the note remembers. */
static void
all_but_the_note_put_back(struct bed *b)
{
	put_back(b);
}

/* The note too: only what lies elsewhere remembers. */
static void
all_put_back(struct bed *b)
{
	struct sealed s;

	ck_assert_int_eq(audit_checkpoint_last(b->t.fd, &s, NULL), 0);
	b->anchors = xcalloc(1, sizeof *b->anchors);
	b->anchors[0] = (struct anchor){ .where = "/mnt/elsewhere",
		.sealed = s };
	b->n_anchors = 1;
	put_back(b);
	unlinkat(b->t.fd, NOTE, 0);
}

/* In the first checkpoint's record. */
static void
record_edited(struct bed *b)
{
	for (size_t i = 0; i <= b->n; i++) {
		const char *name = i == b->n ? CURRENT : b->names[i];
		size_t len;
		char *text = testlog_read(&b->t, name, &len);
		char *p = memmem(text, len, "\\nchain ", 8);

		if (p != NULL) {
			p[20] = p[20] == '0' ? '1' : '0';
			testlog_write(&b->t, name, text, len);
			free(text);
			return;
		}
		free(text);
	}
	ck_abort_msg("no checkpoint's record");
}

struct attack {
	const char		*name;
	void			(*fn)(struct bed *);
	enum verify_kind	 kind;
	enum verify_exit	 exit;
	int			 archive;	/* -1: `file` */
	const char		*file;
	uint64_t		 line;		/* UINT64_MAX: any */
};

#define A(fn, kind, exit, archive, file, line) { #fn, fn, VERIFY_##kind, \
	VERIFY_EXIT_##exit, archive, file, line }
static const struct attack attacks[] = {
	A(archive_gone, ARCHIVE_MISSING, TRUNCATED, 2, NULL, 1),
	A(first_gone, ARCHIVE_MISSING, TRUNCATED, 1, NULL, 1),
	A(archive_edited, EDITED, TAMPERED, 1, NULL, 1),
	A(archive_line_gone, MISSING, TAMPERED, 1, NULL, 4),
	A(archive_cut, MISSING, TAMPERED, 2, NULL, 1),
	A(archive_emptied, MISSING, TAMPERED, 2, NULL, 1),
	A(archive_copied, DUPLICATE_SEQ, TAMPERED, -1,
	    "audit-000000009999.jsonl", 1),
	A(archives_swapped, REORDERED, TAMPERED, 1, NULL, 1),
	A(archive_of_strangers, INSERTED, TAMPERED, -1,
	    "audit-000000009999.jsonl", 1),
	A(record_edited, EDITED, TAMPERED, -2, NULL, UINT64_MAX),
	A(note_flipped, EDITED, TAMPERED, -1, CHECKPOINT_FILE, 0),
	A(note_garbage, EDITED, TAMPERED, -1, CHECKPOINT_FILE, 0),
	A(note_by_a_stranger, EDITED, TAMPERED, -1, CHECKPOINT_FILE, 0),
	A(note_of_a_fork, FORKED, TAMPERED, -1, CHECKPOINT_FILE, 0),
	A(note_of_more, ROLLED_BACK, TRUNCATED, -1, CHECKPOINT_FILE, 0),
	A(note_of_another_project, FOREIGN_LOG, TAMPERED, -1,
	    CHECKPOINT_FILE, 0),
	A(all_but_the_note_put_back, ROLLED_BACK, TRUNCATED, -1,
	    CHECKPOINT_FILE, 0),
	A(all_put_back, ROLLED_BACK, TRUNCATED, -1, "/mnt/elsewhere", 0),
};

static const char *
file_of(const struct bed *b, const struct attack *a)
{
	return a->archive >= 0 ? b->names[a->archive] + 6 : a->file;
}

START_TEST(an_attack_is_found_and_named)
{
	static const struct verify_options modes[] = {
		{ .fast = false }, { .full = true }, { .fast = true } };
	const struct attack *a = &attacks[_i];
	struct bed b;

	bed_up(&b);
	a->fn(&b);
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		struct verify_options o = modes[i];
		struct verify_report r;
		const struct finding *f = &r.findings[0];
		const char *file = file_of(&b, a);

		o.anchors = b.anchors;
		o.n_anchors = b.n_anchors;
		testlog_verify_as(&b.t, &o, &r);
		ck_assert_msg(r.exit == a->exit && r.n_findings > 0 &&
		    f->kind == a->kind && (file == NULL ||
		    strcmp(f->file, file) == 0) &&
		    (a->line == UINT64_MAX || f->line == a->line),
		    "%s, mode %zu: exit %d, %zu findings, first %s in %s:%d: "
		    "%s, %s", a->name, i, (int)r.exit, r.n_findings,
		    verify_kind_name(f->kind), f->file, (int)f->line,
		    f->expected, f->found);
	}
	bed_down(&b);
}
END_TEST

START_TEST(untouched_it_is_whole)
{
	struct bed b;
	struct verify_report r;

	bed_up(&b);
	testlog_verify(&b.t, true, &r);
	ck_assert_int_eq(r.exit, VERIFY_EXIT_OK);
	ck_assert_uint_eq(r.covered, 110);
	bed_down(&b);
}
END_TEST

UNIT_MAIN("attack/audit/tamper files",
	tcase_add_test(tc, untouched_it_is_whole);
	tcase_add_loop_test(tc, an_attack_is_found_and_named, 0,
	    (int)ARRAY_LEN(attacks));
)
