#!/bin/sh
# memcheck.sh PROGRAM - runs a test under valgrind: nothing may be read that was never written, or is
# not the library's. A model takes few steps, for each is slow here. Exit status 77: skipped.
set -eu

if ! command -v valgrind >/dev/null; then
    echo "skipped: there is no valgrind"
    exit 77
fi
ASH_TEST_STEPS=${ASH_TEST_STEPS:-600}
export ASH_TEST_STEPS
exec valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$1"
