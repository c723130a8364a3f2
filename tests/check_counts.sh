#!/bin/sh
# check_counts.sh - are the hot paths as long as bench/counts.expected says?
#
# Counts are exact and the same on every run, but not for every compiler version: a path may be off
# by MARGIN per cent. Shorter is a reason to write the new count down. "NAME = OTHER" there says that
# two paths take the same number of instructions, whatever the compiler.
#
# Exit status: 0 all within the margin, 1 not, 77 what counts is not installed.
set -eu
cd "$(dirname "$0")/.."

MARGIN=5

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
sh bench/counts.sh >"$scratch/measured" || status=$?
[ $status = 0 ] || exit $status

awk -v margin=$MARGIN '
    /^#/ || NF == 0 { next }
    NR == FNR && $2 == "=" { same[$1] = $3; next }
    NR == FNR { expected[$1] = $2; next }
    { measured[$1] = $2 }
    $1 in same { next }
    !($1 in expected) { printf "%-22s expected nothing, measured %s\n", $1, $2; bad = 1; next }
    {
        off = 100 * ($2 - expected[$1]) / expected[$1]
        beyond = off > margin || off < -margin
        printf "%-22s expected %7.2f, measured %7.2f, %+6.1f %%%s\n", $1, expected[$1], $2, off,
            beyond ? "  BEYOND " margin " %" : ""
        bad = bad || beyond
        delete expected[$1]
    }
    END {
        for (name in expected) { printf "%-22s expected, not measured\n", name; bad = 1 }
        for (name in same) {
            off = measured[name] - measured[same[name]]
            differs = !(name in measured) || off < -0.5 || off > 0.5
            printf "%-22s as %s, measured %.2f%s\n", name, same[name], measured[name],
                differs ? "  NOT THE SAME" : ""
            bad = bad || differs
        }
        exit bad
    }
' bench/counts.expected "$scratch/measured"
