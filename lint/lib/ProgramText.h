//===- ProgramText.h - The program's text behind the IR ---------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_PROGRAMTEXT_H
#define SPMD_LINT_LIB_PROGRAMTEXT_H

#include "spmd/fixits/Edits.h"
#include "spmd/inference/Inference.h"
#include "spmd/lint/LintResult.h"

namespace spmd::lint {

/// A tensor, a list of them or a buffer of numbers that have a gradient; or one
/// such number. Opaque: a struct with none, as a library's identifier is.
enum class DataKind : std::uint8_t { None, Opaque, Number, Storage };

class ProgramText : public fixits::SourceEnvironment {
public:
  /// Where a finding is shown: unlike text(), also inside macros.
  virtual Place place(const rules::Function *F, rules::PlaceId At) const = 0;
  /// The definition of \p F from its first token to its last; no line where
  /// that is not known.
  virtual Place definition(const rules::Function *F) const = 0;
  /// Whether \p F is in a file that another one includes, whatever its name
  /// ends in.
  virtual bool isIncluded(const rules::Function *F) const = 0;
  virtual DataKind dataAt(const rules::Function *F,
                          rules::PlaceId At) const = 0;
  /// Whether what \p T says of its types is all that there is to say: a tag
  /// may be a shard of a dim that is known at run time only, and an instance of
  /// a template may be one of several.
  virtual bool saysAll(const rules::Function *F,
                       const rules::TransferFact &T) const = 0;
};

/// Inference, checks and repairs of \p M; adds to \p Result.
rules::InferenceResult analyse(rules::Module &M, const ProgramText &Text,
                               const Config &Cfg, const LintRequest &Req,
                               LintResult &Result);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_PROGRAMTEXT_H
