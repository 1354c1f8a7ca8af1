//===- Annotations.h - The attributes of declarations, parsed ---*- C++ -*-===//

#ifndef SPMD_LINT_ANNOTATIONS_H
#define SPMD_LINT_ANNOTATIONS_H

#include "spmd/rules/OpRule.h"
#include "spmd/rules/TypeSpec.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <memory>

namespace clang {
class ASTContext;
class StringLiteral;
} // namespace clang

namespace spmd::lint {

/// A parsed payload and where it stands. False when there is none.
template <typename T> struct Annotation {
  std::shared_ptr<const T> Value;
  clang::SourceRange Range; ///< the string literal

  explicit operator bool() const { return static_cast<bool>(Value); }
  const T &operator*() const { return *Value; }
  const T *operator->() const { return Value.get(); }
};

/// `[[spmd::op("…")]]` as a rule over the function's tensor parameters.
struct OpPayload {
  std::string Text;
  rules::OpClass Class; ///< of the op as a whole, from the factor notation
};

/// Reads, parses and caches annotations. Each malformed one is reported once,
/// at the byte that is wrong, as `spmd-annotation`.
class AnnotationReader {
public:
  /// Called with the exact location of a mistake.
  using Reporter = std::function<void(clang::SourceLocation, std::string)>;

  /// \p ConfiguredMesh may be null.
  AnnotationReader(clang::ASTContext &Ctx,
                   const rules::MeshSpec *ConfiguredMesh, Reporter Report);

  /// False when the translation unit cannot hold an annotation, because no
  /// token of it could have spelled one. Cheap.
  static bool mayBeAnnotated(clang::ASTContext &Ctx);

  /// The type of a variable, parameter or field: its own annotation, that of an
  /// overridden method's parameter, or that of an alias its type is spelled by.
  Annotation<rules::TypeAnnotation> typeOf(const clang::ValueDecl *D);
  /// The type of a function's return value.
  Annotation<rules::TypeAnnotation> resultOf(const clang::FunctionDecl *F);
  /// The axes of a communicator, or of the one a function returns.
  Annotation<std::vector<std::string>> axesOf(const clang::NamedDecl *D);
  /// The mesh in force at \p D: the innermost attribute around it.
  Annotation<rules::MeshSpec> meshFor(const clang::Decl *D);
  Annotation<OpPayload> opOf(const clang::FunctionDecl *F);

  /// Trusted: not analysed, annotations are the contract.
  bool isTrusted(const clang::FunctionDecl *F) const;
  bool isTrusted(const clang::AttributedStmt *S) const;

  /// Parses a payload outside an attribute: spmd::assert_type's argument.
  Annotation<rules::TypeSpec> parseType(const clang::StringLiteral *Payload,
                                        const clang::Decl *Where);

private:
  const clang::AnnotateAttr *find(const clang::Decl *D,
                                  llvm::StringRef Name) const;
  const clang::StringLiteral *payload(const clang::AnnotateAttr *A,
                                      unsigned Index = 0);
  void report(const clang::StringLiteral *Payload, std::size_t Offset,
              std::string Message);
  void report(const clang::StringLiteral *Payload, llvm::Error E);
  void checkAxes(const rules::TypeSpec &T, const clang::StringLiteral *Payload,
                 const clang::Decl *Where);
  void checkAxis(llvm::StringRef Axis, std::size_t Offset,
                 const clang::StringLiteral *Payload, const clang::Decl *Where);
  Annotation<rules::TypeAnnotation> parseAttr(const clang::AnnotateAttr *A,
                                              const clang::Decl *Where);
  Annotation<rules::TypeAnnotation> typeOfAlias(clang::QualType T);
  void checkSubject(const clang::ValueDecl *D,
                    const Annotation<rules::TypeAnnotation> &A);

  clang::ASTContext &Ctx;
  const rules::MeshSpec *ConfiguredMesh;
  Reporter Report;
  llvm::DenseMap<const clang::AnnotateAttr *, Annotation<rules::TypeAnnotation>>
      Types;
  llvm::DenseMap<const clang::AnnotateAttr *,
                 Annotation<std::vector<std::string>>>
      Axes;
  llvm::DenseMap<const clang::AnnotateAttr *, Annotation<rules::MeshSpec>>
      Meshes;
  llvm::DenseMap<const clang::AnnotateAttr *, Annotation<OpPayload>> Ops;
  llvm::DenseMap<const clang::ValueDecl *, bool> SubjectChecked;
};

/// True for the types an SPMD type can be given to: tensor handles, raw
/// buffers, arithmetic scalars, and containers of those.
bool isTensorLike(clang::QualType T);

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_H
