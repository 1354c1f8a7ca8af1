# Sources are found, not listed: adding a file needs no edit here.

# spmd_glob(<variable> <pattern>...): matching files below the current folder,
# re-evaluated at every build.
function(spmd_glob variable)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# spmd_embed(<output.cpp> HEADER <header> FUNCTION <namespaced name>
#            FILES <file>...)
# Writes at build time a C++ file that defines
#   llvm::ArrayRef<EmbeddedFile> FUNCTION();
# with the contents of the files. The names are the files' base names.
function(spmd_embed output)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;FUNCTION" "FILES")
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake)
  list(SORT arg_FILES)
  # A list travels through one file: the command line has its limits, and the
  # output must also be rewritten when a file disappears.
  string(REPLACE ";" "\n" lines "${arg_FILES}")
  file(CONFIGURE OUTPUT ${output}.list CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D LIST=${output}.list
            -D HEADER=${arg_HEADER} -D FUNCTION=${arg_FUNCTION} -P ${script}
    DEPENDS ${script} ${output}.list ${arg_FILES}
    COMMENT "Embedding files for ${arg_FUNCTION}"
    VERBATIM)
endfunction()
