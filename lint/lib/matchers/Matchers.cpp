//===- Matchers.cpp - What the matchers ask of a node ---------------------===//

#include "spmd/lint/Matchers.h"

#include "annotations/FindAttribute.h"
#include "annotations/ScanAttributes.h"
#include "cxx/KnownCalls.h"
#include "cxx/TypeClass.h"

#include "spmd/types/TypeSpec.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::matchers {

//===--- Attributes ---------------------------------------------------------//

/// The type that a name of \p D's type may bring along.
static QualType spelledType(const Decl &D) {
  if (const auto *F = dyn_cast<FunctionDecl>(&D))
    return F->getReturnType();
  const auto *V = dyn_cast<ValueDecl>(&D);
  return V ? V->getType() : QualType();
}

static const AnnotateAttr *annotationOf(const Decl &D, llvm::StringRef Name) {
  if (const AnnotateAttr *A = findAttribute(&D, Name))
    return A;
  if (Name != "spmd::type")
    return nullptr;
  return findAttribute(annotatedAlias(spelledType(D), D.getASTContext()), Name);
}

bool hasAnnotation(const Decl &D, llvm::StringRef Name) {
  return annotationOf(D, Name);
}

bool hasAnnotation(const AttributedStmt &S, llvm::StringRef Name) {
  return llvm::any_of(S.getAttrs(), [&](const Attr *A) {
    const auto *Annotate = dyn_cast<AnnotateAttr>(A);
    return Annotate && Annotate->getAnnotation() == Name;
  });
}

bool isAnnotatedHere(const Decl &D) {
  return D.hasAttrs() &&
         llvm::any_of(
             D.specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *A) {
               const auto [Scope, Name] = A->getAnnotation().split("::");
               return !A->isInherited() &&
                      (Scope == "spmd" || looksLikeOurs(Scope, Name));
             });
}

/// What it says, as the parser of its payload reads it.
template <typename T>
static std::optional<T> said(const AnnotateAttr *A,
                             llvm::Expected<T> (*Parse)(llvm::StringRef)) {
  const StringLiteral *Text = A ? stringArgument(A, 0) : nullptr;
  return Text ? llvm::expectedToOptional(Parse(Text->getString()))
              : std::nullopt;
}

bool saysType(const Decl &D, llvm::StringRef Said) {
  const auto Wanted = llvm::expectedToOptional(rules::parseTypeSpec(Said));
  const auto There =
      said(annotationOf(D, "spmd::type"), &rules::parseTypeAnnotation);
  if (!Wanted || !There)
    return false;
  const rules::TypeSpec &Spec = There->isOutput() ? *There->Exit : There->Entry;
  return llvm::all_of(Wanted->Axes, [&](const rules::AxisAtom &A) {
    const rules::AxisAtom *Here = Spec.find(A.Axis);
    return Here && *Here == A;
  });
}

static llvm::Expected<std::vector<std::string>> axesIn(llvm::StringRef Text) {
  return rules::parseAxes(Text);
}

bool namesAxis(const Decl &D, llvm::StringRef Name, llvm::StringRef Axis) {
  const auto Axes = said(annotationOf(D, Name), &axesIn);
  return Axes && llvm::is_contained(*Axes, Axis);
}

//===--- Calls --------------------------------------------------------------//

const rules::CollectiveCall *communication(const CallExpr &E,
                                           const rules::CollectiveApis &Apis) {
  const FunctionDecl *FD = E.getDirectCallee();
  if (!FD || !FD->getDeclName().isIdentifier())
    return nullptr;
  const rules::CollectiveCall *Call = Apis.find(qualifiedName(FD));
  return Call && Call->Kind != rules::CallKind::Local ? Call : nullptr;
}

bool isMadeTogether(rules::CallKind K) {
  return rules::isCollective(K) || rules::makesComm(K);
}

static const Expr *argumentInRole(const CallExpr &E,
                                  const rules::CollectiveCall &Call,
                                  llvm::StringRef Role) {
  const CallSite C(&E);
  for (unsigned I = 0; I != Call.Arguments.size(); ++I)
    if (rules::callRoleName(Call.Arguments[I]) == Role)
      return C.argument(I);
  return rules::callRoleName(Call.Receiver) == Role ? C.Receiver : nullptr;
}

namespace {
class CallRoleMatcher
    : public ast_matchers::internal::MatcherInterface<CallExpr> {
public:
  CallRoleMatcher(std::string Role, ast_matchers::internal::Matcher<Expr> Inner,
                  const rules::CollectiveApis &Apis)
      : Role(std::move(Role)), Inner(std::move(Inner)), Apis(Apis) {}

  bool matches(
      const CallExpr &Node, ast_matchers::internal::ASTMatchFinder *Finder,
      ast_matchers::internal::BoundNodesTreeBuilder *Builder) const override {
    const rules::CollectiveCall *Call = communication(Node, Apis);
    const Expr *E = Call ? argumentInRole(Node, *Call, Role) : nullptr;
    return E && Inner.matches(*E, Finder, Builder);
  }

private:
  std::string Role;
  ast_matchers::internal::Matcher<Expr> Inner;
  const rules::CollectiveApis &Apis;
};
} // namespace

ast_matchers::internal::Matcher<CallExpr>
hasCallRole(std::string Role, ast_matchers::internal::Matcher<Expr> Inner,
            const rules::CollectiveApis &Apis) {
  return ast_matchers::internal::Matcher<CallExpr>(
      new CallRoleMatcher(std::move(Role), std::move(Inner), Apis));
}

bool isTypedOperator(const CallExpr &E) {
  const CallSite C(&E);
  return typedOperator(C.Name) || meetsRanks(C.Name);
}

bool isStep(const CallExpr &E) { return isOptimizerStep(CallSite(&E)); }

const Expr *lossOf(const CallExpr &E) {
  const std::optional<BackwardPass> Pass = backwardPass(CallSite(&E));
  return Pass ? Pass->From : nullptr;
}

//===--- Where code is ------------------------------------------------------//

bool hasOwnBody(const FunctionDecl &F) {
  return F.doesThisDeclarationHaveABody() && !F.isDependentContext() &&
         !F.isInvalidDecl() && !F.isDefaulted() && !F.isImplicit();
}

bool holdsMesh(QualType T) { return classify(T) == TypeClass::Mesh; }

} // namespace spmd::lint::matchers
