//===- DeclaredParameters.cpp - What all parameters are declared ----------===//

#include "DeclaredParameters.h"

#include "cxx/TypeClass.h"

#include "spmd/ops/LayerCatalogue.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// Modules in modules: a chain of them that is longer is unknown.
constexpr unsigned MaxNesting = 16;

class CommonType {
public:
  explicit CommonType(ModuleLowering &M) : M(M) {}

  /// False: some parameter of the module \p T is not described.
  bool addModule(QualType T, unsigned Depth = 0);

  Annotation<TypeAnnotation> Found;

private:
  bool addField(const FieldDecl *Field, unsigned Depth);
  void add(const Annotation<TypeAnnotation> &Of, const TypeSpec &Says);

  ModuleLowering &M;
};

} // namespace

/// A shard is V to who sees others beside it.
static TypeSpec withoutDims(TypeSpec T) {
  for (AxisAtom &A : T.Axes)
    A.Value.ShardDim.reset();
  T.Global.reset();
  return T;
}

void CommonType::add(const Annotation<TypeAnnotation> &Of,
                     const TypeSpec &Says) {
  TypeSpec Common = withoutDims(Says);
  if (Found)
    llvm::erase_if(Common.Axes, [&](const AxisAtom &A) {
      const AxisAtom *Others = Found->Entry.find(A.Axis);
      return !Others || Others->Value != A.Value;
    });
  else
    Found = Of;
  Found.Value = std::make_shared<const TypeAnnotation>(
      TypeAnnotation{std::move(Common), std::nullopt});
}

/// What a holder or a smart pointer holds, else the class itself.
static const CXXRecordDecl *moduleClass(QualType T) {
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  while (true) {
    const QualType Held = elementType(T);
    if (Held.isNull() || !Held->isRecordType())
      break;
    T = Held;
  }
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  // `class Linear : public ModuleHolder<LinearImpl>`
  if (RD && RD->hasDefinition())
    for (const CXXBaseSpecifier &B : RD->bases())
      if (className(B.getType()) == "torch::nn::ModuleHolder")
        return moduleClass(B.getType());
  return RD && RD->hasDefinition() ? RD->getDefinition() : nullptr;
}

/// Whether a layer of libtorch has no parameters.
static bool hasNoParameters(const CXXRecordDecl *RD) {
  std::string Name = RD->getNameAsString();
  llvm::StringRef Kind(Name);
  Kind.consume_back("Impl");
  const LayerRule *Layer = LayerCatalogue::builtin().find(Kind);
  return Layer && !Layer->Op.empty() && Layer->Parameters.empty();
}

bool CommonType::addModule(QualType T, unsigned Depth) {
  const CXXRecordDecl *RD = moduleClass(T);
  if (!RD || Depth > MaxNesting)
    return false;
  if (!M.isOwnCode(RD->getLocation()))
    return qualifiedName(RD) == "torch::nn::Module" ||
           llvm::StringRef(qualifiedName(RD))
               .starts_with("torch::nn::Cloneable") ||
           hasNoParameters(RD);
  return llvm::all_of(RD->bases(),
                      [&](const CXXBaseSpecifier &B) {
                        return addModule(B.getType(), Depth + 1);
                      }) &&
         llvm::all_of(RD->fields(), [&](const FieldDecl *Field) {
           return addField(Field, Depth);
         });
}

bool CommonType::addField(const FieldDecl *Field, unsigned Depth) {
  const TypeClass Class = classify(Field->getType());
  const bool Module = isModule(Field->getType());
  const bool Tensors =
      Class == TypeClass::Tensor || Class == TypeClass::TensorList;
  if (!Module && !Tensors) {
    // A list of modules is none, and what it holds has parameters.
    const QualType Held = elementType(Field->getType());
    return Held.isNull() || !isModule(Held);
  }
  const Annotation<TypeAnnotation> A = M.annotations().typeOf(Field);
  if (!A)
    return Module && addModule(Field->getType(), Depth + 1);
  const auto All = memberAnnotation(A.Value, ParametersMember);
  if (!All || All->Exit)
    return false;
  add(A, All->Entry);
  return true;
}

Annotation<TypeAnnotation> declaredParameters(ModuleLowering &M, QualType T) {
  CommonType Common(M);
  if (!Common.addModule(T) || !Common.Found || Common.Found->Entry.Axes.empty())
    return {};
  return Common.Found;
}

} // namespace spmd::lint::lower
