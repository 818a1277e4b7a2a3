/*
 * common/mem.h - allocation that cannot fail, and cleanup at the variable.
 *
 * x* functions end the process when memory is gone (the hook guard turns that
 * into a denial; an approver has not yet run anything).  Sizes that come from
 * outside are capped before they get here.
 */
#ifndef COMMON_MEM_H
#define COMMON_MEM_H

#include <stddef.h>

void	*xcalloc(size_t n, size_t size);
void	*xrealloc(void *, size_t n, size_t size);
char	*xstrdup(const char *);			/* xstrdup(NULL) is NULL */
char	*xstrndup(const char *, size_t len);	/* len bytes, plus NUL */
char	*xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void	mem_free_ptr(void *pointer_to_pointer);	/* for auto_free */
void	mem_close_fd(int *fd);			/* for auto_close; -1 is fine */

/* Move an owned value out of its auto_* variable. */
char	*mem_steal(char **);
int	fd_steal(int *);

#define auto_free	__attribute__((cleanup(mem_free_ptr)))
#define auto_close	__attribute__((cleanup(mem_close_fd)))

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

#endif
