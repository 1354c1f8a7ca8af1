//===- OptimizedModel.cpp - The module an optimizer is made for -----------===//

#include "OptimizedModel.h"

#include "../FilledLists.h"

#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// The members of the object itself, and the parameters, that an expression
/// names.
class NamesIn : public RecursiveASTVisitor<NamesIn> {
public:
  explicit NamesIn(const Expr *E) { TraverseStmt(const_cast<Expr *>(E)); }

  bool VisitMemberExpr(MemberExpr *E) {
    if (const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl()))
      Fields.push_back(isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts())
                           ? Field
                           : nullptr);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *P = dyn_cast<ParmVarDecl>(E->getDecl()))
      Parameters.push_back(P);
    return true;
  }

  llvm::SmallVector<const FieldDecl *, 1> Fields; ///< null: of another object
  llvm::SmallVector<const ParmVarDecl *, 1> Parameters;
};

/// What the bodies and initialisers of a class give a member.
class GivenTo : public RecursiveASTVisitor<GivenTo> {
public:
  explicit GivenTo(const FieldDecl *Member) : Member(Member) {}

  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseConstructorInitializer(CXXCtorInitializer *I) {
    if (I->getMember() == Member && I->isWritten())
      Found.push_back(I->getInit());
    return RecursiveASTVisitor::TraverseConstructorInitializer(I);
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp() && isMember(E->getLHS()))
      Found.push_back(E->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Equal && isMember(E->getArg(0)))
      Found.push_back(E->getArg(1));
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CXXMethodDecl *Method = E->getMethodDecl();
    if (Method && Method->getDeclName().isIdentifier() &&
        (Method->getName() == "reset" || Method->getName() == "swap" ||
         Method->getName() == "add_param_group") &&
        NamesIn(E->getImplicitObjectArgument()).Fields.size() == 1 &&
        NamesIn(E->getImplicitObjectArgument()).Fields[0] == Member)
      Found.push_back(E->getNumArgs() ? E->getArg(0) : nullptr);
    return true;
  }

  llvm::SmallVector<const Expr *, 2> Found;

private:
  bool isMember(const Expr *E) const {
    const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
    return M && M->getMemberDecl() == Member;
  }

  const FieldDecl *Member;
};

/// Whether \p E makes a pointer that points to nothing yet.
bool isEmptyPointer(const Expr *E) {
  E = E->IgnoreImplicit();
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return List->getNumInits() == 0 ||
           (List->getNumInits() == 1 && isEmptyPointer(List->getInit(0)));
  if (const auto *Made = dyn_cast<CXXConstructExpr>(E))
    return Made->getNumArgs() == 0 ||
           (Made->getNumArgs() == 1 && isEmptyPointer(Made->getArg(0)));
  return isa<CXXNullPtrLiteralExpr>(E);
}

/// The `x` of a `x.parameters()` in an expression.
class ListedModule : public RecursiveASTVisitor<ListedModule> {
public:
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CXXMethodDecl *Method = E->getMethodDecl();
    if (Method && Method->getDeclName().isIdentifier() &&
        Method->getName() == "parameters") {
      ++Lists;
      Of = E->getImplicitObjectArgument();
    }
    return true;
  }

  unsigned Lists = 0;
  const Expr *Of = nullptr;
};

} // namespace

/// The member that \p P, a parameter of a constructor, becomes.
static const FieldDecl *memberFor(const ParmVarDecl *P) {
  const auto *Ctor = dyn_cast<CXXConstructorDecl>(P->getDeclContext());
  if (!Ctor)
    return nullptr;
  const FieldDecl *Out = nullptr;
  for (const CXXCtorInitializer *I : Ctor->inits()) {
    if (!I->isMemberInitializer())
      continue;
    const NamesIn Names(I->getInit());
    ListedModule Lists;
    Lists.TraverseStmt(I->getInit());
    if (!llvm::is_contained(Names.Parameters, P) || Lists.Lists)
      continue;
    if (Out || Names.Parameters.size() != 1 || !Names.Fields.empty())
      return nullptr;
    Out = I->getMember();
  }
  return Out;
}

/// The member whose parameters \p Given lists, as all there is.
static const FieldDecl *listedIn(const Expr *Given) {
  ListedModule Lists;
  Lists.TraverseStmt(const_cast<Expr *>(Given));
  if (Lists.Lists != 1)
    return nullptr;
  const NamesIn Names(Lists.Of);
  if (Names.Fields.size() == 1 && Names.Parameters.empty())
    return Names.Fields[0];
  if (Names.Parameters.size() == 1 && Names.Fields.empty())
    return memberFor(Names.Parameters[0]);
  return nullptr;
}

/// The bodies of a class; none if one of a constructor is elsewhere.
static std::optional<std::vector<const FunctionDecl *>>
bodiesOf(const CXXRecordDecl *Class) {
  std::vector<const FunctionDecl *> Out;
  for (const CXXMethodDecl *Method : Class->methods()) {
    const FunctionDecl *Body = Method->getDefinition();
    if (Body && !Method->isDefaulted())
      Out.push_back(Body);
    else if (isa<CXXConstructorDecl>(Method) && !Method->isImplicit() &&
             !Method->isDeleted())
      return std::nullopt;
  }
  return Out;
}

std::optional<std::vector<const Expr *>> givenTo(const FieldDecl *Member) {
  const auto *Class = dyn_cast<CXXRecordDecl>(Member->getParent());
  const auto Bodies = Class ? bodiesOf(Class) : std::nullopt;
  if (!Bodies)
    return std::nullopt;
  GivenTo Given(Member);
  for (const FunctionDecl *Body : *Bodies)
    Given.TraverseDecl(const_cast<FunctionDecl *>(Body));
  if (const Expr *Always = Member->getInClassInitializer())
    Given.Found.push_back(Always);
  llvm::erase_if(Given.Found,
                 [](const Expr *E) { return E && isEmptyPointer(E); });
  return std::vector<const Expr *>(Given.Found.begin(), Given.Found.end());
}

/// The member of \p Class whose parameters all of \p Given list.
static const FieldDecl *modelIn(const CXXRecordDecl *Class,
                                llvm::ArrayRef<const Expr *> Given) {
  const FieldDecl *Out = nullptr;
  for (const Expr *E : Given) {
    const FieldDecl *Here = E ? listedIn(E) : nullptr;
    if (!Here || (Out && Out != Here))
      return nullptr;
    Out = Here;
  }
  return Out && Out->getParent() == Class ? Out : nullptr;
}

static const FieldDecl *modelOf(const FieldDecl *Member, bool IsList) {
  auto Given = givenTo(Member);
  if (!Given)
    return nullptr;
  const auto *Class = cast<CXXRecordDecl>(Member->getParent());
  const auto Bodies = bodiesOf(Class);
  for (const FunctionDecl *Body : *Bodies) {
    const MemberFill Fill = IsList ? fillOf(Body, Member) : MemberFill();
    if (Fill.IsChanged)
      return nullptr;
    if (Fill.From)
      Given->push_back(Fill.From);
  }
  return modelIn(Class, *Given);
}

const FieldDecl *optimizedModel(const FieldDecl *Optimizer) {
  return modelOf(Optimizer, /*IsList=*/false);
}

const FieldDecl *listedModel(const FieldDecl *List) {
  return classify(List->getType()) == TypeClass::TensorList
             ? modelOf(List, /*IsList=*/true)
             : nullptr;
}

} // namespace spmd::lint::lower
