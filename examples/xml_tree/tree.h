/*
 * tree.h - the tree of an XML document, kept in one of two ways.
 *
 * Both trees are made of the same structs and hold the same things, and expat parses for both. What
 * differs is who keeps account of them:
 *
 *   malloc  an element, its name, its attributes, each string of each attribute: all allocated
 *           one by one, and freed one by one, on the way out of every error too.
 *   arena   an element is an object with a destructor, because it owns something the arena does not
 *           know of: its text comes in pieces, between the children, and grows in a buffer from
 *           malloc. Names and attributes own nothing; they are plain memory. One rewind drops the
 *           tree, whole or half built.
 */
#ifndef XML_TREE_TREE_H
#define XML_TREE_TREE_H

#include <stdio.h>

#include <ashlar.h>
#include <expat.h>

typedef struct attribute {
    char *name, *value;
} attribute;

typedef struct element {
    struct element *parent, *first, *last, *next;
    char *name;
    attribute *attributes;
    size_t attribute_count;
    char *text; /* from malloc, in both forms */
    size_t text_length, text_room;
} element;

typedef struct form form;

/* What the parser's callbacks get. */
typedef struct builder {
    const form *form;
    ash_arena *arena; /* unused by the malloc form */
    ash_mark start;   /* of the tree, in the arena */
    XML_Parser parser;
    element *root, *open;
    bool out_of_memory;
} builder;

/* A way to keep a tree. */
struct form {
    const char *name;
    element *(*element_new)(builder *b, const char *name, const char **attributes);
    void (*drop)(builder *b);
};

/* What a walk counts. */
typedef struct census {
    size_t elements, depth, attributes, text_bytes, name_bytes;
} census;

enum { HEAP, ARENA, PARSER, FORMS };

extern const form forms[FORMS];

/* Parses the file from its beginning. On failure the reason has been printed, and the half-built
 * tree is in `b`, for the caller to drop as if it were whole. */
bool build(builder *b, FILE *file, const char *path);

/* Goes to every element. NULL is a tree of none. */
census walk(const element *root);

/* "xml_tree: PATH: ..." and a newline, on standard error. */
void complain(const char *path, const char *format, ...) ASH_PRINTF(2, 3);

#endif
