#!/bin/sh
# docs.sh TREE NAME... - every line of C in docs/NAME.md is a line of examples/NAME.c, which is compiled.
set -eu

tree=$1
shift
status=0
for name; do
    lines=$(awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside && NF' "$tree/docs/$name.md")
    [ -n "$lines" ]
    strange=$(printf '%s\n' "$lines" | grep -Fvx -f "$tree/examples/$name.c" || :)
    if [ -n "$strange" ]; then
        printf 'docs/%s.md has lines that its example has not:\n%s\n' "$name" "$strange"
        status=1
    fi
done
exit $status
