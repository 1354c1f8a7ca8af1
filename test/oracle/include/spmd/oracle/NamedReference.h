//===- NamedReference.h - What ops do to dims, by their names ---*- C++ -*-===//
//
// A reference that is taken from an op's own entry in rules/ops would agree
// with an entry that says the wrong thing. So ATen's ops are written down here
// once more, apart from the entries: by a function, or by the term that their
// documentation amounts to, with its parameters.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_NAMEDREFERENCE_H
#define SPMD_ORACLE_NAMEDREFERENCE_H

#include "spmd/oracle/SpecCall.h"

namespace spmd::oracle {

struct NamedReference {
  /// Kinds of calls, such as those with and without a dim.
  std::vector<rules::ShapeRule> Alternatives;
  SpecFunction *Computes = nullptr; ///< instead
  std::string Key;                  ///< the same for ops that are one
};

/// Null: the op is taken for what its rule says.
const NamedReference *namedReference(const rules::OpRule &Op);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_NAMEDREFERENCE_H
