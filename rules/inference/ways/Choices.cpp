//===- Choices.cpp - What numbers decide ----------------------------------===//

#include "Choices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

namespace spmd::rules::inference {

namespace {

/// What is known of a number on a way.
class NumberRange {
public:
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
  }

private:
  std::int64_t Low = std::numeric_limits<std::int64_t>::min();
  std::int64_t High = std::numeric_limits<std::int64_t>::max();
  llvm::SmallVector<std::int64_t, 4> Not;
};

} // namespace

bool counts(const BranchTest &T, bool Is) {
  using Relation = BranchTest::Relation;
  if (T.K != BranchTest::Kind::Number)
    return true;
  switch (T.R) {
  case Relation::Equal:
    return !Is || T.To > 1;
  case Relation::Unequal:
    return Is || T.To > 1;
  case Relation::Less:
    return !Is || T.To > 2;
  case Relation::Greater:
    return Is || T.To > 1;
  }
  return true;
}

std::string say(const BranchTest &T, bool Is) {
  using Relation = BranchTest::Relation;
  const bool OfSome =
      T.K == BranchTest::Kind::Elements || T.K == BranchTest::Kind::Iterations;
  const std::string Where =
      std::string(T.K == BranchTest::Kind::Elements     ? "for the elements"
                  : T.K == BranchTest::Kind::Iterations ? "in iterations"
                                                        : "on the way") +
      " where '" + T.Of + "' ";
  if (OfSome && T.To == 0 && T.R == Relation::Unequal)
    return Where + (Is ? "holds" : "does not hold");
  const std::string Of = Where + "is ";
  if (T.K == BranchTest::Kind::Flag && T.To == 0)
    return Of + (Is == (T.R == Relation::Unequal) ? "true" : "false");
  const auto Words = [&]() -> const char * {
    switch (T.R) {
    case Relation::Equal:
      return Is ? "" : "not ";
    case Relation::Unequal:
      return Is ? "not " : "";
    case Relation::Less:
      return Is ? "less than " : "at least ";
    case Relation::Greater:
      return Is ? "more than " : "at most ";
    }
    return "";
  };
  return Of + Words() + std::to_string(T.To);
}

bool isNoneNamed(const Function &F, const Choice &Chosen) {
  using Relation = BranchTest::Relation;
  llvm::StringMap<llvm::SmallSet<std::int64_t, 4>> Unequal;
  for (const auto &[Block, Is] : Chosen) {
    const BranchTest &T = *F.Blocks[Block].Test;
    if (T.R != Relation::Equal && T.R != Relation::Unequal)
      continue;
    if (Is == (T.R == Relation::Equal))
      return false;
    Unequal[T.Of].insert(T.To);
  }
  return llvm::any_of(Unequal,
                      [](const auto &Of) { return Of.second.size() > 1; });
}

namespace {

/// Goes through what branches of a function may decide together.
class ChooseAll {
public:
  ChooseAll(const Function &F,
            llvm::function_ref<bool(std::uint32_t, bool)> Communicates)
      : F(F), Communicates(Communicates) {}

  std::vector<Choice> Out;

  void choose(llvm::ArrayRef<std::uint32_t> On,
              const llvm::StringMap<NumberRange> &Known) {
    if (On.empty()) {
      Out.push_back(Sofar);
      return;
    }
    const BranchTest &T = *F.Blocks[On.front()].Test;
    const std::optional<bool> Decided = Known.lookup(T.Of).decides(T);
    for (const bool Is : {true, false}) {
      if (Decided ? *Decided != Is : !counts(T, Is) && !selects(On.front(), Is))
        continue;
      llvm::StringMap<NumberRange> Then = Known;
      Then[T.Of].assume(T, Is);
      Sofar.emplace_back(On.front(), Is);
      choose(On.drop_front(), Then);
      Sofar.pop_back();
    }
  }

private:
  /// Whether the way is that of one of several numbers, which are told apart to
  /// choose a collective.
  bool selects(std::uint32_t Block, bool Is) const {
    using Relation = BranchTest::Relation;
    const BranchTest &T = *F.Blocks[Block].Test;
    const auto Tells = [](const BranchTest &X) {
      return X.R == Relation::Equal || X.R == Relation::Unequal;
    };
    if (!Tells(T) || Is != (T.R == Relation::Equal))
      return false;
    return llvm::any_of(F.Blocks,
                        [&](const rules::Block &B) {
                          return B.Test && Tells(*B.Test) &&
                                 B.Test->Of == T.Of && B.Test->To != T.To;
                        }) &&
           Communicates(Block, Is);
  }

  const Function &F;
  llvm::function_ref<bool(std::uint32_t, bool)> Communicates;
  Choice Sofar;
};

} // namespace

std::vector<Choice>
choicesOf(const Function &F, llvm::ArrayRef<std::uint32_t> On,
          llvm::function_ref<bool(std::uint32_t Block, bool Is)> Communicates) {
  ChooseAll All(F, Communicates);
  All.choose(On, {});
  return std::move(All.Out);
}

} // namespace spmd::rules::inference
