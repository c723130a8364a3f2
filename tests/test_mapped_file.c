/*
 * examples/mapped_file: what it opens and what it refuses, and that each of its three lifetimes closes
 * it: a block of the C stack, a scope of an arena, and the garbage collector.
 */
#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mapped_file.h"

#if defined(__has_include) && !defined(TEST_WITHOUT_GC)
#if __has_include(<gc.h>)
#include "ashlar/adapt/gc.h"
#define HAVE_GC 1
#endif
#endif

static char directory[] = "/tmp/mapped_file_XXXXXX";
static char content[] = "content.txt", empty[] = "empty", fifo[] = "fifo", folder[] = "folder";
static const char text[] = "some bytes of a file\n";

/* How many mappings there are of the file of this name. */
static size_t mappings(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], end[64];
    size_t count = 0;
    assert_non_null(maps);
    snprintf(end, sizeof end, "/%s\n", name);
    while (fgets(line, sizeof line, maps))
        count += strstr(line, end) != NULL;
    fclose(maps);
    return count;
}

static void assert_open(const mapped_file *file)
{
    assert_non_null(file->bytes);
    assert_int_equal(file->size, sizeof text - 1);
    assert_memory_equal(file->bytes, text, sizeof text - 1);
    assert_int_equal(file->error, 0);
    assert_string_equal(mapped_file_message(file), "is open");
}

/* ---- opening ---- */

static void test_mapped_file_has_the_bytes(void **state)
{
    (void)state;
    int next = dup(0);
    close(next);
    mapped_file file = mapped_file_open(content);
    assert_open(&file);
    assert_int_equal(dup(0), next); /* no descriptor is kept */
    close(next);
    assert_int_equal(mappings(content), 1);
    mapped_file_close(&file);
    assert_int_equal(mappings(content), 0);
    assert_null(file.bytes);
    assert_string_equal(mapped_file_message(&file), "is closed");
    mapped_file_close(&file);
    mapped_file zeroed = {0};
    mapped_file_close(&zeroed);
}

static void assert_refused(const char *path, int error, const char *message)
{
    mapped_file file = mapped_file_open(path);
    assert_null(file.bytes);
    assert_int_equal(file.size, 0);
    assert_int_equal(file.error, error);
    assert_string_equal(mapped_file_message(&file), message);
    mapped_file_close(&file);
}

static void test_mapped_file_says_why_not(void **state)
{
    (void)state;
    const char no_file[] = "is no regular file, and cannot be mapped";
    assert_refused(empty, ENODATA, "is empty");
    assert_refused(folder, EISDIR, "is a directory");
    assert_refused(fifo, ENODEV, no_file); /* and does not wait for a writer */
    assert_refused("/dev/null", ENODEV, no_file);
    assert_refused("missing", ENOENT, strerror(ENOENT));
    assert_refused("", ENOENT, strerror(ENOENT));
    assert_refused("content.txt/x", ENOTDIR, strerror(ENOTDIR));
}

static void test_mapped_file_refuses_sockets(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof address), 0);
    assert_refused("socket", ENXIO, "is no regular file, and cannot be mapped");
    close(server);
    unlink("socket");
}

static void test_mapped_file_refuses_the_unreadable(void **state)
{
    (void)state;
    bool is_root = !geteuid();
    assert_int_equal(chmod(content, 0), 0);
    if (is_root && seteuid(65534))
        skip_because("root reads everything, and cannot be somebody else here");
    mapped_file file = mapped_file_open(content);
    assert_int_equal(is_root ? seteuid(0) : 0, 0);
    assert_int_equal(chmod(content, 0600), 0);
    assert_null(file.bytes);
    assert_int_equal(file.error, EACCES);
}

static void test_mapped_file_refuses_what_does_not_fit(void **state)
{
    (void)state;
    struct rlimit former, low;
    assert_int_equal(getrlimit(RLIMIT_AS, &former), 0);
    low = (struct rlimit){.rlim_cur = 1, .rlim_max = former.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
    mapped_file file = mapped_file_open(content);
    assert_int_equal(setrlimit(RLIMIT_AS, &former), 0);
    assert_null(file.bytes);
    assert_int_equal(file.error, ENOMEM);
    assert_string_equal(mapped_file_message(&file),
                        "does not fit in the address space that is left");
}

/* ---- on the stack ---- */

static size_t inside;

static int leave_by(int way)
{
    for (int i = 0; i < 3; i++) {
        ash_auto(mapped_file) file = mapped_file_open(content);
        ash_auto(mapped_file) missing = mapped_file_open("missing");
        inside += mappings(content);
        if (way == 0)
            return missing.error;
        if (way == 1)
            break;
        if (way == 2)
            continue;
        if (way == 3)
            goto out;
        assert_open(&file);
    }
out:
    return 0;
}

static void test_mapped_file_ends_with_its_block(void **state)
{
    (void)state;
    const size_t rounds[] = {1, 1, 3, 1, 3};
    for (int way = 0; way < 5; way++) {
        inside = 0;
        assert_int_equal(leave_by(way), way ? 0 : ENOENT);
        assert_int_equal(inside, rounds[way]);
        assert_int_equal(mappings(content), 0);
    }
}

/* ---- on an arena ---- */

static void test_mapped_file_ends_with_a_scope(void **state)
{
    (void)state;
    test_upstream up;
    ash_arena arena;
    test_arena_over(&arena, &up, 4096);
    mapped_file *outer = mapped_file_new(&arena, content);
    {
        ash_auto(ash_scope) scope = ash_scope_begin(&arena);
        for (int i = 0; i < 10; i++)
            assert_open(mapped_file_new(&arena, content));
        mapped_file *missing = mapped_file_new(&arena, "missing");
        assert_true(missing && missing->error == ENOENT);
        assert_int_equal(mappings(content), 11);
        ash_delete(&arena, mapped_file_new(&arena, content));
        assert_int_equal(mappings(content), 11);
    }
    assert_int_equal(mappings(content), 1);
    assert_open(outer);
    test_arena_done(&arena, &up);
    assert_int_equal(mappings(content), 0);
}

static void test_mapped_file_needs_room_in_the_arena(void **state)
{
    (void)state;
    ash_arena arena;
    char buffer[64];
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    assert_null(mapped_file_new(&arena, content));
    assert_true(ash_arena_failed(&arena));
    ash_arena_deinit(&arena);
    assert_int_equal(mappings(content), 0);
}

/* After the first time neither asks anybody for memory. */
static void test_mapped_file_scopes_take_no_memory_after_the_first(void **state)
{
    (void)state;
    test_upstream up;
    ash_arena arena;
    test_arena_over(&arena, &up, 4096);
    size_t calls = 0;
    for (int i = 0; i < 1000; i++) {
        ash_auto(ash_scope) scope = ash_scope_begin(&arena);
        ash_auto(mapped_file) local = mapped_file_open(content);
        mapped_file *file = mapped_file_new(&arena, content);
        assert_open(file);
        assert_open(&local);
        if (!i)
            calls = up.calls;
        assert_int_equal(up.calls, calls);
    }
    test_arena_done(&arena, &up);
}

/* The linker sends calls of malloc and its kin here, those of the library included. */
static size_t heap_calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_posix_memalign(void **p, size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_posix_memalign(void **p, size_t align, size_t size);

void *__wrap_malloc(size_t size)
{
    heap_calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    heap_calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    heap_calls++;
    return __real_realloc(p, size);
}

int __wrap_posix_memalign(void **p, size_t align, size_t size)
{
    heap_calls++;
    return __real_posix_memalign(p, align, size);
}

static void one_of_each(ash_arena *arena)
{
    ASH_LOCAL_ARENA(local, 1024);
    ash_auto(ash_scope) scope = ash_scope_begin(arena);
    ash_auto(mapped_file) first = mapped_file_open(content);
    assert_open(&first);
    assert_open(mapped_file_new(arena, content));
    assert_non_null(ash_alloc(&local, 100, 8));
    assert_non_null(ash_alloc(arena, 1000, 8));
    ash_arena *scratch = ash_scratch(&(const ash_arena *){arena}, 1);
    assert_non_null(scratch);
    ash_auto(ash_scope) inner = ash_scope_begin(scratch);
    assert_non_null(ash_alloc(scratch, 1000, 8));
}

static void test_mapped_file_takes_no_heap_after_the_first(void **state)
{
    (void)state;
    ash_arena arena;
    size_t before = heap_calls;
    assert_true(ash_arena_init(&arena, NULL));
    one_of_each(&arena);
    assert_true(heap_calls > before); /* they are counted */
    before = heap_calls;
    for (int i = 0; i < 1000; i++)
        one_of_each(&arena);
    assert_int_equal(heap_calls, before);
    ash_arena_deinit(&arena);
}

/* ---- collected ---- */

#ifdef HAVE_GC

enum { FILES = 100 };

static mapped_file *kept;

static void open_many(void)
{
    for (int i = 0; i < FILES; i++) {
        mapped_file *file = ash_gc_new(mapped_file);
        assert_non_null(file);
        *file = mapped_file_open(content);
        assert_open(file);
        kept = file;
    }
}

static void collect(void)
{
    volatile char room[1 << 14]; /* what calls left on the stack looks like pointers */
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
    GC_gcollect();
    GC_invoke_finalizers();
}

static void test_mapped_file_ends_with_a_collection(void **state)
{
    (void)state;
    open_many();
    assert_in_range(mappings(content), 1, FILES);
    for (int i = 0; i < 6; i++)
        collect();
    assert_in_range(mappings(content), 1, 10); /* some word may look like a pointer */
    assert_open(kept);
}

#endif

static int write_files(void **state)
{
    FILE *file;
    if (!mkdtemp(directory) || chmod(directory, 0755) || chdir(directory) || mkfifo(fifo, 0600) ||
        mkdir(folder, 0700) || !(file = fopen(empty, "w")) || fclose(file) ||
        !(file = fopen(content, "w")))
        return -1;
    fputs(text, file);
    return fclose(file) || test_group_setup(state);
}

static int remove_files(void **state)
{
    (void)state;
    unlink(content);
    unlink(empty);
    unlink(fifo);
    rmdir(folder);
    return chdir("/") || rmdir(directory);
}

int main(void)
{
#ifdef HAVE_GC
    GC_INIT();
#else
    puts("skipped: mapped files that are collected: libgc-dev is not installed");
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mapped_file_has_the_bytes),
        cmocka_unit_test(test_mapped_file_says_why_not),
        cmocka_unit_test(test_mapped_file_refuses_sockets),
        cmocka_unit_test(test_mapped_file_refuses_the_unreadable),
        cmocka_unit_test(test_mapped_file_refuses_what_does_not_fit),
        cmocka_unit_test(test_mapped_file_ends_with_its_block),
        cmocka_unit_test(test_mapped_file_ends_with_a_scope),
        cmocka_unit_test(test_mapped_file_needs_room_in_the_arena),
        cmocka_unit_test(test_mapped_file_scopes_take_no_memory_after_the_first),
        cmocka_unit_test(test_mapped_file_takes_no_heap_after_the_first),
#ifdef HAVE_GC
        cmocka_unit_test(test_mapped_file_ends_with_a_collection),
#endif
    };
    return test_report(cmocka_run_group_tests(tests, write_files, remove_files));
}
