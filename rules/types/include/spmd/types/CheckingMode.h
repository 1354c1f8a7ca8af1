//===- CheckingMode.h - How a body is checked -------------------*- C++ -*-===//
//
// Locally: each rank's values. Globally: what they mean together, on all axes
// or on some.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_CHECKINGMODE_H
#define SPMD_TYPES_CHECKINGMODE_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace spmd::rules {

/// What a function says of itself. One that says nothing is checked as the
/// code that calls it, and locally where nothing calls it.
struct CheckingMode {
  /// A local region inside global code; its signature is a full contract.
  bool LocalMap = false;
  bool AllGlobal = false;
  bool AllLocal = false;
  std::vector<std::string> GlobalAxes; ///< when not all are
  std::vector<std::string> LocalAxes;  ///< exceptions

  bool isSaid() const {
    return LocalMap || AllGlobal || AllLocal || !GlobalAxes.empty() ||
           !LocalAxes.empty();
  }
  bool isGlobal(llvm::StringRef Axis) const {
    return !LocalMap && !llvm::is_contained(LocalAxes, Axis) &&
           (AllGlobal || llvm::is_contained(GlobalAxes, Axis));
  }

  friend bool operator==(const CheckingMode &, const CheckingMode &) = default;
};

} // namespace spmd::rules

#endif // SPMD_TYPES_CHECKINGMODE_H
