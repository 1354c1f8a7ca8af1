//===- Annotations.h - The attributes of declarations, parsed ---*- C++ -*-===//

#ifndef SPMD_LINT_ANNOTATIONS_H
#define SPMD_LINT_ANNOTATIONS_H

#include "spmd/ops/OpSpec.h"
#include "spmd/types/CheckingMode.h"
#include "spmd/types/TypeSpec.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <memory>
#include <set>

namespace clang {
class ASTContext;
class StringLiteral;
} // namespace clang

namespace spmd::lint {

/// A parsed payload and where it stands. False when there is none.
template <typename T> struct Annotation {
  std::shared_ptr<const T> Value;
  clang::SourceRange Range; ///< the string literal
  const clang::StringLiteral *Literal = nullptr;
  const clang::Decl *Where = nullptr; ///< types: whose mesh the axes are of

  explicit operator bool() const { return static_cast<bool>(Value); }
  const T &operator*() const { return *Value; }
  const T *operator->() const { return Value.get(); }
};

/// Reads, parses and caches annotations. An annotation is that of the first
/// redeclaration that has one, else of an overridden method. Each malformed
/// payload is reported once, at the byte that is wrong, as `spmd-annotation`.
class AnnotationReader {
public:
  /// Called with the exact location of a mistake.
  using Reporter = std::function<void(clang::SourceLocation, std::string)>;

  /// \p ConfiguredMesh may be null.
  AnnotationReader(clang::ASTContext &Ctx,
                   const rules::MeshSpec *ConfiguredMesh, Reporter Report);

  /// False when the translation unit cannot hold an annotation, because no
  /// token of it could have spelled one, rightly or wrongly. Cheap.
  static bool mayBeAnnotated(clang::ASTContext &Ctx);

  /// The type of a variable, parameter or field: its own annotation, that of an
  /// overridden method's parameter, or that of an alias its type is spelled by.
  Annotation<rules::TypeAnnotation> typeOf(const clang::ValueDecl *D);
  /// The type of a function's return value.
  Annotation<rules::TypeAnnotation> resultOf(const clang::FunctionDecl *F);
  /// The axes of a communicator, or of the one a function returns.
  Annotation<std::vector<std::string>> axesOf(const clang::NamedDecl *D);
  /// The axes whose number of ranks \p D holds, or returns.
  Annotation<std::vector<std::string>> sizeOf(const clang::NamedDecl *D);
  /// The mesh in force at \p D: the innermost attribute around it.
  Annotation<rules::MeshSpec> meshFor(const clang::Decl *D);
  /// The same, else the configured one; null when there is neither.
  const rules::MeshSpec *meshInForce(const clang::Decl *D);
  /// How a function whose body is not analysed propagates types.
  Annotation<rules::OpSpec> opOf(const clang::FunctionDecl *F);

  /// A lambda without a mode of its own has that of the code around it.
  rules::CheckingMode modeOf(const clang::FunctionDecl *F);
  /// Trusted: not analysed, annotations are the contract.
  bool isTrusted(const clang::FunctionDecl *F) const;
  bool isTrusted(const clang::AttributedStmt *S) const;

  /// Parses a payload outside an attribute: spmd::assert_type's argument.
  Annotation<rules::TypeSpec> parseType(const clang::StringLiteral *Payload,
                                        const clang::Decl *Where);

  /// \p D, of the function \p F, is what \p Payload says if it has no
  /// annotation of its own.
  void imply(const clang::Decl *D, const clang::StringLiteral *Payload,
             const clang::FunctionDecl *F);
  /// \p F is a local region of global code.
  void implyLocalMap(const clang::FunctionDecl *F) { LocalMaps.insert(F); }

  /// The same by attribute, whether or not it is the one in force.
  Annotation<rules::TypeAnnotation> type(const clang::AnnotateAttr *A,
                                         const clang::Decl *Where);
  Annotation<std::vector<std::string>> axes(const clang::AnnotateAttr *A,
                                            const clang::Decl *Where);
  Annotation<rules::MeshSpec> mesh(const clang::AnnotateAttr *A);
  Annotation<rules::OpSpec> op(const clang::AnnotateAttr *A);

  /// An argument that must be a string literal; reported and null otherwise.
  const clang::StringLiteral *payload(const clang::AnnotateAttr *A,
                                      unsigned Index = 0);
  /// Where byte \p Offset of a payload stands: an AxisAtom's own place, say.
  clang::SourceLocation locationOf(const clang::StringLiteral *Payload,
                                   std::size_t Offset) const;
  /// Reports once per place and message.
  void report(clang::SourceLocation Loc, std::string Message);

private:
  void report(const clang::StringLiteral *Payload, llvm::Error E);
  void checkAxes(const rules::TypeSpec &T, const clang::StringLiteral *Payload,
                 const clang::Decl *Where);
  void checkOverlap(llvm::ArrayRef<std::string> Names,
                    llvm::ArrayRef<std::size_t> Offsets,
                    const clang::StringLiteral *Payload,
                    const clang::Decl *Where);
  /// With the parts of flattened axes in place of these.
  rules::TypeSpec inParts(const rules::TypeSpec &T, const clang::Decl *Where);
  void checkAxis(llvm::StringRef Axis, std::size_t Offset,
                 const clang::StringLiteral *Payload, const clang::Decl *Where);
  Annotation<rules::TypeAnnotation> typeOfAlias(clang::QualType T);

  template <typename T>
  using ByAttribute =
      llvm::DenseMap<const clang::AnnotateAttr *, Annotation<T>>;
  template <typename T, typename Parser, typename Checker>
  Annotation<T> parsed(ByAttribute<T> &Cache, const clang::AnnotateAttr *A,
                       Parser Parse, Checker Check);

  clang::ASTContext &Ctx;
  const rules::MeshSpec *ConfiguredMesh;
  Reporter Report;
  ByAttribute<rules::TypeAnnotation> Types;
  ByAttribute<std::vector<std::string>> Axes;
  ByAttribute<rules::MeshSpec> Meshes;
  ByAttribute<rules::OpSpec> Ops;
  llvm::DenseMap<const clang::Decl *, Annotation<rules::MeshSpec>> MeshAt;
  /// What calls of spmd::local_map say of a lambda.
  llvm::DenseMap<const clang::Decl *, Annotation<rules::TypeAnnotation>>
      Implied;
  llvm::DenseSet<const clang::FunctionDecl *> LocalMaps;
  std::set<std::pair<unsigned, std::string>> Reported;
};

/// One [[spmd::allow("check", "reason")]].
struct Allowance {
  clang::SourceRange Attribute;
  clang::SourceRange On; ///< the declaration or statement that it is on
  std::string Check;
  std::string Reason; ///< empty when none is given
};

/// Where the user's annotations are.
struct AnnotatedCode {
  std::vector<const clang::Decl *> Decls;
  std::vector<const clang::AttributedStmt *> Statements;
  std::set<clang::FileID> Files;
};

/// Reads every annotation, so that none is misunderstood in silence: payloads,
/// the kinds of declaration they stand on, contradictions between
/// redeclarations, contracts that a local_map lacks. Returns the allowances.
/// \p Foreign: globs of attributes that look like slips of ours and are not.
std::vector<Allowance> checkAnnotations(clang::ASTContext &Ctx,
                                        AnnotationReader &Reader,
                                        const AnnotatedCode &In,
                                        llvm::ArrayRef<std::string> Foreign);

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_H
