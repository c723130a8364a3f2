/*
 * tree.c - building the tree of tree.h from the parser's callbacks, and walking it.
 */
#define _POSIX_C_SOURCE 200809L

#include "tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static size_t pairs(const char **attributes)
{
    size_t count = 0;
    while (attributes[2 * count])
        count++;
    return count;
}

/* Text grows by doubling. It cannot grow in place on the arena: the children lie behind it. */
static bool text_append(element *e, const char *s, size_t length)
{
    if (length > e->text_room - e->text_length) {
        size_t room = e->text_room ? 2 * e->text_room : 32;
        while (room - e->text_length < length)
            room *= 2;
        char *text = realloc(e->text, room);
        if (!text)
            return false;
        e->text = text;
        e->text_room = room;
    }
    memcpy(e->text + e->text_length, s, length);
    e->text_length += length;
    return true;
}

/* ---- with malloc ---------------------------------------------------------------------------- */

static void heap_element_free(element *e)
{
    for (size_t i = 0; e->attributes && i < e->attribute_count; i++) {
        free(e->attributes[i].name);
        free(e->attributes[i].value);
    }
    free(e->attributes);
    free(e->name);
    free(e->text);
    free(e);
}

static bool heap_attributes(element *e, const char **attributes)
{
    e->attribute_count = pairs(attributes);
    if (!e->attribute_count)
        return true;
    e->attributes = calloc(e->attribute_count, sizeof *e->attributes);
    if (!e->attributes)
        return false;
    for (size_t i = 0; i < e->attribute_count; i++) {
        e->attributes[i].name = strdup(attributes[2 * i]);
        e->attributes[i].value = strdup(attributes[2 * i + 1]);
        if (!e->attributes[i].name || !e->attributes[i].value)
            return false;
    }
    return true;
}

static element *heap_element(builder *b, const char *name, const char **attributes)
{
    (void)b;
    element *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->name = strdup(name);
    if (!e->name || !heap_attributes(e, attributes)) {
        heap_element_free(e);
        return NULL;
    }
    return e;
}

/* Children before their parent, without recursion: a document may be as deep as it likes. */
static void heap_drop(builder *b)
{
    element *e = b->root;
    while (e) {
        if (e->first) {
            element *child = e->first;
            e->first = NULL;
            e = child;
            continue;
        }
        element *after = e->next ? e->next : e->parent;
        heap_element_free(e);
        e = after;
    }
}

/* ---- on an arena ---------------------------------------------------------------------------- */

static void element_destroy(void *self)
{
    element *e = self;
    free(e->text);
}
ASH_TYPE(element, .destroy = element_destroy);

static element *arena_element(builder *b, const char *name, const char **attributes)
{
    element *e = ash_new(b->arena, element);
    if (!e)
        return NULL;
    e->name = ash_strdup(b->arena, name);
    e->attribute_count = pairs(attributes);
    e->attributes = ash_make_array(b->arena, attribute, e->attribute_count);
    if (!e->name || !e->attributes)
        return NULL; /* what was made so far goes with the tree */
    for (size_t i = 0; i < e->attribute_count; i++) {
        e->attributes[i].name = ash_strdup(b->arena, attributes[2 * i]);
        e->attributes[i].value = ash_strdup(b->arena, attributes[2 * i + 1]);
        if (!e->attributes[i].name || !e->attributes[i].value)
            return NULL;
    }
    return e;
}

static void arena_drop(builder *b)
{
    ash_arena_rewind(b->arena, b->start);
}

const form forms[FORMS] = {
    [HEAP] = {"malloc", heap_element, heap_drop},
    [ARENA] = {"arena", arena_element, arena_drop},
    [PARSER] = {"parser alone", NULL, NULL}, /* no tree: what expat costs by itself */
};

/* ---- building, by the parser's callbacks ---------------------------------------------------- */

static void give_up(builder *b)
{
    b->out_of_memory = true;
    XML_StopParser(b->parser, XML_FALSE);
}

static void on_start(void *ctx, const char *name, const char **attributes)
{
    builder *b = ctx;
    element *e = b->form->element_new(b, name, attributes);
    if (!e) {
        give_up(b);
        return;
    }
    e->parent = b->open;
    if (!b->open)
        b->root = e;
    else if (!b->open->first)
        b->open->first = b->open->last = e;
    else
        b->open->last = b->open->last->next = e;
    b->open = e;
}

static void on_end(void *ctx, const char *name)
{
    (void)name;
    builder *b = ctx;
    if (!b->out_of_memory) /* else it may be the end of an element that was never made */
        b->open = b->open->parent;
}

static void on_text(void *ctx, const char *s, int length)
{
    builder *b = ctx;
    if (!b->out_of_memory && !text_append(b->open, s, (size_t)length))
        give_up(b);
}

void complain(const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "xml_tree: %s: ", path);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static void complain_of_parse(const builder *b, const char *path)
{
    if (b->out_of_memory && b->arena && ash_arena_failed(b->arena)) {
        complain(path, "out of memory: the arena holds %zu bytes and may not have more",
                 ash_arena_capacity(b->arena));
        ash_arena_clear_failed(b->arena);
        return;
    }
    enum XML_Error error = b->out_of_memory ? XML_ERROR_NO_MEMORY : XML_GetErrorCode(b->parser);
    complain(path, "line %ju, column %ju: %s", (uintmax_t)XML_GetCurrentLineNumber(b->parser),
             (uintmax_t)XML_GetCurrentColumnNumber(b->parser) + 1, XML_ErrorString(error));
}

static bool feed(const builder *b, FILE *file, const char *path)
{
    enum { PIECE = 1 << 16 };
    for (bool last = false; !last;) {
        void *bytes = XML_GetBuffer(b->parser, PIECE);
        errno = 0;
        size_t got = bytes ? fread(bytes, 1, PIECE, file) : 0;
        if (ferror(file)) {
            complain(path, "%s", strerror(errno));
            return false;
        }
        last = got < PIECE;
        if (!bytes || XML_ParseBuffer(b->parser, (int)got, last) != XML_STATUS_OK) {
            complain_of_parse(b, path);
            return false;
        }
    }
    return true;
}

bool build(builder *b, FILE *file, const char *path)
{
    b->parser = XML_ParserCreate(NULL);
    if (!b->parser) {
        complain(path, "out of memory");
        return false;
    }
    XML_SetUserData(b->parser, b);
    if (b->form->element_new) {
        XML_SetElementHandler(b->parser, on_start, on_end);
        XML_SetCharacterDataHandler(b->parser, on_text);
    }
    rewind(file);
    bool built = feed(b, file, path);
    XML_ParserFree(b->parser);
    return built;
}

/* ---- walking -------------------------------------------------------------------------------- */

static void count_element(census *c, const element *e, size_t depth)
{
    c->elements++;
    if (depth > c->depth)
        c->depth = depth;
    c->attributes += e->attribute_count;
    c->text_bytes += e->text_length;
    c->name_bytes += strlen(e->name);
    for (size_t i = 0; i < e->attribute_count; i++)
        c->name_bytes += strlen(e->attributes[i].name) + strlen(e->attributes[i].value);
}

census walk(const element *root)
{
    census c = {0};
    size_t depth = 1;
    const element *e = root;
    while (e) {
        count_element(&c, e, depth);
        if (e->first) {
            e = e->first;
            depth++;
            continue;
        }
        while (e && !e->next) {
            e = e->parent;
            depth--;
        }
        if (e)
            e = e->next;
    }
    return c;
}
