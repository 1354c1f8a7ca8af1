# Defines the imported target spmd::libtorch when libtorch is found. Used by the
# build, and installed for those who use the package.
#
# Debian's TorchConfig drags in the whole of Caffe2's dependencies, so headers
# and libraries are looked for directly; LibTorch_ROOT serves the upstream
# archive. Where a project has found Torch itself, that one is taken.

# Newer headers are C++20.
function(spmd_libtorch_standard)
  foreach(folder ${SPMD_TORCH_INCLUDE}/torch/headeronly ${SPMD_TORCH_API_INCLUDE}/torch)
    if(EXISTS ${folder}/version.h)
      file(STRINGS ${folder}/version.h version REGEX "define TORCH_VERSION_(MAJOR|MINOR) ")
      string(REGEX REPLACE "[^0-9]*([0-9]+)[^0-9]+([0-9]+).*" "\\1.\\2" version "${version}")
      if(version VERSION_GREATER_EQUAL 2.10)
        target_compile_features(spmd::libtorch INTERFACE cxx_std_20)
      endif()
      return()
    endif()
  endforeach()
endfunction()

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
  # Where it has devices.
  find_library(SPMD_LIB_torch_cuda torch_cuda HINTS ${LibTorch_ROOT} ENV LibTorch_ROOT
               PATH_SUFFIXES lib)
  find_library(SPMD_LIB_c10_cuda c10_cuda HINTS ${LibTorch_ROOT} ENV LibTorch_ROOT
               PATH_SUFFIXES lib)
  mark_as_advanced(SPMD_TORCH_INCLUDE SPMD_TORCH_API_INCLUDE SPMD_LIB_gloo
                   SPMD_LIB_torch_cuda SPMD_LIB_c10_cuda)
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
  target_compile_definitions(spmd::libtorch INTERFACE USE_DISTRIBUTED)
  if(SPMD_LIB_gloo)
    list(APPEND libraries ${SPMD_LIB_gloo})
    target_compile_definitions(spmd::libtorch INTERFACE USE_RPC USE_C10D_GLOO)
  endif()
  if(SPMD_LIB_torch_cuda AND SPMD_LIB_c10_cuda)
    # Its kernels announce themselves: no symbol of theirs is asked for.
    list(APPEND libraries ${SPMD_LIB_c10_cuda}
      "-Wl,--push-state,--no-as-needed,${SPMD_LIB_torch_cuda},--pop-state")
  endif()
  spmd_libtorch_standard()
  target_link_libraries(spmd::libtorch INTERFACE ${libraries})
endfunction()

spmd_find_libtorch()
