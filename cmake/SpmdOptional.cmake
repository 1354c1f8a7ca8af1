# Optional dependencies: each is looked for, used when there, and named once at
# the end of configuration when it is not.

set_property(GLOBAL PROPERTY SPMD_MISSING "")

function(spmd_missing name what needs)
  set_property(GLOBAL APPEND PROPERTY SPMD_MISSING
    "${name} is off (${what}), it would need ${needs}")
endfunction()

function(spmd_report_optional)
  get_property(missing GLOBAL PROPERTY SPMD_MISSING)
  foreach(line IN LISTS missing)
    message(STATUS "${line}")
  endforeach()
endfunction()

foreach(name CUDA NCCL TORCH MPI)
  option(SPMD_USE_${name} "Use ${name} when it is found" ON)
endforeach()

# CUDA: the toolkit only. No CUDA language is enabled here; targets with
# kernels do that themselves.
set(SPMD_HAVE_CUDA OFF)
if(SPMD_USE_CUDA)
  find_package(CUDAToolkit QUIET)
  if(CUDAToolkit_FOUND)
    set(SPMD_HAVE_CUDA ON)
  endif()
endif()
if(NOT SPMD_HAVE_CUDA)
  spmd_missing(CUDA "kernels are not compiled" "a CUDA toolkit, nvcc in PATH or CUDAToolkit_ROOT")
endif()

set(SPMD_HAVE_NCCL OFF)
if(SPMD_USE_NCCL)
  find_path(SPMD_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV NCCL_ROOT
            PATH_SUFFIXES include)
  find_library(SPMD_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} ENV NCCL_ROOT
               PATH_SUFFIXES lib)
  mark_as_advanced(SPMD_NCCL_INCLUDE SPMD_NCCL_LIBRARY)
  if(SPMD_NCCL_INCLUDE AND SPMD_NCCL_LIBRARY AND SPMD_HAVE_CUDA)
    set(SPMD_HAVE_NCCL ON)
    add_library(spmd_libnccl INTERFACE)
    target_include_directories(spmd_libnccl SYSTEM INTERFACE ${SPMD_NCCL_INCLUDE})
    target_link_libraries(spmd_libnccl INTERFACE ${SPMD_NCCL_LIBRARY} CUDA::cudart)
  endif()
endif()
if(NOT SPMD_HAVE_NCCL)
  spmd_missing(NCCL "NCCL programs are linted, not built" "CUDA, nccl.h and libnccl, or NCCL_ROOT")
endif()

# libtorch: Debian's TorchConfig drags in the whole of Caffe2's dependencies,
# so headers and libraries are looked for directly; LibTorch_ROOT serves the
# upstream archive.
set(SPMD_HAVE_TORCH OFF)
if(SPMD_USE_TORCH)
  find_path(SPMD_TORCH_INCLUDE torch/script.h HINTS ${LibTorch_ROOT} ENV LibTorch_ROOT
            PATH_SUFFIXES include)
  find_path(SPMD_TORCH_API_INCLUDE torch/torch.h HINTS ${SPMD_TORCH_INCLUDE}
            PATH_SUFFIXES torch/csrc/api/include)
  set(libraries "")
  set(SPMD_HAVE_TORCH ON)
  foreach(name torch torch_cpu c10)
    find_library(SPMD_LIB_${name} ${name} HINTS ${LibTorch_ROOT} ENV LibTorch_ROOT
                 PATH_SUFFIXES lib)
    mark_as_advanced(SPMD_LIB_${name})
    if(SPMD_LIB_${name})
      list(APPEND libraries ${SPMD_LIB_${name}})
    else()
      set(SPMD_HAVE_TORCH OFF)
    endif()
  endforeach()
  mark_as_advanced(SPMD_TORCH_INCLUDE SPMD_TORCH_API_INCLUDE)
  if(NOT SPMD_TORCH_INCLUDE OR NOT SPMD_TORCH_API_INCLUDE)
    set(SPMD_HAVE_TORCH OFF)
  endif()
  if(SPMD_HAVE_TORCH)
    add_library(spmd_libtorch INTERFACE)
    target_include_directories(spmd_libtorch SYSTEM INTERFACE
      ${SPMD_TORCH_INCLUDE} ${SPMD_TORCH_API_INCLUDE})
    # Debian builds libtorch with its Gloo process group but does not export
    # the definitions that its distributed headers want.
    find_library(SPMD_LIB_gloo gloo HINTS ${LibTorch_ROOT} ENV LibTorch_ROOT PATH_SUFFIXES lib)
    mark_as_advanced(SPMD_LIB_gloo)
    if(SPMD_LIB_gloo)
      list(APPEND libraries ${SPMD_LIB_gloo})
      target_compile_definitions(spmd_libtorch INTERFACE USE_DISTRIBUTED USE_RPC USE_C10D_GLOO)
    endif()
    target_link_libraries(spmd_libtorch INTERFACE ${libraries})
  endif()
endif()
if(NOT SPMD_HAVE_TORCH)
  spmd_missing(libtorch "torch programs are linted against their own headers, not built"
    "Debian's libtorch-dev, or LibTorch_ROOT")
endif()

set(SPMD_HAVE_MPI OFF)
if(SPMD_USE_MPI)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(SPMD_HAVE_MPI ON)
  endif()
endif()
if(NOT SPMD_HAVE_MPI)
  spmd_missing(MPI "MPI programs are linted, not built" "libopenmpi-dev, or MPI_HOME")
endif()
