# `ashlar bench`: part of the command where there are POSIX threads and processes.
#
# What is found is measured: APR, talloc and GNU obstack through their own interfaces, new and delete
# where there is a C++ compiler, which `bench vector` needs. --json needs jansson. Other malloc libraries and gnuplot are looked
# for when it runs.
include(CheckIncludeFile)
include(CheckLanguage)
find_package(Threads REQUIRED)
find_package(PkgConfig)

file(GLOB bench_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
target_sources(ashlar_command PRIVATE ${bench_sources})
target_include_directories(ashlar_command PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(ashlar_command PRIVATE ASHLAR_BENCH)
target_link_libraries(ashlar_command PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  target_sources(ashlar_command PRIVATE ${CMAKE_CURRENT_LIST_DIR}/new_delete.cpp)
  target_compile_definitions(ashlar_command PRIVATE BENCH_NEW_DELETE)
endif()

# The obstack of 2012 is in no distribution. Its directory may be given.
set(CLEEUS_OBSTACK "" CACHE PATH "Directory of obstack.hpp by cleeus")
if(CLEEUS_OBSTACK AND CMAKE_CXX_COMPILER)
  target_sources(ashlar_command PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/cleeus.cpp ${CLEEUS_OBSTACK}/obstack.cpp)
  target_include_directories(ashlar_command SYSTEM PRIVATE ${CLEEUS_OBSTACK})
  target_compile_definitions(ashlar_command PRIVATE BENCH_CLEEUS)
endif()

check_include_file(obstack.h BENCH_OBSTACK)
if(BENCH_OBSTACK)
  target_compile_definitions(ashlar_command PRIVATE BENCH_OBSTACK)
endif()

if(PkgConfig_FOUND)
  pkg_check_modules(BENCH_JSON IMPORTED_TARGET jansson)
  pkg_check_modules(BENCH_APR IMPORTED_TARGET apr-1)
  pkg_check_modules(BENCH_TALLOC IMPORTED_TARGET talloc)
endif()
foreach(part JSON APR TALLOC)
  if(TARGET PkgConfig::BENCH_${part})
    target_compile_definitions(ashlar_command PRIVATE BENCH_${part})
    target_link_libraries(ashlar_command PRIVATE PkgConfig::BENCH_${part})
  endif()
endforeach()

# What `bench vector` measures is compiled at three levels, whatever the build is: a program each, so
# that what the linker finds twice (templates, inline functions) is never of another level. Only the
# library is as the build has it.
set(CMAKE_REQUIRED_FLAGS -std=c++17)
if(CMAKE_CXX_COMPILER)
  include(CheckIncludeFileCXX)
  check_include_file_cxx(memory_resource BENCH_VECTOR)
endif()
unset(CMAKE_REQUIRED_FLAGS)
target_compile_definitions(ashlar_command PRIVATE
  "BENCH_BUILD=\"${CMAKE_BUILD_TYPE} (${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION})\"")

function(ashlar_vector_worker level)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/vector/*.c
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/vector/*.cpp)
  set(worker vector_worker_${level})
  add_executable(${worker} ${sources})
  ashlar_program(${worker})
  # A loop of four instructions is twice as slow where it begins in the wrong place.
  target_compile_options(${worker} PRIVATE -${level} -falign-functions=64 -falign-loops=32)
  set_target_properties(${worker} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
  if(BENCH_OBSTACK)
    target_compile_definitions(${worker} PRIVATE BENCH_OBSTACK)
  endif()
  if(TARGET PkgConfig::BENCH_APR)
    target_compile_definitions(${worker} PRIVATE BENCH_APR)
    target_link_libraries(${worker} PRIVATE PkgConfig::BENCH_APR)
  endif()
  add_dependencies(ashlar_command ${worker})
  if(ASHLAR_INSTALL)
    install(TARGETS ${worker} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ashlar)
  endif()
endfunction()

if(BENCH_VECTOR)
  target_compile_definitions(ashlar_command PRIVATE BENCH_VECTOR)
  foreach(level O0 O1 O2)
    ashlar_vector_worker(${level})
  endforeach()
endif()

# What `bench scope` measures: a program for each form, over real files and over none. Calls of malloc
# are counted, which GNU ld and its like can do. Code that a form has no use for is not in it.
if(PkgConfig_FOUND AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  pkg_check_modules(BENCH_NETTLE IMPORTED_TARGET nettle)
  pkg_check_modules(BENCH_GC IMPORTED_TARGET bdw-gc)
endif()

function(ashlar_scope_worker form kind)
  set(directory ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/scope)
  set(examples ${PROJECT_SOURCE_DIR}/examples)
  set(worker ${kind}_${form})
  add_executable(${worker} ${directory}/worker.c ${directory}/stack.c ${directory}/counting.c
    ${directory}/form_${form}.c)
  ashlar_program(${worker})
  target_include_directories(${worker} PRIVATE ${examples})
  target_compile_options(${worker} PRIVATE -ffunction-sections)
  target_link_options(${worker} PRIVATE LINKER:--gc-sections)
  foreach(name malloc calloc realloc aligned_alloc posix_memalign free)
    target_link_options(${worker} PRIVATE LINKER:--wrap=${name})
  endforeach()
  if(kind STREQUAL scope)
    target_sources(${worker} PRIVATE ${directory}/file.c ${examples}/mapped_file.c)
    target_link_libraries(${worker} PRIVATE PkgConfig::BENCH_NETTLE)
  else()
    target_sources(${worker} PRIVATE ${directory}/prepared.c)
  endif()
  if(form STREQUAL gc)
    target_link_options(${worker} PRIVATE LINKER:--wrap=GC_malloc)
    target_link_libraries(${worker} PRIVATE PkgConfig::BENCH_GC)
  endif()
  add_dependencies(ashlar_command ${worker})
  if(ASHLAR_INSTALL)
    install(TARGETS ${worker} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ashlar)
  endif()
endfunction()

if(TARGET PkgConfig::BENCH_NETTLE)
  target_compile_definitions(ashlar_command PRIVATE BENCH_SCOPE)
  set(forms malloc arena auto read)
  if(TARGET PkgConfig::BENCH_GC)
    target_compile_definitions(ashlar_command PRIVATE BENCH_GC)
    list(APPEND forms gc)
  endif()
  foreach(form ${forms})
    ashlar_scope_worker(${form} scope)
    ashlar_scope_worker(${form} prepared)
  endforeach()
endif()
