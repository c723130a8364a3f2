/*
 * fatal.h - how misuse and corruption are reported.
 *
 * A full arena is not an error of the program: it is answered with NULL. Deleting an object twice,
 * a type word that was overwritten, a mark that is gone: these are, and going on would do harm.
 * They are reported here, before anything was called through what is wrong, as one line
 *
 *     ashlar: fatal: WHAT (arena NAME, 0xADDRESS)
 *
 * and the program is aborted.
 */
#ifndef ASHLAR_FATAL_H
#define ASHLAR_FATAL_H

#include "ashlar/attr.h"

ASH_DECLS_BEGIN

/*
 * Gets the whole line, without its newline. It may not return to go on: a handler that returns is
 * followed by abort. It may leave by longjmp, unless a destructor, an init or a constructor is running: then the arena is as it was
 * before the call; but a rewind, reset or deinit that comes upon an overwritten word has destroyed what was
 * newer, and will come upon it again. Such an arena is best left alone from then on.
 */
typedef void (*ash_fatal_fn)(const char *message);

/**
 * ash_set_fatal_handler - choose what is done with a fatal report.
 *
 * handler  called with the message; NULL: the built-in one, which writes it to standard error.
 * Returns  the handler that was set before, NULL for the built-in one.
 * Threads  any; the handler is shared by all threads, and must bear being called on any of them.
 * Example:
 *     static void to_syslog(const char *message) { syslog(LOG_CRIT, "%s", message); }
 *     ash_set_fatal_handler(to_syslog);
 */
ash_fatal_fn ash_set_fatal_handler(ash_fatal_fn handler);

ASH_DECLS_END

#endif
