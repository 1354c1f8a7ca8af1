//===- AnnotationReader.cpp - Attributes to parsed payloads ---------------===//

#include "spmd/lint/Annotations.h"

#include "FindAttribute.h"
#include "LayerSplits.h"
#include "RankGroups.h"
#include "ScanAttributes.h"

#include "spmd/types/AxisAlgebra.h"
#include "spmd/types/TypeOnMesh.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint {

AnnotationReader::AnnotationReader(ASTContext &Ctx,
                                   const rules::MeshSpec *ConfiguredMesh,
                                   Reporter Report)
    : Ctx(Ctx), ConfiguredMesh(ConfiguredMesh), Report(std::move(Report)) {}

bool AnnotationReader::mayBeAnnotated(ASTContext &Ctx,
                                      const AnnotatedCode &Code) {
  auto Known = [&](llvm::StringRef Name) {
    if (Ctx.Idents.find(Name) != Ctx.Idents.end())
      return true;
    IdentifierInfoLookup *External =
        Ctx.Idents.getExternalIdentifierLookup(); // a precompiled preamble
    return External && External->get(Name);
  };
  if (Known("spmd") || Known("annotate"))
    return true;
  const bool Slips = llvm::any_of(Ctx.Idents, [](const auto &Identifier) {
    return isSlipOfScope(Identifier.getKey());
  });
  return Slips && llvm::any_of(Code.Files, [&](FileID File) {
           return !scanAttributes(File, Ctx.getSourceManager(),
                                  Ctx.getLangOpts())
                       .empty();
         });
}

const StringLiteral *AnnotationReader::payload(const AnnotateAttr *A,
                                               unsigned Index) {
  if (Index >= A->args_size()) {
    report(A->getLocation(), "'" + A->getAnnotation().str() +
                                 "' needs a payload: a string literal");
    return nullptr;
  }
  const StringLiteral *Literal = stringArgument(A, Index);
  if (!Literal)
    report((*(A->args_begin() + Index))->getExprLoc(),
           "the payload of '" + A->getAnnotation().str() +
               "' must be one string literal");
  return Literal;
}

//===--- Reporting --------------------------------------------------------===//

SourceLocation AnnotationReader::locationOf(const StringLiteral *Payload,
                                            std::size_t Offset) const {
  // The byte behind the last one is the closing quote.
  return Payload->getLocationOfByte(static_cast<unsigned>(std::min<std::size_t>(
                                        Offset, Payload->getLength())),
                                    Ctx.getSourceManager(), Ctx.getLangOpts(),
                                    Ctx.getTargetInfo());
}

void AnnotationReader::report(SourceLocation Loc, std::string Message) {
  // Each instantiation of a template has attributes of its own.
  if (Reported.insert({Loc.getRawEncoding(), Message}).second)
    Report(Loc, std::move(Message));
}

void AnnotationReader::report(const StringLiteral *Payload, llvm::Error E) {
  llvm::handleAllErrors(std::move(E), [&](const rules::PayloadError &P) {
    report(locationOf(Payload, P.Offset), P.Message);
  });
}

void AnnotationReader::checkAxis(llvm::StringRef Axis, std::size_t Offset,
                                 const StringLiteral *Payload,
                                 const Decl *Where) {
  const rules::MeshSpec *InForce = meshInForce(Where);
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
  if (makesRankGroup(Ctx, Axis))
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
      locationOf(Payload, Offset),
      "unknown axis '" + Axis.str() + "': the mesh in force has " + Known +
          (Nearest.empty() ? "" : "; did you mean '" + Nearest.str() + "'?"));
}

void AnnotationReader::checkAxes(const rules::TypeSpec &T,
                                 const StringLiteral *Payload,
                                 const Decl *Where) {
  std::vector<std::string> Names;
  llvm::SmallVector<std::size_t, 4> Offsets;
  for (const rules::AxisAtom &A : T.Axes) {
    checkAxis(A.Axis, A.Offset, Payload, Where);
    Names.push_back(A.Axis);
    Offsets.push_back(A.Offset);
  }
  checkOverlap(Names, Offsets, Payload, Where);
}

/// A flattened axis and one of its parts: each rank has one place on both.
void AnnotationReader::checkOverlap(llvm::ArrayRef<std::string> Names,
                                    llvm::ArrayRef<std::size_t> Offsets,
                                    const StringLiteral *Payload,
                                    const Decl *Where) {
  const rules::MeshSpec *InForce = meshInForce(Where);
  const auto Two = InForce ? rules::overlapping(Names, *InForce) : std::nullopt;
  if (!Two)
    return;
  const auto Says = [&](const std::string &Name) {
    const rules::MeshAxis *A = InForce->find(Name);
    return "'" + Name + "'" +
           (A->Of.empty() ? "" : ", which is " + rules::printAxes(A->Of) + ",");
  };
  report(locationOf(Payload, Offsets[Two->second]),
         Says(Names[Two->second]) + " overlaps " +
             llvm::StringRef(Says(Names[Two->first])).rtrim(",").str() +
             ": a rank's place on the one is its place on the other");
}

rules::TypeSpec AnnotationReader::inParts(const rules::TypeSpec &T,
                                          const Decl *Where) {
  const rules::MeshSpec *InForce = meshInForce(Where);
  return InForce ? rules::withParts(T, *InForce) : T;
}

//===--- Parsing ----------------------------------------------------------===//

template <typename T, typename Parser, typename Checker>
Annotation<T> AnnotationReader::parsed(ByAttribute<T> &Cache,
                                       const AnnotateAttr *A, Parser Parse,
                                       Checker Check) {
  auto [It, New] = Cache.try_emplace(A);
  if (!New)
    return It->second;
  const StringLiteral *Payload = payload(A);
  if (!Payload)
    return {};
  llvm::Expected<T> Value = Parse(Payload->getString());
  if (!Value) {
    report(Payload, Value.takeError());
    return {};
  }
  // May look up a mesh, but nothing in this cache.
  Check(*Value, Payload);
  return It->second = {std::make_shared<T>(std::move(*Value)),
                       Payload->getSourceRange(), Payload};
}

template <typename T> static void noCheck(const T &, const StringLiteral *) {}

Annotation<rules::TypeAnnotation> AnnotationReader::type(const AnnotateAttr *A,
                                                         const Decl *Where) {
  Annotation<rules::TypeAnnotation> Out = parsed(
      Types, A,
      [&](llvm::StringRef Text) {
        return rules::parseTypeAnnotation(Text, meshInForce(Where));
      },
      [&](rules::TypeAnnotation &T, const StringLiteral *At) {
        checkAxes(T.Entry, At, Where);
        T.Entry = inParts(T.Entry, Where);
        if (T.Exit) {
          checkAxes(*T.Exit, At, Where);
          T.Exit = inParts(*T.Exit, Where);
        }
        for (rules::MemberType &M : T.Members) {
          checkAxes(M.Type, At, Where);
          M.Type = inParts(M.Type, Where);
        }
        if (const auto *V = dyn_cast_or_null<ValueDecl>(Where);
            V && !isa<FunctionDecl>(V) && !V->getType()->isDependentType())
          T = splitByParameter(std::move(T), V->getType());
      });
  Out.Where = Where;
  return Out;
}

Annotation<rules::TypeSpec>
AnnotationReader::parseType(const StringLiteral *Payload, const Decl *Where) {
  auto Parsed = rules::parseTypeSpec(Payload->getString(), meshInForce(Where));
  if (!Parsed) {
    report(Payload, Parsed.takeError());
    return {};
  }
  checkAxes(*Parsed, Payload, Where);
  return {std::make_shared<rules::TypeSpec>(inParts(*Parsed, Where)),
          Payload->getSourceRange(), Payload};
}

void AnnotationReader::imply(const Decl *D, const StringLiteral *Payload,
                             const FunctionDecl *F) {
  const Annotation<rules::TypeSpec> Said = parseType(Payload, F);
  if (Said)
    Implied[D] = {std::make_shared<rules::TypeAnnotation>(
                      rules::TypeAnnotation{*Said, std::nullopt}),
                  Said.Range, Payload, F};
}

Annotation<std::vector<std::string>>
AnnotationReader::axes(const AnnotateAttr *A, const Decl *Where) {
  llvm::SmallVector<std::size_t, 2> Offsets;
  return parsed(
      Axes, A,
      [&](llvm::StringRef Text) { return rules::parseAxes(Text, &Offsets); },
      [&](std::vector<std::string> &Names, const StringLiteral *At) {
        for (const auto &[Axis, Offset] : llvm::zip_equal(Names, Offsets))
          checkAxis(Axis, Offset, At, Where);
        checkOverlap(Names, Offsets, At, Where);
        std::vector<std::string> Parts;
        if (const rules::MeshSpec *InForce = meshInForce(Where)) {
          for (const std::string &Axis : Names)
            llvm::append_range(Parts, rules::partsOf(*InForce, Axis));
          Names = std::move(Parts);
        }
      });
}

Annotation<rules::MeshSpec> AnnotationReader::mesh(const AnnotateAttr *A) {
  return parsed(Meshes, A, rules::parseMesh, noCheck<rules::MeshSpec>);
}

Annotation<rules::OpSpec> AnnotationReader::op(const AnnotateAttr *A) {
  return parsed(Ops, A, rules::parseOpSpec, noCheck<rules::OpSpec>);
}

//===--- What is in force -------------------------------------------------===//

Annotation<rules::TypeAnnotation> AnnotationReader::typeOfAlias(QualType T) {
  const TypedefNameDecl *Alias = annotatedAlias(T, Ctx);
  return Alias ? type(findAttribute(Alias, "spmd::type"), Alias)
               : Annotation<rules::TypeAnnotation>();
}

Annotation<rules::TypeAnnotation> AnnotationReader::typeOf(const ValueDecl *D) {
  if (const auto *F = dyn_cast<FunctionDecl>(D))
    return resultOf(F);
  if (const AnnotateAttr *A = findAttribute(D, "spmd::type"))
    return type(A, D);
  if (const auto It = Implied.find(D); It != Implied.end())
    return It->second;
  return typeOfAlias(D->getType());
}

Annotation<rules::TypeAnnotation>
AnnotationReader::resultOf(const FunctionDecl *F) {
  if (const AnnotateAttr *A = findAttribute(F, "spmd::type"))
    return type(A, F);
  if (const auto It = Implied.find(F); It != Implied.end())
    return It->second;
  return typeOfAlias(F->getReturnType());
}

Annotation<std::vector<std::string>>
AnnotationReader::axesOf(const NamedDecl *D) {
  const AnnotateAttr *A = findAttribute(D, "spmd::axis");
  return A ? axes(A, D) : Annotation<std::vector<std::string>>();
}

Annotation<std::vector<std::string>>
AnnotationReader::sizeOf(const NamedDecl *D) {
  const AnnotateAttr *A = findAttribute(D, "spmd::size");
  return A ? axes(A, D) : Annotation<std::vector<std::string>>();
}

Annotation<rules::MeshSpec> AnnotationReader::meshFor(const Decl *D) {
  if (!D)
    return {};
  D = D->getCanonicalDecl();
  if (auto It = MeshAt.find(D); It != MeshAt.end())
    return It->second;
  Annotation<rules::MeshSpec> Out;
  if (const AnnotateAttr *A = findAttribute(D, "spmd::mesh"))
    Out = mesh(A);
  else if (const DeclContext *Parent = D->getDeclContext())
    // Out of line, a method's mesh is that of its class, then of its file.
    Out = meshFor(cast<Decl>(Parent));
  return MeshAt[D] = Out;
}

const rules::MeshSpec *AnnotationReader::meshInForce(const Decl *D) {
  const Annotation<rules::MeshSpec> Mesh = meshFor(D);
  return Mesh ? Mesh.Value.get() : ConfiguredMesh;
}

Annotation<rules::OpSpec> AnnotationReader::opOf(const FunctionDecl *F) {
  const AnnotateAttr *A = findAttribute(F, "spmd::op");
  return A ? op(A) : Annotation<rules::OpSpec>();
}

rules::CheckingMode AnnotationReader::modeOf(const FunctionDecl *F) {
  rules::CheckingMode Out;
  const AnnotateAttr *Global = findAttribute(F, "spmd::global");
  const AnnotateAttr *Local = findAttribute(F, "spmd::local");
  Out.LocalMap =
      findAttribute(F, "spmd::local_map") != nullptr || LocalMaps.contains(F);
  if (!Global && !Local && !Out.LocalMap) {
    const auto *M = dyn_cast<CXXMethodDecl>(F);
    if (!M || !M->getParent()->isLambda())
      return Out;
    const auto *Around =
        dyn_cast_or_null<FunctionDecl>(M->getParent()->getDeclContext());
    return Around ? modeOf(Around) : Out;
  }
  if (Global && Global->args_size() == 0)
    Out.AllGlobal = true;
  else if (Global)
    if (const Annotation<std::vector<std::string>> A = axes(Global, F))
      Out.GlobalAxes = *A;
  if (Local && Local->args_size() == 0)
    Out.AllLocal = true;
  else if (Local)
    if (const Annotation<std::vector<std::string>> A = axes(Local, F))
      Out.LocalAxes = *A;
  return Out;
}

bool AnnotationReader::isTrusted(const FunctionDecl *F) const {
  return findAttribute(F, "spmd::no_typecheck") != nullptr;
}

bool AnnotationReader::isTrusted(const AttributedStmt *S) const {
  return llvm::any_of(S->getAttrs(), [](const Attr *A) {
    const auto *Annotate = dyn_cast<AnnotateAttr>(A);
    return Annotate && Annotate->getAnnotation() == "spmd::no_typecheck";
  });
}

} // namespace spmd::lint
