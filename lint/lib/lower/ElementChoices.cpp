//===- ElementChoices.cpp - What is done to some elements only ------------===//

#include "ElementChoices.h"

#include "FilledLists.h"
#include "LoopBody.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// Whether some statement names an element.
class Naming : public RecursiveASTVisitor<Naming> {
public:
  explicit Naming(const NamedElement &Of) : Of(Of) {}
  bool VisitExpr(Expr *E) {
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    Found |= Of.Mentions.contains(E) ||
             (Ref && Of.Variables.contains(Ref->getDecl()));
    return true;
  }
  bool Found = false;

private:
  const NamedElement &Of;
};

bool anyNames(llvm::ArrayRef<Stmt *> Among, const NamedElement &Of) {
  Naming In(Of);
  for (Stmt *S : Among)
    In.TraverseStmt(S);
  return In.Found;
}

/// What \p S declares as made of what is in \p Of: `Tensor g = p.grad();`.
void addMadeOf(NamedElement &Of, const Stmt *S) {
  const auto *D = dyn_cast<DeclStmt>(S);
  if (!D)
    return;
  for (const Decl *One : D->decls())
    if (const auto *VD = dyn_cast<VarDecl>(One); VD && VD->hasInit())
      if (Stmt *Init = const_cast<Expr *>(VD->getInit()); anyNames(Init, Of))
        Of.Variables.insert(VD);
}

} // namespace

/// The operators that \p Condition ends with, before it is known: each part of
/// `a && b` decides by itself.
static void addParts(ElementChoices &To, const Expr *Condition,
                     bool OfGradients) {
  Condition = Condition->IgnoreParenImpCasts();
  if (const auto *Not = dyn_cast<UnaryOperator>(Condition);
      Not && Not->getOpcode() == UO_LNot)
    return addParts(To, Not->getSubExpr(), OfGradients);
  const auto *Both = dyn_cast<BinaryOperator>(Condition);
  if (!Both || !Both->isLogicalOp())
    return;
  To[Both] = OfGradients;
  addParts(To, Both->getLHS(), OfGradients);
  addParts(To, Both->getRHS(), OfGradients);
}

/// Whether \p S asks if there is a gradient.
static bool asksForGradient(const Stmt *S) {
  return asksIfThere(S) || (S && llvm::any_of(S->children(), asksForGradient));
}

static void addChoices(ElementChoices &To, llvm::ArrayRef<const Stmt *> Of,
                       NamedElement Element, bool OfGradients) {
  const auto *Block =
      Of.size() == 1 ? dyn_cast<CompoundStmt>(Of.front()) : nullptr;
  if (Block)
    Of = {Block->body_begin(), Block->size()};
  llvm::SmallVector<Stmt *, 8> Each;
  for (const Stmt *S : Of)
    Each.push_back(const_cast<Stmt *>(S));
  const llvm::ArrayRef<Stmt *> All(Each);
  for (std::size_t I = 0; I != All.size(); ++I) {
    addMadeOf(Element, All[I]);
    const auto *If = dyn_cast<IfStmt>(All[I]);
    if (!If || If->getElse())
      continue;
    const bool Asks = OfGradients || asksForGradient(If->getCond());
    Stmt *Then[] = {const_cast<Stmt *>(If->getThen())};
    if (anyNames(isa_and_nonnull<ContinueStmt>(lastOf(If->getThen()))
                     ? All.drop_front(I + 1)
                     : llvm::ArrayRef<Stmt *>(Then),
                 Element)) {
      To[If] = Asks;
      addParts(To, If->getCond(), Asks);
    }
    addChoices(To, If->getThen(), Element, Asks);
  }
}

void addElementChoices(ElementChoices &To, llvm::ArrayRef<const Stmt *> Body,
                       NamedElement Element) {
  addChoices(To, Body, std::move(Element), /*OfGradients=*/false);
}

} // namespace spmd::lint::lower
