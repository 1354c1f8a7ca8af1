//===- LocalArenas.cpp - Local lists that point into a buffer -------------===//

#include "LocalArenas.h"

#include "BindGlobalArenas.h"
#include "ElementPointers.h"

#include "cxx/OwnTensor.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/MapVector.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// A pointer that each element of a list has, and the buffer; null: several, or
/// nobody knows which.
using PointsInto =
    llvm::MapVector<std::pair<const VarDecl *, const FieldDecl *>,
                    const VarDecl *>;

/// Where the elements of \p List point.
struct Part {
  SlotId List, Memory;
  const FieldDecl *Pointer;
  SlotId Member; ///< None: the gradients of tensors
};

} // namespace

static PointsInto pointersOf(const FunctionDecl *FD) {
  PointsInto Out;
  const PointerOrigins Body(FD);
  for (const ElementPointer &P : elementPointersIn(Body)) {
    const VarDecl *List = P.List.Variable;
    if (!List || !List->isLocalVarDecl() || List->isStaticLocal() ||
        P.Value->isNullPointerConstant(FD->getASTContext(),
                                       Expr::NPC_ValueDependentIsNotNull))
      continue;
    const VarDecl *Into = memoryIn(Body, P.Value).Variable;
    if (Into &&
        (classify(Into->getType().getNonReferenceType()) != TypeClass::Buffer ||
         !Body.isSetOnce(Into)))
      Into = nullptr;
    const auto [At, New] = Out.try_emplace({List, P.Pointer}, Into);
    if (!New && At->second != Into)
      At->second = nullptr;
  }
  return Out;
}

static std::vector<Part> partsIn(ExprLowering &L) {
  std::vector<Part> Out;
  for (const auto &[Of, Memory] : pointersOf(L.function())) {
    const auto [List, Pointer] = Of;
    if (!Memory || classify(Pointer->getType()) != TypeClass::Buffer)
      continue;
    Part P{L.Slots.variable(List), L.Slots.variable(Memory), Pointer,
           SlotId::None};
    if (!isOwnTensor(L.context().getCanonicalTagType(Pointer->getParent()))) {
      P.Member = L.Slots.field(P.List, Pointer->getName(), Pointer);
      if (!L.Slots.isPartOfMemory(P.Member))
        continue;
    } else if (ownMember(Pointer) != OwnMember::Gradient) {
      continue;
    }
    Out.push_back(P);
  }
  return Out;
}

/// What \p P is behind \p X; None where that changes nothing of it.
static SlotId boundBehind(const Fact &X, const Part &P) {
  if (const auto *G = std::get_if<GradientFact>(&X))
    return P.Member == SlotId::None && G->Src.Slot == P.List ? G->Dst
                                                             : SlotId::None;
  const auto *Bind = std::get_if<BindFact>(&X);
  const auto *Define = std::get_if<DefineFact>(&X);
  const bool Anew = (Bind && (Bind->Dst == P.List || Bind->Dst == P.Memory)) ||
                    (Define && Define->Dst == P.List);
  return Anew ? P.Member : SlotId::None;
}

static void bindLocalArenas(ExprLowering &L) {
  const std::vector<Part> Parts = partsIn(L);
  if (Parts.empty())
    return;
  for (Block &B : L.ir().Blocks) {
    std::vector<Fact> Now;
    for (Fact &X : B.Facts) {
      std::vector<Fact> Behind;
      for (const Part &P : Parts)
        if (const SlotId S = boundBehind(X, P); S != SlotId::None) {
          ViewFact View;
          View.K = ViewFact::Kind::Region;
          View.Dst = S;
          View.Src.Slot = P.Memory;
          Behind.emplace_back(View);
        }
      Now.push_back(std::move(X));
      llvm::append_range(Now, std::move(Behind));
    }
    B.Facts = std::move(Now);
  }
}

void bindArenas(ExprLowering &L) {
  L.Slots.bindArenas();
  bindGlobalArenas(L);
  bindLocalArenas(L);
}

} // namespace spmd::lint::lower
