/*
 * common/banned.h - functions nobody here may call; using one is a compile
 * error.  Include it last.  Unbounded copies truncate or overflow silently,
 * system/popen reach a shell, the *_r-less ones keep state for strangers.
 */
#ifndef COMMON_BANNED_H
#define COMMON_BANNED_H

/* To clang with _FORTIFY_SOURCE a macro, and macros may not be poisoned. */
#undef sprintf
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets
#pragma GCC poison strtok system popen tmpnam mktemp atoi atol
#pragma GCC poison setenv putenv gethostbyname

#endif
