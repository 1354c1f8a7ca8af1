//===- OptimizedParts.cpp - The parts of a model, for its optimizer -------===//

#include "OptimizedParts.h"

#include "DeclaredParameters.h"

#include "cxx/TypeClass.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// More parts than these are not told apart.
constexpr unsigned MaxParts = 64;
constexpr unsigned MaxNesting = 8;

class Parts {
public:
  explicit Parts(ExprLowering &L) : L(L) {}

  void addModule(SlotId Module, QualType T, unsigned Depth);

  llvm::SmallVector<SlotId, 8> Found;

private:
  void add(SlotId S) {
    if (S != SlotId::None && Found.size() < MaxParts && L.slot(S).Declared &&
        !L.slot(S).Declared->Exit)
      Found.push_back(S);
  }

  ExprLowering &L;
};

} // namespace

/// A layer of libtorch, or a module whose members are all alike, is one part.
void Parts::addModule(SlotId Module, QualType T, unsigned Depth) {
  const CXXRecordDecl *RD = moduleClass(T);
  if (!RD || Module == SlotId::None || Depth > MaxNesting ||
      hasNoParameters(RD))
    return;
  const SlotId List = L.Slots.parametersOf(Module, T);
  if (!L.module().isOwnCode(RD->getLocation()) ||
      !L.Slots.hasDifferentParts(List, T))
    return add(List);
  for (const FieldDecl *Field : RD->fields()) {
    const QualType Is = Field->getType();
    const TypeClass Class = classify(Is);
    if (isModule(Is))
      addModule(L.Slots.field(Module, Field->getName(), Field), Is, Depth + 1);
    else if (Class == TypeClass::Tensor || Class == TypeClass::TensorList)
      add(L.Slots.field(Module, Field->getName(), Field));
  }
}

llvm::SmallVector<SlotId, 8> differentParts(ExprLowering &L, SlotId Module,
                                            QualType T) {
  if (Module == SlotId::None ||
      !L.Slots.hasDifferentParts(L.Slots.parametersOf(Module, T), T))
    return {};
  Parts Of(L);
  Of.addModule(Module, T, 0);
  return Of.Found;
}

} // namespace spmd::lint::lower
