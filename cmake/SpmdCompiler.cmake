# Language level, warnings and the compiler cache. Everything that is compiled
# as part of the tool links `spmd_tool_flags`.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Assertions stay on: a linter that asserts is worth more than one that is 2%
# faster.
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SPMD_CCACHE ccache)
  mark_as_advanced(SPMD_CCACHE)
  if(SPMD_CCACHE)
    # The sloppiness is what ccache's manual asks for with precompiled headers;
    # base directory and no-hash-dir let several checkouts share one cache.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
        ${SPMD_CCACHE})
  endif()
endif()

if(SPMD_SANITIZE)
  add_compile_options(-fsanitize=${SPMD_SANITIZE} -fno-omit-frame-pointer -g1
                      -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${SPMD_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang) # coverage for the fuzz targets
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
  # Objects of LLVM's shared libraries are not instrumented, and their vtables
  # carry no type information to check against.
  add_compile_options(-fno-sanitize=vptr -U_FORTIFY_SOURCE)
endif()

add_library(spmd_warnings INTERFACE)
target_compile_options(spmd_warnings INTERFACE -Wall -Wextra)
if(SPMD_WERROR)
  target_compile_options(spmd_warnings INTERFACE -Werror)
endif()

add_library(spmd_tool_flags INTERFACE)
target_link_libraries(spmd_tool_flags INTERFACE spmd_warnings)
target_compile_options(spmd_tool_flags INTERFACE -fno-rtti -fno-exceptions)
