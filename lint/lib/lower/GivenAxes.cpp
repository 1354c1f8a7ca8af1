//===- GivenAxes.cpp - Axes of communicators that nobody annotates --------===//

#include "GivenAxes.h"

#include "Strip.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// `std::make_shared<ProcessGroupNCCL>(store, rank, size)`: the rank; null of
/// other expressions, and of ranks that no variable holds.
const VarDecl *rankIn(const Expr *E) {
  E = handedOver(E);
  llvm::ArrayRef<const Expr *> Arguments;
  if (const auto *New = dyn_cast<CXXNewExpr>(E))
    E = New->getConstructExpr();
  if (const auto *Made = dyn_cast_or_null<CXXConstructExpr>(E))
    Arguments = {Made->getArgs(), Made->getNumArgs()};
  else if (const auto *Call = dyn_cast_or_null<CallExpr>(E);
           Call && Call->getDirectCallee() &&
           Call->getDirectCallee()->getDeclName().isIdentifier() &&
           Call->getDirectCallee()->getName().starts_with("make_"))
    Arguments = {Call->getArgs(), Call->getNumArgs()};
  if (Arguments.size() < 3 || !Arguments[1]->getType()->isIntegerType() ||
      !Arguments[2]->getType()->isIntegerType())
    return nullptr;
  const auto *Ref =
      dyn_cast<DeclRefExpr>(strip(Arguments[1])->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

/// What goes where: an argument, and the parameter, member or variable that it
/// becomes.
class HandoverFinder : public RecursiveASTVisitor<HandoverFinder> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitCallExpr(CallExpr *E) {
    const auto *FD = E->getDirectCallee();
    if (!FD)
      return true;
    const bool OfObject = isa<CXXOperatorCallExpr>(E) && isa<CXXMethodDecl>(FD);
    if (OfObject && E->getNumArgs() == 2 &&
        cast<CXXOperatorCallExpr>(E)->getOperator() == OO_Equal)
      note(declOf(E->getArg(0)), E->getArg(1));
    give(FD, {E->getArgs() + OfObject, E->getNumArgs() - OfObject});
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    give(E->getConstructor(), {E->getArgs(), E->getNumArgs()});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->getOpcode() == BO_Assign)
      note(declOf(E->getLHS()), E->getRHS());
    return true;
  }
  bool VisitVarDecl(VarDecl *D) {
    if (D->getInit() && !isa<ParmVarDecl>(D))
      note(D, D->getInit());
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) {
    const RecordDecl *RD = E->getType()->getAsRecordDecl();
    unsigned I = 0;
    if (RD && !RD->isUnion())
      for (const FieldDecl *Field : RD->fields())
        if (I < E->getNumInits())
          note(Field, E->getInit(I++));
    return true;
  }
  void visit(const FunctionDecl *FD) {
    if (const auto *Made = dyn_cast<CXXConstructorDecl>(FD))
      for (const CXXCtorInitializer *I : Made->inits())
        if (I->getAnyMember())
          note(I->getAnyMember(), I->getInit());
    TraverseStmt(FD->getBody());
  }

  static const ValueDecl *declOf(const Expr *E) {
    return namedBy(handedOver(E));
  }

  std::vector<std::pair<const ValueDecl *, const Expr *>> Found;

private:
  void give(const FunctionDecl *FD, llvm::ArrayRef<const Expr *> Arguments) {
    for (unsigned I = 0; I < Arguments.size() && I < FD->getNumParams(); ++I)
      note(FD->getParamDecl(I), Arguments[I]);
  }
  void note(const ValueDecl *To, const Expr *From) {
    if (To && commKind(To->getType().getNonReferenceType()) &&
        commKind(From->getType()))
      Found.emplace_back(To, From);
  }
};

} // namespace

GivenAxes::GivenAxes(llvm::ArrayRef<const FunctionDecl *> Bodies,
                     DeclaredFn Declared, NameFn NameOf) {
  HandoverFinder Finder;
  for (const FunctionDecl *FD : Bodies)
    if (!FD->isDependentContext() && FD->getBody())
      Finder.visit(FD);
  llvm::DenseSet<const NamedDecl *> Doubtful;
  llvm::StringSet<> DoubtfulNames;
  const auto Take = [](Axes &Of, const Axes &Said) {
    const bool New = Of.empty();
    if (New)
      Of = Said;
    return std::pair(New, Of == Said);
  };
  const auto AxesOf = [&](const NamedDecl *D) {
    Axes Out = Declared(D);
    return Out.empty() && !Doubtful.contains(D) ? ByDecl.lookup(D) : Out;
  };
  for (bool Changed = true; std::exchange(Changed, false);)
    for (const auto &[To, From] : Finder.Found) {
      const Axes Said = AxesOf(To);
      if (Said.empty())
        continue;
      if (const VarDecl *Rank = rankIn(From))
        Ranks.try_emplace(Rank, Said);
      const ValueDecl *D = HandoverFinder::declOf(From);
      if (const std::string Name = NameOf(From); !Name.empty()) {
        const auto [New, Same] = Take(ByName[Name], Said);
        Changed |= New | (!Same && DoubtfulNames.insert(Name).second);
      } else if (isa_and_nonnull<VarDecl>(D) && Declared(D).empty()) {
        const auto [New, Same] = Take(ByDecl[D], Said);
        Changed |= New | (!Same && Doubtful.insert(D).second);
      }
    }
  for (const NamedDecl *D : Doubtful)
    ByDecl.erase(D);
  for (const auto &Name : DoubtfulNames)
    ByName.erase(Name.getKey());
}

} // namespace spmd::lint::lower
