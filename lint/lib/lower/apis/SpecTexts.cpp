//===- SpecTexts.cpp - Specs that are made by expressions -----------------===//
//
// What `spmd::Spec().dim(8, {"dp"})`, dual("…") and constants made of them say,
// as far as they are made of literals.
//
//===----------------------------------------------------------------------===//

#include "../Recognisers.h"

#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

const StringLiteral *stringOf(const Expr *E) {
  E = E ? strip(E) : nullptr;
  while (E) {
    E = strip(E->IgnoreParenImpCasts());
    if (const auto *L = dyn_cast<StringLiteral>(E))
      return L;
    const auto *C = dyn_cast<CXXConstructExpr>(E);
    if (!C || C->getNumArgs() == 0)
      return nullptr;
    E = C->getArg(0);
  }
  return nullptr;
}

namespace {

using Said = std::optional<TypeSpec>;

Said parsed(llvm::StringRef Text) {
  llvm::Expected<TypeSpec> Out = parseTypeSpec(Text);
  if (Out)
    return std::move(*Out);
  llvm::consumeError(Out.takeError());
  return std::nullopt;
}

class SpecReader {
public:
  explicit SpecReader(ExprLowering &L) : L(L) {}

  Said read(const Expr *E, unsigned Depth = 0) {
    constexpr unsigned MaxDepth = 32; // of dims, and of constants of constants
    if (!E || Depth > MaxDepth)
      return std::nullopt;
    E = strip(E)->IgnoreParenImpCasts();
    E = strip(E);
    if (const auto *Literal = dyn_cast<StringLiteral>(E))
      return parsed(Literal->getString());
    if (const auto *C = dyn_cast<CallExpr>(E))
      return call(CallSite(C), Depth);
    if (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
      const auto Given = llvm::count_if(C->arguments(), [](const Expr *A) {
        return !isa<CXXDefaultArgExpr>(A);
      });
      if (Given == 0 && className(C->getType()) == "spmd::Spec")
        return parsed("[]");
      return Given == 1 ? read(C->getArg(0), Depth + 1) : std::nullopt;
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
      const bool Kept =
          VD && VD->getInit() && !VD->getInit()->isValueDependent() &&
          (VD->isLocalVarDecl() || VD->getType().isConstQualified()) &&
          L.Body.constancy().isConstant(VD);
      return Kept ? read(VD->getInit(), Depth + 1) : std::nullopt;
    }
    return std::nullopt;
  }

private:
  Said call(const CallSite &C, unsigned Depth) {
    if (C.Name == "spmd::dual") {
      Said Out = read(C.argument(0), Depth + 1);
      if (Out)
        for (AxisAtom &A : Out->Axes)
          A.Value.Type = dual(A.Value.Type);
      return Out;
    }
    if (C.Receiver && isa_and_nonnull<CXXConversionDecl>(C.Callee))
      return read(C.Receiver, Depth + 1);
    if (!C.Receiver || !llvm::StringRef(C.Name).starts_with("spmd::Spec::"))
      return std::nullopt;
    Said Out = read(C.Receiver, Depth + 1);
    if (!Out || C.base() == "str")
      return Out;
    const bool Known = C.base() == "dim" ? addDim(C, *Out)
                                         : C.base() == "on" && addAxis(C, *Out);
    return Known ? Out : std::nullopt;
  }

  /// dim(8, {"dp", "tp"}), dim({"tp"}), dim()
  bool addDim(const CallSite &C, TypeSpec &Out) {
    if (!Out.Global)
      return false;
    DimSpec Dim{"_", {}};
    const int Index = static_cast<int>(Out.Global->Dims.size());
    for (const Expr *A : C.Arguments) {
      if (A->getType()->isIntegerType()) {
        const std::optional<std::int64_t> Size = L.constant(A);
        if (!Size || *Size <= 0)
          return false;
        Dim.Extent = std::to_string(*Size);
      } else if (!isa<CXXDefaultArgExpr>(A) && !addNames(A, Dim)) {
        return false;
      }
    }
    for (const std::string &Name : Dim.Axes)
      Out.Axes.push_back({Name, {LocalType::V, Index}, 0});
    Out.Global->Dims.push_back(std::move(Dim));
    return true;
  }

  static bool addNames(const Expr *E, DimSpec &Dim) {
    const auto *List = dyn_cast<InitListExpr>(strip(E));
    if (!List)
      return false;
    for (const Expr *X : List->inits()) {
      const StringLiteral *Name = stringOf(X);
      if (!Name)
        return false;
      Dim.Axes.push_back(Name->getString().str());
    }
    return true;
  }

  /// on("ep", spmd::R)
  static bool addAxis(const CallSite &C, TypeSpec &Out) {
    const StringLiteral *Axis = stringOf(C.argument(0));
    const std::optional<LocalType> Type =
        C.argument(1) ? typeOfTag(C.argument(1)->getType()) : std::nullopt;
    if (!Axis || !Type)
      return false;
    Out.Axes.push_back({Axis->getString().str(), {*Type, {}}, 0});
    return true;
  }

  ExprLowering &L;
};

} // namespace

/// The type that the tag of class \p T says; S(i) says more.
std::optional<LocalType> typeOfTag(QualType T) {
  return llvm::StringSwitch<std::optional<LocalType>>(className(T))
      .Case("spmd::Replicate", LocalType::R)
      .Case("spmd::Invariant", LocalType::I)
      .Case("spmd::Varying", LocalType::V)
      .Case("spmd::Partial", LocalType::P)
      .Default(std::nullopt);
}

/// What is made might not be one that can be written.
static Said readSpec(ExprLowering &L, const Expr *E) {
  const Said Out = SpecReader(L).read(E);
  return Out ? parsed(printTypeSpec(*Out)) : Out;
}

std::shared_ptr<const TypeSpec> refoldedSpec(ExprLowering &L, const Expr *E,
                                             const Expr *Mesh) {
  const Said Out = readSpec(L, E);
  return Out ? unfolded(L, Mesh, *Out) : nullptr;
}

std::shared_ptr<const TypeSpec> evaluatedSpec(ExprLowering &L, const Expr *E) {
  Said Out = readSpec(L, E);
  if (!Out)
    return nullptr;
  const MeshSpec *Mesh = L.module().annotations().meshInForce(L.function());
  if (!Mesh)
    return std::make_shared<TypeSpec>(std::move(*Out));
  std::vector<std::string> Names;
  for (const AxisAtom &A : Out->Axes)
    Names.push_back(A.Axis);
  if (overlapping(Names, *Mesh) ||
      llvm::any_of(Names, [&](const std::string &N) { return !Mesh->find(N); }))
    return nullptr;
  return std::make_shared<TypeSpec>(withParts(*Out, *Mesh));
}

} // namespace spmd::lint::lower
