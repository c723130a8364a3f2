#!/bin/sh
# cli.sh COMMAND VERSION - the command `ashlar` as a shell sees it: output, messages, exit status.
set -eu

command=$1
version=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect STATUS STDOUT STDERR ARGUMENT... - both streams are compared whole.
expect() {
    status=$1 out=$2 err=$3
    shift 3
    got=0
    "$command" "$@" >"$scratch/out" 2>"$scratch/err" || got=$?
    if [ "$got" != "$status" ] || [ "$(cat "$scratch/out")" != "$out" ] ||
        [ "$(cat "$scratch/err")" != "$err" ]; then
        echo "ashlar $*: expected status $status, got $got; stdout and stderr were:"
        cat "$scratch/out" "$scratch/err"
        failures=$((failures + 1))
    fi
}

usage=$("$command" --help)
case $usage in
"usage: ashlar "*--help*--version*) ;;
*) echo "--help does not list the commands: $usage" && failures=1 ;;
esac

expect 0 "ashlar $version" '' --version
expect 0 "$usage" '' --help
expect 2 '' "$usage"
expect 2 '' "ashlar: unknown option '--nonsense'; try 'ashlar --help'" --nonsense
expect 2 '' "ashlar: unknown option '-'; try 'ashlar --help'" -
expect 2 '' "ashlar: unknown command 'nonsense'; try 'ashlar --help'" nonsense
expect 2 '' "ashlar: unknown command ''; try 'ashlar --help'" ''
expect 2 '' "ashlar: unexpected argument 'more'; try 'ashlar --help'" --version more
expect 2 '' "ashlar: unexpected argument 'more'; try 'ashlar --help'" --help more

# Output that cannot be written is a failure, and is said.
for option in --help --version; do
    got=0
    "$command" "$option" >/dev/full 2>"$scratch/err" || got=$?
    if [ "$got" != 1 ] || ! grep -q '^ashlar: standard output: No space left on device$' "$scratch/err"; then
        echo "ashlar $option >/dev/full: status $got, stderr: $(cat "$scratch/err")"
        failures=$((failures + 1))
    fi
done

[ "$failures" = 0 ]
