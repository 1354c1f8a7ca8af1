//===- ReducingCode.cpp - Code that may add up what ranks have ------------===//

#include "ReducingCode.h"

#include "cxx/CallSite.h"
#include "cxx/LibraryNames.h"
#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

class Finder : public RecursiveASTVisitor<Finder> {
public:
  bool VisitCallExpr(CallExpr *E) {
    const CallSite C(E);
    const auto IsComm = [](const Expr *X) {
      return X && !X->isTypeDependent() &&
             classify(X->getType()) == TypeClass::Comm;
    };
    Found |= IsComm(C.Receiver) || llvm::any_of(C.Arguments, IsComm) ||
             !C.Callee || mayReduce(C);
    return !Found;
  }
  bool Found = false;

private:
  bool mayReduce(const CallSite &C) {
    if (llvm::StringRef(C.Name).starts_with("std::function"))
      return true;
    // A library communicates with those that it is told of.
    if (isOfLibrary(C.Name) ||
        C.Callee->getASTContext().getSourceManager().isInSystemHeader(
            C.Callee->getLocation()))
      return false;
    const FunctionDecl *Body = C.Callee->getDefinition();
    if (!Body)
      return !C.Callee->getBuiltinID();
    if (Seen.insert(Body).second)
      TraverseStmt(Body->getBody());
    return false;
  }

  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;
};

} // namespace

bool mayReduce(const Stmt *Body) {
  Finder In;
  In.TraverseStmt(const_cast<Stmt *>(Body));
  return In.Found;
}

} // namespace spmd::lint::lower
