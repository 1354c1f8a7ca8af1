//===- MeshMap.cpp - Types on one mesh as types on another ----------------===//

#include "MeshMap.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

static MeshSpec withoutFlattened(MeshSpec M) {
  llvm::erase_if(M.Axes, [](const MeshAxis &A) { return !A.Of.empty(); });
  return M;
}

static bool isOneMesh(const MeshSpec &A, const MeshSpec &B) {
  return llvm::equal(A.Axes, B.Axes, [](const MeshAxis &X, const MeshAxis &Y) {
    return X.Name == Y.Name && X.Size == Y.Size;
  });
}

std::unique_ptr<MeshMap> MeshMap::between(const MeshSpec &From,
                                          const MeshSpec &To,
                                          const Universe &Names) {
  const MeshSpec There = withoutFlattened(From);
  std::unique_ptr<MeshMap> Out(new MeshMap(Names));
  Out->Here = withoutFlattened(To);
  if (isOneMesh(There, Out->Here))
    return nullptr;
  Out->Images.resize(Names.size());
  llvm::Expected<RankMesh> A = RankMesh::of(There);
  llvm::Expected<RankMesh> B = RankMesh::of(Out->Here);
  if (!A || !B || A->ranks() != B->ranks()) {
    llvm::Error E = llvm::Error::success();
    if (!A)
      E = llvm::joinErrors(std::move(E), A.takeError());
    if (!B)
      E = llvm::joinErrors(std::move(E), B.takeError());
    Out->Apart = E ? llvm::toString(std::move(E))
                   : "the meshes have " + std::to_string(A->ranks()) + " and " +
                         std::to_string(B->ranks()) + " ranks";
    return Out;
  }
  Out->From = std::move(*A);
  Out->To = std::move(*B);
  const bool Refined = commonRefinement(Out->From, Out->To).has_value();
  for (const RankMesh::Axis &X : Out->To.axes()) {
    const std::optional<AxisId> Mine = Names.find(X.Name);
    for (const RankMesh::Axis &Y : Out->From.axes()) {
      if (!Mine || orthogonal(X.Layout, Y.Layout))
        continue;
      const std::optional<AxisId> Theirs = Names.find(Y.Name);
      if (!Theirs || (!Refined && X.Layout != Y.Layout)) {
        Out->Images[*Mine].clear();
        break;
      }
      Out->Images[*Mine].push_back(*Theirs);
    }
  }
  return Out;
}

/// Of axes of one rank nothing is known: there may be others of the name.
bool MeshMap::hasNames(const RankMesh &M) const {
  return llvm::all_of(M.axes(), [&](const RankMesh::Axis &A) {
    return A.Layout.size() == 1 || Names.find(A.Name);
  });
}

AxisState MeshMap::stateOn(const Image &X,
                           llvm::ArrayRef<AxisState> Theirs) const {
  if (X.empty())
    return {};
  AxisState Out = Theirs[X.front()];
  if (X.size() == 1)
    return Out;
  // Of several axes of which one may have another type, the type together is
  // that of none.
  for (AxisId A : X)
    if (Theirs[A].Set != Out.Set || !Theirs[A].May.empty() ||
        (Out.Set.size() != 1 &&
         !(Theirs[A].Constant && Theirs[X.front()].Constant)))
      return {};
  Out.Dim.reset();
  return Out;
}

std::vector<AxisState> MeshMap::states(llvm::ArrayRef<AxisState> Theirs) const {
  std::vector<AxisState> Out(Theirs.begin(), Theirs.end());
  if (!Apart.empty())
    return Out;
  for (AxisId A = 0; A != Out.size(); ++A)
    if (Here.find(Names.name(A)))
      Out[A] = stateOn(Images[A], Theirs);
    else if (From.find(Names.name(A)))
      Out[A] = AxisState();
  return Out;
}

void MeshMap::update(llvm::MutableArrayRef<AxisState> Now,
                     llvm::ArrayRef<AxisState> Theirs,
                     const llvm::BitVector &Changed) const {
  const std::vector<AxisState> Mine = states(Theirs);
  for (AxisId A = 0; A != Now.size(); ++A) {
    const bool Folded = Apart.empty() && Here.find(Names.name(A));
    const bool Touched =
        !Folded ? Changed[A]
        : Images[A].empty()
            ? Changed.any()
            : llvm::any_of(Images[A], [&](AxisId X) { return Changed[X]; });
    if (Touched)
      Now[A] = Mine[A];
  }
}

std::shared_ptr<const PartitionSpec>
MeshMap::spec(const std::shared_ptr<const PartitionSpec> &Theirs,
              std::string *Why) const {
  const auto None = [&](std::string Reason) {
    if (Why)
      *Why = std::move(Reason);
    return nullptr;
  };
  if (!Theirs)
    return nullptr;
  TypeSpec T;
  T.Global = GlobalSpec();
  bool Known = Apart.empty() && hasNames(From) && hasNames(To);
  bool Named = true;
  for (const ShardedDim &D : Theirs->Dims) {
    DimSpec &Dim = T.Global->Dims.emplace_back();
    Dim.Extent = D.Size.str();
    for (AxisId A : D.Axes) {
      Dim.Axes.push_back(Names.name(A));
      T.Axes.push_back({Names.name(A), {LocalType::V, 0}, 0});
      Known &= From.find(Names.name(A)) != nullptr;
      Named &= Here.find(Names.name(A)) != nullptr;
    }
  }
  if (!Apart.empty())
    return Named ? Theirs : None(Apart);
  if (!Known)
    return None("an axis is of one rank in one of the meshes");
  llvm::Expected<TypeSpec> There = remap(T, From, To);
  if (!There)
    return None(llvm::toString(There.takeError()));
  PartitionSpec Out = *Theirs;
  for (unsigned D = 0; D != Out.rank(); ++D) {
    Out.Dims[D].Axes.clear();
    for (const std::string &Name : There->Global->Dims[D].Axes)
      Out.Dims[D].Axes.push_back(*Names.find(Name));
  }
  return std::make_shared<const PartitionSpec>(std::move(Out));
}

AxisList MeshMap::span(const AxisList &Theirs) const {
  if (!Apart.empty())
    return Theirs;
  PartitionSpec Group;
  Group.Dims.push_back({Extent(), DimAxes(Theirs.begin(), Theirs.end())});
  const auto Mine =
      spec(std::make_shared<const PartitionSpec>(std::move(Group)));
  if (!Mine)
    return {};
  return AxisList(Mine->Dims[0].Axes.begin(), Mine->Dims[0].Axes.end());
}

AbstractValue MeshMap::cell(const AbstractValue &Theirs) const {
  AbstractValue Out;
  const std::vector<AxisState> Mine = states(Theirs.Axes);
  Out.Axes.assign(Mine.begin(), Mine.end());
  Out.Undefined = Theirs.Undefined;
  Out.Span = span(Theirs.Span);
  Out.OneRank = Theirs.OneRank;
  Out.Spec = spec(Theirs.Spec);
  return Out;
}

std::string MeshMap::lost(llvm::ArrayRef<AxisState> Theirs,
                          llvm::ArrayRef<AxisState> Known) const {
  if (!Apart.empty())
    return {};
  const std::vector<AxisState> Mine = states(Theirs);
  for (AxisId A = 0; A != Mine.size(); ++A)
    if (Mine[A].Set.isAll() && !Known[A].Set.isAll())
      for (AxisId X : Images[A]) {
        if (Theirs[X].Set.isAll())
          continue;
        auto Alone = std::make_shared<PartitionSpec>();
        Alone->Dims.push_back({Extent(), {X}});
        std::string Why;
        if (!spec(std::move(Alone), &Why))
          return Why;
      }
  return {};
}

std::string MeshMap::print(llvm::ArrayRef<AxisState> Theirs,
                           AxisId Mine) const {
  std::string Out;
  for (AxisId X : Images[Mine])
    Out += (Out.empty() ? "" : ", ") + Names.name(X) + ": " +
           printAxisType(Theirs[X].type());
  return Out;
}

} // namespace spmd::rules::inference
