//===- Unpack.h - What a wait has left to do --------------------*- C++ -*-===//

#ifndef SPMD_LIB_UNPACK_H
#define SPMD_LIB_UNPACK_H

#include "spmd/work.h"

namespace spmd::detail {

/// Puts the pieces that \p S has received where they belong.
void unpack(Started &S);

} // namespace spmd::detail

#endif // SPMD_LIB_UNPACK_H
