//===- Choices.cpp - What numbers decide ----------------------------------===//

#include "Choices.h"
#include "NumberRange.h"
#include "RanksAsked.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace spmd::rules::inference {

bool counts(const BranchTest &T, bool Is) {
  using Relation = BranchTest::Relation;
  if (T.K == BranchTest::Kind::Defined)
    return Is != T.holdsFor(0);
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

/// Whether \p B compares what \p B.Test names with zero, as an enumerator may
/// be, and does not ask if a flag is true.
static bool comparesNumber(const Function &F, const Block &B) {
  SlotId Of = B.Condition.Slot;
  for (unsigned I = 0; I != 4 && Of != SlotId::None; ++I) {
    const Slot &Asked = F.slot(Of);
    if (Asked.Kind != SlotKind::Temporary && Asked.Name == B.Test->Of)
      return false;
    SlotId From = SlotId::None;
    for (const OpFact &X : factsOf<OpFact>(F)) {
      if (X.Dst != Of && X.WritesTo != Of)
        continue;
      if (X.Rule->is(OpRole::ComparesEqual) ||
          X.Rule->is(OpRole::ComparesUnequal))
        return !llvm::StringRef(B.Test->Of).contains(' ');
      if (X.Rule->is(OpRole::Copies) || X.Rule->is(OpRole::Inverts))
        From = X.Operands[0].Slot;
    }
    Of = From;
  }
  return false;
}

std::string say(const Function &F, std::uint32_t Block, bool Is) {
  const BranchTest &T = *F.Blocks[Block].Test;
  using Relation = BranchTest::Relation;
  const bool OfElements = isOfElements(T);
  const bool OfSome = OfElements || T.K == BranchTest::Kind::Iterations;
  const std::string Where = std::string(OfElements ? "for the elements"
                                        : OfSome   ? "in iterations"
                                                   : "on the way") +
                            " where '" + T.Of + "' ";
  const bool IsNumber =
      T.K != BranchTest::Kind::Defined &&
      llvm::all_of(T.Of, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  if (((OfSome && !IsNumber) || T.K == BranchTest::Kind::Data) && T.To == 0 &&
      (T.R == Relation::Unequal || T.K == BranchTest::Kind::Data ||
       (T.K == BranchTest::Kind::Defined && T.R == Relation::Equal)))
    return Where +
           (Is == (T.R == Relation::Unequal) ? "holds" : "does not hold");
  const std::string Of = Where + "is ";
  const bool IsRemainder = llvm::StringRef(T.Of).contains(" % ");
  if (T.K == BranchTest::Kind::Flag && T.To == 0 && !IsRemainder &&
      (T.R == Relation::Equal || T.R == Relation::Unequal) &&
      !comparesNumber(F, F.Blocks[Block]))
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

llvm::StringSet<> numbersIn(llvm::StringRef Text) {
  const auto IsName = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  llvm::StringSet<> Out;
  while (!Text.empty()) {
    const llvm::StringRef Name = Text.take_while(IsName);
    Text = Name.empty() ? Text.drop_front() : Text.drop_front(Name.size());
    if (!Name.empty() && !llvm::isDigit(Name.front()) &&
        !Text.starts_with(".") && !Text.starts_with("->"))
      Out.insert(Name);
  }
  return Out;
}

bool isOfElements(const BranchTest &T) {
  return T.K == BranchTest::Kind::Elements || T.K == BranchTest::Kind::Defined;
}

std::optional<RemainderOf> remainderIn(const BranchTest &T) {
  const auto [Of, Divisor] = llvm::StringRef(T.Of).split(" % ");
  RemainderOf Out{Of.str(), 0};
  if (!isOfElements(T) || Divisor.getAsInteger(10, Out.Divisor) ||
      Out.Divisor <= 0)
    return std::nullopt;
  return Out;
}

std::vector<std::uint32_t>
testsOfSameElements(const Function &F,
                    llvm::ArrayRef<std::vector<std::uint32_t>> All,
                    const std::vector<std::uint32_t> &On) {
  const auto TestOf =
      [&](const std::vector<std::uint32_t> &Blocks) -> const BranchTest & {
    return *F.Blocks[Blocks.front()].Test;
  };
  std::vector<std::uint32_t> Out;
  if (const auto Rest = remainderIn(TestOf(On)))
    for (const std::vector<std::uint32_t> &Other : All)
      if (isOfElements(TestOf(Other)) && TestOf(Other).Of == Rest->Of)
        llvm::append_range(Out, Other);
  return Out;
}

bool isOfMember(const BranchTest &T) {
  const llvm::StringRef Of(T.Of);
  return (T.K == BranchTest::Kind::Flag || T.K == BranchTest::Kind::Number) &&
         (Of.contains('.') || Of.contains("->") || Of.contains("::"));
}

/// Whether \p T, if it is \p Is, says which number it is.
static bool names(const BranchTest &T, bool Is) {
  return T.R ==
         (Is ? BranchTest::Relation::Equal : BranchTest::Relation::Unequal);
}

bool isOtherCase(const Function &F, const Choice &Chosen, std::uint32_t Block) {
  return llvm::any_of(Chosen, [&](const auto &C) {
    const rules::Block &Other = F.Blocks[C.first];
    return C.first != Block && names(*Other.Test, C.second) &&
           Other.Test->Of == F.Blocks[Block].Test->Of &&
           Other.Condition.At == F.Blocks[Block].Condition.At;
  });
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

/// Numbers on either side of where \p T changes.
static llvm::SmallVector<std::int64_t, 2> toldApartBy(const BranchTest &T) {
  switch (T.R) {
  case BranchTest::Relation::Less:
    return {T.To - 1, T.To};
  case BranchTest::Relation::Greater:
    return {T.To, T.To + 1};
  default:
    return {T.To};
  }
}

/// Whether \p A and \p B test the same member.
static bool isSameMember(const BranchTest &A, const BranchTest &B) {
  return isOfMember(A) && isOfMember(B) && A.Of == B.Of;
}

NamedNumbers namedNumbers(const Module &M, const Function &F,
                          const Choice &Chosen, const BranchTest &Of) {
  const auto OnWay = [&](std::int64_t Number) {
    return llvm::all_of(Chosen, [&](const auto &C) {
      const BranchTest &T = *F.Blocks[C.first].Test;
      return !isSameMember(T, Of) || T.holdsFor(Number) == C.second;
    });
  };
  NamedNumbers Out;
  for (const auto &G : M.Functions)
    for (const Block &B : G->Blocks)
      if (B.Test && isSameMember(*B.Test, Of))
        for (const std::int64_t Number : toldApartBy(*B.Test))
          (OnWay(Number) ? Out.OnWay : Out.Others).insert(Number);
  return Out;
}

bool isOutsideOfNamed(const Module &M, const Function &F,
                      const Choice &Chosen) {
  return llvm::any_of(Chosen, [&](const auto &C) {
    const BranchTest &Of = *F.Blocks[C.first].Test;
    if (!isOfMember(Of))
      return false;
    const NamedNumbers Named = namedNumbers(M, F, Chosen, Of);
    return Named.OnWay.empty() && Named.Others.size() > 1;
  });
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
      if (isPossible(Known))
        Out.push_back(Sofar);
      return;
    }
    const BranchTest &T = *F.Blocks[On.front()].Test;
    const std::optional<bool> Decided = Known.lookup(T.Of).decides(T);
    for (const bool Is : {true, false}) {
      if (Decided ? *Decided != Is
                  : !counts(T, Is) && !isFlag(T) && !selects(On.front(), Is) &&
                        !leavesOutOthers(On.front(), Is))
        continue;
      Sofar.emplace_back(On.front(), Is);
      // What follows tells nothing new, and thousands may follow.
      if (Decided) {
        choose(On.drop_front(), Known);
      } else {
        llvm::StringMap<NumberRange> Then = Known;
        Then[T.Of].assume(T, Is);
        choose(On.drop_front(), Then);
      }
      Sofar.pop_back();
    }
  }

private:
  /// Whether remainders are those of the numbers that are \p Known.
  bool isPossible(const llvm::StringMap<NumberRange> &Known) const {
    return llvm::all_of(Sofar, [&](const auto &Chosen) {
      const BranchTest &T = *F.Blocks[Chosen.first].Test;
      const auto Rest = remainderIn(T);
      const auto Of = Rest ? Known.find(Rest->Of) : Known.end();
      const auto Only = Of == Known.end() ? std::nullopt : Of->second.only();
      return !Only || T.holdsFor(*Only % Rest->Divisor) == Chosen.second;
    });
  }
  /// Whether another test says that no amount is meant.
  bool isFlag(const BranchTest &T) const {
    return llvm::any_of(F.Blocks, [&](const rules::Block &B) {
      return B.Test && B.Test->K == BranchTest::Kind::Flag &&
             B.Test->Of == T.Of;
    });
  }
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

  /// Whether the way is that of one rank on an axis, and leaves out what those
  /// of another one do.
  bool leavesOutOthers(std::uint32_t Block, bool Is) {
    if (!Flow)
      Flow.emplace(F);
    return !otherAxesLeftOut(F, *Flow, Block, Is).empty();
  }

  const Function &F;
  llvm::function_ref<bool(std::uint32_t, bool)> Communicates;
  std::optional<ControlFlow> Flow; ///< once it is asked for
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
