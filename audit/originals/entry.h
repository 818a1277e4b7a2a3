/*
 * audit/originals/entry.h - what lay at a path, and lists of that.
 *
 * A list is kept as a content of the store; its digest stands in the audit
 * log, so the log vouches for every word of it.  One JSON object a line:
 *
 *	{"v":1,"files":2,"cut":false}
 *	{"p":"src/a.c","t":"f","m":420,"u":0,"g":0,"s":12,"o":"<64 hex>"}
 *	{"p":"gone","t":"-"}
 *
 * p path below the project (px: the same in hex, where it is not UTF-8), t
 * type, m mode, u and g owner, s size, o digest of the content, sp it has
 * holes, to/tox where a link leads, no why the content was not kept, i and c
 * inode and change time (of baselines).
 */
#ifndef AUDIT_ORIGINALS_ENTRY_H
#define AUDIT_ORIGINALS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "audit/originals/store.h"
#include "common/digest.h"
#include "common/err.h"

enum file_kind {
	FILE_ABSENT = 0, FILE_REGULAR, FILE_LINK, FILE_DIR,
	FILE_OTHER		/* a FIFO, a socket, a device: never touched */
};

/* Why a content could not be kept. */
enum file_lost {
	LOST_NOT = 0, LOST_LARGE, LOST_UNREADABLE, LOST_LIMIT, LOST_BUSY
};
const char	*file_lost_name(enum file_lost);

struct file_state {
	enum file_kind	 kind;
	enum file_lost	 lost;
	mode_t		 mode;		/* 07777 */
	uid_t		 uid;
	gid_t		 gid;
	uint64_t	 size;
	bool		 sparse;
	struct digest	 content;	/* FILE_REGULAR that is not lost */
	char		*link;		/* FILE_LINK */
	uint64_t	 ino;		/* 0: not noted */
	int64_t		 ctime_us;
};
void	file_state_clear(struct file_state *);
void	file_state_copy(const struct file_state *, struct file_state *ret);

/* The same to whoever reads the file; what was not kept equals nothing. */
bool	file_state_same(const struct file_state *, const struct file_state *);

struct file_entry {
	char		 *path;		/* below the project, no "." or ".." */
	struct file_state st;
};

struct file_list {
	struct file_entry *e;
	size_t		   n, cap;
	bool		   cut;		/* there was more than the limits let */
};

/* Takes what `st` owns. */
void	file_list_add(struct file_list *, const char *path,
	    const struct file_state *st);
void	file_list_clear(struct file_list *);
#define auto_list	__attribute__((cleanup(file_list_clear)))

/* By path; every parent before what is in it.  Of equal paths the first. */
void	file_list_sort(struct file_list *);
/* In a sorted list; NULL when it is not there. */
const struct file_entry *file_list_find(const struct file_list *,
	    const char *path);

/* Into the store and back.  `base` is a list it may resemble, or NULL. */
int	file_list_put(struct store *, const struct file_list *,
	    const struct digest *base, struct digest *ret, struct err *);
int	file_list_get(struct store *, const struct digest *,
	    struct file_list *ret, struct err *);

/* A path a list may hold: relative, plain components only. */
bool	file_path_ok(const char *);

#endif
