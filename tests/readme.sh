#!/bin/sh
# readme.sh TREE PAGE COMPILER FLAG... - every C program in a page of the documentation compiles
# without a warning, runs, and prints what the block after it says.
set -eu

tree=$1
page=$2
compiler=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# N.c for the N-th block marked c; N.out for a block marked text right after it.
awk '
    /^```c$/ { out = ++n ".c"; next }
    /^```text$/ && n { out = n ".out"; next }
    /^```/ { out = ""; next }
    out { print > out }
' "$tree/$page"

found=0
for source in *.c; do
    grep -q 'int main' "$source" || continue
    name=${source%.c}
    "$compiler" -std=c11 -Wall -Wextra -Werror -I"$tree/include" "$@" -o "$name" \
        "$source" "$tree"/src/*.c -lpthread
    "./$name" >"$name.got"
    if [ -f "$name.out" ]; then
        diff -u "$name.out" "$name.got"
    fi
    found=$((found + 1))
done
echo "$found programs"
[ "$found" -gt 0 ]
