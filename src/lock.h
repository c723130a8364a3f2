/*
 * lock.h - a lock of one word, for sections of a few instructions, and storage a thread has to itself.
 *
 * Who finds it taken looks a few times more and then lets other threads run. Without C11 atomics (tcc) it
 * locks nothing: one thread only.
 */
#ifndef ASHLAR_SRC_LOCK_H
#define ASHLAR_SRC_LOCK_H

#include "base.h"
#include "os.h"

#if defined(__STDC_NO_ATOMICS__)
#define ASH_HAS_THREADS_ 0
#define ASH_THREAD_LOCAL
#define ash_store_(p, v) (*(p) = (v))
#elif defined(_MSC_VER) && !defined(__clang__)
#define ASH_HAS_THREADS_ 1
#define ASH_THREAD_LOCAL __declspec(thread)
#define ash_store_(p, v) atomic_store_explicit((p), (v), memory_order_release)
#else
#define ASH_HAS_THREADS_ 1
#define ASH_THREAD_LOCAL _Thread_local
#define ash_store_(p, v) atomic_store_explicit((p), (v), memory_order_release)
#endif

typedef struct ash_lock_ {
    ASH_ATOMIC(unsigned) taken; /* zeroed: free */
} ash_lock_;

#if ASH_HAS_THREADS_
static inline bool ash_lock_try_(ash_lock_ *lock)
{
    return !atomic_exchange_explicit(&lock->taken, 1u, memory_order_acquire);
}

static inline bool ash_lock_is_taken_(ash_lock_ *lock)
{
    return atomic_load_explicit(&lock->taken, memory_order_relaxed);
}
#else
static inline bool ash_lock_try_(ash_lock_ *lock)
{
    lock->taken = 1;
    return true;
}

static inline bool ash_lock_is_taken_(ash_lock_ *lock)
{
    return lock->taken;
}
#endif

static inline void ash_lock_take_(ash_lock_ *lock)
{
    while (!ash_lock_try_(lock))
        for (unsigned looks = 0; ash_lock_is_taken_(lock); looks++)
            if (looks > 100)
                ash_os_yield_();
}

static inline void ash_lock_drop_(ash_lock_ *lock)
{
    ash_store_(&lock->taken, 0u);
}

#endif
