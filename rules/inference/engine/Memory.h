//===- Memory.h - What calls were found to do -------------------*- C++ -*-===//
//
// A body is analysed once for all calls with equal arguments. Analyses of one
// module that differ in the branches of a few functions remember together what
// all others do.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_ENGINE_MEMORY_H
#define SPMD_INFERENCE_ENGINE_MEMORY_H

#include "Context.h"

#include "domain/State.h"

#include "spmd/inference/Inference.h"

#include "llvm/ADT/StringSet.h"

#include <memory>
#include <unordered_map>

namespace spmd::rules::inference {

/// A function and what it is called with.
using Case = std::pair<const Function *, Context>;
struct CaseHash {
  std::size_t operator()(const Case &X) const {
    return llvm::hash_combine(X.first, X.second);
  }
};

/// What is remembered of one.
struct Memo {
  static constexpr std::size_t Nothing = ~std::size_t(0); ///< of frames

  Summary S;
  bool Valid = false;
  bool Wrong = false; ///< something was found in it, or below
  bool GivenUp = false;
  /// The last analysis that reported what is wrong in it; 0 for none.
  unsigned ReportedBy = 0;
  /// What that one found in the body itself, by number.
  llvm::SmallVector<std::size_t, 0> Found;
  /// See Engine::Frame.
  std::size_t DependsOn = Nothing;

  /// Whether the analysis \p By need not report it again.
  bool isReported(unsigned By) const {
    return ReportedBy != 0 && (!Wrong || ReportedBy == By);
  }
};
using MemoMap = std::unordered_map<Case, Memo, CaseHash>;

/// Of several analyses of one module.
struct Memory {
  Arena Storage; ///< outlives the states of each
  MemoMap Memos;
  unsigned Analyses = 0;
  /// Its analysis says more than those that share what others found.
  bool OfStrict = false;
  /// What findings of before speak of.
  std::shared_ptr<Memory> Earlier;
};

/// That which \p Before left, or a new one, which what is found may speak of
/// as long as \p Before is there.
inline std::shared_ptr<Memory> memoryOf(InferenceResult &Before) {
  if (!Before.Remembered || Before.Remembered->OfStrict) {
    auto Out = std::make_shared<Memory>();
    Out->Earlier = std::move(Before.Remembered);
    Before.Remembered = std::move(Out);
  }
  return Before.Remembered;
}

/// What one analysis has to do with those before.
struct SharedMemory {
  std::shared_ptr<Memory> With; ///< of analyses with the same options
  /// The symbols of the functions that are others in this analysis, and of
  /// those that call them.
  llvm::StringSet<> Except;
};

/// As inferModule does, but for what \p Shared has of the same calls.
InferenceResult inferAgain(const Module &M, const InferenceOptions &Options,
                           const SharedMemory &Shared);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_ENGINE_MEMORY_H
