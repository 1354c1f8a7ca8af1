//===- Datatype.h - Our element types in MPI --------------------*- C++ -*-===//

#ifndef SPMD_MPI_DATATYPE_H
#define SPMD_MPI_DATATYPE_H

#include "spmd/communicator.h"

#include <mpi.h>

namespace spmd::mpi {

/// The type \p T is moved and added as.
MPI_Datatype datatype(DType T);
/// What \p C reduces by; MPI knows no halves, so theirs are ours: added and
/// compared in float, pair by pair.
MPI_Op reduction(const Call &C);

} // namespace spmd::mpi

#endif // SPMD_MPI_DATATYPE_H
