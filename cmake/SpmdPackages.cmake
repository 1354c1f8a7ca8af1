# What `cpack` makes: a .deb of the tools, one for machines that run programs and
# one for those that build them, and an archive with the tools for every Linux.
# What MPI, NCCL and libtorch are called through are archives: whoever installs
# the shared library needs none of the three.
set(CPACK_GENERATOR DEB)
if(SPMD_PORTABLE_TOOLS)
  list(APPEND CPACK_GENERATOR TXZ)
endif()
# Which parts each of them takes.
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/install/parts-of-packages.cmake)
set(CPACK_PACKAGE_NAME spmd)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The spmd-tidy authors <spmd-tidy@localhost>")
set(CPACK_COMPONENTS_ALL tools runtime dev)
if(SPMD_PORTABLE_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL portable)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME spmd-tidy)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "static SPMD type checker for distributed C++ and CUDA code
 Finds forgotten, doubled and misplaced collectives without running anything.")
# The libraries by their symbols; Clang's builtin headers by name.
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libclang-common-${SPMD_LLVM_MAJOR}-dev")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "clang-tidy-${SPMD_LLVM_MAJOR}, libspmd-dev")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME spmd-runtime)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "typed collectives: what programs that use them need to run
 The shared library, and spmd-flight, which says what ranks did that stopped.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libspmd-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "spmd-runtime (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEV_DESCRIPTION "typed collectives with their backward
 Headers, archives, and the files that CMake and pkg-config look for.")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libtorch-dev, libopenmpi-dev, spmd-tidy")

# The archive's name, and that of the folder in it.
string(TOLOWER "spmd-tidy-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" archive)
set(CPACK_PACKAGE_FILE_NAME ${archive})
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_PORTABLE_FILE_NAME ${archive})
set(CPACK_ARCHIVE_THREADS 0)
include(CPack)
