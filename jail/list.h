/*
 * jail/list.h - a list of strings, and what paths are to each other.
 *
 * Paths here are absolute and normal (path_normal): no "." or "..", no double
 * or trailing slash.  Nothing in this file looks at a file system.
 */
#ifndef JAIL_LIST_H
#define JAIL_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	char	**v;
	size_t	  n;
};

void	list_add(struct list *, char *owned);
bool	list_has(const struct list *, const char *);
/* Append copies of all of `from`; what is already there is not doubled. */
void	list_join(struct list *, const struct list *from);
/* The same without looking, for long lists. */
void	list_append(struct list *, const struct list *from);
void	list_clear(struct list *);

/*
 * Tables: n things of `size` bytes that begin with a pointer to their path, in
 * the order of path_order (for qsort); a path is the first `len` bytes of one.
 */
int	path_order(const void *, const void *);
void	list_sort(struct list *);
/* The number of the first thing that is not before it. */
size_t	path_from(const void *table, size_t n, size_t size, const char *path,
	    size_t len);
/* The thing at it, or NULL. */
void	*path_find(const void *table, size_t n, size_t size,
	    const char *path, size_t len);
/* The length of the path above it; 0 above "/". */
size_t	path_up(const char *path, size_t len);

/* Is path `dir` itself, or below it? */
bool	path_in(const char *path, const char *dir);

/*
 * What a person wrote as an absolute normal path: "~" and "~/x" begin at
 * home, everything else that is not absolute at cwd.  ".." is taken
 * textually.  The caller frees it.
 */
char	*path_normal(const char *text, const char *cwd, const char *home);

#endif
