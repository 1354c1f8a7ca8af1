# What `cmake --install` puts where. Three parts, all by default:
#   --component tools     executables, with the headers and stubs they lint with
#   --component dev       the runtime's headers, archives, the CMake package, pkg-config files
#   --component runtime   the shared library, and what reads the records of a run
# and, of a build with SPMD_PORTABLE, in place of tools:
#   --component portable  the tools linked statically, with Clang's headers too
# Nothing written here has an absolute path of its own: the tree can be moved.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spmd)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(tool_parts tools)
if(SPMD_PORTABLE_TOOLS)
  list(APPEND tool_parts portable)
endif()

# The linter parses what users include, so its part has the headers too: at a
# place of its own, for the parts to be packages that share no file.
foreach(part dev ${tool_parts})
  set(headers lib/spmd-tidy/include)
  if(part STREQUAL dev)
    set(headers ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/spmd
    DESTINATION ${headers} COMPONENT ${part} FILES_MATCHING PATTERN *.h
    PATTERN *.def)
  # The tables that linter and runtime share.
  foreach(header LocalType Transition TransitionProof)
    install(FILES ${PROJECT_SOURCE_DIR}/rules/types/include/spmd/types/${header}.h
      DESTINATION ${headers}/spmd/types COMPONENT ${part})
  endforeach()
endforeach()

# spmd_install_library(<target> <component> <pkg-config name> <description>
#                      REQUIRES <module>... CFLAGS <flag>... LIBS <flag>...)
function(spmd_install_library target component module description)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "REQUIRES;CFLAGS;LIBS")
  install(TARGETS ${target} EXPORT spmd-${component} COMPONENT dev
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT spmd-${component} FILE spmd-${component}Targets.cmake NAMESPACE spmd::
    DESTINATION ${package_dir} COMPONENT dev)

  file(RELATIVE_PATH to_prefix /prefix/${pkgconfig_dir} /prefix)
  list(JOIN arg_REQUIRES ", " requires)
  list(JOIN arg_CFLAGS " " cflags)
  list(JOIN arg_LIBS " " libs)
  set(library $<TARGET_FILE_BASE_NAME:${target}>)
  file(READ ${PROJECT_SOURCE_DIR}/cmake/install/spmd.pc.in template)
  string(CONFIGURE "${template}" text @ONLY)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/install/${module}.pc CONTENT "${text}")
  install(FILES ${PROJECT_BINARY_DIR}/install/${module}.pc
    DESTINATION ${pkgconfig_dir} COMPONENT dev)
endfunction()

spmd_install_library(spmd spmd spmd "typed collectives with their backward" LIBS -pthread)
set(components spmd)
if(TARGET spmd_mpi)
  list(APPEND components mpi)
  spmd_install_library(spmd_mpi mpi spmd-mpi "spmd over MPI" REQUIRES spmd
    CFLAGS -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX ${MPI_C_COMPILE_OPTIONS}
           "$<$<BOOL:${MPI_C_INCLUDE_DIRS}>:-I$<JOIN:${MPI_C_INCLUDE_DIRS}, -I>>"
    LIBS ${MPI_C_LIBRARIES})
endif()
if(TARGET spmd_torch)
  list(APPEND components torch)
  get_target_property(defined spmd::libtorch INTERFACE_COMPILE_DEFINITIONS)
  get_target_property(includes spmd::libtorch INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(libraries spmd::libtorch INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM defined PREPEND -D)
  list(TRANSFORM includes PREPEND -I)
  spmd_install_library(spmd_torch torch spmd-torch "spmd on torch::Tensor" REQUIRES spmd
    CFLAGS ${defined} ${includes} LIBS ${libraries})
  install(FILES cmake/SpmdLibtorch.cmake DESTINATION ${package_dir} COMPONENT dev)
endif()
if(TARGET spmd_nccl)
  list(APPEND components nccl)
  set(includes ${SPMD_NCCL_INCLUDE} ${CUDAToolkit_INCLUDE_DIRS})
  list(REMOVE_DUPLICATES includes)
  list(TRANSFORM includes PREPEND -I)
  spmd_install_library(spmd_nccl nccl spmd-nccl "spmd over NCCL" REQUIRES spmd
    CFLAGS ${includes} LIBS ${SPMD_NCCL_LIBRARY} ${CUDA_CUDART})
  install(FILES cmake/SpmdLibnccl.cmake DESTINATION ${package_dir} COMPONENT dev)
endif()

configure_package_config_file(cmake/install/spmdConfig.cmake.in
  ${PROJECT_BINARY_DIR}/install/spmdConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/spmdConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/spmdConfig.cmake
              ${PROJECT_BINARY_DIR}/install/spmdConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/SpmdTidy.cmake
  DESTINATION ${package_dir} COMPONENT dev)

install(TARGETS spmd_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS spmd-flight RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
foreach(tool spmd-ir spmd-query spmd-tidy spmd-clangd)
  if(TARGET ${tool})
    # LLVM's libraries may be where the loader does not look.
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  endif()
endforeach()
# As they are: llvm-strip takes no static programs, and they are linked without symbols.
foreach(tool IN LISTS SPMD_PORTABLE_TOOLS)
  install(PROGRAMS $<TARGET_FILE:${tool}> DESTINATION ${CMAKE_INSTALL_BINDIR}
    COMPONENT portable EXCLUDE_FROM_ALL)
endforeach()
if(SPMD_PORTABLE_TOOLS)
  install(DIRECTORY ${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}/include
    DESTINATION lib/spmd-tidy/clang COMPONENT portable EXCLUDE_FROM_ALL)
endif()
if(TARGET SpmdTidyModule)
  install(TARGETS SpmdTidyModule LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/spmd-tidy
    COMPONENT tools)
endif()

# What the tool says of itself; made again when it was linked again.
foreach(text IN ITEMS "man-page;${CMAKE_INSTALL_MANDIR}/man1;spmd-tidy.1"
                      "completions=bash;${CMAKE_INSTALL_DATADIR}/bash-completion/completions;spmd-tidy"
                      "completions=zsh;${CMAKE_INSTALL_DATADIR}/zsh/site-functions;_spmd-tidy")
  if(SPMD_BUILD_LINT)
    list(GET text 0 option)
    list(GET text 1 folder)
    list(GET text 2 file)
    set(made ${PROJECT_BINARY_DIR}/install/${option}/${file})
    add_custom_command(OUTPUT ${made}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/install/${option}
      COMMAND spmd-tidy --${option} > ${made}
      DEPENDS spmd-tidy VERBATIM)
    list(APPEND printed ${made})
    foreach(part IN LISTS tool_parts)
      install(FILES ${made} DESTINATION ${folder} COMPONENT ${part})
    endforeach()
  endif()
endforeach()
add_custom_target(printed-pages ALL DEPENDS ${printed})

if(SPMD_BUILD_LINT)
  spmd_glob(pages lint/checks/*.md)
  foreach(part IN LISTS tool_parts)
    install(DIRECTORY lint/cuda-stubs DESTINATION ${CMAKE_INSTALL_DATADIR}/spmd-tidy
      COMPONENT ${part})
    install(FILES lint/spmd-tidy.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/spmd-tidy
      COMPONENT ${part})
    install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
      COMPONENT ${part})
    install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT ${part}
      FILES_MATCHING PATTERN *.md)
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DOCDIR}/lint/checks COMPONENT ${part})
  endforeach()
endif()

foreach(package "runtime;spmd-runtime" "dev;libspmd-dev" "tools;spmd-tidy" "portable;spmd-tidy")
  list(GET package 0 part)
  list(GET package 1 name)
  install(FILES LICENSE.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
    RENAME copyright COMPONENT ${part})
endforeach()
# Of what is inside the static programs.
if(SPMD_PORTABLE_TOOLS)
  foreach(package libllvm${LLVM_VERSION_MAJOR} libc6 libstdc++6 zlib1g libzstd1)
    install(FILES /usr/share/doc/${package}/copyright OPTIONAL RENAME ${package}
      DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences COMPONENT portable EXCLUDE_FROM_ALL)
  endforeach()
endif()
include(SpmdPackages)
