//===- Declare.h - What an annotation says of a value -----------*- C++ -*-===//

#ifndef SPMD_SHARDING_LIB_DECLARE_H
#define SPMD_SHARDING_LIB_DECLARE_H

#include "spmd/sharding/Graph.h"

namespace spmd::sharding {

llvm::Error graphError(rules::PlaceId At, const llvm::Twine &Message);

/// Gives \p V the dims of \p T and its type of elements, if T has dims.
/// \p Sizes: what names stand for.
llvm::Error declare(Value &V, const rules::TypeSpec &T,
                    const llvm::StringMap<std::int64_t> &Sizes);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_LIB_DECLARE_H
