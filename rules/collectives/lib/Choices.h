//===- Choices.h - What unknown values may be -------------------*- C++ -*-===//
//
// A run asks whether relations between unknown values and numbers hold. What
// earlier answers imply is answered so; the rest is chosen, and the next run
// chooses otherwise. A run is the same up to its first other choice.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_CHOICES_H
#define SPMD_COLLECTIVES_CHOICES_H

#include "Reasons.h"
#include "Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

#include <limits>
#include <set>

namespace spmd::collectives {

class Choices {
public:
  struct Choice {
    Relation About;
    bool Answer = false;
  };

  explicit Choices(const Symbols &Known) : Known(Known) {}

  /// Begins a run that takes these answers first.
  void restart(std::vector<bool> First);

  std::optional<bool> implied(Relation R) const;
  /// What \p Lane asked before implies it. What others asked is no reason for
  /// it to go another way than they did.
  std::optional<bool> isKnownTo(unsigned Lane, Relation R) const;
  /// \p First: what is tried first.
  bool answer(Relation R, unsigned Lane, bool First);
  /// As above, but not to be tried otherwise.
  void assume(Relation R, bool Answer);
  /// The choices that were made of the symbol of \p R.
  Reasons reasonsFor(Relation R) const;
  Reasons reasonsFor(const Value &V) const {
    return V.isSymbol() ? reasonsFor(Relation{V.Id}) : Reasons();
  }
  /// Whether all of \p Lanes ranks have asked for what \p C is about.
  bool isAskedByAll(const Choice &C, unsigned Lanes) const;
  /// False: no value is left for some symbol.
  bool isPossible() const { return Possible; }

  const std::vector<Choice> &made() const { return Made; }
  /// Whether all of \p Lanes ranks depend on what was chosen for \p C, or it
  /// does not matter as anything is possible.
  bool isFree(const Choice &C, unsigned Lanes) const;

private:
  struct Range {
    std::int64_t Low = std::numeric_limits<std::int64_t>::min() / 4;
    std::int64_t High = std::numeric_limits<std::int64_t>::max() / 4;
    std::set<std::int64_t> Not;
    Reasons By;
  };
  /// Down to a relation of what says nothing of others.
  Relation resolved(Relation R) const;
  /// What \p Symbol may be before anything is asked.
  Range any(unsigned Symbol) const;
  Range &rangeOf(unsigned Symbol) {
    return Ranges.try_emplace(Symbol, any(Symbol)).first->second;
  }
  static std::optional<bool> implied(const Range &Of, const Relation &R);
  /// False: no value is left.
  static bool narrow(Range &Of, const Relation &R, bool Holds);

  const Symbols &Known;
  std::vector<bool> First;
  std::vector<Choice> Made;
  llvm::DenseMap<unsigned, Range> Ranges;
  /// By lane and symbol.
  llvm::DenseMap<std::pair<unsigned, unsigned>, Range> Seen;
  llvm::DenseMap<unsigned, llvm::SmallBitVector> AskedBy; ///< lanes by symbol
  bool Possible = true;
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_CHOICES_H
