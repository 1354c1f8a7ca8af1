//===- DeclaredParameters.cpp - What all parameters are declared ----------===//

#include "DeclaredParameters.h"

#include "cxx/TypeClass.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// Modules in modules: a chain of them that is longer is unknown.
constexpr unsigned MaxNesting = 16;

class CommonType {
public:
  CommonType(ModuleLowering &M, const Annotation<TypeAnnotation> &Whole)
      : M(M), Whole(Whole) {}

  /// False: some parameter of the module \p T is not described.
  bool addModule(QualType T, unsigned Depth = 0);

  Annotation<TypeAnnotation> Found;
  std::set<std::string> Axes; ///< that are spoken of

private:
  bool addField(const FieldDecl *Field, unsigned Depth);
  void add(const Annotation<TypeAnnotation> &Of, const TypeSpec &Says);
  /// What has no annotation of its own is what is said of the whole.
  bool addRest() {
    if (Whole)
      add(Whole, Whole->Entry);
    return bool(Whole);
  }

  ModuleLowering &M;
  const Annotation<TypeAnnotation> &Whole;
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
  for (const AxisAtom &A : Common.Axes)
    Axes.insert(A.Axis);
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
const CXXRecordDecl *moduleClass(QualType T) {
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

const LayerRule *layerOf(const CXXRecordDecl *RD) {
  const std::string Name = RD->getNameAsString();
  llvm::StringRef Kind(Name);
  Kind.consume_back("Impl");
  return LayerCatalogue::builtin().find(Kind);
}

bool hasNoParameters(const CXXRecordDecl *RD) {
  const LayerRule *Layer = layerOf(RD);
  return Layer && !Layer->Op.empty() && Layer->Parameters.empty();
}

bool beginsWithConstants(QualType T) {
  const CXXRecordDecl *RD = moduleClass(T);
  const LayerRule *Layer = RD ? layerOf(RD) : nullptr;
  return Layer && Layer->Initial == LayerRule::InitialValues::Constant;
}

bool CommonType::addModule(QualType T, unsigned Depth) {
  const CXXRecordDecl *RD = moduleClass(T);
  if (!RD || Depth > MaxNesting)
    return addRest();
  if (!M.isOwnCode(RD->getLocation())) {
    const std::string Name = qualifiedName(RD);
    if (Name == "torch::nn::Module" ||
        llvm::StringRef(Name).starts_with("torch::nn::Cloneable") ||
        hasNoParameters(RD))
      return true;
    return addRest();
  }
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
    return Held.isNull() || !isModule(Held) || addRest();
  }
  const Annotation<TypeAnnotation> A = M.annotations().typeOf(Field);
  if (!A && Module)
    return addModule(Field->getType(), Depth + 1);
  if (!A)
    return addRest();
  const auto All = memberAnnotation(A.Value, ParametersMember);
  if (!All || All->Exit)
    return false;
  add(A, All->Entry);
  return true;
}

Annotation<TypeAnnotation>
declaredParameters(ModuleLowering &M, QualType T,
                   const Annotation<TypeAnnotation> &Whole, bool &Differ) {
  CommonType Common(M, Whole);
  const bool All = Common.addModule(T);
  const std::size_t Said = Common.Found ? Common.Found->Entry.Axes.size() : 0;
  Differ = Common.Axes.size() > (All ? Said : 0);
  // Members that are all another thing than the whole.
  if (Whole && Common.Found)
    Differ |=
        llvm::any_of(withoutDims(Whole->Entry).Axes, [&](const AxisAtom &A) {
          const AxisAtom *Is = Common.Found->Entry.find(A.Axis);
          return !Is || Is->Value != A.Value;
        });
  if (!All || !Said)
    return {};
  return Common.Found;
}

} // namespace spmd::lint::lower
