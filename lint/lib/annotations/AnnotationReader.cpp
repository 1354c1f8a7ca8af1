//===- AnnotationReader.cpp - Attributes to parsed payloads ---------------===//

#include "spmd/lint/Annotations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint {

AnnotationReader::AnnotationReader(ASTContext &Ctx,
                                   const rules::MeshSpec *ConfiguredMesh,
                                   Reporter Report)
    : Ctx(Ctx), ConfiguredMesh(ConfiguredMesh), Report(std::move(Report)) {}

bool AnnotationReader::mayBeAnnotated(ASTContext &Ctx) {
  auto Known = [&](llvm::StringRef Name) {
    if (Ctx.Idents.find(Name) != Ctx.Idents.end())
      return true;
    IdentifierInfoLookup *External =
        Ctx.Idents.getExternalIdentifierLookup(); // a precompiled preamble
    return External && External->get(Name);
  };
  return Known("spmd") || Known("annotate");
}

//===--- Finding attributes -----------------------------------------------===//

const AnnotateAttr *AnnotationReader::find(const Decl *D,
                                           llvm::StringRef Name) const {
  if (!D)
    return nullptr;
  for (const Decl *R : D->redecls())
    for (const auto *A : R->specific_attrs<AnnotateAttr>())
      if (A->getAnnotation() == Name)
        return A;
  if (const auto *M = dyn_cast<CXXMethodDecl>(D))
    for (const CXXMethodDecl *Base : M->overridden_methods())
      if (const AnnotateAttr *A = find(Base, Name))
        return A;
  if (const auto *P = dyn_cast<ParmVarDecl>(D)) {
    const auto *F = dyn_cast_or_null<FunctionDecl>(
        dyn_cast_or_null<Decl>(P->getDeclContext()));
    if (!F)
      return nullptr;
    const unsigned Index = P->getFunctionScopeIndex();
    for (const FunctionDecl *R : F->redecls())
      if (Index < R->getNumParams() && R->getParamDecl(Index) != P)
        for (const auto *A :
             R->getParamDecl(Index)->specific_attrs<AnnotateAttr>())
          if (A->getAnnotation() == Name)
            return A;
    if (const auto *M = dyn_cast<CXXMethodDecl>(F))
      for (const CXXMethodDecl *Base : M->overridden_methods())
        if (Index < Base->getNumParams())
          if (const AnnotateAttr *A = find(Base->getParamDecl(Index), Name))
            return A;
  }
  return nullptr;
}

const StringLiteral *AnnotationReader::payload(const AnnotateAttr *A,
                                               unsigned Index) {
  if (Index >= A->args_size())
    return nullptr;
  const Expr *E = *(A->args_begin() + Index);
  if (const auto *C = dyn_cast<ConstantExpr>(E))
    E = C->getSubExpr();
  const auto *Literal = dyn_cast<StringLiteral>(E->IgnoreParenImpCasts());
  if (!Literal || Literal->getCharByteWidth() != 1) {
    Report(E->getExprLoc(), "the payload of '" + A->getAnnotation().str() +
                                "' must be one string literal");
    return nullptr;
  }
  return Literal;
}

//===--- Reporting --------------------------------------------------------===//

void AnnotationReader::report(const StringLiteral *Payload, std::size_t Offset,
                              std::string Message) {
  // The byte after the last one has no location of its own.
  SourceLocation Loc;
  if (Payload->getLength() == 0)
    Loc = Payload->getBeginLoc();
  else if (Offset < Payload->getLength())
    Loc = Payload->getLocationOfByte(static_cast<unsigned>(Offset),
                                     Ctx.getSourceManager(), Ctx.getLangOpts(),
                                     Ctx.getTargetInfo());
  else
    Loc = Payload
              ->getLocationOfByte(Payload->getLength() - 1,
                                  Ctx.getSourceManager(), Ctx.getLangOpts(),
                                  Ctx.getTargetInfo())
              .getLocWithOffset(1);
  Report(Loc, std::move(Message));
}

void AnnotationReader::report(const StringLiteral *Payload, llvm::Error E) {
  llvm::handleAllErrors(std::move(E), [&](const rules::PayloadError &P) {
    report(Payload, P.Offset, P.Message);
  });
}

void AnnotationReader::checkAxis(llvm::StringRef Axis, std::size_t Offset,
                                 const StringLiteral *Payload,
                                 const Decl *Where) {
  const Annotation<rules::MeshSpec> Mesh = meshFor(Where);
  const rules::MeshSpec *InForce = Mesh ? Mesh.Value.get() : ConfiguredMesh;
  if (!InForce || InForce->Axes.empty() || InForce->find(Axis))
    return;
  // A communicator parameter may lend its name to an annotation.
  const auto *F = dyn_cast<FunctionDecl>(Where);
  if (!F)
    F = dyn_cast_or_null<FunctionDecl>(
        dyn_cast_or_null<Decl>(Where->getDeclContext()));
  if (F && llvm::any_of(F->parameters(), [&](const ParmVarDecl *P) {
        return P->getName() == Axis;
      }))
    return;
  std::string Known;
  llvm::StringRef Nearest;
  unsigned Best = 3;
  for (const rules::MeshAxis &A : InForce->Axes) {
    Known += (Known.empty() ? "" : ", ") + A.Name;
    if (const unsigned D = Axis.edit_distance(A.Name, true, Best); D < Best) {
      Best = D;
      Nearest = A.Name;
    }
  }
  report(
      Payload, Offset,
      "unknown axis '" + Axis.str() + "': the mesh in force has " + Known +
          (Nearest.empty() ? "" : "; did you mean '" + Nearest.str() + "'?"));
}

void AnnotationReader::checkAxes(const rules::TypeSpec &T,
                                 const StringLiteral *Payload,
                                 const Decl *Where) {
  for (const rules::AxisAtom &A : T.Axes)
    checkAxis(A.Axis, A.Offset, Payload, Where);
}

//===--- Types ------------------------------------------------------------===//

Annotation<rules::TypeAnnotation>
AnnotationReader::parseAttr(const AnnotateAttr *A, const Decl *Where) {
  auto [It, New] = Types.try_emplace(A);
  if (!New)
    return It->second;
  const StringLiteral *Payload = payload(A);
  if (!Payload)
    return {};
  auto Parsed = rules::parseTypeAnnotation(Payload->getString());
  if (!Parsed) {
    report(Payload, Parsed.takeError());
    return {};
  }
  checkAxes(Parsed->Entry, Payload, Where);
  if (Parsed->Exit)
    checkAxes(*Parsed->Exit, Payload, Where);
  Annotation<rules::TypeAnnotation> Out{
      std::make_shared<rules::TypeAnnotation>(std::move(*Parsed)),
      Payload->getSourceRange()};
  Types[A] = Out;
  return Out;
}

Annotation<rules::TypeAnnotation> AnnotationReader::typeOfAlias(QualType T) {
  while (!T.isNull()) {
    if (const auto *Alias = T->getAs<TypedefType>()) {
      if (const AnnotateAttr *A = find(Alias->getDecl(), "spmd::type"))
        return parseAttr(A, Alias->getDecl());
      T = Alias->desugar();
      continue;
    }
    if (T->isReferenceType() || T->isPointerType()) {
      T = T->getPointeeType();
      continue;
    }
    return {};
  }
  return {};
}

bool isTensorLike(QualType T) {
  if (T.isNull() || T->isDependentType())
    return true;
  T = T.getNonReferenceType();
  while (const Type *Inner = T->getPointeeOrArrayElementType()) {
    if (Inner == T.getTypePtr())
      break;
    T = QualType(Inner, 0);
  }
  // Buffers of bytes and untyped ones carry tensors too; records may be
  // handles or containers of any library.
  return T->isArithmeticType() || T->isVoidType() || T->isRecordType() ||
         T->isEnumeralType() || T->isVectorType();
}

void AnnotationReader::checkSubject(
    const ValueDecl *D, const Annotation<rules::TypeAnnotation> &A) {
  if (!SubjectChecked.try_emplace(D, true).second)
    return;
  if (!isTensorLike(D->getType()))
    return Report(A.Range.getBegin(),
                  "'" + D->getNameAsString() + "' of type '" +
                      D->getType().getAsString() +
                      "' holds no tensor, so it cannot have an SPMD type");
  const QualType T = D->getType();
  if (A->Exit && !T->isReferenceType() && !T->isPointerType() &&
      !T->isArrayType() && !T->isRecordType())
    Report(A.Range.getBegin(),
           "a type on entry and on exit needs a pointer or reference "
           "parameter: '" +
               D->getNameAsString() + "' is passed by value");
}

Annotation<rules::TypeAnnotation> AnnotationReader::typeOf(const ValueDecl *D) {
  if (const AnnotateAttr *A = find(D, "spmd::type")) {
    Annotation<rules::TypeAnnotation> Out = parseAttr(A, D);
    if (Out)
      checkSubject(D, Out);
    return Out;
  }
  if (const auto *F = dyn_cast<FunctionDecl>(D))
    return typeOfAlias(F->getReturnType());
  return typeOfAlias(D->getType());
}

Annotation<rules::TypeAnnotation>
AnnotationReader::resultOf(const FunctionDecl *F) {
  if (const AnnotateAttr *A = find(F, "spmd::type"))
    return parseAttr(A, F);
  return typeOfAlias(F->getReturnType());
}

Annotation<rules::TypeSpec>
AnnotationReader::parseType(const StringLiteral *Payload, const Decl *Where) {
  auto Parsed = rules::parseTypeSpec(Payload->getString());
  if (!Parsed) {
    report(Payload, Parsed.takeError());
    return {};
  }
  checkAxes(*Parsed, Payload, Where);
  return {std::make_shared<rules::TypeSpec>(std::move(*Parsed)),
          Payload->getSourceRange()};
}

//===--- Axes, meshes, ops ------------------------------------------------===//

Annotation<std::vector<std::string>>
AnnotationReader::axesOf(const NamedDecl *D) {
  const AnnotateAttr *A = find(D, "spmd::axis");
  if (!A)
    return {};
  auto [It, New] = Axes.try_emplace(A);
  if (!New)
    return It->second;
  const StringLiteral *Payload = payload(A);
  if (!Payload)
    return {};
  auto Parsed = rules::parseAxes(Payload->getString());
  if (!Parsed) {
    report(Payload, Parsed.takeError());
    return {};
  }
  for (const std::string &Axis : *Parsed)
    checkAxis(Axis, Payload->getString().find(Axis), Payload, D);
  Annotation<std::vector<std::string>> Out{
      std::make_shared<std::vector<std::string>>(std::move(*Parsed)),
      Payload->getSourceRange()};
  Axes[A] = Out;
  return Out;
}

Annotation<rules::MeshSpec> AnnotationReader::meshFor(const Decl *D) {
  while (D) {
    if (const AnnotateAttr *A = find(D, "spmd::mesh")) {
      auto [It, New] = Meshes.try_emplace(A);
      if (!New)
        return It->second;
      const StringLiteral *Payload = payload(A);
      if (!Payload)
        return {};
      auto Parsed = rules::parseMesh(Payload->getString());
      if (!Parsed) {
        report(Payload, Parsed.takeError());
        return {};
      }
      Annotation<rules::MeshSpec> Out{
          std::make_shared<rules::MeshSpec>(std::move(*Parsed)),
          Payload->getSourceRange()};
      Meshes[A] = Out;
      return Out;
    }
    // Out of line, a method's mesh is that of its class, then of its file.
    const DeclContext *Parent = D->getDeclContext();
    D = Parent ? dyn_cast<Decl>(Parent) : nullptr;
  }
  return {};
}

Annotation<OpPayload> AnnotationReader::opOf(const FunctionDecl *F) {
  const AnnotateAttr *A = find(F, "spmd::op");
  if (!A)
    return {};
  auto [It, New] = Ops.try_emplace(A);
  if (!New)
    return It->second;
  const StringLiteral *Payload = payload(A);
  if (!Payload)
    return {};
  const llvm::StringRef Text = Payload->getString();
  OpPayload Op;
  Op.Text = Text.str();
  if (Text == "linear")
    Op.Class = rules::OpClass::Linear;
  else if (Text == "multilinear")
    Op.Class = rules::OpClass::Multilinear;
  else if (Text == "nonlinear" || Text == "elementwise")
    Op.Class = rules::OpClass::Nonlinear;
  else if (const auto [Inputs, Outputs] = Text.split("->");
           Inputs.size() != Text.size())
    // Factor notation is an einsum: linear in each operand separately.
    Op.Class = Inputs.contains(',') ? rules::OpClass::Multilinear
                                    : rules::OpClass::Linear;
  else {
    report(Payload, 0,
           "expected elementwise, linear, multilinear, nonlinear or factors "
           "such as \"m k, k n -> m n\", got '" +
               Text.take_front(40).str() + "'");
    return {};
  }
  Annotation<OpPayload> Out{std::make_shared<OpPayload>(std::move(Op)),
                            Payload->getSourceRange()};
  Ops[A] = Out;
  return Out;
}

bool AnnotationReader::isTrusted(const FunctionDecl *F) const {
  return find(F, "spmd::no_typecheck") != nullptr;
}

bool AnnotationReader::isTrusted(const AttributedStmt *S) const {
  return llvm::any_of(S->getAttrs(), [](const Attr *A) {
    const auto *Annotate = dyn_cast<AnnotateAttr>(A);
    return Annotate && Annotate->getAnnotation() == "spmd::no_typecheck";
  });
}

} // namespace spmd::lint
