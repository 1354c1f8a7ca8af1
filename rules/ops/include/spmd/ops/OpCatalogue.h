//===- OpCatalogue.h - The open vocabulary of ops ---------------*- C++ -*-===//
//
// rules/ops/*.yaml, embedded at build time, plus the user's `Ops:` entries.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_OPCATALOGUE_H
#define SPMD_OPS_OPCATALOGUE_H

#include "spmd/ops/OpRule.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <deque>

namespace spmd::rules {

/// What a qualified C++ name means.
struct OpMatch {
  const OpRule *Rule = nullptr;
  bool InPlace = false;    ///< `add_`: the result goes to the first formal too
  bool OutVariant = false; ///< `add_out`: the result goes to parameter `out`
  explicit operator bool() const { return Rule; }
};

class OpCatalogue {
public:
  /// The built-in catalogue; parsed once, immutable.
  static const OpCatalogue &builtin();

  /// Adds the entries of one YAML document in the format of rules/ops. Errors
  /// carry file, line, column and what was expected; then nothing is added.
  /// Later entries win. An op of the user's without `names` is also found by
  /// its name outside the aten scope.
  llvm::Error addYAML(llvm::MemoryBufferRef Buffer);

  /// Looks up a qualified C++ name. `at::`, `torch::`, `at::Tensor::`,
  /// `torch::nn::functional::` are the catalogue's `aten` scope: `at::matmul`,
  /// `torch::matmul` and the method `at::Tensor::matmul` find the same rule,
  /// and a trailing `_` or `_out` is the in-place or out variant. Names outside
  /// that scope match only in full (`cublasGemmEx`).
  OpMatch find(llvm::StringRef QualifiedName) const;

  /// The rule called \p Op in the catalogue (`matmul`), or an alias of it.
  const OpRule *rule(llvm::StringRef Op) const;

  const std::deque<OpRule> &rules() const { return Rules; }
  /// Names nearest to \p Name, for "did you mean".
  std::vector<std::string> nearest(llvm::StringRef Name) const;

private:
  enum class Source : bool { Builtin, User };
  llvm::Error add(llvm::MemoryBufferRef Buffer, Source From);

  // Indices, so that a copy of a catalogue stands on its own.
  std::deque<OpRule> Rules;
  llvm::StringMap<unsigned> AtenNames; ///< canonical names and aliases
  llvm::StringMap<unsigned> FullNames; ///< names outside the aten scope
};

} // namespace spmd::rules

#endif // SPMD_OPS_OPCATALOGUE_H
