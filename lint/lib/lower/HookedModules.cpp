//===- HookedModules.cpp - Modules whose gradients are hooked -------------===//

#include "HookedModules.h"

#include "ReducingCode.h"
#include "Strip.h"

#include "cxx/KnownTypes.h"
#include "cxx/LibraryNames.h"
#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// Finds `p.register_hook(…)`, of whatever type p is, in code and in what it
/// calls of the program's.
class HookFinder : public RecursiveASTVisitor<HookFinder> {
public:
  bool VisitCallExpr(CallExpr *E) {
    const Expr *Callee = E->getCallee()->IgnoreParens();
    if (const auto *X = dyn_cast<CXXDependentScopeMemberExpr>(Callee))
      note(X->getMember(), E);
    else if (const auto *X = dyn_cast<UnresolvedMemberExpr>(Callee))
      note(X->getMemberName(), E);
    else if (const auto *X = dyn_cast<MemberExpr>(Callee))
      note(X->getMemberDecl()->getDeclName(), E);
    if (const FunctionDecl *FD = E->getDirectCallee(); FD && !Found)
      enter(FD);
    return !Found;
  }
  void enter(const FunctionDecl *FD) {
    const FunctionDecl *Body = FD->getDefinition();
    if (Body && Seen.insert(Body).second && !isOfLibrary(qualifiedName(FD)) &&
        !FD->getASTContext().getSourceManager().isInSystemHeader(
            Body->getLocation()))
      TraverseDecl(const_cast<FunctionDecl *>(Body));
  }

  bool Found = false;

private:
  void note(DeclarationName Name, const CallExpr *E) {
    if (!Name.isIdentifier())
      return;
    const llvm::StringRef Is = Name.getAsIdentifierInfo()->getName();
    if (Is != "register_hook" && Is != "add_post_hook")
      return;
    const auto *Runs = E->getNumArgs() == 1
                           ? dyn_cast<LambdaExpr>(handedOver(E->getArg(0)))
                           : nullptr;
    Found |= !Runs || mayReduce(Runs->getBody());
  }

  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;
};

} // namespace

/// The class of what \p T refers to, points to or holds as a module; null if it
/// is none, or a library's.
static const CXXRecordDecl *ownClass(QualType T) {
  constexpr unsigned MostNested = 4;
  for (unsigned I = 0; I != MostNested; ++I) {
    T = T.getNonReferenceType();
    const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
    if (RD && RD->hasDefinition())
      for (const CXXBaseSpecifier &B : RD->bases())
        if (className(B.getType()) == "torch::nn::ModuleHolder")
          T = B.getType();
    if (!T->isPointerType() && !isSmartPointer(T) &&
        className(T) != "torch::nn::ModuleHolder")
      break;
    T = elementType(T);
    if (T.isNull())
      return nullptr;
  }
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  return RD && RD->hasDefinition() && !RD->isInStdNamespace() ? RD : nullptr;
}

bool HookedModules::isOfHookingClass(QualType T) {
  const CXXRecordDecl *RD = ownClass(T);
  if (!RD)
    return false;
  if (const auto *Of = dyn_cast<ClassTemplateSpecializationDecl>(RD))
    RD = Of->getSpecializedTemplate()->getTemplatedDecl()->getDefinition();
  if (!RD)
    return false;
  const auto [At, New] = Classes.try_emplace(RD, false);
  if (!New)
    return At->second;
  HookFinder Finder;
  for (const CXXMethodDecl *Method : RD->methods())
    if (!Finder.Found)
      Finder.enter(Method);
  return Classes[RD] = Finder.Found;
}

/// The module, or list of tensors, whose tensors \p E names: `*net`,
/// `net->parameters()`, `net.ptr()`.
static const ValueDecl *moduleOf(const Expr *E) {
  for (E = handedOver(E); E; E = handedOver(E)) {
    if (const auto *U = dyn_cast<UnaryOperator>(E))
      E = U->getSubExpr();
    else if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E))
      E = Op->getArg(0);
    else if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E))
      E = Call->getImplicitObjectArgument();
    else
      break;
  }
  const ValueDecl *D = E ? namedBy(E) : nullptr;
  return D && (isModule(D->getType()) ||
               classify(D->getType().getNonReferenceType()) ==
                   TypeClass::TensorList)
             ? D
             : nullptr;
}

namespace {

/// What the bodies of a file hand to functions, and hook.
class Handings : public RecursiveASTVisitor<Handings> {
public:
  Handings(HookedModules &Modules, llvm::DenseSet<const ValueDecl *> &Found)
      : Modules(Modules), Found(Found) {}

  bool shouldVisitImplicitCode() const { return true; }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    HookFinder Finder;
    Finder.TraverseStmt(S->getBody());
    if (const ValueDecl *D =
            Finder.Found ? moduleOf(S->getRangeInit()) : nullptr)
      Found.insert(D);
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    hand(E->getDirectCallee(), {E->getArgs(), E->getNumArgs()}, E->getType(),
         isa<CXXOperatorCallExpr>(E) &&
             isa_and_nonnull<CXXMethodDecl>(E->getDirectCallee()));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    hand(E->getConstructor(), {E->getArgs(), E->getNumArgs()}, E->getType(),
         /*HasObject=*/false);
    return true;
  }
  /// Parameters are what is handed to them.
  void follow() {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const auto &[From, To] : Handed)
        if (Found.contains(From))
          Changed |= Found.insert(To).second;
    }
  }

private:
  void hand(const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Arguments,
            QualType Made, bool HasObject) {
    if (!Callee)
      return;
    Arguments = Arguments.drop_front(HasObject && !Arguments.empty());
    const FunctionDecl *Body = Callee->getDefinition();
    for (const auto &[I, A] : llvm::enumerate(Arguments)) {
      const ValueDecl *D = moduleOf(A);
      if (!D)
        continue;
      if (hooks(Callee) || Modules.isOfHookingClass(Made))
        Found.insert(D);
      if (Body && I < Body->getNumParams())
        Handed.emplace_back(D, Body->getParamDecl(I));
    }
  }
  bool hooks(const FunctionDecl *FD) {
    FD = FD->getCanonicalDecl();
    const auto [At, New] = Hooking.try_emplace(FD, false);
    if (!New)
      return At->second;
    HookFinder Finder;
    Finder.enter(FD);
    return Hooking[FD] = Finder.Found;
  }

  HookedModules &Modules;
  llvm::DenseSet<const ValueDecl *> &Found;
  llvm::DenseMap<const FunctionDecl *, bool> Hooking;
  std::vector<std::pair<const ValueDecl *, const ValueDecl *>> Handed;
};

} // namespace

HookedModules::HookedModules(llvm::ArrayRef<const FunctionDecl *> Bodies) {
  HookFinder Any; // one for all, so that no body is read twice
  for (const FunctionDecl *FD : Bodies)
    Any.enter(FD);
  if (!Any.Found)
    return;
  Handings Of(*this, Found);
  for (const FunctionDecl *FD : Bodies)
    Of.TraverseStmt(FD->getBody());
  Of.follow();
}

} // namespace spmd::lint::lower
