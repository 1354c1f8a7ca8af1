//===- CheckAnnotations.cpp - Reads every annotation of the user's --------===//
//
// Readers of single annotations see those that matter to the code they look
// at. This pass sees all of them, and those that contradict each other.
//
//===----------------------------------------------------------------------===//

#include "AnnotationSubjects.h"
#include "FindAttribute.h"
#include "ScanAttributes.h"

#include "spmd/lint/Annotations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace clang;

namespace spmd::lint {

namespace {

class AnnotationCheck {
public:
  AnnotationCheck(AnnotationReader &Reader, ArrayRef<std::string> Globs)
      : Reader(Reader) {
    // Validated when the configuration was read.
    for (const std::string &Glob : Globs)
      if (auto Pattern = llvm::GlobPattern::create(Glob))
        Foreign.push_back(std::move(*Pattern));
      else
        llvm::consumeError(Pattern.takeError());
  }

  void check(const Decl *D) {
    for (const auto *A : D->specific_attrs<AnnotateAttr>())
      if (!A->isInherited())
        check(A, D);
  }
  void check(const AttributedStmt *S) {
    for (const Attr *A : S->getAttrs())
      if (const auto *Annotate = dyn_cast<AnnotateAttr>(A))
        if (Annotate->getAnnotation() == "spmd::allow")
          allow(Annotate, S->getSourceRange());
  }

  void reportUnknown(const UnknownAttribute &U) {
    const std::string Name = U.Scope + "::" + U.Name;
    if (llvm::none_of(
            Foreign, [&](const llvm::GlobPattern &P) { return P.match(Name); }))
      Reader.report(U.Loc, unknownAttribute(U.Scope, U.Name));
  }

  std::vector<Allowance> Allowances;

private:
  void check(const AnnotateAttr *A, const Decl *D) {
    const auto [Scope, Name] = A->getAnnotation().split("::");
    // [[clang::annotate("spdm::type", …)]]
    if (looksLikeOurs(Scope, Name))
      return reportUnknown({A->getLocation(), Scope.str(), Name.str()});
    if (Scope != "spmd")
      return;
    if (std::string Wrong = wrongSubject(Name, D); !Wrong.empty())
      return Reader.report(A->getLocation(), std::move(Wrong));
    if (Name == "type")
      checkType(A, D);
    else if (std::string Wrong = Name == "size"
                                     ? cannotBeSize(cast<NamedDecl>(D))
                                     : std::string();
             !Wrong.empty())
      Reader.report(A->getLocation(), std::move(Wrong));
    else if (Name == "axis" || Name == "size")
      checkAgreement(A, D, Reader.axes(A, D),
                     [&](const AnnotateAttr *B, const Decl *Other) {
                       return Reader.axes(B, Other);
                     });
    else if (Name == "mesh")
      checkAgreement(
          A, D, Reader.mesh(A),
          [&](const AnnotateAttr *B, const Decl *) { return Reader.mesh(B); });
    else if (Name == "op")
      checkOp(A, cast<FunctionDecl>(D));
    else if (Name == "global" || Name == "local")
      checkMode(A, cast<FunctionDecl>(D));
    else if (Name == "local_map")
      checkLocalMap(A, cast<FunctionDecl>(D));
    else if (Name == "allow")
      allow(A, D->getSourceRange());
  }

  void checkType(const AnnotateAttr *A, const Decl *D) {
    const Annotation<rules::TypeAnnotation> T = Reader.type(A, D);
    if (!T)
      return;
    std::string Wrong = cannotBeTyped(cast<NamedDecl>(D));
    if (Wrong.empty() && T->Exit)
      Wrong = cannotChangeType(cast<NamedDecl>(D), T->isOutput());
    if (Wrong.empty())
      Wrong = saysNothing(*T, cast<NamedDecl>(D));
    if (!Wrong.empty())
      return Reader.report(T.Range.getBegin(), std::move(Wrong));
    checkAgreement(A, D, T, [&](const AnnotateAttr *B, const Decl *Other) {
      return Reader.type(B, Other);
    });
  }

  /// What \p A says must be what the first redeclaration and the overridden
  /// methods say: callers may see only those.
  template <typename T, typename Read>
  void checkAgreement(const AnnotateAttr *A, const Decl *D,
                      const Annotation<T> &Here, Read ReadOther) {
    if (!Here)
      return;
    auto Compare = [&](const AnnotateAttr *B, const Decl *Other,
                       llvm::StringRef Where) {
      if (!B || B == A)
        return;
      const Annotation<T> There = ReadOther(B, Other);
      if (There && !(*There == *Here))
        Reader.report(Here.Range.getBegin(),
                      "contradicts '" + There.Literal->getString().str() +
                          "' on " + Where.str());
    };
    Compare(findAttribute(D, A->getAnnotation()), D,
            "the first declaration that has one");
    for (const Decl *Base : overridden(D))
      Compare(findAttribute(Base, A->getAnnotation()), Base,
              "the method that this one overrides");
  }

  void checkOp(const AnnotateAttr *A, const FunctionDecl *F) {
    const Annotation<rules::OpSpec> Op = Reader.op(A);
    if (!Op)
      return;
    if (std::string Wrong = wrongArity(*Op, F); !Wrong.empty())
      return Reader.report(Op.Range.getBegin(), std::move(Wrong));
    checkAgreement(A, F, Op, [&](const AnnotateAttr *B, const Decl *) {
      return Reader.op(B);
    });
  }

  void checkMode(const AnnotateAttr *A, const FunctionDecl *F) {
    if (A->args_size() != 0 && !Reader.axes(A, F))
      return;
    const rules::CheckingMode Mode = Reader.modeOf(F);
    if (A->getAnnotation() == "spmd::global" && Mode.LocalMap)
      return Reader.report(A->getLocation(),
                           "a local_map is checked locally: it cannot be "
                           "'spmd::global' as well");
    for (const std::string &Axis : Mode.LocalAxes)
      if (A->getAnnotation() == "spmd::local" &&
          llvm::is_contained(Mode.GlobalAxes, Axis))
        Reader.report(A->getLocation(), "axis '" + Axis +
                                            "' is checked globally and "
                                            "locally: take it out of one");
  }

  void checkLocalMap(const AnnotateAttr *, const FunctionDecl *F) {
    const rules::MeshSpec *Mesh = Reader.meshInForce(F);
    for (const ParmVarDecl *P : F->parameters())
      if (holdsTensor(P->getType()))
        checkFull(P->getLocation(), "parameter '" + P->getNameAsString() + "'",
                  Reader.typeOf(P), Mesh);
    if (holdsTensor(F->getReturnType()))
      checkFull(F->getLocation(), "the result", Reader.resultOf(F), Mesh);
  }

  void checkFull(SourceLocation Loc, std::string What,
                 const Annotation<rules::TypeAnnotation> &T,
                 const rules::MeshSpec *Mesh) {
    if (!T)
      return Reader.report(Loc, What + " of a local_map has no SPMD type: its "
                                       "signature is its contract");
    // An axis that a global type leaves out is varying.
    const rules::TypeSpec &Said = T->isOutput() ? *T->Exit : T->Entry;
    if (!Mesh || Said.Global)
      return;
    for (const rules::MeshAxis &A : Mesh->Axes)
      if (A.Size != 1 && A.Of.empty() && !A.Default && !Said.find(A.Name))
        Reader.report(Loc, What + " of a local_map has no SPMD type on axis '" +
                               A.Name + "'");
  }

  void allow(const AnnotateAttr *A, SourceRange On) {
    const StringLiteral *Check = Reader.payload(A, 0);
    if (!Check)
      return;
    Allowance Out;
    Out.Attribute = A->getRange();
    Out.On = On;
    Out.Check = Check->getString().str();
    if (A->args_size() > 1)
      if (const StringLiteral *Reason = Reader.payload(A, 1))
        Out.Reason = Reason->getString().trim().str();
    Allowances.push_back(std::move(Out));
  }

  AnnotationReader &Reader;
  std::vector<llvm::GlobPattern> Foreign; ///< attributes of other tools
};

} // namespace

std::vector<Allowance> checkAnnotations(ASTContext &Ctx,
                                        AnnotationReader &Reader,
                                        const AnnotatedCode &In,
                                        ArrayRef<std::string> Foreign) {
  AnnotationCheck Check(Reader, Foreign);
  for (const Decl *D : In.Decls)
    Check.check(D);
  for (const AttributedStmt *S : In.Statements)
    Check.check(S);
  for (const FileID File : In.Files)
    for (const UnknownAttribute &U :
         scanAttributes(File, Ctx.getSourceManager(), Ctx.getLangOpts()))
      Check.reportUnknown(U);
  return std::move(Check.Allowances);
}

} // namespace spmd::lint
