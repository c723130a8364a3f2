#!/bin/sh
# compile.sh SOURCE COMPILER FLAG... - does SOURCE compile, or not, as its first line says?
#
#     /* must-compile */
#     /* must-compile: C and C++ */
#     /* must-not-compile: REGEX */      grep -E of what the compiler says
set -u

source=$1
shift
read -r first <"$source"
output=$(LC_ALL=C "$@" -S -o /dev/null "$source" 2>&1)
status=$?

case $first in
'/* must-compile */' | '/* must-compile: C and C++ */')
    [ "$status" = 0 ] && exit 0
    echo "must compile, and does not: $*"
    ;;
'/* must-not-compile: '*' */')
    regex=${first#'/* must-not-compile: '}
    regex=${regex%' */'}
    [ "$status" != 0 ] && printf '%s\n' "$output" | grep -Eq -- "$regex" && exit 0
    echo "must not compile, with a diagnostic that matches '$regex'; status $status: $*"
    ;;
*)
    echo "$source: its first line declares nothing"
    ;;
esac
printf '%s\n' "$output"
exit 1
