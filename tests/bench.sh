#!/bin/sh
# bench.sh COMMAND [SANITIZER] - `ashlar bench` as a shell sees it: options, messages, tables, files.
# No times. Under a sanitizer only some of the tables, which take long there.
set -eu

command=$1
sanitizer=${2-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
    echo "$1; stdout and stderr were:"
    cat "$scratch/out" "$scratch/err"
    failures=$((failures + 1))
}

# run STATUS ARGUMENT... - leaves both streams in files.
run() {
    status=$1
    shift
    got=0
    "$command" bench "$@" >"$scratch/out" 2>"$scratch/err" || got=$?
    [ "$got" = "$status" ] || fail "ashlar bench $*: expected status $status, got $got"
}

# refuses STATUS STDERR ARGUMENT... - nothing is measured; the message is compared whole.
refuses() {
    message=$2
    status=$1
    shift 2
    run "$status" "$@"
    [ ! -s "$scratch/out" ] || fail "ashlar bench $*: it prints to stdout"
    [ "$(cat "$scratch/err")" = "$message" ] || fail "ashlar bench $*: expected '$message'"
}

# shows TEXT... - in what the last one printed.
shows() {
    for text; do
        grep -qF -e "$text" "$scratch/out" || fail "there is no '$text'"
    done
}

# --- options --------------------------------------------------------------------------------------

run 0 --help
shows 'usage: ashlar bench NAME' 'arena ' 'vector '
refuses 2 "$(cat "$scratch/out")"
refuses 2 "ashlar bench: there is no benchmark 'nonsense'
$("$command" bench --help)" nonsense

for name in arena vector; do
    run 0 $name --help
    shows "usage: ashlar bench $name" --quick --table --json --plot --help
    refuses 2 "ashlar bench: unrecognized option '--nonsense'
Try 'ashlar bench $name --help'." $name --nonsense
    refuses 2 "ashlar bench: option '--json' requires an argument
Try 'ashlar bench $name --help'." $name --json
    refuses 2 "ashlar bench: there is no table 'nonsense'
Try 'ashlar bench $name --help'." $name --table nonsense
    refuses 2 "ashlar bench: unexpected argument 'more'" $name --quick more
    refuses 1 "ashlar bench: $scratch/none/x.svg: No such file or directory" \
        $name --quick --plot "$scratch/none/x.svg"
done
refuses 2 "ashlar bench: --threads takes up to 8 numbers from 1 to 256, not '0'
Try 'ashlar bench arena --help'." arena --threads 0

# --- tables ---------------------------------------------------------------------------------------

json=--json
file=$scratch/figures.json
if "$command" bench vector --json "$scratch/none/x" 2>&1 | grep -q 'built without jansson'; then
    echo "no JSON is looked at: the command was built without jansson"
    json=--table # the one that is asked for anyway
    file=
else
    refuses 1 "ashlar bench: $scratch/none/x: No such file or directory" \
        vector --json "$scratch/none/x"
fi

run 0 vector --quick --table int $json "${file:-int}"
shows 'one process, heap grown' 'a process each, again and again' 'a process each, the first time' \
    ' -O0' ' -O1' ' -O2' 'growths' 'in place' 'at most 0.30 x std::vector' \
    'at most 1.30 x raw stores'
for contestant in 'std::vector' 'std::vector, reserve' 'pmr::vector, new_delete' \
    'pmr::vector, monotonic, 4 MB on the stack' 'pmr::vector, monotonic' \
    'pmr::vector, unsynchronized_pool' 'raw stores, preallocated' 'C vector, realloc' \
    'ash_vec, heap' 'ash_vec, arena, default' 'ash_vec, arena, 4 MB on the stack' \
    'ash_vec, arena, one block, kept' 'ash_vec, arena, kept, by pointer' 'ash_vec, arena, reserved addresses' \
    'ash_vec, arena, interfered with' 'ash_vec, pages'; do
    # in three tables of times, and all but the raw stores in that of growths
    rows=$(grep -cE "^$contestant  +[0-9.]+ " "$scratch/out") || :
    expected=4
    [ "$contestant" != 'raw stores, preallocated' ] || expected=3
    [ "$rows" = $expected ] || fail "'$contestant' is in $rows tables, not in $expected"
done
# What the experiment is about, whatever the times were: columns of the table of growths.
awk '/^counted apart/ { on = 1 }
    on && /^std::vector  / { grew = $2 == 21 && $3 == 0 && $4 > 4 }
    on && /^ash_vec, arena, one block, kept/ { stayed = $6 == $7 + 1 && $8 == 0 }
    on && /^ash_vec, arena, interfered with/ { moved = $5 > 10 && $6 == 0 && $7 > 4 }
    END { exit !(grew && stayed && moved) }' "$scratch/out" || fail "growths are not as they should be"

if [ -n "$file" ]; then
    jq -e '(.version | type == "string") and (.tables | length == 3)
        and all(.tables[]; .table == "int" and .operations == 1000000 and (.rows | length == 16))
        and all(.tables[].rows[].levels[]; all(.ns, .ratio, .limit; .median > 0 and .low <= .median
            and .median <= .high))
        and (.tables[0].rows[0] | .name == "std::vector" and .counts.growths == 21
            and .levels.O2.ratio.median == 1)
        and (.budgets | length == 24) and all(.budgets[]; .met == (.value <= .most))' \
        "$file" >/dev/null || fail "the JSON is not as it should be: $(head -c 2000 "$file")"
fi

if [ -n "$sanitizer" ]; then
    echo "not all tables are looked at: the command was built with a sanitizer, $sanitizer"
else
    for table in append kept formatted; do
        run 0 vector --quick --table $table
        shows 'std::string' 'pmr::string' 'ash_str, arena' alone
    done
    run 0 vector --quick --table moved
    shows 'a struct of 24 bytes' 'std::vector' 'raw stores' 'ash_vec, arena, default'
fi

# --- what goes wrong ------------------------------------------------------------------------------

if command -v gnuplot >/dev/null; then
    run 0 vector --quick --table list --plot "$scratch/picture.svg"
    grep -q '</svg>' "$scratch/picture.svg" || fail "gnuplot made no picture"
else
    echo "no picture is looked at: there is no gnuplot"
    run 0 vector --quick --table list
fi
shows 'std::vector of std::string' 'pmr::vector of pmr::string' 'ash_vec of ash_str'

# --- files: what was there stays until all is written, and nothing is left beside it --------------

# keeps STATUS STDERR ARGUMENT... - with what is in $scratch/kept: it stays as it is.
keeps() {
    refuses "$@"
    [ "$(ls -A "$scratch/kept") $(cat "$scratch/kept/former")" = 'former precious' ] ||
        fail "it was not left alone: $(ls -A "$scratch/kept")"
}

mkdir "$scratch/kept"
echo precious >"$scratch/kept/former"
for name in arena vector; do
    [ -z "$file" ] || keeps 1 "ashlar bench: $scratch/none/x: No such file or directory" \
        $name --json "$scratch/kept/former" --plot "$scratch/none/x"
done
if command -v gnuplot >/dev/null; then
    got=0
    "$command" bench vector --quick --table list --plot /dev/full >"$scratch/out" 2>"$scratch/err" ||
        got=$?
    if [ "$got" != 1 ] ||
        [ "$(tail -n 1 "$scratch/err")" != 'ashlar bench: /dev/full: No space left on device' ]; then
        fail "--plot /dev/full: status $got"
    fi
    ln -s "$scratch/kept/former" "$scratch/link"
    chmod 640 "$scratch/kept/former"
    run 0 vector --quick --table list --plot "$scratch/link"
    if [ ! -h "$scratch/link" ] || [ "$(stat -c %a "$scratch/kept/former")" != 640 ] ||
        ! grep -q '</svg>' "$scratch/kept/former"; then
        fail "the file behind a link"
    fi
    echo precious >"$scratch/kept/former"
    mkdir "$scratch/empty"
    status=0
    env PATH="$scratch/empty" "$command" bench vector --plot "$scratch/kept/former" \
        >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ "$status" != 1 ] || [ -s "$scratch/out" ] ||
        ! grep -q 'cannot start gnuplot' "$scratch/err" ||
        [ "$(cat "$scratch/kept/former")" != precious ]; then
        fail "without gnuplot: status $status"
    fi
    if [ -n "$file" ]; then
        keeps 1 "ashlar bench: --json and --plot name the same file: $scratch/kept/former" \
            vector --json "$scratch/kept/former" --plot "$scratch/link"
    fi
fi

# interrupted SIGNAL - while it measures; nothing may be left.
interrupted() {
    "$command" bench arena --json "$scratch/kept/former" >"$scratch/out" 2>"$scratch/err" &
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(ls -A "$scratch/kept")" = former ] || break
        sleep 0.1
    done
    kill "-$1" $!
    got=0
    wait $! || got=$?
    [ $got -gt 128 ] || fail "SIG$1: status $got"
    [ "$(ls -A "$scratch/kept") $(cat "$scratch/kept/former")" = 'former precious' ] ||
        fail "SIG$1 leaves: $(ls -A "$scratch/kept")"
}
if [ -n "$file" ]; then
    interrupted TERM
    interrupted HUP
fi

# Without standard streams there are workers all the same.
for closed in '<&-' '>&-' '<&- >&-'; do
    got=0
    sh -c "\"\$1\" bench vector --quick --table list $closed" sh "$command" >"$scratch/out" \
        2>"$scratch/err" || got=$?
    expected=0 message=
    case $closed in
    *'>'*) expected=1 message='ashlar bench: standard output: Bad file descriptor' ;;
    esac
    if [ "$got" != $expected ] || [ "$(cat "$scratch/err")" != "$message" ]; then
        fail "$closed: status $got"
    fi
done

got=0
"$command" bench vector --quick --table list >/dev/full 2>"$scratch/err" || got=$?
if [ "$got" != 1 ] || ! grep -q '^ashlar bench: standard output: No space left on device$' "$scratch/err"; then
    fail "bench vector >/dev/full: status $got"
fi
if [ -n "$file" ] && [ -z "$sanitizer" ]; then
    run 1 vector --quick --table list --json /dev/full
    [ "$(cat "$scratch/err")" = 'ashlar bench: /dev/full: No space left on device' ] ||
        fail "--json /dev/full says something else"
fi

( # shellcheck disable=SC3045 # dash and bash have -H and -s
    ulimit -s 2048 && refuses 1 "ashlar bench: the stack is limited to 2048 kB, buffers of 4096 kB \
lie on it: see ulimit -s" vector --quick && exit $failures
) || failures=$((failures + 1))

micro=$(dirname "$command")/bench/micro
if [ -x "$micro" ]; then
    got=0
    "$micro" --table nosuch >"$scratch/out" 2>"$scratch/err" || got=$?
    if [ "$got" != 2 ] || [ -s "$scratch/out" ] || ! grep -q '^  strings, ' "$scratch/err" ||
        ! grep -q "^micro: no table has 'nosuch' in its title" "$scratch/err"; then
        fail "micro --table nosuch: status $got"
    fi
else
    echo "micro is not looked at: it was not built"
fi

mkdir "$scratch/alone"
cp "$command" "$scratch/alone/ashlar"
got=0
"$scratch/alone/ashlar" bench vector --quick >"$scratch/out" 2>"$scratch/err" || got=$?
if [ "$got" != 1 ] || ! grep -q '^ashlar bench: .*vector_worker_O2: not found$' "$scratch/err"; then
    fail "without its workers: status $got"
fi

# However the program ends that started it, a worker ends with it.
goes_on() {
    grep -q '^State:.*[RSD] ' "/proc/$1/status" 2>/dev/null
}
if [ -e /proc/self/status ]; then
    # shellcheck disable=SC2016 # for the other shell
    sh -c '"$1" bench arena --worker large 1 1000000 20 all >/dev/null & echo $!; wait' \
        sh "$command" >"$scratch/worker" &
    parent=$!
    while [ ! -s "$scratch/worker" ]; do
        sleep 0.1
    done
    worker=$(cat "$scratch/worker")
    sleep 1
    goes_on "$worker" || fail "the worker does not measure"
    kill -KILL $parent
    wait $parent || :
    sleep 1
    if goes_on "$worker"; then
        fail "the worker goes on without who started it"
        kill -KILL "$worker"
    fi
else
    echo "not looked at whether workers end with the program: there is no /proc"
fi

if [ -z "$sanitizer" ]; then
    ( # shellcheck disable=SC3045
        ulimit -v 100000 && run 1 vector --quick --table list
        [ "$(wc -l <"$scratch/err")" = 1 ] && grep -q '^ashlar bench: out of memory' "$scratch/err" ||
            fail "out of memory: that is not what it says"
        exit $failures
    ) || failures=$((failures + 1))
else
    echo "not tried with little memory: a sanitizer needs more addresses than that for itself"
fi

[ "$failures" = 0 ]
