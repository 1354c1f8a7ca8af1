//===- OptimizerSteps.cpp - Gradients that are all touched ----------------===//

#include "OptimizerSteps.h"

#include "cxx/KnownCalls.h"
#include "cxx/KnownTypes.h"
#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

namespace {

enum class Holds : std::uint8_t { None, One, Many };

/// What has this type: an optimizer, also behind a pointer, or a list of them.
Holds optimizersIn(QualType T) {
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  if (isOptimizer(T))
    return Holds::One;
  if (const ArrayType *A = T->getAsArrayTypeUnsafe())
    return optimizersIn(A->getElementType()) == Holds::None ? Holds::None
                                                            : Holds::Many;
  const auto *Of = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (!Of || !Of->isInStdNamespace())
    return Holds::None;
  for (const TemplateArgument &A : Of->getTemplateArgs().asArray()) {
    const Holds Inner = A.getKind() == TemplateArgument::Type
                            ? optimizersIn(A.getAsType())
                            : Holds::None;
    if (Inner != Holds::None)
      return isSmartPointer(T) ? Inner : Holds::Many;
  }
  return Holds::None;
}

class OptimizerFinder : public RecursiveASTVisitor<OptimizerFinder> {
public:
  bool VisitVarDecl(VarDecl *D) { return meets(D); }
  bool VisitDeclRefExpr(DeclRefExpr *E) { return meets(E->getDecl()); }
  bool VisitMemberExpr(MemberExpr *E) { return meets(E->getMemberDecl()); }

  bool isOnlyOne() const { return Own.size() <= 1 && Given <= 1 && !Many; }
  void enter() { Given = 0; }

private:
  bool meets(const ValueDecl *D) {
    if (!isa<VarDecl, FieldDecl>(D))
      return true;
    const Holds Is = optimizersIn(D->getType());
    Many |= Is == Holds::Many;
    // What a function is given is somebody's.
    if (Is == Holds::One && Met.insert(D).second) {
      if (isa<ParmVarDecl>(D))
        ++Given;
      else
        Own.insert(D);
    }
    return isOnlyOne();
  }

  llvm::SmallPtrSet<const ValueDecl *, 4> Met, Own;
  unsigned Given = 0; ///< to the function that is looked at
  bool Many = false;
};

} // namespace

bool OptimizerSteps::isOfOnlyOne() {
  if (IsOnlyOne)
    return *IsOnlyOne;
  OptimizerFinder Finder;
  for (const FunctionDecl *FD : File->Bodies) {
    Finder.enter();
    if (!Finder.TraverseDecl(const_cast<FunctionDecl *>(FD)))
      break;
  }
  return *(IsOnlyOne = Finder.isOnlyOne());
}

void OptimizerSteps::lower(const CallSite &C) {
  const bool IsNorm = C.Callee->getIdentifier() &&
                      C.Callee->getName().starts_with("clip_grad_");
  if ((!isOptimizerStep(C) && !IsNorm) || !isOfOnlyOne())
    return;
  Stmt &S = Out.emit(Kind::Access, C.Call->getBeginLoc());
  S.Writes = IsNorm;
  S.Name = C.Callee->getName().str();
}

} // namespace spmd::lint::effects
