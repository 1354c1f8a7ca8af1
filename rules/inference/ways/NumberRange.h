//===- NumberRange.h - What is known of a number on a way -------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_NUMBERRANGE_H
#define SPMD_INFERENCE_WAYS_NUMBERRANGE_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace spmd::rules::inference {

/// What is known of a number on a way.
class NumberRange {
public:
  NumberRange() = default;
  explicit NumberRange(std::int64_t Low) : Low(Low) {}

  std::optional<bool> decides(const BranchTest &T) const {
    using Relation = BranchTest::Relation;
    const auto IfNot = [](std::optional<bool> X) {
      return X ? std::optional(!*X) : X;
    };
    switch (T.R) {
    case Relation::Unequal:
      return IfNot(decides({T.K, T.Of, Relation::Equal, T.To}));
    case Relation::Equal:
      if (Low == T.To && High == T.To)
        return true;
      return T.To < Low || T.To > High || llvm::is_contained(Not, T.To)
                 ? std::optional(false)
                 : std::nullopt;
    case Relation::Less:
      return High < T.To   ? std::optional(true)
             : Low >= T.To ? std::optional(false)
                           : std::nullopt;
    case Relation::Greater:
      return Low > T.To     ? std::optional(true)
             : High <= T.To ? std::optional(false)
                            : std::nullopt;
    }
    return std::nullopt;
  }
  /// The number, where it is known.
  std::optional<std::int64_t> only() const {
    return Low == High ? std::optional(Low) : std::nullopt;
  }
  void assume(const BranchTest &T, bool Is) {
    using Relation = BranchTest::Relation;
    const bool Equal =
        (T.R == Relation::Equal && Is) || (T.R == Relation::Unequal && !Is);
    if (Equal)
      Low = High = T.To;
    else if (T.R == Relation::Equal || T.R == Relation::Unequal)
      Not.push_back(T.To);
    else if (T.R == Relation::Less)
      Is ? void(High = std::min(High, T.To - 1))
         : void(Low = std::max(Low, T.To));
    else
      Is ? void(Low = std::max(Low, T.To + 1))
         : void(High = std::min(High, T.To));
    while (Low < High && llvm::is_contained(Not, Low))
      ++Low;
  }

private:
  std::int64_t Low = std::numeric_limits<std::int64_t>::min();
  std::int64_t High = std::numeric_limits<std::int64_t>::max();
  llvm::SmallVector<std::int64_t, 4> Not;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_NUMBERRANGE_H
