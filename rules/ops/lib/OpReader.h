//===- OpReader.h - Op rules from YAML --------------------------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_OPREADER_H
#define SPMD_RULES_LIB_OPREADER_H

#include "spmd/ops/OpRule.h"

#include "llvm/Support/MemoryBufferRef.h"

namespace spmd::rules {

/// Reads a list of entries:
///   - op: [add, sub]           one op, or several with the same rule
///     operands: self, other    `bias?` may be absent, `tensors*` takes many,
///                              `A=3` and `A=name|other` read that C++
///                              parameter, `C[beta]` is absent when the operand
///                              beta is a literal zero
///     rule: linear(self, other)
///     factors: elementwise     what it does to dims (ShapeRule.h), for all ops
///                              of the entry, or `{add: elementwise, sub: …}`
///     reason: …
///     aliases: [plus]          other names; `{plus: add}` for several ops
///     names: [lib::add]        names outside the aten scope; likewise
///     writes: out              C++ parameter that receives the result
///     views: self              the operand whose storage the result shares
/// The error has one line for each mistake: "file:line:column: error: …".
llvm::Expected<std::vector<OpRule>> readOpRules(llvm::MemoryBufferRef Buffer);

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_OPREADER_H
