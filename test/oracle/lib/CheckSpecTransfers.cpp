//===- CheckSpecTransfers.cpp - Specs after collectives -------------------===//

#include "spmd/oracle/CheckSpecTransfers.h"

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"
#include "spmd/ops/OpCatalogue.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// One operator on one axis; a dim for S(dim).
struct Transfer {
  const char *Name;
  LocalType From;
  int FromDim;
  LocalType To;
  int ToDim;

  std::string str(AxisId A) const {
    const auto Type = [](LocalType T, int Dim) {
      return T == LocalType::V ? "S(" + std::to_string(Dim) + ")"
                               : std::string(1, letter(T));
    };
    return std::string(Name) + " %x on %" + static_cast<char>('a' + A) +
           " from " + Type(From, FromDim) + " to " + Type(To, ToDim);
  }
};

std::vector<Transfer> transfersOf(int Rank) {
  using L = LocalType;
  std::vector<Transfer> Out{{"all_reduce", L::P, 0, L::R, 0}};
  for (int I = 0; I != Rank; ++I) {
    Out.push_back({"all_gather", L::V, I, L::R, 0});
    Out.push_back({"reduce_scatter", L::P, 0, L::V, I});
    Out.push_back({"convert", L::R, 0, L::V, I});
    for (int J = 0; J != Rank; ++J)
      if (I != J)
        Out.push_back({"all_to_all", L::V, I, L::V, J});
  }
  return Out;
}

/// Nothing: ranks of one group have shapes that do not go together.
std::optional<Ranks> execute(const Transfer &T, AxisId A, const DeviceMesh &M,
                             const Ranks &X) {
  Ranks Out;
  int Stride = 1;
  for (std::size_t Inner = M.All.size() - 1; Inner != A; --Inner)
    Stride *= M.All[Inner].Size;
  for (int R = 0; R != M.ranks(); ++R) {
    const int Own = M.coordinate(R, A), First = R - Own * Stride;
    std::vector<Tensor> Group;
    for (int I = 0; I != M.All[A].Size; ++I)
      Group.push_back(X[static_cast<std::size_t>(First + I * Stride)]);
    if (T.From == LocalType::V && T.To == LocalType::V)
      for (Tensor &G : Group)
        G = chunk(G, T.ToDim, M.All[A].Size, Own);
    if (T.From == LocalType::P)
      for (const Tensor &G : Group)
        if (G.Dims != Group[0].Dims)
          return std::nullopt;
    MaybeTensor Made;
    if (T.From == LocalType::V)
      Made = concatenated(Group, T.FromDim);
    else
      Made = T.From == LocalType::P ? sum(Group) : X[static_cast<unsigned>(R)];
    if (!Made)
      return std::nullopt;
    if (T.To == LocalType::V && T.From != LocalType::V)
      Made = chunk(*Made, T.ToDim, M.All[A].Size, Own);
    Out.push_back(std::move(*Made));
  }
  return Out;
}

LocalType typeOn(const planner::Layout &L, AxisId A) {
  return L.isPartial(A) ? LocalType::P
         : L.shards(A)  ? LocalType::V
                        : LocalType::R;
}

class Checker {
public:
  Checker(const DeviceMesh &M, SpecCheck &Out) : M(M), Out(Out) {}

  void run(const Shape &Sizes, const planner::Layout &L, const Transfer &T,
           AxisId A) {
    ++Out.Counts.Assignments;
    const std::string Case = T.str(A) + " of " + print(L, Sizes, M) + " on " +
                             std::to_string(M.All[0].Size) + " x " +
                             std::to_string(M.All[1].Size);
    bool Rejected = false;
    const std::string Spec = infer(Sizes, L, T, A, Rejected);
    const Tensor Whole = tabulate(Sizes, [&](const Index &I) {
      return Number(1) + I[0] * 7 + (I.size() > 1 ? I[1] * 100 : 0);
    });
    std::mt19937 Random(5);
    const auto Made = execute(T, A, M, distribute(Whole, L, M, Random));
    std::string Right;
    for (const planner::Layout &To :
         allLayouts(static_cast<unsigned>(Sizes.size()), M)) {
      bool Fits = typeOn(To, A) == T.To;
      for (AxisId B = 0; B != M.All.size(); ++B)
        Fits &= B == A || typeOn(To, B) == typeOn(L, B);
      if (!Fits)
        continue;
      planner::Layout Bare = To;
      Bare.Partial.clear();
      const bool IsRight = Made && reassembles(*Made, Whole, To, M);
      if (IsRight && Right.empty())
        Right = print(To, Sizes, M);
      if (Rejected || print(Bare, Sizes, M) != Spec)
        continue;
      ++Out.Counts.Accepted;
      if (!IsRight) {
        ++Out.Counts.Wrong;
        Out.Wrong.push_back(Case + ": not " + Spec);
      }
      return;
    }
    if (!Rejected) {
      ++Out.Counts.Undecided;
      return;
    }
    ++Out.Counts.Rejected;
    if (Right.empty())
      return;
    ++Out.Counts.Imprecise;
    auto &[Count, One] = Out.Imprecise[T.Name];
    if (Count++ == 0)
      One = Case + ": " + Right;
  }

private:
  std::string infer(const Shape &Sizes, const planner::Layout &L,
                    const Transfer &T, AxisId A, bool &Rejected) {
    std::string Type = print(L, Sizes, M);
    // Where it is neither sharded nor a pending sum, it is the same.
    std::string Rest;
    for (AxisId B = 0; B != M.All.size(); ++B)
      if (!L.shards(B))
        Rest += (Rest.empty() ? "{" : ", ") +
                std::string(1, static_cast<char>('a' + B)) +
                (L.isPartial(B) ? ": P" : ": R");
    Type =
        Type.substr(0, Type.find(']') + 1) + (Rest.empty() ? "" : Rest + "}");
    const std::string Text = "func @g(%x: \"" + Type +
                             "\", %a axis \"a\", %b axis \"b\") global " +
                             "mesh \"a=" + std::to_string(M.All[0].Size) +
                             ", b=" + std::to_string(M.All[1].Size) +
                             "\" {\nb0:\n  %3 = " + T.str(A) + "\n  ->\n}\n";
    llvm::Expected<Module> Parsed = parseModule(Text, OpCatalogue::builtin());
    if (!Parsed) {
      ++Out.Counts.Wrong;
      Out.Wrong.push_back(llvm::toString(Parsed.takeError()) + " in " + Text);
      return {};
    }
    std::string Spec;
    const auto OnType = [&](const TypedSlot &S) {
      if (S.Slot == SlotId(3))
        Spec = S.Spec;
    };
    Rejected = !inferModule(*Parsed, {}, OnType).Violations.empty();
    return Spec;
  }

  const DeviceMesh &M;
  SpecCheck &Out;
};

} // namespace

SpecCheck checkSpecTransfers(const SpecLimits &Limits) {
  SpecCheck Out;
  for (const DeviceMesh &M : Limits.Meshes) {
    const int N = M.ranks();
    Checker C(M, Out);
    for (const Shape &Sizes : std::vector<Shape>{{N},
                                                 {5},
                                                 {7},
                                                 {9},
                                                 {10},
                                                 {11},
                                                 {N, 2 * N},
                                                 {3, 5},
                                                 {5, 6},
                                                 {2, 9}})
      for (const planner::Layout &L :
           allLayouts(static_cast<unsigned>(Sizes.size()), M))
        for (const Transfer &T : transfersOf(static_cast<int>(Sizes.size())))
          for (AxisId A = 0; A != M.All.size(); ++A)
            if (typeOn(L, A) == T.From)
              C.run(Sizes, L, T, A);
  }
  return Out;
}

} // namespace spmd::oracle
