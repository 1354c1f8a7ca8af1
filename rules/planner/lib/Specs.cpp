//===- Specs.cpp - Layouts from annotations, and as text ------------------===//

#include "spmd/planner/Specs.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::planner {

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

} // namespace spmd::planner
