//===- PointerPlaces.cpp - Parts of a buffer under several names ----------===//

#include "PointerPlaces.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// A member of what a variable points to, or is.
using Member = std::pair<const ValueDecl *, const ValueDecl *>;

std::optional<Member> memberIn(const Expr *E) {
  const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenCasts());
  const auto *Of =
      M ? dyn_cast<DeclRefExpr>(M->getBase()->IgnoreParenCasts()) : nullptr;
  return Of ? std::optional(Member(Of->getDecl(), M->getMemberDecl()))
            : std::nullopt;
}

/// How a function uses one of its parameters.
struct Uses {
  bool Other = false;
  bool KeepsPlace = false;                ///< behind its beginning, in a member
  llvm::SmallVector<Member, 1> Beginning; ///< the members that keep that
  llvm::SmallVector<const BinaryOperator *, 2> Places;
  llvm::SmallVector<const CallExpr *, 4> Given;
};

class UseFinder : public RecursiveASTVisitor<UseFinder> {
public:
  UseFinder(const FunctionDecl *FD, const Constancy &Constant)
      : Constant(Constant) {
    for (const ParmVarDecl *P : FD->parameters())
      if (P->getType()->isPointerType() &&
          P->getType()->getPointeeType()->isArithmeticType())
        Of[P];
    if (!Of.empty())
      TraverseStmt(FD->getBody());
  }

  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->getOpcode() == BO_Assign)
      use(E->getRHS(), memberIn(E->getLHS()), nullptr);
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    for (const Expr *A : E->arguments())
      use(A, std::nullopt, E);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *P = dyn_cast<ParmVarDecl>(E->getDecl()); P && Of.count(P))
      Mentions.push_back(E);
    return true;
  }

  llvm::MapVector<const ParmVarDecl *, Uses> found() && {
    for (const DeclRefExpr *E : Mentions)
      if (!Known.contains(E))
        Of[cast<ParmVarDecl>(E->getDecl())].Other = true;
    return std::move(Of);
  }

private:
  /// \p E goes to the member \p To, to another variable or to \p Call.
  void use(const Expr *E, std::optional<Member> To, const CallExpr *Call) {
    E = E->IgnoreParenCasts();
    const auto *Place = dyn_cast<BinaryOperator>(E);
    // Of a place one may take a part.
    if (Place && Place->getOpcode() == BO_Add && !isKept(Place->getRHS())) {
      Place = dyn_cast<BinaryOperator>(Place->getLHS()->IgnoreParenCasts());
      if (!Place)
        return;
      To = std::nullopt;
    }
    if (Place && (Place->getOpcode() != BO_Add || !isKept(Place->getRHS())))
      return;
    const auto *Ref =
        dyn_cast<DeclRefExpr>(Place ? Place->getLHS()->IgnoreParenCasts() : E);
    const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
    if (!P || !Of.count(P))
      return;
    Known.insert(Ref);
    Uses &In = Of[P];
    if (Place) {
      In.Places.push_back(Place);
      In.KeepsPlace |= To.has_value();
    } else if (To) {
      In.Beginning.push_back(*To);
    } else if (Call) {
      In.Given.push_back(Call);
    }
  }

  /// Whether \p E is one number wherever it stands.
  bool isKept(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(E))
      return (B->getOpcode() == BO_Add || B->getOpcode() == BO_Mul) &&
             isKept(B->getLHS()) && isKept(B->getRHS());
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
      return VD && VD->isLocalVarDeclOrParm() && Constant.isConstant(VD) &&
             !Constant.isPerTurn(VD);
    }
    return isa<IntegerLiteral, UnaryExprOrTypeTraitExpr>(E);
  }

  const Constancy &Constant;
  llvm::MapVector<const ParmVarDecl *, Uses> Of;
  llvm::SmallVector<const DeclRefExpr *, 4> Mentions;
  llvm::DenseSet<const DeclRefExpr *> Known;
};

} // namespace

PointerPlaces::PointerPlaces(const FunctionDecl *FD,
                             const Constancy &Constant) {
  for (const auto &[P, Of] : UseFinder(FD, Constant).found()) {
    if (Of.Other || Of.Beginning.empty() || !Of.KeepsPlace)
      continue;
    Parameters.push_back(P);
    for (const BinaryOperator *E : Of.Places)
      PlaceIn[E] = P;
    PlacesIn[P] = Of.Places;
    const auto Names = [&Of](const Expr *A) {
      const std::optional<Member> M = memberIn(A);
      return M && llvm::is_contained(Of.Beginning, *M);
    };
    for (const CallExpr *E : Of.Given)
      if (llvm::any_of(E->arguments(), Names))
        FilledBy[E].push_back(P);
  }
}

llvm::SmallVector<const BinaryOperator *, 2>
PointerPlaces::knownBefore(const ParmVarDecl *P, const Expr *At) const {
  llvm::SmallVector<const BinaryOperator *, 2> Out;
  for (const BinaryOperator *E : PlacesIn.lookup(P))
    if (const auto *Ref =
            dyn_cast<DeclRefExpr>(E->getRHS()->IgnoreParenImpCasts()))
      if (Ref->getDecl()->getEndLoc() < At->getBeginLoc())
        Out.push_back(E);
  return Out;
}

llvm::ArrayRef<const ParmVarDecl *>
PointerPlaces::filledBy(const CallExpr *E) const {
  const auto At = FilledBy.find(E);
  return At == FilledBy.end() ? llvm::ArrayRef<const ParmVarDecl *>()
                              : llvm::ArrayRef(At->second);
}

} // namespace spmd::lint::lower
