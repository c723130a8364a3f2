#!/bin/sh
# install.sh CMAKE BUILD COMPILER VERSION C++COMPILER - what is installed can be found and used from
# outside, by pkg-config and by CMake, static and shared, from C and C++, also after the tree was moved.
set -eu

cmake=$1
build=$2
compiler=$3
version=$4
cxx=$5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# A prefix with nothing else in it, so that only what was installed can be found.
"$cmake" --install "$build" --prefix "$scratch/first" >install.log || {
    cat install.log
    exit 1
}
mv first prefix
libdir=$(dirname "$(find prefix -name libashlar.a)")
libdir=$scratch/$libdir
[ "$(prefix/bin/ashlar --version)" = "ashlar $version" ]

cat >user.c <<'END'
#include <ashlar.h>
#include <stdio.h>

int main(void)
{
    ash_arena arena;
    if (!ash_arena_init(&arena, NULL))
        return 1;
    char *line = ash_printf(&arena, "ashlar %s", ASH_VERSION);
    if (!line)
        return 1;
    puts(line);
    ash_arena_deinit(&arena);
    return 0;
}
END

cat >user.cpp <<'END'
#include <ashlar.hpp>
#include <cstdio>
#include <string>

int main()
{
    ash::arena arena;
    auto *line = arena.make<std::pmr::string>("ashlar ");
    *line += ASH_VERSION;
    std::puts(line->c_str());
}
END

check() {
    if [ "$("$@")" != "ashlar $version" ]; then
        echo "failed: $*"
        exit 1
    fi
}

export PKG_CONFIG_PATH="$libdir/pkgconfig"
package() { pkg-config "$@" ashlar; }
[ "$(package --modversion)" = "$version" ]
# shellcheck disable=SC2046 # one word a flag is what is wanted
"$compiler" -std=c11 user.c -o by_pkg_config $(package --cflags --libs)
check env LD_LIBRARY_PATH="$libdir" ./by_pkg_config
# shellcheck disable=SC2046
"$compiler" -std=c11 user.c -o by_pkg_config_static $(package --cflags) "$libdir/libashlar.a"
check ./by_pkg_config_static
# shellcheck disable=SC2046
"$cxx" -std=c++17 user.cpp -o cpp_by_pkg_config $(package --cflags --libs)
check env LD_LIBRARY_PATH="$libdir" ./cpp_by_pkg_config

cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.16)
project(user C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(ashlar $version REQUIRED)
add_executable(static user.c)
target_link_libraries(static PRIVATE ashlar::ashlar)
add_executable(shared user.c)
target_link_libraries(shared PRIVATE ashlar::ashlar_shared)
add_executable(cpp user.cpp)
target_link_libraries(cpp PRIVATE ashlar::ashlar)
END
{
    "$cmake" -G Ninja -S . -B user -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_CXX_COMPILER="$cxx" \
        -DCMAKE_PREFIX_PATH="$scratch/prefix" &&
        "$cmake" --build user
} >user.log || {
    cat user.log
    exit 1
}
check user/static
check user/shared
check user/cpp
