/*
 * Seals: a type word that was forged, copied, replayed or overwritten is found before anything is
 * called through it.
 *
 * A forgery passes with probability 2^-16. Where a test tries many, it bears a few that pass, so
 * many that to see more by chance is less likely than a broken machine.
 */
#include "support.h"

#include <string.h>

typedef struct victim {
    uint64_t a, b;
} victim;

static unsigned destroyed, evil_called;

static void victim_destroy(void *self)
{
    (void)self;
    destroyed++;
}
ASH_TYPE(victim, .destroy = victim_destroy);

static void evil_destroy(void *self)
{
    (void)self;
    evil_called++;
}

typedef victim evil;
ASH_TYPE(evil, .destroy = evil_destroy);

static char *word_of(void *object)
{
    return (char *)object - 8;
}

/* Is it found out? Nothing may be called meanwhile. */
static bool found(ash_arena *arena, void *object)
{
    ash_object_state now = ash_object_inspect(arena, object);
    assert_true(now == ASH_OBJECT_CORRUPT || now == ASH_OBJECT_LIVE || now == ASH_OBJECT_DYING);
    if (now != ASH_OBJECT_CORRUPT) /* by chance, one word in 2^16 */
        return false;
    unsigned before = destroyed + evil_called;
    expect_fatal_delete(arena, object, OVERWRITTEN IN_ARENA("t"));
    assert_int_equal(destroyed + evil_called, before);
    assert_null(ash_object_type(arena, object));
    assert_int_equal(ash_object_inspect(arena, object), ASH_OBJECT_CORRUPT);
    return true;
}

/* The forged word in place of the object's, and back again: 1 if it passed. */
static unsigned passes(ash_arena *arena, void *object, char *at, uint64_t forged)
{
    uint64_t own = raw_word(at);
    if (forged == own)
        return 0;
    raw_set_word(at, forged);
    bool seen = found(arena, object);
    raw_set_word(at, own);
    assert_int_equal(ash_object_inspect(arena, object), ASH_OBJECT_LIVE);
    return !seen;
}

static void seal_begin(ash_arena *arena, test_upstream *up)
{
    test_arena_over(arena, up, 1 << 14);
    destroyed = evil_called = 0;
}

static void test_seal_every_single_bit(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    unsigned passed = 0;
    for (size_t i = 0; i < 16; i++) {
        victim *one = ash_new(&arena, victim), *array = ash_new_array(&arena, victim, 2 + i);
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t flip = (uint64_t)1 << bit;
            passed += passes(&arena, one, word_of(one), raw_word(word_of(one)) ^ flip);
            passed += passes(&arena, array, word_of(array), raw_word(word_of(array)) ^ flip);
            char *second = word_of(array) - 8;
            passed += passes(&arena, array, second, raw_word(second) ^ flip);
        }
    }
    assert_in_range(passed, 0, 3);
    assert_int_equal(destroyed, 0);
    test_arena_done(&arena, &up);
    assert_int_equal(destroyed, 16 + 16 * 2 + 16 * 15 / 2);
}

static void test_seal_zeroed_filled_and_random(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    test_rng rng;
    test_rng_init(&rng, 5);
    victim *one = ash_new(&arena, victim), *array = ash_new_array(&arena, victim, 4);
    unsigned passed = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t forged = byte * 0x0101010101010101u;
        passed += passes(&arena, one, word_of(one), forged);
        passed += passes(&arena, array, word_of(array), forged);
        passed += passes(&arena, array, word_of(array) - 8, forged);
    }
    for (int i = 0; i < 3000; i++) {
        passed += passes(&arena, one, word_of(one), test_rng_next(&rng));
        passed += passes(&arena, array, word_of(array), test_rng_next(&rng));
    }
    assert_in_range(passed, 0, 4);
    test_arena_done(&arena, &up);
    assert_int_equal(destroyed, 5);
}

static void test_seal_word_copied_to_another_address(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    unsigned passed = 0;
    victim *objects[40];
    for (size_t i = 0; i < countof(objects); i++)
        objects[i] = i % 2 ? ash_new(&arena, victim) : (victim *)ash_new(&arena, evil);
    for (size_t i = 0; i < countof(objects); i++)
        for (size_t j = 0; j < countof(objects); j++)
            if (i != j)
                passed +=
                    passes(&arena, objects[i], word_of(objects[i]), raw_word(word_of(objects[j])));
    assert_in_range(passed, 0, 3);
    test_arena_done(&arena, &up);
    assert_int_equal(destroyed, 20);
    assert_int_equal(evil_called, 20);
}

static void test_seal_array_words_copied_or_moved(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    unsigned passed = 0;
    victim *a[10];
    for (size_t i = 0; i < countof(a); i++)
        a[i] = ash_new_array(&arena, victim, 3 + i % 2);
    for (size_t i = 0; i < countof(a); i++)
        for (size_t j = 0; j < countof(a); j++) {
            char own[16], other[16];
            raw_copy(own, (char *)a[i] - 16, 16);
            raw_copy(other, (char *)a[j] - 16, 16);
            raw_copy((char *)a[i] - 16, other, 16);
            passed += i != j && !found(&arena, a[i]);
            raw_copy((char *)a[i] - 16, other + 8, 8); /* its two words exchanged */
            raw_copy((char *)a[i] - 8, other, 8);
            passed += !found(&arena, a[i]);
            raw_copy((char *)a[i] - 16, own, 16);
        }
    assert_in_range(passed, 0, 3);
    test_arena_done(&arena, &up);
    assert_int_equal(destroyed, 35);
}

/* What the map calls an array stays one, whatever its count is made to say. */
static void test_seal_count_is_sealed(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    victim *array = ash_new_array(&arena, victim, 4);
    unsigned passed = 0;
    for (char *at = (char *)array - 16; at < (char *)array; at += 8)
        for (uint64_t delta = 1; delta < 200; delta++) {
            passed += passes(&arena, array, at, raw_word(at) + delta);
            passed += passes(&arena, array, at, raw_word(at) - delta);
            passed += passes(&arena, array, at, raw_word(at) ^ delta << 48);
        }
    assert_in_range(passed, 0, 3);
    assert_int_equal(ash_object_count(&arena, array), 4);
    test_arena_done(&arena, &up);
    assert_int_equal(destroyed, 4);
}

/* The same buffer, the same address, the same type: only the arena's nonce differs. */
static void test_seal_word_replayed_from_another_arena(void **state)
{
    (void)state;
    static _Alignas(64) char buffer[2048];
    unsigned passed = 0, same = 0;
    uint64_t stolen = 0;
    void *at = NULL;
    destroyed = evil_called = 0;
    for (unsigned round = 0; round < 200; round++) {
        ash_arena arena;
        ash_arena_config config = {
            .name = "t", .upstream = ash_null(), .buffer = buffer, .buffer_size = sizeof buffer};
        assert_true(ash_arena_init(&arena, &config));
        victim *one = ash_new(&arena, victim);
        assert_non_null(one);
        if (round) {
            assert_ptr_equal(one, at);
            same += raw_word(word_of(one)) == stolen;
            passed += passes(&arena, one, word_of(one), stolen);
        }
        at = one;
        stolen = raw_word(word_of(one));
        ash_arena_deinit(&arena);
    }
    assert_in_range(passed, 0, 2);
    assert_in_range(same, 0, 2);
    assert_int_equal(destroyed, 200);
}

/* Reading one word, whose type is known, must not help to write another: with a cookie that is
 * xored (or added) over the pointer, word ^ known ^ wanted is the wanted word. */
static uint64_t forge(unsigned how, uint64_t leaked, const ash_type *known, const ash_type *wanted,
                      uint64_t from, uint64_t to)
{
    uint64_t k = (uint64_t)(uintptr_t)known, w = (uint64_t)(uintptr_t)wanted;
    unsigned shift = how / 4 % 17;
    uint64_t change = (k ^ w) << shift, moved = from ^ to;
    switch (how % 4) {
    case 0:
        return leaked ^ change;
    case 1:
        return leaked + (w << shift) - (k << shift);
    case 2:
        return leaked ^ change ^ moved;
    default:
        return leaked ^ change ^ moved << shift;
    }
}

static void test_seal_leaked_word_does_not_forge_another(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    unsigned passed = 0, tried = 0;
    for (int round = 0; round < 8; round++) {
        victim *leaked = ash_new(&arena, victim), *other = ash_new(&arena, victim);
        uint64_t word = raw_word(word_of(leaked));
        for (unsigned how = 0; how < 4 * 17; how++) {
            uint64_t here = (uintptr_t)leaked, there = (uintptr_t)other;
            const ash_type *known = ash_type_of(victim), *wanted = ash_type_of(evil);
            passed += passes(&arena, leaked, word_of(leaked),
                             forge(how, word, known, wanted, here, here));
            passed +=
                passes(&arena, other, word_of(other), forge(how, word, known, wanted, here, there));
            passed +=
                passes(&arena, other, word_of(other), forge(how, word, known, known, here, there));
            tried += 3;
        }
    }
    assert_true(tried > 1000);
    assert_in_range(passed, 0, 3);
    assert_int_equal(evil_called, 0);
    test_arena_done(&arena, &up);
    assert_int_equal(destroyed, 16);
    assert_int_equal(evil_called, 0);
}

/* Two known words of one arena: their differences must not carry over either. */
static void test_seal_two_leaked_words_do_not_forge_a_third(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    unsigned passed = 0;
    for (int i = 0; i < 200; i++) {
        victim *a = ash_new(&arena, victim);
        evil *b = ash_new(&arena, evil);
        victim *c = ash_new(&arena, victim);
        uint64_t wa = raw_word(word_of(a)), wb = raw_word(word_of(b)), wc = raw_word(word_of(c));
        passed += passes(&arena, c, word_of(c), wc ^ wa ^ wb);
        passed += passes(&arena, c, word_of(c), wc + wb - wa);
        ash_delete(&arena, c);
        victim *again = ash_new(&arena, victim);
        assert_ptr_equal(again, c);
        ash_arena_reset(&arena);
    }
    assert_in_range(passed, 0, 2);
    test_arena_done(&arena, &up);
    assert_int_equal(evil_called, 200);
}

/* An object whose bytes are all an attacker's, its word included, inside plain or untyped memory. */
static void test_seal_counterfeit_object_is_foreign(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    victim *real = ash_new(&arena, victim);
    char *plain = ash_alloc(&arena, 256, 16), *untyped = ash_object_alloc(&arena, 256, 16);
    for (size_t i = 0; i + 24 <= 256; i += 8) {
        raw_copy(plain + i, (char *)real - 8, 24);
        raw_copy(untyped + i, (char *)real - 8, 24);
    }
    for (size_t i = 8; i < 256; i += 8) {
        assert_int_equal(ash_object_inspect(&arena, plain + i), ASH_OBJECT_FOREIGN);
        assert_int_equal(ash_object_inspect(&arena, untyped + i), ASH_OBJECT_FOREIGN);
        expect_fatal_delete(&arena, plain + i, NOT_START IN_ARENA("t"));
        expect_fatal_delete(&arena, untyped + i, NOT_START IN_ARENA("t"));
    }
    assert_null(ash_object_type(&arena, untyped)); /* a word does not make it typed */
    ash_delete(&arena, untyped);
    assert_int_equal(destroyed, 0);
    test_arena_done(&arena, &up);
    assert_int_equal(destroyed, 1);
}

static void test_seal_rewind_finds_it_too(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    ash_mark mark = ash_arena_mark(&arena);
    victim *one = ash_new(&arena, victim), *array = ash_new_array(&arena, victim, 3);
    void *objects[] = {array, one};
    for (size_t i = 0; i < 2; i++) {
        uint64_t own = raw_word(word_of(objects[i]));
        for (unsigned bit = 0; bit < 64; bit += 7) {
            raw_set_word(word_of(objects[i]), own ^ (uint64_t)1 << bit);
            if (ash_object_inspect(&arena, objects[i]) != ASH_OBJECT_CORRUPT)
                continue;
            if (bit % 2)
                expect_fatal_rewind(&arena, mark, OVERWRITTEN IN_ARENA("t"));
            else
                expect_fatal_reset(&arena, OVERWRITTEN IN_ARENA("t"));
            assert_int_equal(test_fatal_address(), (uintptr_t)objects[i]);
            assert_int_equal(destroyed, i ? 3 : 0);
        }
        raw_set_word(word_of(objects[i]), own);
        if (i == 0)
            ash_delete(&arena, array);
    }
    ash_arena_rewind(&arena, mark);
    assert_int_equal(destroyed, 4);
    test_arena_done(&arena, &up);
}

static void test_seal_check_finds_it(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    victim *one = ash_new(&arena, victim);
    uint64_t own = raw_word(word_of(one));
    unsigned missed = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        raw_set_word(word_of(one), own ^ (uint64_t)1 << bit);
        missed += ash_arena_check(&arena);
    }
    assert_in_range(missed, 0, 1);
    raw_set_word(word_of(one), own);
    assert_true(ash_arena_check(&arena));
    test_arena_done(&arena, &up);
}

/*
 * Deferred calls. Where one lies is found by the walk: its bytes are all the arena has.
 */
static unsigned called;

static void count_call(void *arg)
{
    called += arg == &called;
}

typedef struct range {
    char *low, *call, *high;
} range;

static bool taken_range(const ash_walk_item *item, void *ctx)
{
    range *r = ctx;
    if (item->kind == ASH_WALK_OBJECT || item->kind == ASH_WALK_WORD) {
        char *start = (char *)(uintptr_t)item->start;
        if (!r->low)
            r->low = start;
        if (item->kind == ASH_WALK_OBJECT)
            r->call = start;
        r->high = start + item->size;
    }
    return true;
}

static bool is_report_of_a_defer(uintptr_t at, const range *r)
{
    return at >= (uintptr_t)r->low && at <= (uintptr_t)r->high;
}

static void test_seal_deferred_call_is_sealed_whole(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    called = 0;
    assert_true(ash_defer(&arena, count_call, &called));
    range r = {0};
    ash_arena_walk(&arena, taken_range, &r);
    assert_true(r.high - r.low >= 2 * (ptrdiff_t)sizeof(void *) + 8);
    assert_true(r.call > r.low);
    for (char *at = r.call; at < r.call + 2 * sizeof(void *); at += 8)
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t own = raw_word(at);
            raw_set_word(at, own ^ (uint64_t)1 << bit);
            if (ash_arena_check(&arena)) { /* passed by chance */
                called += 1000;
            } else {
                expect_fatal_reset(&arena, DEFER_WORN IN_ARENA("t"));
                assert_true(is_report_of_a_defer(test_fatal_address(), &r));
            }
            raw_set_word(at, own);
        }
    assert_in_range(called, 0, 1000);
    called = 0;
    ash_arena_reset(&arena);
    assert_int_equal(called, 1);
    test_arena_done(&arena, &up);
}

/* Its function and its argument in each other's place. */
static void test_seal_deferred_call_turned_round(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    called = 0;
    unsigned passed = 0;
    ash_mark mark = ash_arena_mark(&arena);
    for (int i = 0; i < 50; i++) {
        assert_true(ash_defer(&arena, count_call, &called));
        range r = {0};
        ash_arena_walk(&arena, taken_range, &r);
        char call[2 * sizeof(void *)], round[2 * sizeof(void *)];
        raw_copy(call, r.call, sizeof call);
        raw_copy(round, call + sizeof(void *), sizeof(void *));
        raw_copy(round + sizeof(void *), call, sizeof(void *));
        raw_copy(r.call, round, sizeof round);
        passed += ash_arena_check(&arena);
        raw_copy(r.call, call, sizeof call);
        ash_arena_rewind(&arena, mark);
    }
    assert_in_range(passed, 0, 2);
    assert_int_equal(called, 50);
    test_arena_done(&arena, &up);
}

static void test_seal_deferred_calls_exchanged(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    called = 0;
    ash_mark mark = ash_arena_mark(&arena);
    unsigned passed = 0;
    for (int i = 0; i < 50; i++) {
        assert_true(ash_defer(&arena, count_call, &called));
        range r = {0};
        ash_arena_walk(&arena, taken_range, &r);
        size_t size = (size_t)(r.high - r.low);
        char own[64], older[64];
        assert_true(size <= 64);
        raw_copy(older, r.low, size);
        assert_true(ash_defer(&arena, count_call, &called)); /* lies right below it */
        raw_copy(own, r.low - size, size);
        raw_copy(r.low - size, older, size);
        passed += ash_arena_check(&arena);
        raw_copy(r.low - size, own, size);
        assert_true(ash_arena_check(&arena));
        ash_arena_rewind(&arena, mark);
    }
    assert_in_range(passed, 0, 2);
    assert_int_equal(called, 100);
    test_arena_done(&arena, &up);
}

/*
 * A map inside a block can be overrun by older plain memory: check reports it, nothing crashes.
 */
static bool find_map(const ash_walk_item *item, void *ctx)
{
    if (item->kind == ASH_WALK_MAP)
        *(ash_walk_item *)ctx = *item;
    return true;
}

static void test_seal_check_finds_an_overrun_map(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    seal_begin(&arena, &up);
    assert_non_null(ash_alloc(&arena, 64, 8));
    victim *one = ash_new(&arena, victim);
    ash_walk_item map = {0};
    ash_arena_walk(&arena, find_map, &map);
    assert_true(map.size > 0);
    static char saved[1 << 14];
    char *start = (char *)(uintptr_t)map.start;
    assert_true(map.size <= sizeof saved);
    raw_copy(saved, start, map.size);
    for (unsigned byte = 0; byte < 256; byte += 51) {
        raw_fill(start, (unsigned char)byte, map.size);
        assert_false(ash_arena_check(&arena));
        raw_copy(start, saved, map.size);
    }
    assert_true(ash_arena_check(&arena));
    ash_delete(&arena, one);
    test_arena_done(&arena, &up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seal_every_single_bit),
        cmocka_unit_test(test_seal_zeroed_filled_and_random),
        cmocka_unit_test(test_seal_word_copied_to_another_address),
        cmocka_unit_test(test_seal_array_words_copied_or_moved),
        cmocka_unit_test(test_seal_count_is_sealed),
        cmocka_unit_test(test_seal_word_replayed_from_another_arena),
        cmocka_unit_test(test_seal_leaked_word_does_not_forge_another),
        cmocka_unit_test(test_seal_two_leaked_words_do_not_forge_a_third),
        cmocka_unit_test(test_seal_counterfeit_object_is_foreign),
        cmocka_unit_test(test_seal_rewind_finds_it_too),
        cmocka_unit_test(test_seal_check_finds_it),
        cmocka_unit_test(test_seal_deferred_call_is_sealed_whole),
        cmocka_unit_test(test_seal_deferred_call_turned_round),
        cmocka_unit_test(test_seal_deferred_calls_exchanged),
        cmocka_unit_test(test_seal_check_finds_an_overrun_map),
    };
    return test_main(tests);
}
