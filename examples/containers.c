/*
 * containers.c - vectors and strings on one arena: what docs/containers.md shows, as a program.
 *
 *     containers < FILE     counts the words and shows the longest one
 */
#include <ashlar.h>

#include <stdio.h>
#include <stdlib.h>

ASH_VEC_DEFINE(ints, int)
ASH_VEC_DEFINE(texts, ash_str, ash_type_of(ash_str))
ASH_VEC_DEFINE(pages, texts, ash_type_of(texts))

typedef struct person {
    ash_str name, town;
} person;

static bool person_init(void *self, ash_resource *resource)
{
    person *p = self;
    ash_str_init(&p->name, resource);
    ash_str_init(&p->town, resource);
    return true;
}

static void person_end(void *self)
{
    person *p = self;
    ash_str_deinit(&p->town);
    ash_str_deinit(&p->name);
}

static bool person_copy(void *to, const void *from, ash_resource *resource)
{
    const person *other = from;
    person *p = to;
    person_init(p, resource); /* both strings are empty, so both can be ended */
    if (ash_str_copy(&p->name, &other->name) && ash_str_copy(&p->town, &other->town))
        return true;
    person_end(p);
    return false;
}

static ash_resource *person_resource(const void *self)
{
    return ((const person *)self)->name.resource;
}

ASH_TYPE(person, .init = person_init, .destroy = person_end, .copy = person_copy,
         .resource = person_resource);
ASH_VEC_DEFINE(people, person, ash_type_of(person))

static bool squares(ash_arena *arena, int count, ints *made)
{
    ints_init(made, ash_arena_resource(arena));
    for (int i = 0; i < count; i++)
        if (!ints_push(made, i * i))
            return false; /* nothing to undo: a rewind takes it back */
    return true;
}

static char *greeting(ash_arena *arena, const char *name, int visits)
{
    ash_str s;
    ash_str_init(&s, ash_arena_resource(arena));
    ash_str_puts(&s, "Good morning, ");
    ash_str_puts(&s, name);
    if (visits > 1)
        ash_str_printf(&s, ", on visit %d", visits);
    ash_str_putc(&s, '.');
    return ash_str_failed(&s) ? NULL : ash_str_release(&s, NULL);
}

static bool add_words(texts *words, ash_view line)
{
    ash_view word;
    while (ash_view_split(&line, ASH_VIEW(" "), &word)) {
        word = ash_view_trim(word);
        if (!word.size)
            continue;
        ash_str *s = texts_emplace(words); /* its memory: where the vector has its own */
        if (!s || !ash_str_put(s, word))
            return false;
    }
    return true;
}

static bool add_page(pages *book, const char *heap_text)
{
    texts *page = pages_emplace(book); /* begun with the book's resource */
    ash_str line;
    ash_str_init(&line, ash_heap()); /* this one lives elsewhere */
    if (!page || !ash_str_puts(&line, heap_text) || !texts_push(page, line)) {
        ash_str_deinit(&line); /* it is still ours */
        return false;
    }
    return true; /* copied to the arena; what was on the heap is freed */
}

static bool show_pages(ash_arena *arena)
{
    ash_mark before = ash_arena_mark(arena);
    pages book;
    pages_init(&book, ash_arena_resource(arena));
    bool done = add_page(&book, "the first page") && add_page(&book, "the second page");
    for (size_t i = 0; done && i < book.count; i++)
        printf("%s%s", i ? ", " : "book: ", ash_str_cstr(&book.data[i].data[0]));
    printf("\n");
    ash_arena_rewind(arena, before); /* all of it at once; no deinit */
    return done;
}

static bool show_people(ash_arena *arena)
{
    people all;
    people_init(&all, ash_arena_resource(arena));
    person *p = people_emplace(&all);
    if (!p || !ash_str_puts(&p->name, "Ada") || !ash_str_puts(&p->town, "London"))
        return false;
    printf("%s of %s\n", ash_str_cstr(&all.data[0].name), ash_str_cstr(&all.data[0].town));
    return true;
}

static bool read_words(FILE *from, texts *words)
{
    char line[4096];
    while (fgets(line, sizeof line, from))
        if (!add_words(words, ash_view_of(line)))
            return false;
    return !ferror(from);
}

static bool show_words(ash_arena *arena)
{
    texts words;
    texts_init(&words, ash_arena_resource(arena));
    if (!read_words(stdin, &words))
        return false;
    size_t longest = 0;
    for (size_t i = 0; i < words.count; i++)
        if (words.data[i].size > words.data[longest].size)
            longest = i;
    printf("%zu words", words.count);
    if (words.count)
        printf(", the longest: %s", ash_str_cstr(&words.data[longest]));
    printf("\n");
    return true;
}

int main(void)
{
    ash_arena arena;
    ints made;
    if (!ash_arena_init(&arena, NULL))
        return EXIT_FAILURE;
    char *hello = greeting(&arena, "reader", 3);
    bool done = hello && squares(&arena, 100, &made);
    if (done)
        printf("%s %d squares, the last %d\n", hello, (int)made.count, made.data[99]);
    done = done && show_pages(&arena) && show_people(&arena) && show_words(&arena);
    ash_arena_deinit(&arena);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
