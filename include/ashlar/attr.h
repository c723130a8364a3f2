/*
 * attr.h - the words every other header is written with: version, limits, compiler attributes.
 *
 * Nothing here allocates, and nothing here changes what code means: on a compiler that knows none
 * of the attributes each macro is empty, and the library works the same.
 */
#ifndef ASHLAR_ATTR_H
#define ASHLAR_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASH_VERSION_MAJOR 0
#define ASH_VERSION_MINOR 1
#define ASH_VERSION_PATCH 0
#define ASH_VERSION       "0.1.0"

/* The largest alignment any part of the library serves: 1 MiB. */
#define ASH_ALIGN_MAX ((size_t)1 << 20)

#ifdef __cplusplus
#define ASH_DECLS_BEGIN extern "C" {
#define ASH_DECLS_END   }
#define ASH_ALIGNOF(T)  alignof(T)
#else
#define ASH_DECLS_BEGIN
#define ASH_DECLS_END
#define ASH_ALIGNOF(T) _Alignof(T)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define ASH_COLD            __attribute__((cold, noinline))
#define ASH_NODISCARD       __attribute__((warn_unused_result))
#define ASH_NORETURN        __attribute__((noreturn))
#define ASH_PRINTF(fmt, va) __attribute__((format(printf, fmt, va)))
#define ASH_UNUSED          __attribute__((unused))
#define ASH_LIKELY(x)       __builtin_expect(!!(x), 1)
#define ASH_UNLIKELY(x)     __builtin_expect(!!(x), 0)
#else
#define ASH_COLD
#define ASH_NODISCARD
#define ASH_NORETURN
#define ASH_PRINTF(fmt, va)
#define ASH_UNUSED
#define ASH_LIKELY(x)   (!!(x))
#define ASH_UNLIKELY(x) (!!(x))
#endif

#endif
