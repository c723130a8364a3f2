# Flags: what this project's own code is compiled with. Nothing here reaches a user of the library.

if(ASHLAR_SANITIZE)
  add_compile_options(-fsanitize=${ASHLAR_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ASHLAR_SANITIZE})
endif()

# Warnings for a target whose code is held to all of them.
function(ashlar_warnings target)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef
      -Wcast-qual -Wwrite-strings -Wformat=2 -Wdouble-promotion -Wpointer-arith -Wvla
      $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>)
  endif()
endfunction()

# A program over the public headers only.
function(ashlar_program target)
  target_link_libraries(${target} PRIVATE ashlar ${ARGN})
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
  ashlar_warnings(${target})
endfunction()

# Let a shared library show only the symbols that match the pattern.
function(ashlar_export_only target pattern)
  if(CMAKE_SYSTEM_NAME MATCHES "Linux|BSD")
    set(script ${PROJECT_BINARY_DIR}/${target}.map)
    file(CONFIGURE OUTPUT ${script} CONTENT "{ global: @pattern@; local: *; };\n" @ONLY)
    target_link_options(${target} PRIVATE -Wl,--version-script=${script})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${script})
  endif()
endfunction()

# The debug information that clang writes by default is more than Debian 12's valgrind reads.
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  add_compile_options(-gdwarf-4)
endif()
