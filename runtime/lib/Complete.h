//===- Complete.h - What a wait has left to do ------------------*- C++ -*-===//

#ifndef SPMD_LIB_COMPLETE_H
#define SPMD_LIB_COMPLETE_H

#include "spmd/work.h"

namespace spmd::detail {

/// Scales what \p S has received and puts it where it belongs.
void complete(Started &S);

} // namespace spmd::detail

#endif // SPMD_LIB_COMPLETE_H
