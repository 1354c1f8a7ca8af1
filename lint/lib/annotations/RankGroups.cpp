//===- RankGroups.cpp - Axes that a file makes of lists of ranks ----------===//

#include "RankGroups.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint {
namespace {

/// The name of an axis may be wrapped in a conversion to std::string.
const StringLiteral *textIn(const Stmt *S) {
  if (const auto *Text = dyn_cast_or_null<StringLiteral>(S))
    return Text;
  if (S)
    for (const Stmt *Child : S->children())
      if (const StringLiteral *Text = textIn(Child))
        return Text;
  return nullptr;
}

class GroupFinder : public RecursiveASTVisitor<GroupFinder> {
public:
  explicit GroupFinder(llvm::StringRef Name) : Name(Name) {}

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CXXMethodDecl *Callee = E->getMethodDecl();
    if (!Callee || !E->getNumArgs() ||
        Callee->getQualifiedNameAsString() != "spmd::Mesh::group")
      return true;
    const StringLiteral *Text = textIn(E->getArg(0));
    Found |= Text && Text->getString() == Name;
    return !Found;
  }

  bool Found = false;

private:
  llvm::StringRef Name;
};

} // namespace

bool makesRankGroup(ASTContext &Ctx, llvm::StringRef Name) {
  GroupFinder Finder(Name);
  for (Decl *D : Ctx.getTranslationUnitDecl()->decls())
    if (!Finder.Found &&
        !Ctx.getSourceManager().isInSystemHeader(D->getLocation()))
      Finder.TraverseDecl(D);
  return Finder.Found;
}

} // namespace spmd::lint
