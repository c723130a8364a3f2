/*
 * nested_arena.c - arenas inside an arena: a configuration that is kept, and scratch for each line.
 *
 *     nested_arena [FILE]        reads an INI file, or standard input; prints SECTION.KEY=VALUE
 *
 * A value may name what stands above it: ${SECTION.KEY}. Reading and expanding a line takes memory
 * that nobody wants afterwards, what is found must stay. So there are three arenas:
 *
 *     process    the only one that asks the system, and its limit holds for all of them together
 *       config   its blocks come from process; keeps names and values
 *       scratch  one a line; its block goes back to process where the line ends, and the next line
 *                gets the same memory, as long as config took no new block in between
 *
 * No function below frees anything, whatever goes wrong in it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ashlar.h>

enum { MEMORY_LIMIT = 1 << 20, BLOCK = 1 << 12 };

typedef struct entry {
    struct entry *next;
    const char *name, *value; /* name: SECTION.KEY */
} entry;

typedef struct reader {
    const char *path;
    FILE *file;
    size_t line;
    bool failed; /* and the reason was printed */
    ash_arena config, scratch;
    const char *section;
    entry *first, **end;
} reader;

ASH_PRINTF(2, 3) static void complain(reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "nested_arena: %s:%zu: ", r->path, r->line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    r->failed = true;
}

/* Hands on what an arena answered. */
static void *checked(reader *r, void *p)
{
    if (!p)
        complain(r, "more than %d bytes of memory are needed", (int)MEMORY_LIMIT);
    return p;
}

/* One line without its newline; NULL at the end of the file, or after a complaint. It grows in
 * place: it is the only thing in its arena so far. */
static char *read_line(reader *r)
{
    size_t room = 64, length = 0;
    char *text = checked(r, ash_alloc(&r->scratch, room, 1));
    int c = 0;
    r->line++;
    while (text && (c = getc(r->file)) != EOF && c != '\n') {
        text[length++] = (char)c;
        if (length == room) {
            text = checked(r, ash_realloc(&r->scratch, text, room, 2 * room, 1));
            room *= 2;
        }
    }
    if (ferror(r->file))
        complain(r, "%s", strerror(errno));
    if (!text || (c == EOF && !length))
        return NULL;
    text[length] = '\0';
    return text;
}

static char *trim(char *s)
{
    s += strspn(s, " \t\r");
    size_t length = strlen(s);
    while (length && strchr(" \t\r", s[length - 1]))
        length--;
    s[length] = '\0';
    return s;
}

/* The value that was given last to a name; NULL: none. */
static const char *look_up(const reader *r, const char *name, size_t length)
{
    const char *found = NULL;
    for (const entry *e = r->first; e; e = e->next) {
        if (!strncmp(e->name, name, length) && !e->name[length])
            found = e->value;
    }
    return found;
}

/* `text` with the values for its names; the pieces pile up in scratch. NULL after a complaint. */
static const char *expand(reader *r, const char *text)
{
    const char *done = "", *name;
    while (done && (name = strstr(text, "${")) != NULL) {
        size_t length = strcspn(name + 2, "}");
        const char *value = look_up(r, name + 2, length);
        if (!name[2 + length] || !value) {
            complain(r, "there is no '%.*s' above", (int)length, name + 2);
            return NULL;
        }
        int before = (int)(name - text);
        done = checked(r, ash_printf(&r->scratch, "%s%.*s%s", done, before, text, value));
        text = name + 2 + length + 1;
    }
    return done ? checked(r, ash_printf(&r->scratch, "%s%s", done, text)) : NULL;
}

static void add(reader *r, const char *key, const char *value)
{
    entry *e = checked(r, ash_make(&r->config, entry));
    if (!e || !(e->name = checked(r, ash_printf(&r->config, "%s.%s", r->section, key))) ||
        !(e->value = checked(r, ash_strdup(&r->config, value))))
        return;
    *r->end = e;
    r->end = &e->next;
}

static void take_line(reader *r, char *line)
{
    line = trim(line);
    char *close = strchr(line, ']'), *equals = strchr(line, '=');
    if (!*line || *line == '#' || *line == ';')
        return;
    if (*line == '[' && close && !close[1]) {
        *close = '\0';
        r->section = checked(r, ash_strdup(&r->config, trim(line + 1)));
    } else if (*line != '[' && equals) {
        *equals = '\0';
        const char *value = expand(r, trim(equals + 1));
        if (value)
            add(r, trim(line), value);
    } else {
        complain(r, "neither [SECTION] nor KEY = VALUE");
    }
}

static void read_config(reader *r, ash_arena *process)
{
    ash_arena_config nested = {.upstream = ash_arena_resource(process), .block_size = BLOCK};
    ash_arena_init(&r->config, &nested);
    for (bool more = true; more && !r->failed;) {
        ash_arena_init(&r->scratch, &nested);
        char *line = read_line(r);
        more = line;
        if (line && !r->failed)
            take_line(r, line);
        ash_arena_deinit(&r->scratch);
    }
}

static void print_config(const reader *r, const ash_arena *process)
{
    for (const entry *e = r->first; e; e = e->next)
        printf("%s=%s\n", e->name, e->value);
    fprintf(stderr, "%zu lines; config: %zu bytes used, %zu held; process: at most %zu used\n",
            r->line - 1, ash_arena_used(&r->config), ash_arena_capacity(&r->config),
            ash_arena_peak(process));
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        bool help = argc == 2 && !strcmp(argv[1], "--help");
        fputs("usage: nested_arena [FILE]\n", help ? stdout : stderr);
        return help ? 0 : 2;
    }
    reader r = {.path = argc == 2 ? argv[1] : "-", .section = "", .end = &r.first};
    r.file = argc == 2 ? fopen(argv[1], "r") : stdin;
    if (!r.file) {
        fprintf(stderr, "nested_arena: %s: %s\n", r.path, strerror(errno));
        return 1;
    }
    ash_arena process;
    ash_arena_init(&process, &(ash_arena_config){.name = "process", .limit = MEMORY_LIMIT});
    read_config(&r, &process);
    if (!r.failed)
        print_config(&r, &process);
    ash_arena_deinit(&r.config);
    ash_arena_deinit(&process);
    fclose(r.file);
    if (fflush(stdout) || ferror(stdout)) {
        perror("nested_arena: standard output");
        return 1;
    }
    return r.failed;
}
