//===- Operators.h - The operators between types, executed ------*- C++ -*-===//

#ifndef SPMD_ORACLE_OPERATORS_H
#define SPMD_ORACLE_OPERATORS_H

#include "spmd/oracle/Ranks.h"
#include "spmd/types/Transition.h"

namespace spmd::oracle {

/// What every rank holds after \p Op from \p Src to \p Dst. The collectives do
/// what their names say; convert changes only what is stored, reinterpret only
/// what it is taken for (SPMD types for PyTorch, "Comms"). The root is the last
/// rank, and permute sends to the next one, or \p Transposed to the one before.
Ranks apply(rules::OperatorKind Op, const Layout &Src, const Layout &Dst,
            const Ranks &X, bool Transposed = false);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_OPERATORS_H
