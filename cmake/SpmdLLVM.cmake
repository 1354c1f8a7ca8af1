# LLVM and Clang 22. Their version files refuse `find_package(Clang 22)`, so
# the major version is checked by hand.

set(SPMD_LLVM_MAJOR 22)
set(hints /usr/lib/llvm-${SPMD_LLVM_MAJOR}/lib/cmake/llvm)
# Their packages report every optional library of LLVM's own build.
set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
find_package(LLVM CONFIG HINTS ${hints})
if(NOT LLVM_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL SPMD_LLVM_MAJOR)
  message(FATAL_ERROR "LLVM ${SPMD_LLVM_MAJOR} is needed (found "
    "'${LLVM_PACKAGE_VERSION}'): run ./x setup, or set LLVM_DIR")
endif()
set(SPMD_LLVM_BIN ${LLVM_TOOLS_BINARY_DIR})

# spmd_link_llvm(<target> <library> <pattern>...): the shared library; in a
# program with the property SPMD_STATIC the archives so named, in any order, and
# what LLVM itself is linked with.
function(spmd_link_llvm target library)
  list(TRANSFORM ARGN PREPEND ${LLVM_LIBRARY_DIR}/)
  file(GLOB archives ${ARGN})
  target_link_libraries(${target} INTERFACE
    "$<IF:$<BOOL:$<TARGET_PROPERTY:SPMD_STATIC>>,$<LINK_GROUP:RESCAN,${archives},z,zstd>,${library}>")
endfunction()

# One interface target each, so that headers are system headers everywhere and
# the libraries are linked once.
add_library(spmd_llvm INTERFACE)
target_include_directories(spmd_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(spmd_llvm INTERFACE ${definitions})
spmd_link_llvm(spmd_llvm LLVM libLLVM*.a)

if(SPMD_BUILD_LINT)
  find_package(Clang CONFIG
    HINTS /usr/lib/llvm-${SPMD_LLVM_MAJOR}/lib/cmake/clang
          /usr/lib/cmake/clang-${SPMD_LLVM_MAJOR})
  if(NOT Clang_FOUND OR NOT TARGET clang-cpp)
    message(FATAL_ERROR "Clang's libraries are needed: run ./x setup, set "
      "Clang_DIR, or configure with -DSPMD_BUILD_LINT=OFF")
  endif()
  add_library(spmd_clang INTERFACE)
  target_include_directories(spmd_clang SYSTEM INTERFACE ${CLANG_INCLUDE_DIRS})
  spmd_link_llvm(spmd_clang clang-cpp libclang*.a libLLVM*.a)
  target_link_libraries(spmd_clang INTERFACE spmd_llvm)
endif()
unset(CMAKE_MESSAGE_LOG_LEVEL)
