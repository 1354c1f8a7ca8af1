//===- LiveBodies.cpp - What a program can get to -------------------------===//

#include "LiveBodies.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace clang;

namespace spmd::lint {

namespace {

/// The functions that a body names, but for those behind `if (0)`.
class Named : public RecursiveASTVisitor<Named> {
public:
  explicit Named(const ASTContext &Ctx) : Ctx(Ctx) {}

  llvm::SmallSetVector<const FunctionDecl *, 8> Functions;

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *FD = dyn_cast<FunctionDecl>(E->getDecl()))
      Functions.insert(FD->getCanonicalDecl());
    return true;
  }
  bool TraverseIfStmt(IfStmt *S) {
    Expr::EvalResult Is;
    const Expr *If = S->getCond();
    if (S->getInit() || !If || If->isValueDependent() ||
        !If->EvaluateAsInt(Is, Ctx))
      return RecursiveASTVisitor::TraverseIfStmt(S);
    return TraverseStmt(Is.Val.getInt().getBoolValue() ? S->getThen()
                                                       : S->getElse());
  }

private:
  const ASTContext &Ctx;
};

void addVariables(const DeclContext *In, std::vector<const VarDecl *> &Out) {
  const SourceManager &SM = In->getParentASTContext().getSourceManager();
  for (const Decl *D : In->decls()) {
    if (SM.isInSystemHeader(D->getLocation()))
      continue;
    if (const auto *VD = dyn_cast<VarDecl>(D);
        VD && VD->hasInit() && !VD->getInit()->isValueDependent())
      Out.push_back(VD);
    else if (isa<NamespaceDecl, LinkageSpecDecl>(D))
      addVariables(cast<DeclContext>(D), Out);
  }
}

} // namespace

std::vector<const VarDecl *> initialisedGlobals(const ASTContext &Ctx) {
  std::vector<const VarDecl *> Out;
  addVariables(Ctx.getTranslationUnitDecl(), Out);
  return Out;
}

LiveBodies::LiveBodies(llvm::ArrayRef<const FunctionDecl *> Bodies) {
  if (Bodies.empty())
    return;
  const ASTContext &Ctx = Bodies.front()->getASTContext();
  std::map<const FunctionDecl *, llvm::SmallSetVector<const FunctionDecl *, 8>>
      Names;
  llvm::DenseSet<const FunctionDecl *> Mentioned;
  llvm::SmallVector<const FunctionDecl *, 32> Work;
  const auto Add = [&](const FunctionDecl *FD) {
    if (Live.insert(FD).second)
      Work.push_back(FD);
  };
  for (const FunctionDecl *FD : Bodies) {
    Named In(Ctx);
    In.TraverseStmt(FD->getBody());
    for (const FunctionDecl *Other : In.Functions)
      if (Other != FD->getCanonicalDecl())
        Mentioned.insert(Other);
    Names[FD->getCanonicalDecl()] = std::move(In.Functions);
  }
  for (const VarDecl *VD : initialisedGlobals(Ctx)) {
    Named In(Ctx);
    In.TraverseStmt(const_cast<Expr *>(VD->getInit()));
    for (const FunctionDecl *FD : In.Functions)
      Add(FD);
  }
  const bool IsProgram =
      llvm::any_of(Bodies, [](const FunctionDecl *FD) { return FD->isMain(); });
  // Methods are named in many ways; other files may call what is visible, and
  // of a program's main file what nobody here does.
  for (const FunctionDecl *FD : Bodies)
    if (isa<CXXMethodDecl>(FD) || FD->isTemplateInstantiation() ||
        (FD->isExternallyVisible() &&
         !(IsProgram && Mentioned.contains(FD->getCanonicalDecl()))))
      Add(FD->getCanonicalDecl());
  while (!Work.empty())
    for (const FunctionDecl *FD : Names[Work.pop_back_val()])
      Add(FD);
}

} // namespace spmd::lint
