//===- SingleElements.cpp - Lists used element by element -----------------===//

#include "SingleElements.h"

#include "Strip.h"

#include "cxx/AutogradFunctions.h"
#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

using Element = SingleElements::Element;

/// What autograd hands to a backward pass: the gradients, and what the forward
/// pass kept.
std::string elementName(std::uint64_t Number) {
  return "[" + std::to_string(Number) + "]";
}

bool isGiven(const VarDecl *VD) {
  if (const auto *P = dyn_cast<ParmVarDecl>(VD))
    return P->getFunctionScopeIndex() == 1 &&
           isAutogradPass(dyn_cast<FunctionDecl>(P->getDeclContext()),
                          "backward");
  return VD->isLocalVarDecl() && isSavedVariables(VD->getInit());
}

/// A local list of handles that begins empty or with one expression for each
/// element.
/// A map that begins empty, of tensors by name.
bool isMapByName(QualType T) {
  const std::string Name = className(T);
  const auto *Map = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  return Map && (Name == "std::map" || Name == "std::unordered_map") &&
         className(Map->getTemplateArgs()[0].getAsType()) ==
             "std::basic_string" &&
         isHandle(Map->getTemplateArgs()[1].getAsType());
}

/// The literal that makes the key \p E; null when it is something else.
const StringLiteral *literalKey(const Expr *E) {
  for (;;) {
    E = strip(E)->IgnoreParenImpCasts();
    const auto *C = dyn_cast<CXXConstructExpr>(E);
    if (!C || C->getNumArgs() == 0)
      return dyn_cast<StringLiteral>(E);
    E = C->getArg(0);
  }
}

bool isCandidate(const VarDecl *VD) {
  const QualType T = VD->getType();
  if (isGiven(VD))
    return true;
  if (!VD->isLocalVarDecl() || VD->isStaticLocal() || T->isReferenceType() ||
      VD->hasAttr<AnnotateAttr>() || T->isDependentType())
    return false;
  const bool Array = T->isArrayType() || className(T) == "std::array";
  const QualType E = elementType(T);
  const Expr *Init = VD->getInit() ? VD->getInit()->IgnoreImplicit() : nullptr;
  const auto *Made = dyn_cast_or_null<CXXConstructExpr>(Init);
  const bool Empty = !Init || (Made && Made->getNumArgs() == 0);
  if (Empty && isMapByName(T))
    return true;
  if (!Empty && !isa<InitListExpr>(Init))
    return false;
  return Array && !E.isNull() && isHandle(E) && !E->isArrayType();
}

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  explicit Visitor(const ASTContext &Ctx) : Ctx(Ctx) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *VD = dyn_cast<VarDecl>(E->getDecl()); VD && isCandidate(VD))
      ++Mentions[VD];
    return true;
  }
  bool VisitVarDecl(VarDecl *VD) {
    if (isCandidate(VD))
      Mentions.try_emplace(VD, 0);
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    note(E, E->getBase(), E->getIdx());
    return true;
  }
  /// How many there are is no element.
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(
        E->getImplicitObjectArgument()->IgnoreParenImpCasts());
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    const auto *Method = E->getMethodDecl();
    if (!VD || !isCandidate(VD) || !Method || !Method->getIdentifier())
      return true;
    const llvm::StringRef Name = Method->getName();
    if (Name == "size" || Name == "empty" || Name == "count" ||
        Name == "contains")
      ++Singles[VD];
    else if (Name == "at" && isMapByName(VD->getType()))
      note(E, E->getImplicitObjectArgument(), E->getArg(0));
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Subscript && E->getNumArgs() == 2)
      note(E, E->getArg(0), E->getArg(1));
    return true;
  }

  const ASTContext &Ctx;
  llvm::DenseMap<const VarDecl *, unsigned> Mentions, Singles;
  llvm::DenseMap<const Expr *, Element> Elements;

private:
  void note(const Expr *E, const Expr *List, const Expr *Index) {
    List = List->IgnoreParenImpCasts();
    const auto *Ref = dyn_cast<DeclRefExpr>(List);
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!VD || !isCandidate(VD) || Ref->refersToEnclosingVariableOrCapture() ||
        Index->isValueDependent())
      return;
    Expr::EvalResult N;
    if (isMapByName(VD->getType())) {
      const StringLiteral *Key = literalKey(Index);
      if (!Key)
        return;
      Elements[E] = {List, ("[\"" + Key->getString() + "\"]").str()};
    } else if (Index->EvaluateAsInt(N, Ctx)) {
      Elements[E] = {List, elementName(N.Val.getInt().getLimitedValue())};
    } else {
      return;
    }
    ++Singles[VD];
  }
};

} // namespace

SingleElements::SingleElements(const FunctionDecl *FD) {
  Visitor V(FD->getASTContext());
  V.TraverseStmt(FD->getBody());
  for (const auto &[VD, Count] : V.Mentions)
    if (V.Singles.lookup(VD) == Count)
      Lists.insert(VD);
  for (const auto &[E, Of] : V.Elements)
    if (Lists.contains(cast<VarDecl>(cast<DeclRefExpr>(Of.List)->getDecl())))
      Elements.try_emplace(E, Of);
}

const Element *SingleElements::find(const Expr *E) const {
  const auto It = Elements.find(E);
  return It == Elements.end() ? nullptr : &It->second;
}

} // namespace spmd::lint::lower
