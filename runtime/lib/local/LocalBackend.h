//===- LocalBackend.h - Ranks that are threads of one process ---*- C++ -*-===//

#ifndef SPMD_LIB_LOCAL_LOCALBACKEND_H
#define SPMD_LIB_LOCAL_LOCALBACKEND_H

#include "spmd/backend.h"

namespace spmd {

/// Connects axes between the threads of run_local. The default backend.
std::shared_ptr<Backend> localBackend();

} // namespace spmd

#endif // SPMD_LIB_LOCAL_LOCALBACKEND_H
