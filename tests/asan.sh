#!/bin/sh
# asan.sh TREE COMPILER FLAG... - portable.c with AddressSanitizer and no other sanitizer beside it,
# which would keep the compiler from moving reads and writes between functions.
set -eu

tree=$1
compiler=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$compiler" -std=c11 -g -Wall -Wextra -Werror -fsanitize=address "$@" -I"$tree/include" \
    -o "$scratch/portable" "$tree"/src/*.c "$tree/tests/portable.c"
"$scratch/portable"
