#!/bin/sh
# hexdump.sh PROGRAM TREE - examples/hexdump against xxd and od on real files, and each way it can fail.
set -eu

tree=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cp "$1" "$scratch/hexdump" # where another user can run it
cd "$scratch"
failures=0

fail() {
    echo "failed: $*"
    failures=$((failures + 1))
}

for tool in xxd od; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 77
    fi
done

# --- the same as xxd and od, from a file and from standard input ---------------------------------

# bytes FILE - of a dump, as od prints them.
bytes() {
    cut -c 11-50 "$1" | tr -d ' \n' | sed 's/../ &/g'
}

# same FILE OFFSET COUNT - COUNT all: all of it.
same() {
    if [ "$3" = all ]; then
        set -- "$1" "$2" -a ''
        xxd -s "$2" "$1" >expected
        od -An -v -tx1 -j "$2" "$1" >bytes
    else
        set -- "$1" "$2" -n "$3"
        xxd -s "$2" -l "$4" "$1" >expected
        od -An -v -tx1 -j "$2" -N "$4" "$1" >bytes
    fi
    # shellcheck disable=SC2086 # no fourth word is no word
    ./hexdump $3 $4 -s "$2" "$1" >actual || fail "status $?: hexdump $*"
    cmp -s expected actual || fail "not as xxd: hexdump $*"
    [ "$(tr -d '\n' <bytes)" = "$(bytes actual)" ] || fail "not as od: hexdump $*"
    [ "$1" != sparse ] || return 0 # standard input is read up to the offset
    # shellcheck disable=SC2086
    ./hexdump $3 $4 -s "$2" <"$1" >actual || fail "status $?: hexdump $* <"
    cmp -s expected actual || fail "not as xxd: hexdump $* <"
}

printf '\000\001\037 !~\177\200\377' >nine
head -c 16 "$tree/LICENSE" >sixteen
awk 'BEGIN { for (i = 0; i < 256; i++) printf "%c", i }' </dev/null >text
for file in nine sixteen text "$tree/LICENSE" /bin/sh; do
    for count in 0 1 2 15 16 17 64 4097; do
        same "$file" 0 $count
        same "$file" 5 $count
    done
done
for file in nine sixteen text "$tree/LICENSE" /bin/sh; do
    same "$file" 0 all
    same "$file" 0x8 all
done
truncate -s 5G sparse
printf tail >>sparse
same sparse 0xfffffff0 40
same sparse 5368709110 all
rm sparse

[ "$(./hexdump /bin/sh)" = "$(xxd -l 64 /bin/sh)" ] || fail "64 bytes by default"
[ "$(head -c 99 /bin/sh | ./hexdump)" = "$(xxd -l 64 /bin/sh)" ] || fail "64 bytes of a pipe by default"
[ "$(head -c 9 nine | ./hexdump -a -)" = "$(xxd nine)" ] || fail "a pipe"
[ "$(./hexdump nine -n 3)" = "$(xxd -l 3 nine)" ] || fail "options behind files"
{ echo "==> nine <==" && xxd nine && printf '\n==> sixteen <==\n' && xxd sixteen; } >expected
./hexdump nine sixteen | cmp -s expected - || fail "two files with their names"

# --- what goes wrong -----------------------------------------------------------------------------

# says STATUS MESSAGE COMMAND... - standard error, whole; standard output goes to `out`.
says() {
    status=$1 message=$2 got=0
    shift 2
    "$@" >out 2>err </dev/null || got=$?
    [ "$got" = "$status" ] && [ "$(cat err)" = "$message" ] && return
    fail "expected status $status and '$message', got $got and '$(cat err)': $*"
}

: >empty
mkdir directory
mkfifo fifo
no_file="is no regular file, and cannot be mapped; try: hexdump - <FILE"
says 1 "hexdump: empty: is empty" ./hexdump empty
says 1 "hexdump: standard input: is empty" ./hexdump
says 1 "hexdump: directory: is a directory" ./hexdump directory
says 1 "hexdump: missing: No such file or directory" ./hexdump missing
says 1 "hexdump: nine/x: Not a directory" ./hexdump nine/x
says 1 "hexdump: : No such file or directory" ./hexdump ''
says 1 "hexdump: fifo: $no_file" ./hexdump fifo
says 1 "hexdump: /dev/null: $no_file" ./hexdump /dev/null
says 1 "hexdump: nine: has 9 bytes, none of them at offset 9" ./hexdump -s 9 nine
says 1 "hexdump: nine: has 9 bytes, none of them at offset 18446744073709551615" \
    ./hexdump -s 18446744073709551615 -a nine
says 1 "hexdump: standard input: has 9 bytes, none of them at offset 10" \
    sh -c './hexdump -s 10 <nine'
says 1 "hexdump: standard input: Is a directory" sh -c './hexdump - <directory'
says 1 "hexdump: standard input: Bad file descriptor" sh -c './hexdump <&-'

# A pipe whose writer waits is not opened: it would be killed.
echo waiting >fifo &
writer=$!
sleep 0.5 # until it waits
says 1 "hexdump: fifo: $no_file" ./hexdump fifo
got=$(timeout 10 sh -c './hexdump - <fifo') || fail "status $?: a pipe that was refused before"
[ "$got" = "$(echo waiting | xxd)" ] || fail "the writer of a pipe is gone: '$got'"
wait $writer || fail "the writer of a pipe was killed"

# What the system makes up as it is read has no size, or one that is not true, and is not mapped.
for made_up in /proc/version /sys/kernel/mm/transparent_hugepage/enabled; do
    if [ ! -r $made_up ]; then
        echo "skipped: $made_up: it is not there"
        continue
    fi
    says 0 "" ./hexdump -a $made_up
    xxd $made_up | cmp -s - out || fail "not as xxd: hexdump $made_up"
    says 0 "" ./hexdump -s 3 -n 5 $made_up
    xxd -s 3 -l 5 $made_up | cmp -s - out || fail "not as xxd: hexdump -s 3 $made_up"
    size=$(wc -c <$made_up)
    says 1 "hexdump: $made_up: has $size bytes, none of them at offset 9999" \
        ./hexdump -s 9999 $made_up
done

# The others are done all the same.
says 1 "hexdump: empty: is empty
hexdump: missing: No such file or directory
hexdump: directory: is a directory" ./hexdump empty nine missing directory sixteen
cmp -s expected out || fail "files among others that fail"

bad_number() {
    says 2 "hexdump: '$2' is not a number of bytes
Try 'hexdump --help'." ./hexdump "$1" "$2" nine
}
for number in '' x 3x -1 ' 1' +1 0x 1.5 18446744073709551616; do
    bad_number -n "$number"
    bad_number -s "$number"
done
says 2 "hexdump: invalid option -- 'q'
Try 'hexdump --help'." ./hexdump -q
says 2 "hexdump: option requires an argument -- 'n'
Try 'hexdump --help'." ./hexdump nine -n
says 0 "" ./hexdump --help
grep -q '^usage: hexdump ' out || fail "--help"

says 1 "hexdump: cannot write output: No space left on device" sh -c './hexdump nine >/dev/full'
says 1 "hexdump: cannot write output: No space left on device" sh -c './hexdump -a /bin/sh >/dev/full'
says 1 "hexdump: cannot write output: No space left on device" sh -c './hexdump --help >/dev/full'
says 1 "hexdump: cannot write output: Bad file descriptor" sh -c './hexdump nine >&-'

printf secret >unreadable
chmod 0 unreadable
if [ "$(id -u)" != 0 ]; then
    says 1 "hexdump: unreadable: Permission denied" ./hexdump unreadable
elif command -v setpriv >/dev/null; then
    says 1 "hexdump: unreadable: Permission denied" \
        setpriv --reuid 65534 --regid 65534 --clear-groups ./hexdump unreadable
else
    echo "skipped: an unreadable file: root reads it, and there is no setpriv"
fi

truncate -s 1G large
if sh -c 'ulimit -v 200000 && ./hexdump --help' >/dev/null 2>&1; then
    says 1 "hexdump: large: does not fit in the address space that is left" \
        sh -c 'ulimit -v 200000; ./hexdump large'
else
    echo "skipped: a file larger than memory: this program needs more address space itself"
fi
truncate -s 100G large # does not take its time where nothing can be written
says 1 "hexdump: cannot write output: No space left on device" \
    timeout 30 sh -c './hexdump -a large >/dev/full'
rm large

# --- files that become shorter while they are read -----------------------------------------------

# shrinks TO - a file of 1 MB, whose dump waits for its reader until the file was cut.
shrinks() {
    head -c 1000000 /dev/zero >shrinking
    ./hexdump -a shrinking nine >fifo 2>err &
    exec 3<fifo
    head -n 1 <&3 >out
    truncate -s "$1" shrinking
    cat <&3 >>out
    exec 3<&-
    got=0
    wait $! || got=$?
    [ $got = 1 ] || fail "cut to $1: status $got"
    grep -q "$2" err || fail "cut to $1: $(cat err)"
    grep -q '^==> nine' out || fail "cut to $1: the next file was not dumped"
}
shrinks 500000 '^hexdump: shrinking: cannot be read at offset 503808: it became shorter'
shrinks 0 '^hexdump: shrinking: cannot be read at offset [0-9]*: it became shorter'
shrinks 999990 '^hexdump: shrinking: became shorter meanwhile'

# One that another file takes the place of is still the one that was opened.
head -c 1000000 /dev/zero >replaced
./hexdump -a replaced >fifo 2>err &
exec 3<fifo
head -n 1 <&3 >out
echo short >other && mv other replaced
cat <&3 >>out
exec 3<&-
wait $! || fail "replaced: status $?: $(cat err)"
[ ! -s err ] || fail "replaced: $(cat err)"

[ "$failures" = 0 ]
