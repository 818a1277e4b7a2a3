/*
 * queue/inside.h - what the files of this room share.  Nobody else includes
 * it; the room's promises are in home.h and queue.h.
 */
#ifndef QUEUE_INSIDE_H
#define QUEUE_INSIDE_H

#include "common/err.h"
#include "common/fs.h"
#include "queue/home.h"
#include "queue/queue.h"

/* --- home.c, home_make.c, record.c --- */

#define HOME_RECORD_MAX	16384
#define HOME_ROOT_MAX	4096

/* record.json: which folder a private directory belongs to. */
struct home_record {
	char	*root;
	char	 project[HOME_PROJECT + 1];
	int64_t	 uid, created_wall_ms;
	char	 genesis[DIGEST_HEX + 1];	/* "" until the log has begun */
	char	*keys;		/* where the approver keeps the key, or NULL */
};
void	home_record_clear(struct home_record *);
int	home_record_read(int priv, struct home_record *ret, struct err *);
int	home_record_write(int priv, const struct home_record *, struct err *);
/* Read it, compare it with the home, take project and genesis from it. */
int	home_record_adopt(struct home *, struct err *);
#define auto_record	__attribute__((cleanup(home_record_clear)))

typedef int home_folder_fn(int dirfd, const char *name, int *ret,
	    struct err *);
/* What only `init` can mend becomes ERR_SETUP and says so. */
int	home_setup_err(struct err *);
int	home_open_root(struct home *, const char *root, struct err *);
int	home_open_priv(struct home *, const char *state, struct err *);
char	*home_state_path(const char *base, const char *real_root);
/* Open (or make) every folder of a side with `get`. */
int	home_private_folders(struct home *, home_folder_fn *get, struct err *);
int	home_shared_folders(struct home *, home_folder_fn *get, struct err *);

/* --- request.c, request_read.c --- */

#define REQUEST_FIELD_MAX	64	/* of a blob's field name */
#define REQUEST_LOCALE_MAX	128	/* of LANG, LC_*, TZ */

/* The texts of a request: one table frees, writes, reads and bounds them. */
#define REQUEST_TEXTS	10
struct request_text {
	const char	*name;
	size_t		 at;
	size_t		 max;
};
extern const struct request_text request_texts[REQUEST_TEXTS];
char	**request_text_at(struct request *, size_t i);
int	request_check_texts(struct request *, struct err *);

/* --- presence.c --- */

/* Drop the notes of clients that are gone. */
void	queue_forget_clients(const struct home *);

/* --- await.c --- */

/* File systems whose changes may happen on another machine or layer. */
bool	queue_is_remote(int dirfd);

/* --- store.c: opening, reading and moving files --- */

enum queue_dir {
	DIR_TMP, DIR_PENDING, DIR_CLAIMED, DIR_ANSWERED, DIR_CLOSED,
	DIR_BLOBS, DIR_ASIDE, DIR_COUNT
};

struct queue {
	const struct home	*home;
	struct queue_limits	 lim;
	int			 dir[DIR_COUNT];
};

/* No folder is read further than this many names. */
#define QUEUE_NAMES_MAX	65536
/* "<id>-a", the name of an answer. */
#define ANSWER_NAME	(ID_MAX + 3)
void	queue_answer_name(const char *id, char ret[static ANSWER_NAME]);
bool	queue_is_answer(const char *name);

/*
 * Is there anything of that name?  When it cannot be told: yes, because every
 * caller asks for a reason not to go on.
 */
bool	queue_has(int dirfd, const char *name);
/*
 * Which of pending/, claimed/ and closed/ holds the request?  DIR_COUNT: none.
 * One that is taken and given back while we look is looked for again.
 */
enum queue_dir queue_find(const struct queue *, const char *id);
/* Does another open file description hold a lock on it (F_OFD_GETLK)? */
bool	queue_locked(int fd);

/* Move what no honest writer made out of the way, unopened.  False: gone. */
bool	queue_set_aside(struct queue *, enum queue_dir, const char *name);

/*
 * Did opening or reading fail because of what the file is?  Then it is set
 * aside; a disk or a descriptor table that failed condemns no file.
 */
bool	queue_is_damage(const struct err *);

/* What the file of a request says beside its bytes. */
struct queue_file {
	struct stat	 st;
	bool		 waiter;	/* its asker holds the lock */
};

/*
 * Read one request file.  ret_file may be NULL.  ERR_NO_ID: not there;
 * ERR_FORMAT: damaged, or not a plain private file.
 */
int	queue_get(struct queue *, enum queue_dir, const char *id,
	    struct request *ret, struct queue_file *ret_file, struct err *);
/*
 * Could an honest asker of this project have written that?  Not from the
 * future, no longer life than the policy gives.  ERR_FORMAT when not.
 */
int	queue_admit(const struct queue *, const struct request *,
	    const struct clock *, struct err *);
/* Its time by the name alone, for filters that open nothing. */
int64_t	queue_id_boot_ms(const char *id);

/*
 * Write a file into a folder so that it appears whole: tmp/ under a name of
 * its own, then a rename that replaces nothing.
 */
int	queue_put(struct queue *, enum queue_dir, const char *name,
	    const struct str *, struct err *);

/*
 * Move to another folder under the same name.  A file that already lies there
 * was planted, and is set aside.
 */
int	queue_move(struct queue *, enum queue_dir from, enum queue_dir to,
	    const char *name, struct err *);

/*
 * The names in a folder that `want` accepts, by id_compare; ret_foreign grows
 * by those that are neither an id nor an answer.
 */
int	queue_ids(struct queue *, enum queue_dir, bool (*want)(const char *),
	    struct fs_names *ret, size_t *ret_foreign, struct err *);

/* --- blob.c --- */

/* Put the request's blob back; nothing to do without one. */
int	queue_get_blob(struct queue *, struct request *, struct err *);
int	queue_put_blob(struct queue *, const struct digest *,
	    const struct str *, struct err *);
/* Remove blobs that no waiting request names. */
void	queue_drop_blobs(struct queue *, const struct clock *);

/* --- ledger.c: the private side --- */

enum ledger_mark { LEDGER_USED, LEDGER_STARTED, LEDGER_COLLECTED };

bool	queue_ledger_has(const struct queue *, const char *id,
	    enum ledger_mark);
/* O_EXCL; EEXIST in err.sys.  `sync`: it and its name survive power loss. */
int	queue_ledger_add(const struct queue *, const char *id,
	    enum ledger_mark, const char *text, bool sync, struct err *);

/*
 * Take run/<id>/lock without waiting: 1 held, 0 someone else has it, -1.
 * Whoever holds it may remove the directory, so a taker looks again.
 */
int	queue_run_lock(const struct queue *, const char *id, int *ret_dir,
	    int *ret_lock, struct err *);
/*
 * Is `lock_fd` that lock, held?  For a runner that got it by inheritance.
 * Opens run/<id>.
 */
int	queue_run_holds(const struct queue *, const char *id, int lock_fd,
	    int *ret_dir, struct err *);
/* Remove run/<id> and all in it; only while its lock is held. */
void	queue_run_remove(const struct queue *, const char *id, int rundir);

/*
 * Publish an answer and close its request.  The private copy comes first: a
 * crash after it loses nothing, the sweeper goes on from there.
 */
int	queue_publish(struct queue *, int rundir, const struct answer *,
	    struct err *);
/* The second half, from the private copy. */
int	queue_republish(struct queue *, const char *id, int rundir,
	    struct err *);
#define RUN_ANSWER	"answer"
/* Was it answered that nothing ran? */
bool	queue_never_started(const struct queue *, const char *id);

/* run/<id>/denial: the answer of claim_deny, before anything is consumed. */
int	queue_put_denial(int rundir, const struct answer *, struct err *);
void	queue_drop_denial(int rundir);
/*
 * That answer, if its approval is the one in ledger/<id>.used: then it was
 * denied, and these are the words.  False: nothing like it.
 */
bool	queue_get_denial(const struct queue *, const char *id, int rundir,
	    struct answer *ret);

#endif
