/*
 * cmd/install.h - what init changed outside our own folders, so that uninstall
 * can give back every byte.
 *
 * installed.json in the private directory: per file its path, whether it was
 * there, its mode, its bytes before us, and the digest of what we wrote.  The
 * record is saved before the file is touched.
 */
#ifndef CMD_INSTALL_H
#define CMD_INSTALL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/digest.h"
#include "common/err.h"
#include "common/str.h"

#define INSTALL_FILES	32
#define INSTALL_RECORD	"installed.json"

struct install_file {
	char		*path;		/* absolute, without links */
	char		*agent;		/* whose: cmd/agent.h */
	bool		 existed;
	int		 made_dirs;	/* we made so many of the directories
					   above it */
	mode_t		 mode;
	struct str	 original;	/* empty when it did not exist */
	struct digest	 written;	/* of the bytes we left there */
};

struct install {
	struct install_file	f[INSTALL_FILES];
	size_t			n;
};

/* No record is an empty one. */
int	install_load(int privfd, struct install *ret, struct err *);
int	install_save(int privfd, const struct install *, struct err *);
void	install_clear(struct install *);

/* The entry for a path, or NULL. */
struct install_file *install_find(struct install *, const char *path);
/* A new entry; BUG when the table is full. */
struct install_file *install_new(struct install *, const char *path,
	    const char *agent);

/*
 * One file that a person owns, as it is now.  A link is followed once: `path`
 * is where it leads.
 */
struct target {
	char		*path;		/* real; the file may be missing */
	char		*asked;		/* as it was named */
	bool		 exists, linked;
	int		 make_dirs;	/* so many above it are missing */
	mode_t		 mode;
	struct str	 text;
};
int	target_read(const char *root, const char *relative, size_t max,
	    struct target *ret, struct err *);
/* Could it be written?  Asked before anything is. */
int	target_check(const struct target *, struct err *);
/* Could this folder, or what is missing above it, be made and written in? */
int	target_check_dir(const char *dir, struct err *);
/* Does the name still lead there, to the same bytes?  ERR_LOST: no. */
int	target_same(const struct target *, struct err *);
/* No link is followed: `path` has none, unless somebody put one there. */
int	target_write(const struct target *, const struct str *text,
	    struct err *);
/* Remove the file, and of the directories above it the last n if empty. */
int	target_remove(const char *path, int n, struct err *);
void	target_clear(struct target *);

#endif
