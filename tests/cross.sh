#!/bin/sh
# cross.sh TREE TARGET - builds the library and tests/portable*.c for another machine and runs them.
#
# On every target but this machine's own, the programs are linked statically and run by qemu-user.
# windows: the library is compiled, not run.
set -eu

tree=$1
target=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# What a 64-bit count is compared with may be more than a 32-bit one can hold.
flags="-std=c11 -O2 -g -Wall -Wextra -Wno-type-limits -Werror -static"
run=
case $target in
aarch64) cc=aarch64-linux-gnu-gcc run=qemu-aarch64 ;;
armhf) cc=arm-linux-gnueabihf-gcc run=qemu-arm ;;
i686) cc=i686-linux-gnu-gcc run=qemu-i386 ;;
mips) cc=mips-linux-gnu-gcc run=qemu-mips ;;
s390x) cc=s390x-linux-gnu-gcc run=qemu-s390x ;;
musl) cc=musl-gcc ;;
tcc) cc=tcc flags="-std=c11 -Wall -Werror" ;;
windows)
    # shellcheck disable=SC2086 # flags are words
    x86_64-w64-mingw32-gcc $flags -I"$tree/include" -c "$tree"/src/*.c
    exit
    ;;
*)
    echo "cross.sh: unknown target $target" >&2
    exit 2
    ;;
esac
for source in "$tree"/tests/portable*.c; do
    case $source in *_none.c) continue ;; esac # another build of the library
    # shellcheck disable=SC2086
    $cc $flags -I"$tree/include" -o portable "$tree"/src/*.c "$source"
    $run ./portable
done

# Where addresses have 32 bits a file can be larger than all of them.
if [ "$target" = i686 ]; then
    # shellcheck disable=SC2086
    $cc $flags -I"$tree/include" -o hexdump "$tree"/src/*.c "$tree/examples/mapped_file.c" \
        "$tree/examples/hexdump.c"
    truncate -s 5G large
    if $run ./hexdump large "$tree/LICENSE" >out 2>err; then
        echo "hexdump: a file of 5 GiB is fine, where addresses have 32 bits" >&2
        exit 1
    fi
    grep -q '^hexdump: large: does not fit in the address space that is left$' err
    grep -q '^00000000: ' out # the other file
fi
