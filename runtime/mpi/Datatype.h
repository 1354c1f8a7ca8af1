//===- Datatype.h - Our element types in MPI --------------------*- C++ -*-===//

#ifndef SPMD_MPI_DATATYPE_H
#define SPMD_MPI_DATATYPE_H

#include "spmd/view.h"

#include <mpi.h>

namespace spmd::mpi {

/// The type \p T is moved and added as.
MPI_Datatype datatype(DType T);
/// Its sum; MPI knows no halves, so theirs is ours: added in float, pair by
/// pair.
MPI_Op sum(DType T);

} // namespace spmd::mpi

#endif // SPMD_MPI_DATATYPE_H
