# Defines the imported target spmd::libtorch when libtorch is found. Used by the
# build, and installed for those who use the package.
#
# Debian's TorchConfig drags in the whole of Caffe2's dependencies, so headers
# and libraries are looked for directly; LibTorch_ROOT serves the upstream
# archive. Where a project has found Torch itself, that one is taken.

function(spmd_find_libtorch)
  if(TARGET spmd::libtorch)
    return()
  endif()
  if(TARGET torch)
    add_library(spmd::libtorch INTERFACE IMPORTED GLOBAL)
    target_link_libraries(spmd::libtorch INTERFACE torch)
    target_compile_definitions(spmd::libtorch INTERFACE USE_DISTRIBUTED)
    return()
  endif()
  find_path(SPMD_TORCH_INCLUDE torch/script.h HINTS ${LibTorch_ROOT} ENV LibTorch_ROOT
            PATH_SUFFIXES include)
  find_path(SPMD_TORCH_API_INCLUDE torch/torch.h HINTS ${SPMD_TORCH_INCLUDE}
            PATH_SUFFIXES torch/csrc/api/include)
  # Debian builds libtorch with its Gloo process group but does not export the
  # definitions that its distributed headers want.
  find_library(SPMD_LIB_gloo gloo HINTS ${LibTorch_ROOT} ENV LibTorch_ROOT PATH_SUFFIXES lib)
  mark_as_advanced(SPMD_TORCH_INCLUDE SPMD_TORCH_API_INCLUDE SPMD_LIB_gloo)
  set(libraries "")
  foreach(name torch torch_cpu c10)
    find_library(SPMD_LIB_${name} ${name} HINTS ${LibTorch_ROOT} ENV LibTorch_ROOT
                 PATH_SUFFIXES lib)
    mark_as_advanced(SPMD_LIB_${name})
    list(APPEND libraries "${SPMD_LIB_${name}}")
  endforeach()
  foreach(part IN LISTS libraries ITEMS ${SPMD_TORCH_INCLUDE} ${SPMD_TORCH_API_INCLUDE})
    if(NOT part)
      return()
    endif()
  endforeach()

  add_library(spmd::libtorch INTERFACE IMPORTED GLOBAL)
  target_include_directories(spmd::libtorch INTERFACE
    ${SPMD_TORCH_INCLUDE} ${SPMD_TORCH_API_INCLUDE})
  if(SPMD_LIB_gloo)
    list(APPEND libraries ${SPMD_LIB_gloo})
    target_compile_definitions(spmd::libtorch INTERFACE USE_DISTRIBUTED USE_RPC USE_C10D_GLOO)
  endif()
  target_link_libraries(spmd::libtorch INTERFACE ${libraries})
endfunction()

spmd_find_libtorch()
