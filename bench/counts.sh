#!/bin/sh
# counts.sh - instructions per operation of the hot paths, exactly, as callgrind counts them.
#
# The library and counts.c are built with gcc -O2 -DNDEBUG. An operation is one allocation with what
# gives it back, loop included. Prints a line a path: NAME COUNT.
#
# Exit status: 0 done, 1 it failed, 77 there is no valgrind or no gcc.
set -eu
cd "$(dirname "$0")/.."

for tool in valgrind gcc; do
    if ! command -v $tool >/dev/null; then
        echo "counts.sh: skipped: $tool is not installed" >&2
        exit 77
    fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
gcc -std=c11 -O2 -DNDEBUG -Iinclude -Iexamples -o "$scratch/counts" \
    bench/counts.c examples/mapped_file.c src/*.c

few=10000
more=30000

# instructions PATH N - of a whole run.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$scratch/counts" "$1" "$2" \
        2>"$scratch/log" || {
        cat "$scratch/log" >&2
        exit 1
    }
    sed -n 's/^==[0-9]*== Collected : //p' "$scratch/log"
}

"$scratch/counts" 2>&1 | sed -n 's/^  //p' | while read -r path; do
    low=$(instructions "$path" $few)
    high=$(instructions "$path" $more)
    awk -v name="$path" -v low="$low" -v high="$high" -v n=$((more - few)) \
        'BEGIN { printf "%-22s %.2f\n", name, (high - low) / n }'
done
