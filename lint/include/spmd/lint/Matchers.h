//===- Matchers.h - AST matchers for SPMD code ------------------*- C++ -*-===//
//
// Beside Clang's own matchers, and like them: `varDecl(spmdAxis("tp"))`. The
// tool finds by them what it reads (FileMatches); docs/matchers.md shows how
// others use them.
//
// Text that is not what an attribute of that name could say matches nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_MATCHERS_H
#define SPMD_LINT_MATCHERS_H

#include "spmd/ops/CollectiveApi.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Stmt.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/ASTMatchers/ASTMatchersMacros.h"

#include <optional>
#include <string>

namespace spmd::lint::matchers {

//===--- What the matchers ask ----------------------------------------------//

/// Whether the attribute called \p Name ("spmd::axis") is in force for it: its
/// own, that of another redeclaration, of what it overrides or is instantiated
/// from. A [[spmd::type]] may also be that of the alias that names its type.
bool hasAnnotation(const clang::Decl &D, llvm::StringRef Name);
bool hasAnnotation(const clang::AttributedStmt &S, llvm::StringRef Name);
/// Whether one stands here, or something that was meant to be one.
bool isAnnotatedHere(const clang::Decl &D);
/// Whether the [[spmd::type]] in force says on each axis of \p Said the same.
bool saysType(const clang::Decl &D, llvm::StringRef Said);
/// Whether the attribute \p Name in force names \p Axis.
bool namesAxis(const clang::Decl &D, llvm::StringRef Name,
               llvm::StringRef Axis);
/// The entry that \p Apis have for what is called; null for none.
const rules::CollectiveCall *communication(const clang::CallExpr &E,
                                           const rules::CollectiveApis &Apis);
/// Whether all ranks of the communicator make it together.
bool isMadeTogether(rules::CallKind K);
bool isTypedOperator(const clang::CallExpr &E);
bool isStep(const clang::CallExpr &E);
/// The loss of a backward pass that the call starts; null for other calls.
const clang::Expr *lossOf(const clang::CallExpr &E);
/// Whether the body is code of its own: of no template, not made by Clang.
bool hasOwnBody(const clang::FunctionDecl &F);
/// Whether \p T is a mesh.
bool holdsMesh(clang::QualType T);

// Clang's macros give each matcher parameters that few of them need.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

//===--- Attributes ---------------------------------------------------------//

/// A statement with attributes. Clang has no matcher for it.
template <typename... Inner> auto attributedStmt(const Inner &...Of) {
  const clang::ast_matchers::internal::VariadicDynCastAllOfMatcher<
      clang::Stmt, clang::AttributedStmt>
      Match;
  return Match(Of...);
}

/// A declaration on which an attribute of ours stands, misspelled or not.
AST_MATCHER(clang::Decl, spmdAttribute) { return isAnnotatedHere(Node); }

/// A value, function or alias with a type: `[[spmd::type("tp: P")]]`.
AST_MATCHER(clang::Decl, spmdType) { return hasAnnotation(Node, "spmd::type"); }
/// The same whose type is, on each axis that \p Said mentions, what it says.
AST_MATCHER_P_OVERLOAD(clang::Decl, spmdType, std::string, Said, 0) {
  return saysType(Node, Said);
}

/// A communicator, group or axis: `[[spmd::axis("tp")]]`.
AST_MATCHER(clang::Decl, spmdAxis) { return hasAnnotation(Node, "spmd::axis"); }
/// The same over \p Axis, alone or with others.
AST_MATCHER_P_OVERLOAD(clang::Decl, spmdAxis, std::string, Axis, 0) {
  return namesAxis(Node, "spmd::axis", Axis);
}

/// A number that counts ranks: `[[spmd::size("tp")]]`.
AST_MATCHER(clang::Decl, spmdSize) { return hasAnnotation(Node, "spmd::size"); }
AST_MATCHER_P_OVERLOAD(clang::Decl, spmdSize, std::string, Axis, 0) {
  return namesAxis(Node, "spmd::size", Axis);
}

AST_MATCHER(clang::Decl, spmdMesh) { return hasAnnotation(Node, "spmd::mesh"); }
AST_MATCHER(clang::Decl, spmdOp) { return hasAnnotation(Node, "spmd::op"); }
AST_MATCHER(clang::Decl, spmdGlobal) {
  return hasAnnotation(Node, "spmd::global");
}
AST_MATCHER(clang::Decl, spmdLocal) {
  return hasAnnotation(Node, "spmd::local");
}
AST_MATCHER(clang::Decl, spmdLocalMap) {
  return hasAnnotation(Node, "spmd::local_map");
}
/// A function, or a statement: `attributedStmt(spmdNoTypecheck())`.
AST_POLYMORPHIC_MATCHER(
    spmdNoTypecheck,
    AST_POLYMORPHIC_SUPPORTED_TYPES(clang::Decl, clang::AttributedStmt)) {
  return hasAnnotation(Node, "spmd::no_typecheck");
}
/// A declaration, or a statement.
AST_POLYMORPHIC_MATCHER(spmdAllow, AST_POLYMORPHIC_SUPPORTED_TYPES(
                                       clang::Decl, clang::AttributedStmt)) {
  return hasAnnotation(Node, "spmd::allow");
}

//===--- Calls --------------------------------------------------------------//

/// A call that the tables have and that is not local to the rank, of MPI, NCCL
/// or c10d: messages, ranks, sizes, communicators, waits and collectives.
AST_MATCHER(clang::CallExpr, communicationCall) {
  return communication(Node, rules::CollectiveApis::builtin());
}
/// The same by the tables \p Apis, such as a Config's.
AST_MATCHER_P_OVERLOAD(clang::CallExpr, communicationCall,
                       const rules::CollectiveApis *, Apis, 0) {
  return communication(Node, *Apis);
}

/// One that all ranks of the communicator make together.
AST_MATCHER(clang::CallExpr, collectiveCall) {
  const auto *Call = communication(Node, rules::CollectiveApis::builtin());
  return Call && isMadeTogether(Call->Kind);
}
AST_MATCHER_P_OVERLOAD(clang::CallExpr, collectiveCall,
                       const rules::CollectiveApis *, Apis, 0) {
  const rules::CollectiveCall *Call = communication(Node, *Apis);
  return Call && isMadeTogether(Call->Kind);
}
/// One of the kind that docs/apis.md calls \p Kind: "all_reduce".
AST_MATCHER_P_OVERLOAD(clang::CallExpr, collectiveCall, std::string, Kind, 1) {
  const auto *Call = communication(Node, rules::CollectiveApis::builtin());
  return Call && isMadeTogether(Call->Kind) &&
         rules::callKindName(Call->Kind) == Kind;
}
AST_MATCHER_P2_OVERLOAD(clang::CallExpr, collectiveCall,
                        const rules::CollectiveApis *, Apis, std::string, Kind,
                        2) {
  const rules::CollectiveCall *Call = communication(Node, *Apis);
  return Call && isMadeTogether(Call->Kind) &&
         rules::callKindName(Call->Kind) == Kind;
}

/// A communication call whose argument, or receiver, with the role that
/// docs/apis.md calls \p Role ("comm", "send") matches \p Inner.
clang::ast_matchers::internal::Matcher<clang::CallExpr> hasCallRole(
    std::string Role, clang::ast_matchers::internal::Matcher<clang::Expr> Inner,
    const rules::CollectiveApis &Apis = rules::CollectiveApis::builtin());

/// `spmd::all_reduce(x, tp, spmd::P, spmd::R)` and the other operators of the
/// runtime, started or finished.
AST_MATCHER(clang::CallExpr, typedOperatorCall) {
  return isTypedOperator(Node);
}
/// A call that reads the gradients and changes the parameters.
AST_MATCHER(clang::CallExpr, optimizerStep) { return isStep(Node); }
/// A call that starts the backward pass.
AST_MATCHER(clang::CallExpr, backwardCall) { return lossOf(Node); }
/// The same of a loss that matches \p Loss.
AST_MATCHER_P_OVERLOAD(clang::CallExpr, backwardCall,
                       clang::ast_matchers::internal::Matcher<clang::Expr>,
                       Loss, 0) {
  const clang::Expr *E = lossOf(Node);
  return E && Loss.matches(*E, Finder, Builder);
}

//===--- Where code is ------------------------------------------------------//

/// A function whose body is code of its own: of no template, not made by Clang.
AST_MATCHER(clang::FunctionDecl, ownBody) { return hasOwnBody(Node); }
AST_MATCHER(clang::QualType, meshType) { return holdsMesh(Node); }
/// The call operator of a lambda that is not generic.
AST_MATCHER_P(clang::LambdaExpr, callOperator,
              clang::ast_matchers::internal::Matcher<clang::CXXMethodDecl>,
              Inner) {
  return Inner.matches(*Node.getCallOperator(), Finder, Builder);
}

#pragma GCC diagnostic pop

} // namespace spmd::lint::matchers

#endif // SPMD_LINT_MATCHERS_H
