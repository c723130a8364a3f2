#!/bin/sh
# plain.sh TREE COMPILER [FLAG...] - the library builds without a build system, a flag or a warning.
set -eu

tree=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$@" -std=c11 -I"$tree/include" -c "$tree"/src/*.c 2>messages || {
    cat messages
    exit 1
}
if [ -s messages ]; then
    cat messages
    exit 1
fi
