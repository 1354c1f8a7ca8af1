# spmd_tidy(<target> [OPTIONS <option>...])
#
# Adds the target <target>-spmd-tidy, which lints the sources of <target> with
# the flags that it is compiled with. What a build runs with `ALL` may depend on it.
function(spmd_tidy target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "spmd_tidy: what is '${arg_UNPARSED_ARGUMENTS}'? Options go behind OPTIONS")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "spmd_tidy: there is no target '${target}'")
  endif()
  find_program(SPMD_TIDY_PROGRAM spmd-tidy
    HINTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin)
  if(NOT SPMD_TIDY_PROGRAM)
    message(FATAL_ERROR "spmd_tidy: spmd-tidy is not found: set SPMD_TIDY_PROGRAM")
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
  set(sources $<TARGET_PROPERTY:${target},SOURCES>)
  add_custom_target(${target}-spmd-tidy
    COMMAND ${SPMD_TIDY_PROGRAM} -p ${CMAKE_BINARY_DIR} ${arg_OPTIONS}
            "$<FILTER:${sources},INCLUDE,[.](c|cc|cpp|cxx|cu|C)$>"
    WORKING_DIRECTORY $<TARGET_PROPERTY:${target},SOURCE_DIR>
    COMMENT "Checking SPMD types of ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()
