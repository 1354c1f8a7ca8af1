//===- UserCalls.cpp - Calls of functions in the file ---------------------===//

#include "UserCalls.h"

#include "UnseenCalls.h"
#include "cxx/AutogradFunctions.h"
#include "cxx/KnownTypes.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

void UserCalls::noteOverridden(const CXXMethodDecl *By,
                               const CXXMethodDecl *MD) {
  for (const CXXMethodDecl *Base : MD->overridden_methods()) {
    Overriders[Base->getCanonicalDecl()].insert(By);
    noteOverridden(By, Base);
  }
}

/// Which method it calls is known: of an object, or of a class without others.
static bool isDirect(const CallSite &C) {
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (!MD || !MD->isVirtual() || MD->hasAttr<FinalAttr>() ||
      MD->getParent()->hasAttr<FinalAttr>() || !C.Receiver)
    return true;
  const auto *Call = dyn_cast<CXXMemberCallExpr>(C.Call);
  const auto *Member =
      Call ? dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParens()) : nullptr;
  if (!Member || Member->hasQualifier())
    return true;
  const auto *Ref =
      dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts());
  return !Member->isArrow() && Ref &&
         !Ref->getDecl()->getType()->isReferenceType();
}

std::optional<unsigned> UserCalls::calleeOf(const CallSite &C) {
  if (isDirect(C))
    return Named.functionOf(C.Callee);
  const auto *MD = cast<CXXMethodDecl>(C.Callee)->getCanonicalDecl();
  const auto It = Overriders.find(MD);
  if (!MD->isPureVirtual() || It == Overriders.end() || It->second.size() != 1)
    return std::nullopt;
  return Named.functionOf(*It->second.begin());
}

/// The methods that no base has which \p MD overrides, or \p MD itself.
static void rootsOf(const CXXMethodDecl *MD,
                    llvm::SmallPtrSetImpl<const CXXMethodDecl *> &Into) {
  if (MD->size_overridden_methods() == 0)
    Into.insert(MD->getCanonicalDecl());
  for (const CXXMethodDecl *Base : MD->overridden_methods())
    rootsOf(Base, Into);
}

/// The field of an object that holds what overrides \p Root.
static std::string fieldFor(const CXXMethodDecl *Root) {
  return VirtualField.str() + Root->getQualifiedNameAsString() + " " +
         Root->getType().getAsString();
}

void UserCalls::holdMethods(const Expr *Into, const CXXRecordDecl *RD,
                            SourceLocation At) {
  if (!RD || !RD->hasDefinition() || !RD->isPolymorphic() ||
      RD->isDependentContext())
    return;
  llvm::SmallSetVector<const CXXMethodDecl *, 8> Roots;
  const auto Collect = [&](const CXXRecordDecl *Class) {
    for (const CXXMethodDecl *MD : Class->methods())
      if (Overriders.contains(MD->getCanonicalDecl()) &&
          MD->size_overridden_methods() == 0)
        Roots.insert(MD->getCanonicalDecl());
    return true;
  };
  Collect(RD);
  RD->forallBases(Collect);
  for (const CXXMethodDecl *Root : Roots) {
    const CXXMethodDecl *Own = Root->getCorrespondingMethodInClass(RD);
    const auto Number = Own ? Named.functionOf(Own) : std::nullopt;
    Out.assign(P.field(Into, fieldFor(Root)),
               Number ? P.function(*Number) : P.unknown(Trust::Unknown), At);
  }
}

const Expr *UserCalls::lowerVirtual(const CallSite &C, const Expr *This) {
  if (!This || isDirect(C))
    return nullptr;
  llvm::SmallPtrSet<const CXXMethodDecl *, 2> Roots;
  rootsOf(cast<CXXMethodDecl>(C.Callee), Roots);
  if (Roots.size() != 1 || !Overriders.contains(*Roots.begin()))
    return nullptr;
  const Expr *Method =
      P.load(P.field(P.target(This), fieldFor(*Roots.begin())));
  Unseen If = unseen(C);
  const CXXMethodDecl *Root = *Roots.begin();
  std::vector<const FunctionDecl *> Methods;
  if (!Root->isPureVirtual())
    Methods.push_back(Root);
  llvm::append_range(Methods, Overriders.find(Root)->second);
  If.MayBe = oneOf(Methods);
  return Out.call(Method, arguments(C, This), C.Call->getBeginLoc(),
                  std::move(If));
}

std::vector<const Expr *>
UserCalls::oneOf(llvm::ArrayRef<const FunctionDecl *> Functions) {
  std::vector<const Expr *> Out;
  if (Named.isPartOfProgram())
    return Out;
  for (const FunctionDecl *FD : Functions) {
    const auto Number = Named.functionOf(FD);
    if (!Number)
      return {};
    Out.push_back(P.function(*Number));
  }
  return Out;
}

const Expr *UserCalls::held(const CXXConstructExpr *E) {
  return isStdClass(E->getType(), "function") && E->getNumArgs()
             ? held(E->getArg(0))
             : nullptr;
}

const Expr *UserCalls::held(const clang::Expr *From) {
  From = From->IgnoreImplicit()->IgnoreParens()->IgnoreImplicit();
  const CXXRecordDecl *RD = From->getType()->getAsCXXRecordDecl();
  if (RD && RD->isLambda())
    if (const CXXMethodDecl *Body = RD->getLambdaCallOperator())
      if (const auto Number = Named.functionOf(Body))
        return P.function(*Number);
  const QualType T = From->getType();
  return T->isFunctionType() || T->isFunctionPointerType() ? Exprs.value(From)
                                                           : nullptr;
}

/// The types of the parameters behind a pointer, or in a std::function.
static llvm::ArrayRef<QualType> parametersOf(const clang::Expr *E) {
  QualType T;
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E)) {
    const auto *Of = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
        Operator->getArg(0)->getType()->getAsCXXRecordDecl());
    if (Of && Of->getTemplateArgs().size() &&
        Of->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
      T = Of->getTemplateArgs()[0].getAsType();
  } else {
    T = cast<CallExpr>(E)->getCallee()->getType();
    if (T->isPointerType())
      T = T->getPointeeType();
  }
  const auto *Proto = T.isNull() ? nullptr : T->getAs<FunctionProtoType>();
  return Proto ? Proto->getParamTypes() : llvm::ArrayRef<QualType>();
}

const Expr *UserCalls::forward(const CallSite &C) {
  const std::optional<AutogradPasses> Passes = autogradPasses(C.Callee);
  const std::optional<unsigned> Forward =
      Passes ? Named.functionOf(Passes->Forward) : std::nullopt;
  if (!Forward)
    return nullptr;
  std::vector<const Expr *> Arguments{P.unknown(Trust::Unknown)};
  for (unsigned I = 0; I != C.Arguments.size(); ++I)
    Arguments.push_back(argument(
        C.Arguments[I], I + 1 < Passes->Forward->getNumParams()
                            ? Passes->Forward->getParamDecl(I + 1)->getType()
                            : C.Arguments[I]->getType()));
  return Out.call(P.function(*Forward), std::move(Arguments),
                  C.Call->getBeginLoc());
}

const Expr *UserCalls::indirect(const clang::Expr *E, const Expr *Callee,
                                llvm::ArrayRef<const clang::Expr *> Given) {
  const llvm::ArrayRef<QualType> To = parametersOf(E);
  std::vector<const Expr *> Arguments;
  for (std::size_t I = 0; I != Given.size(); ++I)
    Arguments.push_back(
        argument(Given[I], I < To.size() ? To[I] : Given[I]->getType()));
  return Out.call(Callee, std::move(Arguments), E->getBeginLoc(),
                  {.Name = "a function that is not seen",
                   .MayBe = oneOf(InFields.calledBy(E))});
}

const Expr *UserCalls::argument(const clang::Expr *E, QualType To) {
  if (To->isReferenceType() || To->isRecordType())
    return P.address(Exprs.place(E));
  return Exprs.value(E);
}

std::vector<const Expr *> UserCalls::arguments(const CallSite &C,
                                               const Expr *This) {
  std::vector<const Expr *> Arguments;
  if (This)
    Arguments.push_back(This);
  for (unsigned I = 0; I != C.Arguments.size(); ++I)
    Arguments.push_back(
        argument(C.Arguments[I], I < C.Callee->getNumParams()
                                     ? C.Callee->getParamDecl(I)->getType()
                                     : C.Arguments[I]->getType()));
  return Arguments;
}

const Expr *UserCalls::lower(const CallSite &C, unsigned Callee,
                             const Expr *This) {
  return Out.call(P.function(Callee), arguments(C, This), C.Call->getBeginLoc(),
                  C.Callee->hasBody() ? Unseen() : unseen(C));
}

} // namespace spmd::lint::effects
