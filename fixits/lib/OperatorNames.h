//===- OperatorNames.h - What the user calls operators ----------*- C++ -*-===//

#ifndef SPMD_FIXITS_LIB_OPERATORNAMES_H
#define SPMD_FIXITS_LIB_OPERATORNAMES_H

#include "spmd/types/Transition.h"

namespace spmd::fixits {

/// The library has a function of that name for it.
inline bool isInvariantToReplicate(const rules::Transition &T) {
  return T.Src == rules::LocalType::I && T.Dst == rules::LocalType::R;
}

} // namespace spmd::fixits

#endif // SPMD_FIXITS_LIB_OPERATORNAMES_H
