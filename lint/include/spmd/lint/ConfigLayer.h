//===- ConfigLayer.h - What one `.spmd-tidy` says ---------------*- C++ -*-===//

#ifndef SPMD_LINT_CONFIGLAYER_H
#define SPMD_LINT_CONFIGLAYER_H

#include "spmd/lint/Config.h"

namespace spmd::lint {

/// One file: its values, and whether farther files are ignored.
struct ConfigLayer {
  Config Values;
  bool Root = false;
};

} // namespace spmd::lint

#endif // SPMD_LINT_CONFIGLAYER_H
