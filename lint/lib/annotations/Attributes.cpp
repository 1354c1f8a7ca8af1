//===- Attributes.cpp - Teaching Clang the spmd attributes ----------------===//
//
// Each attribute becomes an AnnotateAttr named like it, which every part of
// Clang already carries through templates, redeclarations and preambles, and
// which [[clang::annotate("spmd::type", "...")]] spells without us.
//
//===----------------------------------------------------------------------===//

#include "clang/AST/Attr.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace {

struct AttributeInfo {
  llvm::StringLiteral FullName;
  unsigned Required;
  unsigned Optional;
  bool OnStatements;
  /// Clang decides by the bare name whether an attribute is known, and drops
  /// the arguments of one that is not; so that is registered too, and refused
  /// in the handler.
  ParsedAttrInfo::Spelling Spellings[4];
};

#define SPMD_ATTRIBUTE(NAME, REQUIRED, OPTIONAL, ON_STATEMENTS)                \
  {                                                                            \
    "spmd::" NAME, REQUIRED, OPTIONAL, ON_STATEMENTS, {                        \
      {ParsedAttr::AS_CXX11, "spmd::" NAME},                                   \
          {ParsedAttr::AS_C23, "spmd::" NAME}, {ParsedAttr::AS_CXX11, NAME}, { \
        ParsedAttr::AS_C23, NAME                                               \
      }                                                                        \
    }                                                                          \
  }
constexpr AttributeInfo Attributes[] = {
    SPMD_ATTRIBUTE("type", 1, 0, false),
    SPMD_ATTRIBUTE("axis", 1, 0, false),
    SPMD_ATTRIBUTE("size", 1, 0, false),
    SPMD_ATTRIBUTE("mesh", 1, 0, false),
    SPMD_ATTRIBUTE("op", 1, 0, false),
    SPMD_ATTRIBUTE("global", 0, 1, false),
    SPMD_ATTRIBUTE("local", 0, 1, false),
    SPMD_ATTRIBUTE("local_map", 0, 0, false),
    SPMD_ATTRIBUTE("no_typecheck", 0, 0, true),
    // The reason is checked where suppressions are, not by the parser.
    SPMD_ATTRIBUTE("allow", 1, 1, true),
};
#undef SPMD_ATTRIBUTE

template <unsigned Index> class SpmdAttribute : public ParsedAttrInfo {
  static constexpr const AttributeInfo &Info = Attributes[Index];

public:
  SpmdAttribute() {
    NumArgs = Info.Required;
    OptArgs = Info.Optional;
    IsStmt = Info.OnStatements;
    Spellings = Info.Spellings;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D,
                                   const ParsedAttr &A) const override {
    Attr *Annotation = annotation(S, A);
    if (!Annotation)
      return AttributeNotApplied;
    D->addAttr(Annotation);
    return AttributeApplied;
  }

  AttrHandling handleStmtAttribute(Sema &S, Stmt *, const ParsedAttr &A,
                                   Attr *&Result) const override {
    Result = annotation(S, A);
    return Result ? AttributeApplied : AttributeNotApplied;
  }

private:
  static Attr *annotation(Sema &S, const ParsedAttr &A) {
    if (!A.getScopeName()) {
      S.Diag(A.getLoc(), diag::warn_unknown_attribute_ignored)
          << "'" + A.getNormalizedFullName() + "'" << A.getRange();
      return nullptr;
    }
    llvm::SmallVector<Expr *, 2> Arguments;
    for (unsigned I = 0; I != A.getNumArgs(); ++I)
      if (A.isArgExpr(I))
        Arguments.push_back(A.getArgAsExpr(I));
    // Not AnnotateAttr::Create: code generation expects what Sema makes.
    return S.CreateAnnotationAttr(A, Info.FullName, Arguments);
  }
};

template <unsigned Index>
using Register = ParsedAttrInfoRegistry::Add<SpmdAttribute<Index>>;

Register<0> RegisterType("spmd-type", "an SPMD type");
Register<1> RegisterAxis("spmd-axis", "the mesh axis of a communicator");
Register<2> RegisterSize("spmd-size", "the number of ranks of an axis");
Register<3> RegisterMesh("spmd-mesh", "the mesh in force");
Register<4> RegisterOp("spmd-op", "how a function propagates types");
Register<5> RegisterGlobal("spmd-global", "global checking");
Register<6> RegisterLocal("spmd-local", "local checking");
Register<7> RegisterLocalMap("spmd-local-map", "a local region");
Register<8> RegisterNoTypecheck("spmd-no-typecheck", "a trusted function");
Register<9> RegisterAllow("spmd-allow", "a suppression");
static_assert(std::size(Attributes) == 10, "each is registered");

} // namespace
