//===- Propagate.cpp - The spec of a result -------------------------------===//

#include "spmd/ops/FactorRule.h"
#include "spmd/types/ShardRange.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

namespace {

using Kind = SpecViolation::Kind;

class Propagator {
public:
  Propagator(const FactorRule &Rule, const ShapedCall &Call,
             llvm::ArrayRef<AxisId> OutPartial, llvm::ArrayRef<DimAxes> Pending)
      : Rule(Rule), Call(Call), Axes(*Call.Axes), OutPartial(OutPartial),
        Pending(Pending), Shards(Rule.Factors.size()),
        Owner(Rule.Factors.size()) {}

  std::variant<Propagation, SpecViolation> run() {
    if (collect() && checkFactors() && checkAxes() && checkAddends() &&
        update())
      return std::move(Out);
    Found.Rule = Rule;
    return std::move(Found);
  }

private:
  bool fail(SpecViolation V) {
    Found = std::move(V);
    return false;
  }

  //===--- From dims to factors -------------------------------------------===//

  bool collect() {
    for (unsigned I = 0; I != Rule.Operands.size(); ++I)
      for (unsigned D = 0; D != Rule.Operands[I].size(); ++D)
        if (Call.Operands[I] && !collectDim(I, D))
          return false;
    return checkAgreement();
  }

  /// An axis goes to the outermost factor that it does not shard to the end.
  bool collectDim(unsigned I, unsigned D) {
    const FactorRule::Dim &Factors = Rule.Operands[I][D];
    DimAxes All;
    for (AxisId A : Call.Operands[I]->Dims[D].Axes)
      if (!isSingleton(A))
        All.push_back(A);
    llvm::ArrayRef<AxisId> Left = All;
    llvm::SmallVector<DimAxes, 2> Taking;
    for (std::size_t X = 0; X != Factors.size(); ++X) {
      const unsigned F = Factors[X];
      std::size_t Taken = Left.size();
      if (F != Factors.back())
        for (std::size_t N = 1; N < Left.size(); ++N)
          if (isSize(F, Left.take_front(N)))
            Taken = N;
      const llvm::ArrayRef<AxisId> Here = Left.take_front(Taken);
      Uses.push_back({F, I, D, DimAxes(Here)});
      Taking.emplace_back(Here);
      Left = Left.drop_front(Taken);
    }
    if (!liesAsOne(Factors, Taking))
      return fail(at(Kind::Uneven, Factors.front(), All.back(), I, D));
    return true;
  }

  struct Use;
  const ShardedDim &dimOf(const Use &U) const {
    return Call.Operands[U.Operand]->Dims[U.Dim];
  }
  bool isSingleton(AxisId A) const { return Axes.All[A].Size.isOne(); }
  bool isSize(unsigned F, llvm::ArrayRef<AxisId> Of) const {
    return compare(Rule.Factors[F].Size, Axes.size(Of)) == SameSize::Yes;
  }

  /// Whether shards of the factors one in the other are, by sizes that are
  /// known, those of the dim that they make.
  bool liesAsOne(llvm::ArrayRef<unsigned> Factors,
                 llvm::ArrayRef<DimAxes> Of) const {
    const std::int64_t Ranks = sizeOfEach(Of);
    constexpr std::int64_t Most = 4096; // more are not worth the time
    if (Factors.size() < 2 || Ranks == 1 || Ranks > Most || Call.HasLoose)
      return true;
    std::int64_t Total = 1;
    bool Known = true, Even = true;
    for (std::size_t X = 0; X != Factors.size(); ++X) {
      const Extent &Size = Rule.Factors[Factors[X]].Size;
      Known &= Size.asNumber().has_value();
      Total *= Size.asNumber().value_or(1);
      Even &= isEven({Size, Of[X]}, Axes) != SameSize::No;
    }
    if (!Known)
      return Even;
    for (std::int64_t R = 0; R != Ranks; ++R) {
      ElementRange Joined{0, Total};
      std::int64_t Begin = 0, Length = 1, Inner = Ranks;
      for (std::size_t X = 0; X != Factors.size(); ++X) {
        const std::int64_t Size = *Rule.Factors[Factors[X]].Size.asNumber();
        ElementRange Own{0, Size};
        for (AxisId A : Of[X]) {
          const std::int64_t Count = sizeOfAll(A);
          Inner /= Count;
          Own = shardOf(Own, Count, R / Inner % Count);
          Joined = shardOf(Joined, Count, R / Inner % Count);
        }
        if (Length > 1 && lengthOf(Own) != Size)
          return false; // pieces apart
        Begin = Begin * Size + Own.first;
        Length *= lengthOf(Own);
      }
      if (Length != lengthOf(Joined) || (Length && Begin != Joined.first))
        return false;
    }
    return true;
  }
  /// How many ranks there are; 1 when nobody knows.
  std::int64_t sizeOfAll(llvm::ArrayRef<AxisId> Of) const {
    return Axes.size(Of).asNumber().value_or(1);
  }
  std::int64_t sizeOfEach(llvm::ArrayRef<DimAxes> Of) const {
    std::int64_t Out = 1;
    for (const DimAxes &A : Of)
      Out *= sizeOfAll(A);
    return Out;
  }

  /// All operands that have a factor have it sharded alike.
  bool checkAgreement() {
    for (const Use &U : Uses) {
      DimAxes &Known = Shards[U.Factor];
      if (!Owner[U.Factor]) {
        Owner[U.Factor] = &U;
        Known = U.Axes;
        continue;
      }
      if (Known == U.Axes)
        continue;
      const Use &First = *Owner[U.Factor];
      if (dimOf(U).isOpen())
        continue; // a part of it, or its rule would be undecided
      if (dimOf(First).isOpen()) {
        Owner[U.Factor] = &U;
        Known = U.Axes;
        continue;
      }
      for (const auto &[Has, Lacks] : {std::pair(&First, &U), {&U, &First}})
        for (AxisId A : Has->Axes)
          if (!llvm::is_contained(Lacks->Axes, A)) {
            SpecViolation V =
                at(Kind::Missing, U.Factor, A, Lacks->Operand, Lacks->Dim);
            V.Other = Has->Operand;
            return fail(std::move(V));
          }
      SpecViolation V =
          at(Kind::Order, U.Factor, U.Axes.front(), U.Operand, U.Dim);
      V.Other = First.Operand;
      return fail(std::move(V));
    }
    return true;
  }

  //===--- What no factor may be ------------------------------------------===//

  bool checkFactors() {
    for (const Use &U : Uses) {
      if (U.Axes.empty())
        continue;
      if (Rule.Factors[U.Factor].Whole)
        return fail(
            at(Kind::NeedsWhole, U.Factor, U.Axes.front(), U.Operand, U.Dim));
    }
    return true;
  }

  bool checkAxes() {
    for (const Use &U : Uses)
      for (AxisId A : U.Axes)
        for (const Use &V : Uses)
          if (V.Factor != U.Factor && llvm::is_contained(V.Axes, A)) {
            SpecViolation Out =
                at(Kind::Repeated, V.Factor, A, V.Operand, V.Dim);
            Out.Other = U.Operand;
            Out.OtherFactor = U.Factor;
            return fail(std::move(Out));
          }
    for (const Use &U : Uses)
      if (Rule.isContracted(U.Factor))
        for (AxisId A : U.Axes) {
          if (!llvm::is_contained(OutPartial, A))
            return fail(at(Kind::Contraction, U.Factor, A, U.Operand, U.Dim));
          if (!llvm::is_contained(Out.Partial, A))
            Out.Partial.push_back(A);
        }
    return true;
  }

  //===--- A sum is pending when all of its addends are -------------------===//

  bool checkAddends() {
    for (AxisId A : Out.Partial) {
      Culprit.reset();
      if (isPending(Call.Op->Term, A))
        continue;
      const unsigned F = contractedOn(A);
      if (!Culprit)
        return fail(
            at(Kind::NeedsWhole, F, A, Owner[F]->Operand, Owner[F]->Dim));
      SpecViolation V = at(Kind::Addend, F, A, *Culprit, 0);
      V.Dim.reset();
      V.Other = Owner[F]->Operand;
      return fail(std::move(V));
    }
    return true;
  }

  unsigned contractedOn(AxisId A) const {
    for (const Use &U : Uses)
      if (Rule.isContracted(U.Factor) && llvm::is_contained(U.Axes, A))
        return U.Factor;
    return 0;
  }

  /// Whether each rank has an addend of what \p T means. Sets Culprit to an
  /// operand that is added as it is, on every rank.
  bool isPending(const RuleTerm &T, AxisId A) {
    if (T.K == RuleTerm::Kind::Source)
      return false;
    if (T.K == RuleTerm::Kind::Operand)
      return isOperandPending(T.Operand, A);
    // Not an optional operand that the call leaves out.
    const auto Pends = [&](const RuleTerm &C) {
      return firstActual(C) && isPending(C, A);
    };
    switch (T.Class) {
    case OpClass::Linear: {
      bool Any = false, All = true;
      std::optional<unsigned> Whole;
      for (const RuleTerm &C : T.Children) {
        const std::optional<unsigned> Given = firstActual(C);
        if (!Given)
          continue; // an optional operand that the call leaves out
        const bool Here = isPending(C, A);
        Any |= Here;
        All &= Here;
        if (!Here && !Whole)
          Whole = Given;
      }
      if (Any && !All)
        Culprit = Whole;
      return Any && All;
    }
    case OpClass::Multilinear:
      return llvm::any_of(T.Children, Pends);
    case OpClass::Quotient:
      return Pends(T.Children.front());
    case OpClass::StopGradient:
      return llvm::all_of(T.Children, Pends);
    default:
      // What is added up is the function of all, not sums that it is of.
      return llvm::any_of(T.Children, [&](const RuleTerm &C) {
        const bool IsSum =
            C.K == RuleTerm::Kind::Apply &&
            (C.Class == OpClass::Linear || C.Class == OpClass::Multilinear);
        return !IsSum && Pends(C);
      });
    }
  }

  bool isOperandPending(unsigned Formal, AxisId A) const {
    for (unsigned I = 0; I != Call.FormalOf.size(); ++I) {
      if (Call.FormalOf[I] != Formal)
        continue;
      const bool Here =
          (I < Pending.size() && llvm::is_contained(Pending[I], A)) ||
          llvm::any_of(Uses, [&](const Use &U) {
            return U.Operand == I && Rule.isContracted(U.Factor) &&
                   llvm::is_contained(U.Axes, A);
          });
      if (!Here)
        return false;
    }
    return true;
  }

  std::optional<unsigned> firstActual(const RuleTerm &T) const {
    if (T.K == RuleTerm::Kind::Operand) {
      const auto *At = llvm::find(Call.FormalOf, T.Operand);
      return At == Call.FormalOf.end() ? std::nullopt
                                       : std::optional(static_cast<unsigned>(
                                             At - Call.FormalOf.begin()));
    }
    for (const RuleTerm &C : T.Children)
      if (const std::optional<unsigned> Found = firstActual(C))
        return Found;
    return std::nullopt;
  }

  //===--- From factors to the result -------------------------------------===//

  bool update() {
    if (Rule.ResultIsWritten) {
      Out.Result = *Call.Written;
      return true;
    }
    for (const FactorRule::Dim &D : Rule.Result) {
      ShardedDim Made{Extent::number(1), {}};
      bool Open = false; ///< an outer factor is not sharded to the end
      for (std::size_t X = 0; X != D.size(); ++X) {
        const unsigned F = D[X];
        if (Open && !Shards[F].empty()) {
          const Use &U = *Owner[F];
          return fail(
              at(Kind::AcrossView, F, Shards[F].front(), U.Operand, U.Dim));
        }
        Made.Size = Made.Size * Rule.Factors[F].Size;
        Made.Axes.append(Shards[F].begin(), Shards[F].end());
        Open |= !isSize(F, Shards[F]);
      }
      llvm::SmallVector<DimAxes, 2> Of;
      for (unsigned F : D)
        Of.push_back(Shards[F]);
      if (!liesAsOne(D, Of)) {
        const auto *F =
            llvm::find_if(D, [&](unsigned F) { return !Shards[F].empty(); });
        return fail(at(Kind::Uneven, *F, Shards[*F].back(), Owner[*F]->Operand,
                       Owner[*F]->Dim));
      }
      if (D.size() == 1 && Made.isOpen())
        Made.Local = Rule.Factors[D.front()].Local;
      Out.Result.Dims.push_back(std::move(Made));
    }
    for (AxisId A : OutPartial)
      if (const std::optional<unsigned> D = Out.Result.dimOf(A)) {
        SpecViolation V;
        V.K = Kind::NotPartial;
        V.Axis = A;
        V.Dim = *D;
        for (unsigned F : Rule.Result[*D])
          if (llvm::is_contained(Shards[F], A)) {
            V.Factor = F;
            V.Operand = Owner[F]->Operand;
          }
        return fail(std::move(V));
      }
    return true;
  }

  static SpecViolation at(Kind K, unsigned F, AxisId A, unsigned Operand,
                          unsigned Dim) {
    SpecViolation V;
    V.K = K;
    V.Factor = F;
    V.Axis = A;
    V.Operand = Operand;
    V.Dim = Dim;
    return V;
  }

  /// A factor in a dim of an operand, and the axes that shard it there.
  struct Use {
    unsigned Factor, Operand, Dim;
    DimAxes Axes;
  };

  const FactorRule &Rule;
  const ShapedCall &Call;
  const AxisTable &Axes;
  llvm::ArrayRef<AxisId> OutPartial;
  llvm::ArrayRef<DimAxes> Pending;
  llvm::SmallVector<Use, 12> Uses;
  llvm::SmallVector<DimAxes, 8> Shards;    ///< by factor
  llvm::SmallVector<const Use *, 8> Owner; ///< the first use of a factor
  std::optional<unsigned> Culprit;
  Propagation Out;
  SpecViolation Found;
};

} // namespace

std::variant<Propagation, SpecViolation>
propagate(const FactorRule &Rule, const ShapedCall &Call,
          llvm::ArrayRef<AxisId> OutPartial, llvm::ArrayRef<DimAxes> Pending) {
  return Propagator(Rule, Call, OutPartial, Pending).run();
}

} // namespace spmd::rules
