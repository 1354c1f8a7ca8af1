//===- InstalledBackend.h - Who connects a rank's axes ----------*- C++ -*-===//

#ifndef SPMD_LIB_INSTALLEDBACKEND_H
#define SPMD_LIB_INSTALLEDBACKEND_H

#include "spmd/backend.h"

namespace spmd {

/// What set_backend was given, and by whom host memory and that of devices are
/// communicated: one and the same, or two.
struct InstalledBackend {
  InstalledBackend() = default;
  explicit InstalledBackend(std::shared_ptr<Backend> B);
  bool isTwo() const { return By[0] != By[1]; }

  std::shared_ptr<Backend> Whole, By[2];
};

} // namespace spmd

#endif // SPMD_LIB_INSTALLEDBACKEND_H
