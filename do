#!/bin/sh
# do - everything a person or a machine does with this tree, by name. `./do help` lists it.
#
# On Debian it first installs what the task needs and is missing, through apt-get.
set -eu
cd "$(dirname "$0")"

usage() {
    cat <<'END'
usage: ./do TASK

  demo             build it, run the benchmark in short and the example on real files
  test             every suite, every compiler, every machine: what a change has to pass
  build [PRESET]   build one preset (dev); `cmake --list-presets` lists them
  format           clang-format all sources
  check            format, cppcheck, clang-tidy, shellcheck
  bench [ARG...]   `ashlar bench ARG...` beside what Debian has: arena; vector; scope
  bench micro ...  single operations, in one process; see bench/README.md
  cross            build and run the portability test for all other machines
  help             show this text
END
}

# Packages, by what they are for. Without recommended packages a cross compiler has no libc: it is
# named. gcc-multilib is not to be installed: it removes every cross compiler.
packages() {
    case $1 in
    build) echo gcc g++ cmake ninja-build pkg-config libexpat1-dev ;;
    demo) echo iso-codes ;;
    bench) echo libapr1-dev libtalloc-dev libjansson-dev libjemalloc2 libmimalloc2.0 \
        libtcmalloc-minimal4 libgc-dev nettle-dev gnuplot-nox ;;
    micro) echo libboost-dev libboost-container-dev libfoonathan-memory-dev libmimalloc-dev \
        libprotobuf-dev llvm-dev ;;
    test) echo libcmocka-dev librapidcheck-dev libgc-dev xxd clang libclang-rt-dev valgrind \
        libc6-dbg jq ;;
    check) echo clang-format clang-tidy cppcheck shellcheck ;;
    emulator) echo qemu-user ;;
    windows) echo gcc-mingw-w64-x86-64 ;;
    i686) echo gcc-i686-linux-gnu libc6-dev-i386-cross ;;
    s390x) echo gcc-s390x-linux-gnu libc6-dev-s390x-cross ;;
    aarch64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
    armhf) echo gcc-arm-linux-gnueabihf libc6-dev-armhf-cross ;;
    mips) echo gcc-mips-linux-gnu libc6-dev-mips-cross ;;
    musl) echo musl-tools ;;
    tcc) echo tcc ;;
    esac
}

have_package() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# need GROUP... - installs what is missing of these groups of packages.
need() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        return 0 # not Debian: the tools are taken to be there, and the build says which is not
    fi
    missing=
    for group; do
        for package in $(packages "$group"); do
            have_package "$package" || missing="$missing $package"
        done
    done
    [ -n "$missing" ] || return 0

    as_root=
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "./do: neither root nor sudo; have these packages installed first:$missing" >&2
            exit 1
        fi
        as_root=sudo
    fi
    echo "installing:$missing"
    for attempt in 1 2 3; do
        # shellcheck disable=SC2086 # one word a package
        if $as_root apt-get update -qq &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
                --no-install-recommends -o DPkg::Lock::Timeout=300 $missing >/dev/null; then
            return 0
        fi
        echo "./do: apt-get failed, attempt $attempt of 3" >&2
        sleep $((attempt * 5))
    done
    exit 1
}

# --- steps: one line each, what they print only if they fail -------------------------------------

passed=0
failed=0
summaries=
logs=build/logs

# step NAME SECONDS COMMAND... - one check, which counts as one.
step() {
    if quietly "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

# quietly NAME SECONDS COMMAND... - runs it, prints one line, and all of its output if it fails.
quietly() {
    name=$1
    limit=$2
    shift 2
    log=$logs/$name.log
    begin=$(date +%s)
    status=0
    timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1 </dev/null || status=$?
    seconds=$(($(date +%s) - begin))
    if [ "$status" = 0 ]; then
        printf 'ok   %4d s  %s\n' "$seconds" "$name"
        return 0
    fi
    [ "$status" != 124 ] || echo "timed out after $limit s" >>"$log"
    printf 'FAIL %4d s  %s: %s\n' "$seconds" "$name" "$*"
    sed '/^\[[0-9]*\/[0-9]*\] /d; s/^/     | /' "$log" # without what ninja counts
    return 1
}

configure_and_build() {
    quietly "$1-configure" 120 cmake --preset "$@" &&
        quietly "$1-build" 600 cmake --build --preset "$1"
}

# suite PRESET [CTEST ARG...] - builds a preset and runs its tests, which are counted one by one.
suite() {
    preset=$1
    shift
    if ! configure_and_build "$preset"; then
        failed=$((failed + 1))
        return
    fi
    # shellcheck disable=SC2086 # one word an argument
    quietly "$preset-test" 900 $run_ctest --preset "$preset" "$@" || :
    summary=$(grep 'tests passed, .* tests\{0,1\} failed out of' "$logs/$preset-test.log" || :)
    if [ -z "$summary" ]; then
        failed=$((failed + 1))
        return
    fi
    bad=$(echo "$summary" | sed 's/.*passed, \([0-9]*\) .*/\1/')
    all=$(echo "$summary" | sed 's/.*out of \([0-9]*\)$/\1/')
    failed=$((failed + bad))
    passed=$((passed + all - bad))
    summaries="$summaries$preset:
$summary
"
}

# The thread sanitizer of gcc 12 cannot start where more than 28 bits of addresses are random.
run_ctest=ctest
without_randomisation() {
    ! setarch -R true 2>/dev/null || run_ctest='setarch -R ctest'
}

report() {
    printf '\n%s%s passed, %s failed\n' "$summaries" "$passed" "$failed"
    [ "$failed" = 0 ]
}

# --- tasks ---------------------------------------------------------------------------------------

do_test() {
    need build test emulator windows i686 s390x
    mkdir -p $logs
    suite dev
    [ -n "$summaries" ] || report # it does not build: no other suite will
    suite clang
    suite release -LE compile
    suite clang-release -LE compile
    suite asan -LE compile
    suite redzone0 -LE compile
    without_randomisation
    suite tsan
    for target in windows i686 s390x; do
        step "cross-$target" 300 sh tests/cross.sh "$PWD" $target
    done
    if [ -f tests/check_counts.sh ]; then
        step counts 600 sh tests/check_counts.sh build/release
    fi
    report
}

do_cross() {
    targets='windows i686 s390x aarch64 armhf mips musl tcc'
    # shellcheck disable=SC2086 # one word a target
    need build emulator $targets
    mkdir -p $logs
    for target in $targets; do
        step "cross-$target" 300 sh tests/cross.sh "$PWD" "$target"
    done
    report
}

# build_release [OPTION...] - what a user would build, without the tests.
build_release() {
    mkdir -p $logs
    configure_and_build release -DASHLAR_TESTS=OFF "$@"
}

do_demo() {
    need build demo
    build_release
    files=/usr/share/xml/iso-codes
    timeout 180 build/release/ashlar bench arena --quick
    timeout 60 build/release/examples/xml_tree \
        $files/iso_639-3.xml $files/iso_639-2.xml $files/iso_3166-1.xml $files/iso_4217.xml
}

do_bench() {
    [ $# -gt 0 ] || set -- arena
    case $1 in
    micro)
        shift
        need build bench micro
        build_release -DASHLAR_BENCH=ON
        build/release/bench/micro "$@"
        ;;
    *)
        need build bench
        build_release
        build/release/ashlar bench "$@"
        ;;
    esac
}

do_build() {
    need build test
    mkdir -p $logs
    configure_and_build "${1:-dev}"
}

sources() {
    find . -path ./build -prune -o -name '*.[ch]' -print -o -name '*.[ch]pp' -print
}

do_format() {
    need check
    sources | xargs clang-format -i
}

do_check() {
    need build test check
    mkdir -p $logs
    step dev-configure 120 cmake --preset dev
    # shellcheck disable=SC2046 # one word a file
    step clang-format 120 clang-format --dry-run -Werror $(sources)
    step cppcheck 300 cppcheck --quiet --std=c11 --enable=warning,portability,performance \
        --inline-suppr --error-exitcode=1 -Iinclude src tools
    # shellcheck disable=SC2046
    step clang-tidy 600 clang-tidy --quiet -p build/dev --warnings-as-errors='*' \
        $(find src tools -name '*.c')
    step shellcheck 60 shellcheck ./do .ci/run tests/*.sh
    report
}

task=${1:-help}
[ $# = 0 ] || shift
case $task in
demo | test | build | format | check | bench | cross) "do_$task" "$@" ;;
help | --help | -h) usage ;;
*)
    echo "./do: unknown task '$task'; try './do help'" >&2
    exit 2
    ;;
esac
