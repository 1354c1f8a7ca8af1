//===- CheckSpecTransfers.h - Specs after collectives -----------*- C++ -*-===//

#ifndef SPMD_ORACLE_CHECKSPECTRANSFERS_H
#define SPMD_ORACLE_CHECKSPECTRANSFERS_H

#include "spmd/oracle/CheckSpecs.h"

namespace spmd::oracle {

/// Every collective on S(i) or P, on each axis of a mesh, of every spec of a
/// tensor of up to two dims and several sizes: when the inference takes it,
/// the ranks have the shards that the spec of the result says.
SpecCheck checkSpecTransfers(const SpecLimits &Limits);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_CHECKSPECTRANSFERS_H
