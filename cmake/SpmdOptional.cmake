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
if(SPMD_USE_NCCL AND SPMD_HAVE_CUDA)
  include(SpmdLibnccl)
  if(TARGET spmd::libnccl)
    set(SPMD_HAVE_NCCL ON)
  endif()
endif()
if(NOT SPMD_HAVE_NCCL)
  spmd_missing(NCCL "NCCL programs are linted, not built" "CUDA, nccl.h and libnccl, or NCCL_ROOT")
endif()

set(SPMD_HAVE_TORCH OFF)
if(SPMD_USE_TORCH)
  include(SpmdLibtorch)
  if(TARGET spmd::libtorch)
    set(SPMD_HAVE_TORCH ON)
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
