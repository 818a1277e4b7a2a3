/*
 * common/fs.h - files as (directory descriptor, name) pairs.
 *
 * A name here is one path component, or a relative path that must stay below
 * the descriptor (fs_beneath).  No function follows a symbolic link unless its
 * name says so, every descriptor is close-on-exec, and what a file *is* is
 * asked of the open descriptor, never of the name.
 */
#ifndef COMMON_FS_H
#define COMMON_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/stat.h>

#include "common/err.h"
#include "common/str.h"

/* A plain component: not empty, not "." or "..", no '/', at most 255 bytes. */
bool	fs_name_ok(const char *name);

/* Open a directory below dirfd; no link anywhere in `path` is followed. */
int	fs_open_dir(int dirfd, const char *path, struct err *);

/*
 * Open a directory by absolute path, links allowed: for paths a human or the
 * registration named (a project root may lie behind a link).
 */
int	fs_open_dir_follow(const char *path, struct err *);

/* openat2(RESOLVE_BENEATH | NO_SYMLINKS | NO_MAGICLINKS) with `flags`. */
int	fs_beneath(int dirfd, const char *path, int flags, struct err *);

/*
 * Open a file for reading that must be regular, have one link, belong to us
 * and be closed to group and others.  Never blocks (O_NONBLOCK), so a FIFO is
 * an error and not a trap.  ret_st may be NULL.  Returns the descriptor.
 * A missing file sets err.sys to ENOENT; what it is not, is ERR_FORMAT.
 */
int	fs_open_own(int dirfd, const char *name, struct stat *ret_st,
	    struct err *);

/* fs_open_own and read all of it, at most max bytes. */
int	fs_read_own(int dirfd, const char *name, size_t max, struct str *ret,
	    struct err *);

/* Any regular file: no ownership rule, but no link and no FIFO either. */
int	fs_open_plain(int dirfd, const char *name, struct stat *ret_st,
	    struct err *);

/* mkdir(0700); an existing one must pass fs_check_private.  Returns its fd. */
int	fs_make_private(int dirfd, const char *name, struct err *);

/* A directory of ours, closed to group and others. */
int	fs_check_private(int fd, const char *what, struct err *);

/* Create with O_EXCL, 0600.  Returns the descriptor; EEXIST in err.sys. */
int	fs_create(int dirfd, const char *name, struct err *);

/* fs_create, write, optionally fdatasync, close.  Unlinks what it half did. */
int	fs_write_new(int dirfd, const char *name, const void *, size_t len,
	    bool sync, struct err *);

/*
 * Replace or create `name` so that a reader sees the old or the new bytes:
 * write to a temporary sibling, fsync, rename over, fsync the directory.
 */
int	fs_replace(int dirfd, const char *name, const void *, size_t len,
	    mode_t mode, struct err *);

/*
 * The same for a file that must not exist yet (EEXIST in err.sys), 0600: of
 * two that publish at once one wins, and a reader sees all of it or nothing.
 */
int	fs_publish(int dirfd, const char *name, const void *, size_t len,
	    struct err *);

/*
 * renameat2(RENAME_NOREPLACE); where the file system lacks the flag, a plain
 * rename after the target was seen not to exist.  err.sys holds errno.
 */
int	fs_rename_new(int fromfd, const char *from, int tofd, const char *to,
	    struct err *);

/*
 * The names in a directory that `want` accepts (NULL: all but . and ..), at
 * most max of them, unsorted.  *ret_more counts those that did not fit.
 */
struct fs_names {
	char	**names;
	size_t	  n;
};
int	fs_list(int dirfd, bool (*want)(const char *), size_t max,
	    struct fs_names *ret, size_t *ret_more, struct err *);
void	fs_names_clear(struct fs_names *);

/* The absolute, link-free path of an open descriptor, via /proc/self/fd. */
int	fs_path_of(int fd, struct str *ret, struct err *);

#endif
