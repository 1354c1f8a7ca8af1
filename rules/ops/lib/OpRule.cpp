//===- OpRule.cpp - Applying an op's rule to sets of types ----------------===//
//
// A term is a tree and a class an automaton over its children, so reachability
// (upward through the tree, left to right through the children, and back) is
// exact: it keeps precisely the types that occur in some legal choice. Only a
// formal that occurs twice needs its types tried one by one.
//
//===----------------------------------------------------------------------===//

#include "spmd/ops/OpRule.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>
#include <optional>

namespace spmd::rules {
namespace {

/// nextOperand() and firstOperand() for sets, tabulated.
struct ClassTables {
  std::array<std::array<std::array<TypeSet, 16>, 16>, NumOpClasses> Next{};
  std::array<std::array<TypeSet, 16>, NumOpClasses> First{};
};

constexpr ClassTables makeTables() {
  ClassTables T;
  for (int I = 0; I != NumOpClasses; ++I) {
    const auto C = static_cast<OpClass>(I);
    for (unsigned A = 0; A != 16; ++A) {
      T.First[I][A] = firstOperand(C, TypeSet::fromBits(A));
      // Sets are unions of singletons; computing from these keeps the
      // compiler's constant evaluation short.
      for (unsigned B = 0; B != 16; ++B) {
        const unsigned LowA = A & (~A + 1), LowB = B & (~B + 1);
        T.Next[I][A][B] =
            !A || !B    ? TypeSet()
            : A != LowA ? T.Next[I][A - LowA][B] | T.Next[I][LowA][B]
            : B != LowB
                ? T.Next[I][A][B - LowB] | T.Next[I][A][LowB]
                : nextOperand(C, TypeSet::fromBits(A), TypeSet::fromBits(B));
      }
    }
  }
  return T;
}

constexpr ClassTables Tables = makeTables();

TypeSet first(OpClass C, TypeSet A) {
  return Tables.First[static_cast<int>(C)][A.bits()];
}
TypeSet next(OpClass C, TypeSet A, TypeSet B) {
  return Tables.Next[static_cast<int>(C)][A.bits()][B.bits()];
}

/// One value that an application combines.
struct Argument {
  TypeSet Set;
  const RuleTerm *Term; ///< null: the operand Actual
  unsigned Actual;
};
using Arguments = llvm::SmallVector<Argument, 8>;

class Application {
public:
  Application(const OpRule &Rule, llvm::ArrayRef<TypeSet> Operands,
              llvm::ArrayRef<unsigned> FormalOf)
      : Rule(Rule), FormalOf(FormalOf), Sets(Operands) {}

  RuleResult run() {
    RuleResult Result;
    Result.Narrowed.assign(Sets.begin(), Sets.end());
    const llvm::SmallVector<unsigned, 4> Repeated = repeatedActuals();
    // Also finds the culprit with all types in play.
    const std::optional<TypeSet> Out = evaluate(Rule.Term, &Result);
    if (Out && Out->empty())
      return fail(std::move(Result));
    Result.Output = Out.value_or(TypeSet::all());
    if (!Out)
      return Result;
    if (Repeated.empty()) {
      narrow(Rule.Term, *Out);
      Result.Narrowed.assign(Sets.begin(), Sets.end());
      return Result;
    }
    Result.Output = TypeSet();
    for (unsigned I : usedActuals())
      Result.Narrowed[I] = TypeSet();
    enumerate(Repeated, Result);
    if (Result.Output.empty()) {
      Result.Culprit = &Rule.Term;
      for (unsigned I : usedActuals()) {
        Result.CulpritOperands.push_back(I);
        Result.CulpritSets.push_back(Sets[I]);
      }
      return fail(std::move(Result));
    }
    return Result;
  }

private:
  RuleResult fail(RuleResult Result) const {
    Result.Output = TypeSet();
    for (TypeSet &Set : Result.Narrowed)
      Set = TypeSet();
    return Result;
  }

  /// The set of values of \p Term; none when all its operands are absent.
  std::optional<TypeSet> evaluate(const RuleTerm &Term,
                                  RuleResult *Blame) const {
    switch (Term.K) {
    case RuleTerm::Kind::Source:
      return typesOf(Term.Source);
    case RuleTerm::Kind::Operand:
      for (std::size_t I = 0; I != Sets.size(); ++I)
        if (FormalOf[I] == Term.Operand)
          return Sets[I];
      return std::nullopt;
    case RuleTerm::Kind::Apply:
      break;
    }
    Arguments Args;
    if (!collect(Term, Args, Blame))
      return TypeSet();
    if (Args.empty())
      return std::nullopt;
    TypeSet Out = first(Term.Class, Args[0].Set);
    for (const Argument &A : llvm::drop_begin(Args))
      Out = next(Term.Class, Out, A.Set);
    if (Out.empty() && Blame) {
      Blame->Culprit = &Term;
      for (const Argument &A : Args) {
        Blame->CulpritSets.push_back(A.Set);
        blame(A, Blame->CulpritOperands);
      }
    }
    return Out;
  }

  /// The operands that gave \p A its set: of a product that is P, the factor
  /// that is.
  void blame(const Argument &A, llvm::SmallVectorImpl<unsigned> &Out) const {
    llvm::SmallVector<unsigned, 8> Below;
    if (A.Term)
      operandsBelow(*A.Term, Below);
    else
      Below.push_back(A.Actual);
    const auto Gave = [&](unsigned I) { return Sets[I].subsetOf(A.Set); };
    const bool Any = llvm::any_of(Below, Gave);
    for (unsigned I : Below)
      if ((!Any || Gave(I)) && !llvm::is_contained(Out, I))
        Out.push_back(I);
  }

  /// The arguments of \p Term that are there; false when one has no legal
  /// combination itself.
  bool collect(const RuleTerm &Term, Arguments &Args, RuleResult *Blame) const {
    for (const RuleTerm &Child : Term.Children) {
      if (Child.K == RuleTerm::Kind::Operand) {
        for (std::size_t I = 0; I != Sets.size(); ++I)
          if (FormalOf[I] == Child.Operand)
            Args.push_back({Sets[I], nullptr, static_cast<unsigned>(I)});
        continue;
      }
      const std::optional<TypeSet> Set = evaluate(Child, Blame);
      if (!Set)
        continue;
      if (Set->empty())
        return false;
      Args.push_back({*Set, &Child, 0});
    }
    return true;
  }

  /// Keeps in Sets what can make \p Term one of \p Wanted.
  void narrow(const RuleTerm &Term, TypeSet Wanted) {
    if (Term.K == RuleTerm::Kind::Operand) {
      for (std::size_t I = 0; I != Sets.size(); ++I)
        if (FormalOf[I] == Term.Operand)
          Sets[I] &= Wanted;
      return;
    }
    if (Term.K == RuleTerm::Kind::Source)
      return;
    Arguments Args;
    collect(Term, Args, nullptr);
    if (Args.empty())
      return;
    llvm::SmallVector<TypeSet, 8> Prefix{first(Term.Class, Args[0].Set)};
    for (const Argument &A : llvm::drop_begin(Args))
      Prefix.push_back(next(Term.Class, Prefix.back(), A.Set));
    for (std::size_t I = Args.size() - 1; I != 0; --I) {
      const TypeSet Before = Prefix[I - 1];
      const TypeSet Here = Args[I].Set;
      TypeSet Kept, KeptBefore;
      for (LocalType T : AllLocalTypes) {
        if (Here.contains(T) && !(next(Term.Class, Before, T) & Wanted).empty())
          Kept |= T;
        if (Before.contains(T) && !(next(Term.Class, T, Here) & Wanted).empty())
          KeptBefore |= T;
      }
      keep(Args[I], Kept);
      Wanted = KeptBefore;
    }
    TypeSet Kept;
    for (LocalType T : AllLocalTypes)
      if (Args[0].Set.contains(T) && !(first(Term.Class, T) & Wanted).empty())
        Kept |= T;
    keep(Args[0], Kept);
  }

  void keep(const Argument &A, TypeSet Kept) {
    if (A.Term)
      narrow(*A.Term, Kept);
    else
      Sets[A.Actual] = Kept;
  }

  /// Tries every combination of types for the operands of \p Repeated.
  void enumerate(llvm::ArrayRef<unsigned> Repeated, RuleResult &Result) {
    if (Repeated.empty()) {
      const std::optional<TypeSet> Out = evaluate(Rule.Term, nullptr);
      if (!Out || Out->empty())
        return;
      const llvm::SmallVector<TypeSet, 4> Saved = Sets;
      narrow(Rule.Term, *Out);
      Result.Output |= *Out;
      for (unsigned I : usedActuals())
        Result.Narrowed[I] |= Sets[I];
      Sets = Saved;
      return;
    }
    const unsigned Actual = Repeated.front();
    const TypeSet Saved = Sets[Actual];
    for (LocalType T : AllLocalTypes) {
      if (!Saved.contains(T))
        continue;
      Sets[Actual] = T;
      enumerate(Repeated.drop_front(), Result);
    }
    Sets[Actual] = Saved;
  }

  void operandsBelow(const RuleTerm &Term,
                     llvm::SmallVectorImpl<unsigned> &Out) const {
    if (Term.K == RuleTerm::Kind::Operand)
      for (std::size_t I = 0; I != FormalOf.size(); ++I)
        if (FormalOf[I] == Term.Operand &&
            !llvm::is_contained(Out, static_cast<unsigned>(I)))
          Out.push_back(static_cast<unsigned>(I));
    for (const RuleTerm &Child : Term.Children)
      operandsBelow(Child, Out);
  }

  llvm::SmallVector<unsigned, 4> usedActuals() const {
    llvm::SmallVector<unsigned, 4> Out;
    operandsBelow(Rule.Term, Out);
    return Out;
  }

  /// The operands whose formal occurs more than once in the term.
  llvm::SmallVector<unsigned, 4> repeatedActuals() const {
    llvm::SmallVector<unsigned, 8> Occurrences(Rule.Formals.size());
    count(Rule.Term, Occurrences);
    llvm::SmallVector<unsigned, 4> Out;
    for (std::size_t I = 0; I != FormalOf.size(); ++I)
      if (Occurrences[FormalOf[I]] > 1)
        Out.push_back(static_cast<unsigned>(I));
    return Out;
  }

  static void count(const RuleTerm &Term,
                    llvm::SmallVectorImpl<unsigned> &Occurrences) {
    if (Term.K == RuleTerm::Kind::Operand)
      ++Occurrences[Term.Operand];
    for (const RuleTerm &Child : Term.Children)
      count(Child, Occurrences);
  }

  const OpRule &Rule;
  llvm::ArrayRef<unsigned> FormalOf;
  llvm::SmallVector<TypeSet, 4> Sets;
};

} // namespace

RuleResult applyRule(const OpRule &Rule, llvm::ArrayRef<TypeSet> Operands,
                     llvm::ArrayRef<unsigned> FormalOf, bool HasGradient) {
  assert(Operands.size() == FormalOf.size() && "one formal per operand");
  if (HasGradient)
    return Application(Rule, Operands, FormalOf).run();
  llvm::SmallVector<TypeSet, 4> Wide;
  for (TypeSet Set : Operands)
    Wide.push_back(withoutGradient(Set));
  RuleResult Out = Application(Rule, Wide, FormalOf).run();
  for (const auto &[Set, Was] : llvm::zip_equal(Out.Narrowed, Operands))
    Set = withoutGradient(Set) & Was;
  return Out;
}

bool readsValue(const RuleTerm &Term, unsigned Operand) {
  return (Term.K == RuleTerm::Kind::Operand && Term.Operand == Operand) ||
         llvm::any_of(Term.Children, [&](const RuleTerm &Child) {
           return readsValue(Child, Operand);
         });
}

bool passesGradient(const RuleTerm &Term, unsigned Operand) {
  switch (Term.K) {
  case RuleTerm::Kind::Operand:
    return Term.Operand == Operand;
  case RuleTerm::Kind::Source:
    return false;
  case RuleTerm::Kind::Apply:
    return passesGradient(Term.Class) &&
           llvm::any_of(Term.Children, [&](const RuleTerm &Child) {
             return passesGradient(Child, Operand);
           });
  }
  return true;
}

ViewKind consumeViewKind(llvm::StringRef &Views) {
  if (Views.consume_front("part of "))
    return ViewKind::Part;
  return Views.consume_front("perhaps ") ? ViewKind::Perhaps : ViewKind::All;
}

std::string printViews(const OpRule &Rule) {
  const llvm::StringRef Kind = Rule.Views.empty()                  ? ""
                               : Rule.HowMuch == ViewKind::Part    ? "part of "
                               : Rule.HowMuch == ViewKind::Perhaps ? "perhaps "
                                                                   : "";
  return (Kind + Rule.Views).str();
}

bool readsParameter(const RuleFormal &Formal, llvm::StringRef Param,
                    unsigned Index) {
  if (Formal.Param.empty())
    return Param == Formal.Name || (Formal.Name == "self" && Param == "input");
  for (llvm::StringRef Part : llvm::split(Formal.Param, '|')) {
    unsigned At;
    if (Part.getAsInteger(10, At) ? Part == Param : At == Index)
      return true;
  }
  return false;
}

} // namespace spmd::rules
