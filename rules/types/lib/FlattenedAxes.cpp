//===- FlattenedAxes.cpp - Other names for axes of a mesh -----------------===//

#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

/// As far as names go: axes without a size are as good as others.
static MeshSpec withSomeSizes(MeshSpec M) {
  for (MeshAxis &A : M.Axes)
    A.Size = A.Size == 1 ? 1 : 2;
  return M;
}

static bool hasFlattened(const MeshSpec &M) {
  return llvm::any_of(M.Axes, [](const MeshAxis &A) { return !A.Of.empty(); });
}

llvm::Error checkFlattened(const MeshSpec &M) {
  if (!hasFlattened(M))
    return llvm::Error::success();
  MeshSpec Plain = withSomeSizes(M);
  llvm::erase_if(Plain.Axes, [](const MeshAxis &A) { return !A.Of.empty(); });
  llvm::Expected<RankMesh> Ranks = RankMesh::of(Plain);
  std::size_t Place = 0;
  llvm::Error E = Ranks ? Ranks->addFlattened(M, Place) : Ranks.takeError();
  if (!E)
    return llvm::Error::success();
  return llvm::make_error<PayloadError>(Place, llvm::toString(std::move(E)));
}

std::vector<std::string> partsOf(const MeshSpec &M, llvm::StringRef Axis) {
  const MeshAxis *A = M.find(Axis);
  if (!A || A->Of.empty())
    return {Axis.str()};
  std::vector<std::string> Out;
  for (const std::string &Part : A->Of)
    llvm::append_range(Out, partsOf(M, Part));
  return Out;
}

TypeSpec withParts(const TypeSpec &T, const MeshSpec &M) {
  TypeSpec Out;
  for (const AxisAtom &A : T.Axes)
    for (std::string &Part : partsOf(M, A.Axis))
      Out.Axes.push_back({std::move(Part), A.Value, A.Offset});
  if (T.Global) {
    Out.Global = GlobalSpec{T.Global->DType, {}};
    for (const DimSpec &D : T.Global->Dims) {
      DimSpec &Dim = Out.Global->Dims.emplace_back();
      Dim.Extent = D.Extent;
      for (const std::string &Axis : D.Axes)
        llvm::append_range(Dim.Axes, partsOf(M, Axis));
    }
  }
  return Out;
}

std::optional<std::pair<std::size_t, std::size_t>>
overlapping(llvm::ArrayRef<std::string> Names, const MeshSpec &M) {
  if (!hasFlattened(M))
    return std::nullopt;
  llvm::Expected<RankMesh> Ranks = RankMesh::of(withSomeSizes(M));
  if (!Ranks) {
    llvm::consumeError(Ranks.takeError());
    return std::nullopt;
  }
  for (std::size_t J = 0; J != Names.size(); ++J)
    for (std::size_t I = 0; I != J; ++I) {
      const RankMesh::Axis *A = Ranks->find(Names[I]),
                           *B = Ranks->find(Names[J]);
      if (A && B && !orthogonal(A->Layout, B->Layout))
        return std::pair(I, J);
    }
  return std::nullopt;
}

} // namespace spmd::rules
