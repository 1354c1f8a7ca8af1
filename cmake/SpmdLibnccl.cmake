# Defines the imported target spmd::libnccl when NCCL and the CUDA runtime are
# found. Used by the build, and installed for those who use the package.

function(spmd_find_libnccl)
  if(TARGET spmd::libnccl)
    return()
  endif()
  find_package(CUDAToolkit QUIET)
  find_path(SPMD_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV NCCL_ROOT
            PATH_SUFFIXES include)
  find_library(SPMD_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} ENV NCCL_ROOT
               PATH_SUFFIXES lib)
  mark_as_advanced(SPMD_NCCL_INCLUDE SPMD_NCCL_LIBRARY)
  if(SPMD_NCCL_INCLUDE AND SPMD_NCCL_LIBRARY AND CUDAToolkit_FOUND)
    add_library(spmd::libnccl INTERFACE IMPORTED GLOBAL)
    target_include_directories(spmd::libnccl INTERFACE ${SPMD_NCCL_INCLUDE})
    target_link_libraries(spmd::libnccl INTERFACE ${SPMD_NCCL_LIBRARY} CUDA::cudart)
  endif()
endfunction()

spmd_find_libnccl()
