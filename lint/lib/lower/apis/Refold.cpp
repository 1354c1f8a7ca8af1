//===- Refold.cpp - The axes of spmd::Mesh::refold ------------------------===//
//
// `mesh.refold({"dp", "tp"}, {{"edp", 2}, {"ep", 8}})` has axes that the mesh
// in force has not. They are groups of whole axes of that, or nobody can name
// them.
//
//===----------------------------------------------------------------------===//

#include "../Recognisers.h"

#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The call that made \p Mesh, if that is a constant of the function.
static const Expr *refoldOf(ExprLowering &L, const Expr *Mesh,
                            unsigned Depth = 0) {
  Mesh = Mesh ? strip(Mesh) : nullptr;
  if (!Mesh || Depth > 4)
    return nullptr;
  if (const auto *C = dyn_cast<CXXConstructExpr>(Mesh);
      C && C->getNumArgs() == 1)
    return refoldOf(L, C->getArg(0), Depth + 1);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Mesh)) {
    const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
    return VD && VD->isLocalVarDecl() && L.Body.constancy().isConstant(VD)
               ? refoldOf(L, VD->getInit(), Depth + 1)
               : nullptr;
  }
  const auto *C = dyn_cast<CXXMemberCallExpr>(Mesh);
  return C && CallSite(C).Name == "spmd::Mesh::refold" ? C : nullptr;
}

static MeshSpec withoutFlattened(MeshSpec M) {
  llvm::erase_if(M.Axes, [](const MeshAxis &A) { return !A.Of.empty(); });
  return M;
}

static const InitListExpr *listOf(const Expr *E) {
  E = E ? strip(E) : nullptr;
  if (const auto *C = dyn_cast_or_null<CXXConstructExpr>(E);
      C && C->getNumArgs())
    return listOf(C->getArg(0));
  return dyn_cast_or_null<InitListExpr>(E);
}

/// The mesh in force with the axes of \p Refold in their place. None when
/// something is no literal, or when the axes are not neighbours there.
static std::optional<MeshSpec> meshAfter(ExprLowering &L,
                                         const CallSite &Refold) {
  const MeshSpec *Here = L.module().annotations().meshInForce(L.function());
  const InitListExpr *Names = listOf(Refold.argument(0)),
                     *Into = listOf(Refold.argument(1));
  // Refolded twice, it is another mesh that was refolded.
  if (!Here || !Names || !Into || refoldOf(L, Refold.Receiver))
    return std::nullopt;
  MeshSpec Out = withoutFlattened(*Here);
  auto At = Out.Axes.end();
  for (const Expr *X : Names->inits()) {
    const StringLiteral *Name = stringOf(X);
    if (Name && X == Names->getInit(0))
      At = llvm::find_if(Out.Axes, [&](const MeshAxis &A) {
        return A.Name == Name->getString();
      });
    if (!Name || At == Out.Axes.end() || At->Name != Name->getString())
      return std::nullopt;
    At = Out.Axes.erase(At);
  }
  for (const Expr *X : Into->inits()) {
    const InitListExpr *Dim = listOf(X);
    const StringLiteral *Name =
        Dim && Dim->getNumInits() == 2 ? stringOf(Dim->getInit(0)) : nullptr;
    const std::optional<std::int64_t> Size =
        Name ? L.constant(Dim->getInit(1)) : std::nullopt;
    if (!Size || *Size <= 0 || Out.find(Name->getString()))
      return std::nullopt;
    MeshAxis A;
    A.Name = Name->getString().str();
    A.Size = static_cast<unsigned>(*Size);
    At = std::next(Out.Axes.insert(At, std::move(A)));
  }
  return Out;
}

bool isRefolded(ExprLowering &L, const Expr *Mesh) {
  return refoldOf(L, Mesh) != nullptr;
}

std::shared_ptr<const TypeSpec> unfolded(ExprLowering &L, const Expr *Mesh,
                                         const TypeSpec &T) {
  const Expr *Refold = refoldOf(L, Mesh);
  const std::optional<MeshSpec> There =
      Refold ? meshAfter(L, CallSite(Refold)) : std::nullopt;
  if (!There)
    return nullptr;
  const auto Mapped = [&]() -> llvm::Expected<TypeSpec> {
    llvm::Expected<RankMesh> From = RankMesh::of(*There);
    if (!From)
      return From.takeError();
    llvm::Expected<RankMesh> To = RankMesh::of(
        withoutFlattened(*L.module().annotations().meshInForce(L.function())));
    return To ? remap(T, *From, *To) : To.takeError();
  };
  llvm::Expected<TypeSpec> Out = Mapped();
  if (Out)
    return std::make_shared<const TypeSpec>(std::move(*Out));
  llvm::consumeError(Out.takeError());
  return nullptr;
}

std::vector<std::string> unfolded(ExprLowering &L, const Expr *Mesh,
                                  llvm::ArrayRef<std::string> Group) {
  TypeSpec T;
  T.Global = GlobalSpec{{}, {DimSpec{"_", {Group.begin(), Group.end()}}}};
  for (const std::string &Name : Group)
    T.Axes.push_back({Name, {LocalType::V, 0}, 0});
  const std::shared_ptr<const TypeSpec> Here = unfolded(L, Mesh, T);
  if (!Here)
    return {};
  const auto &Axes = Here->Global->Dims[0].Axes;
  return {Axes.begin(), Axes.end()};
}

} // namespace spmd::lint::lower
