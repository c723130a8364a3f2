/*
 * word.h - for programs that tamper with what is the library's: its words, past the sanitizers.
 */
#ifndef ASHLAR_TESTS_DIE_WORD_H
#define ASHLAR_TESTS_DIE_WORD_H

#include "ashlar/ashlar.h"

#define RAW __attribute__((no_sanitize("address"), noinline, unused))

RAW static uint64_t word_get(const void *at)
{
    uint64_t word = 0;
    for (size_t i = 0; i < sizeof word; i++)
        ((volatile unsigned char *)&word)[i] = ((const volatile unsigned char *)at)[i];
    return word;
}

RAW static void word_set(void *at, uint64_t word)
{
    for (size_t i = 0; i < sizeof word; i++)
        ((volatile unsigned char *)at)[i] = ((const volatile unsigned char *)&word)[i];
}

#endif
