#!/bin/sh
# bench_scope.sh COMMAND - `ashlar bench scope` as a shell sees it: options, messages, tables, files.
# No times.
set -eu

command=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/files"
TMPDIR=$scratch/files
export TMPDIR
failures=0

fail() {
    echo "$1; stdout and stderr were:"
    cat "$scratch/out" "$scratch/err"
    failures=$((failures + 1))
}

# run STATUS ARGUMENT... - leaves both streams in files, and no others.
run() {
    status=$1 got=0
    shift
    "$command" bench scope "$@" >"$scratch/out" 2>"$scratch/err" || got=$?
    [ "$got" = "$status" ] || fail "ashlar bench scope $*: expected status $status, got $got"
    [ -z "$(ls "$scratch/files")" ] || fail "ashlar bench scope $*: it left files"
}

# refuses STATUS STDERR ARGUMENT... - nothing is measured; the message is compared whole.
refuses() {
    message=$2 status=$1
    shift 2
    run "$status" "$@"
    [ "$(cat "$scratch/err")" = "$message" ] || fail "ashlar bench scope $*: expected '$message'"
    ! grep -q rounds "$scratch/out" || fail "ashlar bench scope $*: it measures"
}

# row LABEL - the columns behind it, in the last table that has it.
row() {
    sed -n "s/^$1  *//p" "$scratch/out" | tail -n 1
}

# is LABEL REGEX - of the columns.
is() {
    row "$1" | tr -s ' ' | grep -Eqx -e "$2" || fail "'$1' is '$(row "$1")', not $2"
}

try="Try 'ashlar bench scope --help'."
run 0 --help
grep -q '^usage: ashlar bench scope ' "$scratch/out" || fail "--help"
refuses 2 "ashlar bench: unrecognized option '--nonsense'
$try" --nonsense
refuses 2 "ashlar bench: option '--plot' requires an argument
$try" --plot
refuses 2 "ashlar bench: there is no table 'nonsense'
$try" --table small --table nonsense
refuses 2 "ashlar bench: unexpected argument 'more'" --quick more

run 1 --quick --plot /nonexistent/x.svg
if grep -q 'built without nettle' "$scratch/err"; then
    echo "skipped: the command was built without nettle"
    exit 77
fi
refuses 1 "ashlar bench: /nonexistent/x.svg: No such file or directory" \
    --plot /nonexistent/x.svg

# --- what it finds out, as far as it is the same each time ----------------------------------------

number='[0-9.]+'
gc=$number
collected=1
if [ ! -x "$(dirname "$command")/scope_gc" ]; then
    echo "libgc is not looked at: the command was built without it"
    gc=-
    collected=
fi

run 0 --quick --table small
grep -q '^a file of 351 bytes: 1000 rounds' "$scratch/out" || fail "there is no title"
is 'a round, median by the clock' "$number $gc $number $number $number"
is 'a round, mean of processor time' "$number $gc $number $number $number"
is ratio "1.00 $gc $number $number $number"
is 'heap allocations in all rounds' "1000 ${collected:+1000}${gc#"$number"} 0 0 0"
is 'files open after the last round' "0 $gc 0 0 0"
is 'executable, kB' "$number $gc $number $number $number"
[ -z "$collected" ] || [ "$(row 'files open after the last round' | awk '{ print $2 }')" -le 1000 ] ||
    fail "more files are open than the rounds opened"
row 'code of it, kB' | awk '{ exit !($4 < $3) }' || fail "ash_auto has the code of arenas in it"
[ -z "$collected" ] || is 'longest pause, ms' "- $number - - -"

run 0 --quick --table large
is 'heap allocations in all rounds' "20 ${collected:+20}${gc#"$number"} 0 0 0"
awk -v read="$(row 'memory held at most, kB' | awk '{ print $5 }')" \
    'BEGIN { exit !(read > 2338) }' || fail "the file that is read takes no memory"

run 0 --quick --table prepared
# A single round is too short for the clock: what is timed is said.
is 'means of 1000 rounds, median' "$number $gc $number $number $number"
is 'means of 1000 rounds, longest' "$number $gc $number $number $number"
[ -z "$(row 'a round, longest')" ] || fail "means are called rounds"
is 'heap allocations in all rounds' "100000 ${collected:+100000}${gc#"$number"} 0 0 0"
if [ -n "$collected" ]; then
    # only what the rounds opened that count
    [ "$(row 'files open after the last round' | awk '{ print $2 }')" -le 100000 ] ||
        fail "more files are open than were opened"
    [ "$(row collections | awk '{ print $2 }')" -gt 0 ] || fail "100000 objects and no collection"
fi

# --- files it writes, and what goes wrong ---------------------------------------------------------

run 1 --quick --table prepared --json /dev/full
if grep -q 'built without jansson' "$scratch/err"; then
    echo "no JSON is looked at: the command was built without jansson"
else
    [ "$(cat "$scratch/err")" = 'ashlar bench: /dev/full: No space left on device' ] ||
        fail "--json /dev/full"
    run 0 --quick --table small --json "$scratch/figures.json"
    sha1=$(sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$scratch/figures.json")
    # 351 bytes of the generator in scope_files.c
    awk 'BEGIN { s = 1; for (i = 0; i < 351; i++) { s = (s * 1664525 + 1013904223) % 4294967296;
        printf "%02x", int(s / 16777216) } }' | xxd -r -p >"$scratch/same"
    [ "$sha1" = "$(sha1sum "$scratch/same" | cut -d ' ' -f 1)" ] || fail "the digest is '$sha1'"
    for key in median mean ratio allocations left executable text; do
        [ "$(grep -c "\"$key\": {" "$scratch/figures.json")" = $((4 + ${collected:-0})) ] ||
            fail "the JSON has not a '$key' for each form"
    done
fi

if command -v gnuplot >/dev/null; then
    run 0 --quick --plot "$scratch/picture.svg"
    grep -q '</svg>' "$scratch/picture.svg" || fail "gnuplot made no picture"
else
    echo "no picture is looked at: there is no gnuplot"
fi

TMPDIR=/nonexistent run 1 --quick
[ "$(cat "$scratch/err")" = \
    'ashlar bench: /nonexistent: No such file or directory' ] || fail "no directory"

# Out of space: a limit of file size stands for it.
(trap '' XFSZ && ulimit -f 1 && run 1 --quick --table large &&
    grep -q '^ashlar bench: .*/file: File too large$' "$scratch/err") || fail "a full disk"

got=0
"$command" bench scope --quick --table small >/dev/full 2>"$scratch/err" || got=$?
if [ "$got" != 1 ] || ! grep -q '^ashlar bench: standard output: No space left on device$' "$scratch/err"; then
    fail "bench scope >/dev/full: status $got"
fi

mkdir "$scratch/alone"
cp "$command" "$scratch/alone/ashlar"
got=0
"$scratch/alone/ashlar" bench scope --quick >"$scratch/out" 2>"$scratch/err" || got=$?
if [ "$got" != 1 ] || ! grep -q '^ashlar bench: .*scope_malloc: not found$' "$scratch/err"; then
    fail "without its workers: status $got"
fi

# A worker that is killed, and one that does something else.
cp "$(dirname "$command")"/scope_* "$(dirname "$command")"/prepared_* "$scratch/alone"
printf '#!/bin/sh\nkill -9 $$\n' >"$scratch/alone/scope_auto"
"$scratch/alone/ashlar" bench scope --quick >"$scratch/out" 2>"$scratch/err" && fail "a worker killed"
grep -q '^ashlar bench: the process for ash_auto was killed by signal 9' "$scratch/err" ||
    fail "a worker killed"
printf '#!/bin/sh\necho median 1\necho left 0\necho digest 77\n' >"$scratch/alone/scope_auto"
"$scratch/alone/ashlar" bench scope --quick >"$scratch/out" 2>"$scratch/err" && fail "another digest"
grep -q '^ashlar bench: .*/scope_auto: it did not do what the others do$' "$scratch/err" ||
    fail "another digest"

# An interrupt takes its files with it.
"$command" bench scope >"$scratch/out" 2>"$scratch/err" &
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -z "$(ls "$scratch/files")" ] || break
    sleep 0.1
done
[ -n "$(ls "$scratch/files")" ] || fail "it makes no files where TMPDIR says"
kill -TERM $!
wait $! || :
[ -z "$(ls "$scratch/files")" ] || fail "a signal leaves files"

# What is ignored stays ignored, as under nohup.
(trap '' HUP && exec "$command" bench scope --quick >"$scratch/out" 2>"$scratch/err") &
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -z "$(ls "$scratch/files")" ] || break
    sleep 0.1
done
kill -HUP $!
wait $! || fail "a signal that is ignored: status $?"

[ "$failures" = 0 ]
