//===- AtomNames.h - How local types are spelt ------------------*- C++ -*-===//
//
// In annotations and in the runtime's specs. C++17, standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_ATOMNAMES_H
#define SPMD_TYPES_ATOMNAMES_H

#include "spmd/types/LocalType.h"

#include <string_view>

namespace spmd::rules {

struct AtomName {
  std::string_view Name;
  LocalType Type;
};

/// Short, long and DTensor spellings. `Replicate` is DTensor's name for what is
/// invariant here; `replicate` is ours (its design of a Reduced placement).
inline constexpr AtomName AtomNames[] = {
    {"R", LocalType::R},         {"I", LocalType::I},
    {"V", LocalType::V},         {"P", LocalType::P},
    {"replicate", LocalType::R}, {"invariant", LocalType::I},
    {"varying", LocalType::V},   {"partial", LocalType::P},
    {"Reduced", LocalType::R},   {"Replicate", LocalType::I},
    {"Partial", LocalType::P},
};

} // namespace spmd::rules

#endif // SPMD_TYPES_ATOMNAMES_H
