//===- Layout.cpp - Where the elements of a tensor are --------------------===//

#include "spmd/planner/Layout.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::planner {

int DeviceMesh::ranks() const {
  int Out = 1;
  for (const Axis &A : All)
    Out *= A.Size;
  return Out;
}

int DeviceMesh::coordinate(int Rank, AxisIndex A) const {
  for (std::size_t I = All.size(); --I != A;)
    Rank /= All[I].Size;
  return Rank % All[A].Size;
}

int DeviceMesh::sizeOf(llvm::ArrayRef<AxisIndex> Of) const {
  int Out = 1;
  for (AxisIndex A : Of)
    Out *= All[A].Size;
  return Out;
}

bool Layout::shards(AxisIndex A) const {
  return llvm::any_of(Dims,
                      [&](const Axes &D) { return llvm::is_contained(D, A); });
}

bool Layout::isPartial(AxisIndex A) const {
  return llvm::is_contained(Partial, A);
}

llvm::Expected<DeviceMesh> meshOf(const MeshSpec &M) {
  DeviceMesh Out;
  std::uint64_t Ranks = 1;
  for (const MeshAxis &A : M.Axes) {
    if (!A.Of.empty())
      continue;
    if (A.Size == 0)
      return llvm::createStringError("the mesh gives no size for '" + A.Name +
                                     "'");
    Ranks *= A.Size;
    if (Ranks > 65536)
      return llvm::createStringError("the mesh has more than 65536 ranks");
    Out.All.push_back({A.Name, static_cast<int>(A.Size)});
  }
  return Out;
}

llvm::Expected<Layout> layoutOf(const TypeSpec &T, const DeviceMesh &M) {
  Layout Out;
  if (!T.Global)
    return llvm::createStringError("a partition spec is needed, as in "
                                   "f32[8@dp, 4]");
  Out.Dims.resize(T.Global->Dims.size());
  const auto Find = [&](llvm::StringRef Name) {
    const auto It = llvm::find_if(
        M.All, [&](const DeviceMesh::Axis &A) { return A.Name == Name; });
    return It == M.All.end() ? std::nullopt
                             : std::optional<AxisIndex>(
                                   static_cast<AxisIndex>(It - M.All.begin()));
  };
  for (std::size_t D = 0; D != Out.Dims.size(); ++D)
    for (const std::string &Name : T.Global->Dims[D].Axes) {
      const auto A = Find(Name);
      if (!A)
        return llvm::createStringError("the mesh has no axis '" + Name + "'");
      Out.Dims[D].push_back(*A);
    }
  for (const AxisAtom &A : T.Axes) {
    const auto Index = Find(A.Axis);
    if (!Index)
      return llvm::createStringError("the mesh has no axis '" + A.Axis + "'");
    if (A.Value.Type == LocalType::P)
      Out.Partial.push_back(*Index);
    else if (A.Value.Type == LocalType::V && !Out.shards(*Index))
      return llvm::createStringError("'" + A.Axis +
                                     "' is V without a dim: how its values "
                                     "make up a tensor is not known");
  }
  llvm::sort(Out.Partial);
  return Out;
}

llvm::Expected<Shape> shapeOf(const TypeSpec &T) {
  Shape Out;
  for (const DimSpec &D : T.Global ? T.Global->Dims : std::vector<DimSpec>()) {
    std::int64_t Size = 0;
    if (llvm::StringRef(D.Extent).getAsInteger(10, Size) || Size < 0)
      return llvm::createStringError("the size of '" + D.Extent +
                                     "' is not known");
    Out.push_back(Size);
  }
  return Out;
}

std::string print(const Layout &L, const Shape &S, const DeviceMesh &M) {
  std::vector<std::string> Sizes;
  for (std::int64_t N : S)
    Sizes.push_back(std::to_string(N));
  return print(L, Sizes, M);
}

std::string print(const Layout &L, llvm::ArrayRef<std::string> Sizes,
                  const DeviceMesh &M) {
  const auto Names = [&](llvm::ArrayRef<AxisIndex> Of) {
    std::vector<std::string> Out;
    for (AxisIndex A : Of)
      Out.push_back(M.All[A].Name);
    return printAxes(Out);
  };
  std::string Out = "[";
  for (std::size_t D = 0; D != L.Dims.size(); ++D) {
    Out += (D ? ", " : "") + Sizes[D];
    if (!L.Dims[D].empty())
      Out += "@" + Names(L.Dims[D]);
  }
  Out += "]";
  for (AxisIndex A : L.Partial)
    Out += (A == L.Partial.front() ? "{" : ", ") + M.All[A].Name + ": P";
  return L.Partial.empty() ? Out : Out + "}";
}

std::int64_t Block::size() const {
  std::int64_t Out = 1;
  for (const ElementRange &D : Dims)
    Out *= lengthOf(D);
  return Out;
}

bool Block::contains(const Block &Inner) const {
  return Inner.size() == 0 || overlap(*this, Inner) == Inner.size();
}

std::int64_t overlap(const Block &A, const Block &B) {
  std::int64_t Out = 1;
  for (std::size_t D = 0; D != A.Dims.size(); ++D) {
    const auto Begin = std::max(A.Dims[D].first, B.Dims[D].first);
    const auto End = std::min(A.Dims[D].second, B.Dims[D].second);
    if (End <= Begin)
      return 0;
    Out *= End - Begin;
  }
  return Out;
}

Blocks blocksOf(const Layout &L, const Shape &S, const DeviceMesh &M) {
  const auto Ranks = static_cast<unsigned>(M.ranks());
  Block Whole;
  for (std::int64_t N : S)
    Whole.Dims.push_back({0, N});
  Blocks Out(Ranks, Whole);
  llvm::SmallVector<ElementRange, 64> Shards, Cut;
  for (std::size_t D = 0; D != L.Dims.size(); ++D) {
    if (L.Dims[D].empty())
      continue;
    Shards.assign(1, {0, S[D]});
    struct Digit {
      unsigned Size, Stride;
    };
    llvm::SmallVector<Digit, 3> Digits;
    for (AxisIndex A : L.Dims[D]) {
      const int Size = M.All[A].Size;
      Cut.clear();
      for (const ElementRange &Of : Shards)
        for (int Part = 0; Part != Size; ++Part)
          Cut.push_back(shardOf(Of, Size, Part));
      std::swap(Shards, Cut);
      unsigned Stride = 1;
      for (std::size_t I = A + 1; I != M.All.size(); ++I)
        Stride *= static_cast<unsigned>(M.All[I].Size);
      Digits.push_back({static_cast<unsigned>(Size), Stride});
    }
    for (unsigned R = 0; R != Ranks; ++R) {
      std::size_t Index = 0;
      for (const Digit &X : Digits)
        Index = Index * X.Size + R / X.Stride % X.Size;
      Out[R].Dims[D] = Shards[Index];
    }
  }
  return Out;
}

std::int64_t largestBlock(const Layout &L, const Shape &S,
                          const DeviceMesh &M) {
  // No shard of a dim is larger than the first.
  std::int64_t Out = 1;
  for (std::size_t D = 0; D != L.Dims.size(); ++D) {
    ElementRange First{0, S[D]};
    for (AxisIndex A : L.Dims[D])
      First = shardOf(First, M.All[A].Size, 0);
    Out *= lengthOf(First);
  }
  return Out;
}

} // namespace spmd::planner
