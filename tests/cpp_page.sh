#!/bin/sh
# cpp_page.sh TREE COMPILER C++COMPILER - every program in docs/cpp.md compiles without a warning, as
# C++17, runs, and prints what the block after it says.
set -eu

tree=$1
compiler=$2
cxx=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# N.cpp for the N-th block marked cpp; N.out for a block marked text right after it.
awk '
    /^```cpp$/ { out = ++n ".cpp"; next }
    /^```text$/ && n { out = n ".out"; next }
    /^```/ { out = ""; next }
    out { print > out }
' "$tree/docs/cpp.md"

mkdir objects
(cd objects && "$compiler" -std=c11 -I"$tree/include" -c "$tree"/src/*.c)

found=0
for source in *.cpp; do
    name=${source%.cpp}
    "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$tree/include" -o "$name" \
        "$source" objects/*.o
    "./$name" >"$name.got"
    diff -u "$name.out" "$name.got"
    found=$((found + 1))
done
echo "$found programs"
[ "$found" -gt 0 ]
