//===- FileMatches.cpp - What the matchers find in a file -----------------===//

#include "FileMatches.h"

#include "spmd/lint/Matchers.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"

using namespace clang;
using namespace clang::ast_matchers;

namespace spmd::lint {

namespace {

/// Lets the AST be the given declarations, as long as it lives.
class TraversalScope {
public:
  TraversalScope(ASTContext &Ctx, const std::vector<Decl *> &Decls)
      : Ctx(Ctx), Before(Ctx.getTraversalScope().vec()) {
    Ctx.setTraversalScope(Decls);
  }
  ~TraversalScope() { Ctx.setTraversalScope(Before); }
  TraversalScope(const TraversalScope &) = delete;
  TraversalScope &operator=(const TraversalScope &) = delete;

private:
  ASTContext &Ctx;
  std::vector<Decl *> Before;
};

class Collector : public MatchFinder::MatchCallback {
public:
  Collector(const SourceManager &SM, OwnFiles &Own, FileMatches &Out)
      : SM(SM), Own(Own), Out(Out) {}

  void run(const MatchFinder::MatchResult &Found) override {
    const BoundNodes &Nodes = Found.Nodes;
    if (const auto *D = Nodes.getNodeAs<Decl>("annotated"))
      Out.Annotated.Decls.push_back(D);
    if (const auto *S = Nodes.getNodeAs<AttributedStmt>("statement"))
      Out.Annotated.Statements.push_back(S);
    // A template of somebody else's may be instantiated among one's own code.
    if (const auto *D = Nodes.getNodeAs<FunctionDecl>("body");
        D && Own.contains(SM, D->getLocation()))
      Out.Bodies.insert(D);
    if (const auto *D = Nodes.getNodeAs<CXXMethodDecl>("overrider"))
      Out.Overriders.insert(D);
    if (const auto *D = Nodes.getNodeAs<VarDecl>("axis"))
      Out.AxisGlobals.insert(D);
    if (const auto *E = Nodes.getNodeAs<CallExpr>("local_map"))
      Out.LocalMaps.insert(E);
    Out.Communicates |= Nodes.getNodeAs<CallExpr>("communicates") != nullptr;
  }

private:
  const SourceManager &SM;
  OwnFiles &Own;
  FileMatches &Out;
};

} // namespace

FileMatches matchOwnDecls(ASTContext &Ctx, const rules::CollectiveApis &Apis,
                          OwnFiles &Own) {
  using namespace matchers;
  FileMatches Out;
  const SourceManager &SM = Ctx.getSourceManager();
  Out.Annotated.Files.insert(SM.getMainFileID());
  std::vector<Decl *> Decls;
  forEachOwnDecl(Ctx, Own, [&](Decl *D) {
    Decls.push_back(D);
    Out.Annotated.Files.insert(
        SM.getFileID(SM.getExpansionLoc(D->getLocation())));
  });
  Collector Collect(SM, Own, Out);
  MatchFinder Finder;
  // An instantiation has its template's attributes, which are read there.
  const auto Spelled = TK_IgnoreUnlessSpelledInSource;
  Finder.addMatcher(traverse(Spelled, decl(spmdAttribute()).bind("annotated")),
                    &Collect);
  Finder.addMatcher(
      traverse(Spelled, lambdaExpr(callOperator(
                            cxxMethodDecl(spmdAttribute()).bind("annotated")))),
      &Collect);
  Finder.addMatcher(
      traverse(Spelled, attributedStmt(spmdAllow()).bind("statement")),
      &Collect);
  Finder.addMatcher(functionDecl(ownBody()).bind("body"), &Collect);
  Finder.addMatcher(
      cxxMethodDecl(isOverride(), unless(isPure()), unless(cxxDestructorDecl()))
          .bind("overrider"),
      &Collect);
  Finder.addMatcher(
      varDecl(hasGlobalStorage(), anyOf(hasType(meshType()), spmdAxis()))
          .bind("axis"),
      &Collect);
  Finder.addMatcher(callExpr(argumentCountIs(3),
                             callee(functionDecl(hasName("::spmd::local_map"))))
                        .bind("local_map"),
                    &Collect);
  Finder.addMatcher(
      callExpr(anyOf(communicationCall(&Apis), typedOperatorCall()))
          .bind("communicates"),
      &Collect);
  const TraversalScope Scope(Ctx, Decls);
  Finder.matchAST(Ctx);
  return Out;
}

} // namespace spmd::lint
