//===- Sum.h - Reductions of the ranks' buffers -----------------*- C++ -*-===//

#ifndef SPMD_LIB_SUM_H
#define SPMD_LIB_SUM_H

#include "spmd/view.h"

namespace spmd::detail {

/// Elements [\p Begin, \p End) of the \p Count buffers \p From, added in this
/// order and written to the same elements of every buffer of \p To, from
/// element \p At on: To[k][At …] = From[0][Begin …] + From[1][Begin …] + ….
/// Then times \p By, which is 1 for whole numbers. Halves are added and scaled
/// in float and rounded once. A buffer of \p To may be one of
/// \p From when \p At is \p Begin.
void sum(DType Type, const void *const *From, int Count, std::int64_t Begin,
         std::int64_t End, void *const *To, int Copies, std::int64_t At,
         double By = 1);

/// The same of the greatest, or the least, of them. Where one of two is a NaN,
/// either may be taken.
void extreme(DType Type, bool Greatest, const void *const *From, int Count,
             std::int64_t Begin, std::int64_t End, void *const *To, int Copies,
             std::int64_t At);

} // namespace spmd::detail

#endif // SPMD_LIB_SUM_H
