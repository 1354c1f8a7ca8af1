//===- CheckSpecs.cpp - Shape rules, by numbers ---------------------------===//

#include "spmd/oracle/CheckSpecs.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace spmd::rules;

namespace spmd::oracle {

SpecCounts &SpecCounts::operator+=(const SpecCounts &O) {
  Calls += O.Calls;
  Assignments += O.Assignments;
  Accepted += O.Accepted;
  Wrong += O.Wrong;
  Rejected += O.Rejected;
  Imprecise += O.Imprecise;
  Undecided += O.Undecided;
  return *this;
}

llvm::StringRef kindName(SpecViolation::Kind K) {
  constexpr llvm::StringLiteral Names[] = {
      "rank",        "dimension",     "size",   "contraction",
      "addend",      "missing",       "order",  "repeated",
      "needs whole", "across a view", "uneven", "not partial"};
  return Names[static_cast<int>(K)];
}

namespace {

/// What became of one assignment.
struct Outcome {
  enum Kind { Nothing, Accepted, Wrong, Rejected, Undecided } K = Nothing;
  std::string Why;    ///< Wrong: what differs; Rejected: the kind of violation
  bool Right = false; ///< Rejected: some spec of the result is right
};

/// One call with operands of one size on one mesh.
class Trial {
public:
  Trial(const SpecScenario &X, const std::vector<Shape> &Sizes,
        const MeshSizes &M)
      : X(X), M(M), Sizes(Sizes) {
    std::mt19937 Random(7);
    for (std::size_t I = 0; I != Sizes.size(); ++I) {
      const auto Dim = X.PositionsOf[I];
      const int Below = Dim ? Sizes[0][static_cast<unsigned>(*Dim)] : 0;
      Operands.push_back(tabulate(Sizes[I], [&](const Index &) {
        const auto Any = static_cast<Number>(Random() >> 3);
        return Below ? Any % Below : Any % 19 - 9;
      }));
    }
    for (std::size_t A = 0; A != M.size(); ++A)
      Axes.All.push_back(
          {std::string(1, static_cast<char>('a' + A)), Extent::number(M[A])});
  }

  /// \p Call is X's, or asks for sizes.
  Outcome run(const SpecCall &Call, llvm::ArrayRef<const ShardLayout *> Given,
              llvm::ArrayRef<AxisId> OutPartial) {
    Layouts = Given;
    const auto Types = localTypes(Call, OutPartial);
    if (!Types)
      return {};
    std::vector<PartitionSpec> Specs(Given.size());
    llvm::SmallVector<const PartitionSpec *, 4> Pointers;
    llvm::SmallVector<DimAxes, 4> Pending;
    for (std::size_t I = 0; I != Given.size(); ++I) {
      for (std::size_t D = 0; D != Sizes[I].size(); ++D)
        Specs[I].Dims.push_back(
            {Extent::number(Sizes[I][D]), Given[I]->Dims[D]});
      Pointers.push_back(&Specs[I]);
      Pending.push_back(Given[I]->Partial);
    }
    const auto SizeOf = [](const SizeTerm &) { return Extent(); };
    const ShapedCall Shaped{Call.Op,        Call.FormalOf, Pointers,
                            Call.Arguments, SizeOf,        &Axes};
    const FactorRuleOr Rule = factorRuleOf(Shaped);
    if (std::holds_alternative<Undecided>(Rule))
      return {Outcome::Undecided, std::get<Undecided>(Rule).On};
    if (const auto *V = std::get_if<SpecViolation>(&Rule))
      return rejected(Call, *V, *Types);
    const auto Result =
        propagate(std::get<FactorRule>(Rule), Shaped, OutPartial, Pending);
    if (const auto *V = std::get_if<SpecViolation>(&Result))
      return rejected(Call, *V, *Types);
    if (!std::get<FactorRule>(Rule).HasResult && !OutPartial.empty())
      return {Outcome::Undecided, "the result"};
    if (!std::get<FactorRule>(Rule).HasResult)
      return anyResult(Call, *Types);
    return accepted(Call, std::get<Propagation>(Result), *Types);
  }

private:
  /// On each axis, what the erased program makes: V, P or R.
  using ResultTypes = llvm::SmallVector<LocalType, 2>;

  std::optional<ResultTypes> localTypes(const SpecCall &Call,
                                        llvm::ArrayRef<AxisId> OutPartial) {
    ResultTypes Out;
    for (AxisId A = 0; A != M.size(); ++A) {
      llvm::SmallVector<TypeSet, 4> Sets;
      for (const ShardLayout *L : Layouts)
        Sets.push_back(L->isPartial(A) ? LocalType::P
                       : L->shards(A)  ? LocalType::V
                                       : LocalType::R);
      const TypeSet Made = applyRule(*Call.Op, Sets, Call.FormalOf).Output;
      const bool Wrapped = llvm::is_contained(OutPartial, A);
      // What depends on shapes alone, or is random, is all of these.
      const bool Varies = llvm::is_contained(Sets, TypeSet(LocalType::V));
      if (Made.contains(LocalType::V) && Varies)
        Out.push_back(Wrapped ? LocalType::P : LocalType::V);
      else if (Made.contains(LocalType::P) && !Made.contains(LocalType::R))
        Out.push_back(LocalType::P);
      else if (Made.contains(LocalType::R) && !Wrapped)
        Out.push_back(LocalType::R);
      else
        return std::nullopt;
    }
    return Out;
  }

  const std::vector<MaybeTensor> &locals(const SpecCall &Call) {
    std::mt19937 Random(11);
    std::vector<Ranks> Shards;
    for (std::size_t I = 0; I != Operands.size(); ++I)
      Shards.push_back(distribute(Operands[I], *Layouts[I], M, Random));
    Local.clear();
    for (std::size_t R = 0; R != static_cast<std::size_t>(numRanks(M)); ++R) {
      std::vector<Tensor> Own;
      for (Ranks &S : Shards)
        Own.push_back(std::move(S[R]));
      Local.push_back(runReference(Call, Own));
    }
    return Local;
  }

  const MaybeTensor &whole(const SpecCall &Call, const ShardLayout &L) {
    ShardCounts Counts;
    if (X.AsksForSizes)
      for (std::size_t D = 0; D != L.Dims.size(); ++D)
        Counts.push_back(L.count(M, D));
    else if (auto At = Wholes.find(""); At != Wholes.end())
      return At->second;
    std::string Key = X.AsksForSizes ? Call.str() : "";
    for (int C : Counts)
      Key += " " + std::to_string(C);
    const auto [At, New] = Wholes.try_emplace(Key);
    if (New)
      At->second =
          runReference(Call, Operands, X.AsksForSizes ? &Counts : nullptr);
    return At->second;
  }

  Outcome accepted(const SpecCall &Call, const Propagation &P,
                   const ResultTypes &Types) {
    ShardLayout Made;
    for (const ShardedDim &D : P.Result.Dims)
      Made.Dims.push_back(D.Axes);
    for (AxisId A = 0; A != M.size(); ++A) {
      if (Types[A] == LocalType::P)
        Made.Partial.push_back(A);
      if (Made.shards(A) != (Types[A] == LocalType::V))
        return {Outcome::Wrong, std::string("erased, it is ") +
                                    letter(Types[A]) + " on " +
                                    Axes.All[A].Name};
    }
    const MaybeTensor &Whole = whole(Call, Made);
    // A call that is wrong whatever the specs are is not about specs.
    if (!Whole && !X.AsksForSizes)
      return {};
    if (!Whole)
      return {Outcome::Wrong, "no such call on the whole"};
    for (std::size_t D = 0; D != Made.Dims.size(); ++D)
      if (Whole->Dims.size() != Made.Dims.size() ||
          compare(P.Result.Dims[D].Size, Extent::number(Whole->Dims[D])) ==
              SameSize::No)
        return {Outcome::Wrong,
                "the result is " + printSpec(P.Result, Axes) + ", not of " +
                    ShardLayout{
                        llvm::SmallVector<DimAxes, 3>(Whole->Dims.size()), {}}
                        .str(Whole->Dims)};
    if (Whole->Dims.size() != Made.Dims.size())
      return {Outcome::Wrong, "the result has another rank"};
    Ranks Values;
    for (const MaybeTensor &L : locals(Call)) {
      if (!L)
        return {Outcome::Wrong, "shards do not fit"};
      Values.push_back(*L);
    }
    if (!reassembles(Values, *Whole, Made, M))
      return {Outcome::Wrong,
              "the shards of the result are not " + Made.str(Whole->Dims)};
    return {Outcome::Accepted, {}};
  }

  /// A layout of the result with these types that is right, if there is one.
  std::optional<std::string> rightLayout(const SpecCall &Call,
                                         const ResultTypes &Types) {
    Ranks Values;
    for (const MaybeTensor &L : locals(Call)) {
      if (!L)
        return std::nullopt;
      Values.push_back(*L);
    }
    for (const ShardLayout &L :
         allLayouts(static_cast<unsigned>(Values[0].Dims.size()))) {
      bool Fits = true;
      for (AxisId A = 0; A != M.size(); ++A)
        Fits &= L.shards(A) == (Types[A] == LocalType::V) &&
                L.isPartial(A) == (Types[A] == LocalType::P);
      if (!Fits)
        continue;
      const MaybeTensor &Whole = whole(Call, L);
      if (Whole && Whole->Dims.size() == L.Dims.size() &&
          reassembles(Values, *Whole, L, M))
        return L.str(Whole->Dims);
    }
    return std::nullopt;
  }

  /// The rule says nothing about the dims of the result.
  Outcome anyResult(const SpecCall &Call, const ResultTypes &Types) {
    if (!X.AsksForSizes && !whole(Call, {}))
      return {};
    if (rightLayout(Call, Types))
      return {Outcome::Accepted, {}};
    return {Outcome::Wrong, "no layout of the result is right"};
  }

  Outcome rejected(const SpecCall &Call, const SpecViolation &V,
                   const ResultTypes &Types) {
    Outcome Out{Outcome::Rejected, kindName(V.K).str()};
    if (const auto L = rightLayout(Call, Types)) {
      Out.Right = true;
      Out.Why += " though " + *L;
    }
    return Out;
  }

  const SpecScenario &X;
  const MeshSizes &M;
  const std::vector<Shape> &Sizes;
  std::vector<Tensor> Operands;
  AxisTable Axes;
  llvm::ArrayRef<const ShardLayout *> Layouts;
  std::vector<MaybeTensor> Local;
  std::map<std::string, MaybeTensor> Wholes;
};

class Checker {
public:
  Checker(const SpecLimits &Limits, SpecCheck &Out)
      : Limits(Limits), Out(Out) {}

  void run(const SpecScenario &X, const MeshSizes &M) {
    ++Out.Counts.Calls;
    std::vector<Trial> Trials;
    for (const std::vector<Shape> &Sizes : X.Sizes)
      Trials.emplace_back(X, Sizes, M);
    std::vector<std::vector<ShardLayout>> Choices;
    std::size_t All = 1;
    for (const Shape &S : X.Sizes[0]) {
      Choices.push_back(allLayouts(static_cast<unsigned>(S.size())));
      All *= Choices.back().size();
    }
    // An odd step, so that all operands come to have all of their layouts.
    const std::size_t Step =
        All <= Limits.Assignments ? 1 : All / Limits.Assignments | 1;
    for (std::size_t Code = 0; Code < All; Code += Step) {
      llvm::SmallVector<const ShardLayout *, 4> Layouts;
      std::size_t Rest = Code;
      for (const std::vector<ShardLayout> &C : Choices) {
        Layouts.push_back(&C[Rest % C.size()]);
        Rest /= C.size();
      }
      for (unsigned Wrapped = 0; Wrapped != 4; ++Wrapped) {
        DimAxes OutPartial;
        for (AxisId A = 0; A != 2; ++A)
          if (Wrapped >> A & 1)
            OutPartial.push_back(A);
        if (X.AsksForSizes)
          resized(X, M, Trials, Layouts, OutPartial);
        else
          judge(X, X.Call, M, Trials, Layouts, OutPartial);
      }
    }
  }

private:
  /// What the first rank may ask for.
  void resized(const SpecScenario &X, const MeshSizes &M,
               std::vector<Trial> &Trials,
               llvm::ArrayRef<const ShardLayout *> Layouts,
               llvm::ArrayRef<AxisId> OutPartial) {
    for (std::size_t V = 0; V != Trials.size(); ++V) {
      const Tensor Local =
          shardOf(Tensor::zeros(X.Sizes[V][0]), *Layouts[0], M, 0);
      SpecCall Call = X.Call;
      const auto Asked = sizesToAskFor(*X.Call.Op->Shape, Local.Dims);
      const std::size_t Step = Asked.size() / 12 + 1;
      for (std::size_t I = 0; I < Asked.size(); I += Step) {
        Call.Arguments = Asked[(I + V) % Asked.size()];
        judge(X, Call, M, Trials, Layouts, OutPartial, V);
      }
    }
  }

  /// With operands of all sizes, or of those of variant \p Only.
  void judge(const SpecScenario &X, const SpecCall &Call, const MeshSizes &M,
             std::vector<Trial> &Trials,
             llvm::ArrayRef<const ShardLayout *> Layouts,
             llvm::ArrayRef<AxisId> OutPartial,
             std::optional<std::size_t> Only = std::nullopt) {
    std::string Example;
    bool AllRight = true;
    for (std::size_t V = 0; V != Trials.size(); ++V) {
      if (Only && V != *Only)
        continue;
      const Outcome O = Trials[V].run(Call, Layouts, OutPartial);
      if (O.K == Outcome::Nothing)
        continue;
      ++Out.Counts.Assignments;
      Out.Counts.Undecided += O.K == Outcome::Undecided;
      Out.Counts.Accepted += O.K == Outcome::Accepted || O.K == Outcome::Wrong;
      Out.Counts.Rejected += O.K == Outcome::Rejected;
      if (O.K == Outcome::Wrong) {
        ++Out.Counts.Wrong;
        if (Out.Wrong.size() < 4)
          Out.Wrong.push_back(text(X, Call, V, M, Layouts, OutPartial) + ": " +
                              O.Why);
      }
      if (O.K != Outcome::Rejected)
        continue;
      AllRight &= O.Right;
      if (O.Right && Example.empty()) {
        Example = text(X, Call, V, M, Layouts, OutPartial) + ": " + O.Why;
        Kind = llvm::StringRef(O.Why).split(" though ").first.str();
      }
    }
    // What has one element has it whole on some rank.
    if (Example.empty() || !AllRight || shardsOne(X.Sizes[0], Layouts))
      return;
    ++Out.Counts.Imprecise;
    auto &[Count, One] = Out.Imprecise[Kind];
    if (Count++ == 0)
      One = Example;
  }

  static bool shardsOne(const std::vector<Shape> &Sizes,
                        llvm::ArrayRef<const ShardLayout *> Layouts) {
    for (std::size_t I = 0; I != Sizes.size(); ++I)
      for (std::size_t D = 0; D != Sizes[I].size(); ++D)
        if (Sizes[I][D] == 1 && !Layouts[I]->Dims[D].empty())
          return true;
    return false;
  }

  static std::string text(const SpecScenario &X, const SpecCall &Call,
                          std::size_t Variant, const MeshSizes &M,
                          llvm::ArrayRef<const ShardLayout *> Layouts,
                          llvm::ArrayRef<AxisId> OutPartial) {
    std::string Out =
        Call.str() + " by \"" + printShapeRule(*Call.Op->Shape) + "\" of ";
    for (std::size_t I = 0; I != Layouts.size(); ++I)
      Out += (I ? ", " : "") + Layouts[I]->str(X.Sizes[Variant][I]);
    for (AxisId A : OutPartial)
      Out += std::string(" out_partial ") + static_cast<char>('a' + A);
    return Out + " on " + std::to_string(M[0]) + " x " + std::to_string(M[1]);
  }

  const SpecLimits &Limits;
  SpecCheck &Out;
  std::string Kind;
};

} // namespace

std::string specKey(const OpRule &Rule) {
  std::string Out = Rule.TermText + " = " + printShapeRule(*Rule.Shape);
  for (const RuleFormal &F : Rule.Formals)
    Out += F.Name + (F.Optional ? "?" : F.Variadic ? "*" : ".");
  return Out;
}

SpecCheck checkSpecs(const OpRule &Rule, const SpecLimits &Limits) {
  SpecCheck Out;
  Checker C(Limits, Out);
  for (const OpRule &One : alternativesOf(Rule)) {
    if (!whyNotRun(*One.Shape).empty())
      continue;
    for (const MeshSizes &M : Limits.Meshes)
      for (const SpecScenario &X : scenariosOf(One, numRanks(M)))
        C.run(X, M);
  }
  return Out;
}

} // namespace spmd::oracle
