//===- FilledParts.cpp - Buffers that a call fills in part ----------------===//

#include "FilledParts.h"

#include "annotations/FindAttribute.h"
#include "lower/LoopCounters.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::effects {

namespace {

/// A product of numbers and variables that keep their values.
struct Product {
  std::int64_t Number = 1;
  llvm::SmallVector<const VarDecl *, 4> Factors;

  static std::optional<Product> of(const Expr *E, const ASTContext &Ctx);
};

/// What is done with a local pointer: nothing but what is listed here.
class Uses : public RecursiveASTVisitor<Uses> {
public:
  Uses(const VarDecl *Of, const Expr *Call) : Of(Of), Filler(Call) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Unknown += E->getDecl() == Of;
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *FD = E->getDirectCallee();
    if (!FD || !FD->getIdentifier())
      return true;
    llvm::StringRef Name = FD->getName();
    if (!Name.consume_front("cuda") && !Name.consume_front("hip"))
      return noteFiller(E);
    if (Name == "Malloc" && names(E, 0, /*Address=*/true)) {
      ++Allocated;
      --Unknown;
    } else if (Name == "Free" && names(E, 0)) {
      --Unknown;
    } else if ((Name == "Memcpy" || Name == "MemcpyAsync") && names(E, 1)) {
      Copies.push_back(E);
      --Unknown;
    }
    return true;
  }

  int Unknown = 0;
  unsigned Allocated = 0;
  llvm::SmallVector<const CallExpr *, 1> Copies;

private:
  bool noteFiller(const CallExpr *E) {
    for (unsigned I = 0; E == Filler && I != E->getNumArgs(); ++I)
      Unknown -= names(E, I);
    return true;
  }
  bool names(const CallExpr *E, unsigned I, bool Address = false) const {
    const Expr *A =
        I < E->getNumArgs() ? E->getArg(I)->IgnoreParenCasts() : nullptr;
    const auto *U = dyn_cast_or_null<UnaryOperator>(A);
    if (Address)
      A = U && U->getOpcode() == UO_AddrOf ? U->getSubExpr()->IgnoreParens()
                                           : nullptr;
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(A);
    return Ref && Ref->getDecl() == Of;
  }

  const VarDecl *Of;
  const Expr *Filler;
};

} // namespace

std::optional<Product> Product::of(const Expr *E, const ASTContext &Ctx) {
  E = E->IgnoreParenCasts();
  if (E->isValueDependent())
    return std::nullopt;
  if (Expr::EvalResult R; E->EvaluateAsInt(R, Ctx))
    return R.Val.getInt().getActiveBits() < 32
               ? std::optional(Product{R.Val.getInt().getExtValue(), {}})
               : std::nullopt;
  if (const auto *B = dyn_cast<BinaryOperator>(E);
      B && B->getOpcode() == BO_Mul) {
    std::optional<Product> Out = of(B->getLHS(), Ctx);
    const std::optional<Product> By = of(B->getRHS(), Ctx);
    if (!Out || !By)
      return std::nullopt;
    Out->Number *= By->Number;
    llvm::append_range(Out->Factors, By->Factors);
    return Out;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!VD || !VD->hasLocalStorage() || !lower::neverChanges(VD))
    return std::nullopt;
  if (const auto *Init = VD->getInit();
      Init && isa<BinaryOperator>(Init->IgnoreParenCasts()))
    return of(Init, Ctx);
  return Product{1, {VD}};
}

/// Whether \p VD is declared to be the number of ranks, or begins with what is.
static bool isNumberOfRanks(const VarDecl *VD) {
  if (findAttribute(VD, "spmd::size"))
    return true;
  const Expr *Init =
      VD->getInit() ? VD->getInit()->IgnoreParenCasts() : nullptr;
  if (const auto *M = dyn_cast_or_null<MemberExpr>(Init))
    return findAttribute(M->getMemberDecl(), "spmd::size");
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(Init);
  const auto *Of = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return Of && Of != VD && isNumberOfRanks(Of);
}

/// Whether \p All is surely more than \p Part: as often as there are ranks, or
/// by a known factor.
static bool isMore(Product All, const Product &Part) {
  for (const VarDecl *VD : Part.Factors) {
    const auto At = llvm::find(All.Factors, VD);
    if (At == All.Factors.end())
      return false;
    All.Factors.erase(At);
  }
  if (Part.Number <= 0 || All.Number < Part.Number)
    return false;
  return All.Factors.empty() ? All.Number > Part.Number
                             : llvm::any_of(All.Factors, isNumberOfRanks);
}

const CallExpr *copyOfMore(const Expr *Buffer, const Expr *Call,
                           const Expr *Count, std::uint64_t Bytes,
                           const ASTContext &Ctx) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Buffer->IgnoreParenCasts());
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const auto *In = VD ? dyn_cast<FunctionDecl>(VD->getDeclContext()) : nullptr;
  if (!In || !In->getBody() || !VD->isLocalVarDecl() ||
      !VD->getType()->isPointerType() || !Bytes)
    return nullptr;
  std::optional<Product> Filled = Product::of(Count, Ctx);
  if (!Filled)
    return nullptr;
  Filled->Number *= static_cast<std::int64_t>(Bytes);
  Uses Of(VD, Call);
  Of.TraverseStmt(In->getBody());
  if (Of.Unknown != 0 || Of.Allocated != 1)
    return nullptr;
  for (const CallExpr *Copy : Of.Copies)
    if (const auto Taken = Product::of(Copy->getArg(2), Ctx);
        Taken && isMore(*Taken, *Filled))
      return Copy;
  return nullptr;
}

} // namespace spmd::lint::effects
