//===- Mutation.cpp - Right programs with one edit in them ----------------===//

#include "spmd/oracle/Mutation.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

bool isReplica(LocalType T) { return T == LocalType::R || T == LocalType::I; }
LocalType otherReplica(LocalType T) {
  return T == LocalType::R ? LocalType::I : LocalType::R;
}

bool isNonlinear(const RuleTerm &T) {
  return T.K == RuleTerm::Kind::Apply && T.Class == OpClass::Nonlinear;
}

/// What is found in one function.
class Finder {
public:
  Finder(const Function &F, unsigned Index, const std::set<std::string> &Axes,
         std::vector<Mutation> &Out)
      : F(F), Index(Index), Axes(Axes), Out(Out) {}

  void run() {
    for (unsigned B = 0; B != F.Blocks.size(); ++B)
      for (unsigned I = 0; I != F.Blocks[B].Facts.size(); ++I)
        if (const auto *T = std::get_if<TransferFact>(&F.Blocks[B].Facts[I]))
          ofTransfer(*T, B, I);
    if (F.Blocks.empty())
      return;
    for (unsigned I = 0; I != F.NumParameters; ++I)
      ofAnnotation(F.Slots[I].Declared.get(), SlotId(I));
    ofAnnotation(F.Result.get(), SlotId::None);
  }

private:
  void add(MutationKind Kind, unsigned B, unsigned I,
           SlotId Slot = SlotId::None, bool OfSource = false) {
    Mutation M;
    M.Kind = Kind;
    M.Function = Index;
    M.Block = B;
    M.Fact = I;
    M.Slot = Slot;
    M.OfSource = OfSource;
    Out.push_back(M);
  }

  void ofTransfer(const TransferFact &T, unsigned B, unsigned I) {
    using Kind = MutationKind;
    add(Kind::Drop, B, I);
    add(Kind::Duplicate, B, I);
    for (const std::string &Axis : Axes)
      if (communicator(T.Axis.Slot) != llvm::ArrayRef(Axis)) {
        add(Kind::RetargetAxis, B, I);
        Out.back().Axis = Axis;
      }
    for (const bool OfSource : {true, false}) {
      const std::optional<Atom> &End = OfSource ? T.From : T.To;
      if (End && End->ShardDim)
        add(Kind::RetargetDim, B, I, SlotId::None, OfSource);
      if (End && isReplica(End->Type))
        add(Kind::SwapReplicas, B, I, SlotId::None, OfSource);
    }
    if (T.K == TransferKind::Convert || T.K == TransferKind::Reinterpret)
      add(Kind::SwapConversion, B, I);
    if (!T.From &&
        (T.K == TransferKind::AllReduce || T.K == TransferKind::ReduceScatter))
      add(Kind::Average, B, I);
    if (T.Dst != SlotId::None)
      add(Kind::NonlinearFirst, B, I);
  }

  void ofAnnotation(const TypeAnnotation *A, SlotId Slot) {
    if (!A)
      return;
    for (const AxisAtom &Axis : A->Entry.Axes)
      for (LocalType T : {LocalType::R, LocalType::I, LocalType::P}) {
        // V says one value per rank: another value, not another type of it.
        if (T == Axis.Value.Type || Axis.Value.Type == LocalType::V)
          continue;
        Mutation M;
        M.Kind = MutationKind::Annotation;
        M.Function = Index;
        M.Slot = Slot;
        M.Axis = Axis.Axis;
        M.Type = T;
        Out.push_back(std::move(M));
      }
  }

  /// The axes of a communicator, also of a copy.
  llvm::ArrayRef<std::string> communicator(SlotId Slot) const {
    if (F.slot(Slot).DeclaredAxes.empty())
      for (const BindFact &Copy : factsOf<BindFact>(F))
        if (Copy.Dst == Slot)
          return F.slot(Copy.Src.Slot).DeclaredAxes;
    return F.slot(Slot).DeclaredAxes;
  }

  const Function &F;
  unsigned Index;
  const std::set<std::string> &Axes; ///< of the module
  std::vector<Mutation> &Out;
};

//===--- Edits ------------------------------------------------------------===//

using Facts = std::vector<Fact>;

void drop(Facts &In, std::size_t I) {
  const TransferFact T = std::get<TransferFact>(In[I]);
  if (T.Out.Slot == SlotId::None) {
    In[I] = BindFact{T.Dst, T.Src, T.At};
  } else {
    In.erase(In.begin() + static_cast<std::ptrdiff_t>(I));
  }
}

void duplicate(Function &F, Facts &In, std::size_t I) {
  TransferFact First = std::get<TransferFact>(In[I]);
  if (First.Out.Slot == SlotId::None) {
    First.Dst = F.addTemporary();
    std::get<TransferFact>(In[I]).Src.Slot = First.Dst;
  }
  In.insert(In.begin() + static_cast<std::ptrdiff_t>(I), First);
}

/// The first op after \p I that is a non-linear function of its result alone.
std::optional<std::size_t> nonlinearUse(const Facts &In, std::size_t I) {
  llvm::SmallVector<SlotId, 4> Names{std::get<TransferFact>(In[I]).Dst};
  for (std::size_t J = I + 1; J != In.size(); ++J) {
    if (const auto *B = std::get_if<BindFact>(&In[J]);
        B && llvm::is_contained(Names, B->Src.Slot))
      Names.push_back(B->Dst);
    const auto *O = std::get_if<OpFact>(&In[J]);
    if (O && O->Operands.size() == 1 && O->Dst != SlotId::None &&
        O->WritesTo == SlotId::None &&
        llvm::is_contained(Names, O->Operands[0].Slot))
      return isNonlinear(O->Rule->Term) ? std::optional(J) : std::nullopt;
  }
  return std::nullopt;
}

bool moveNonlinearFirst(Function &F, Facts &In, std::size_t I) {
  const std::optional<std::size_t> Use = nonlinearUse(In, I);
  if (!Use)
    return false;
  OpFact Op = std::get<OpFact>(In[*Use]);
  In[*Use] = BindFact{Op.Dst, Op.Operands[0], Op.At};
  auto &T = std::get<TransferFact>(In[I]);
  Op.Dst = F.addTemporary();
  Op.Operands[0] = T.Src;
  T.Src.Slot = Op.Dst;
  In.insert(In.begin() + static_cast<std::ptrdiff_t>(I), std::move(Op));
  return true;
}

void annotate(Function &F, const Mutation &By) {
  std::shared_ptr<const TypeAnnotation> &Target =
      By.Slot == SlotId::None ? F.Result : F.Slots[index(By.Slot)].Declared;
  auto New = std::make_shared<TypeAnnotation>(*Target);
  for (AxisAtom &A : New->Entry.Axes)
    if (A.Axis == By.Axis)
      A.Value.Type = By.Type;
  Target = std::move(New);
}

void retarget(Function &F, TransferFact &T, const std::string &Axis) {
  Slot S;
  S.Name = Axis;
  S.Kind = SlotKind::Global;
  S.DeclaredAxes = {Axis};
  T.Axis.Slot = F.addSlot(std::move(S));
}

bool edit(Function &F, const Mutation &By) {
  if (By.Kind == MutationKind::Annotation) {
    annotate(F, By);
    return true;
  }
  Facts &In = F.Blocks[By.Block].Facts;
  auto &T = std::get<TransferFact>(In[By.Fact]);
  std::optional<Atom> &End = By.OfSource ? T.From : T.To;
  switch (By.Kind) {
  case MutationKind::Drop:
    drop(In, By.Fact);
    return true;
  case MutationKind::Duplicate:
    duplicate(F, In, By.Fact);
    return true;
  case MutationKind::RetargetAxis:
    retarget(F, T, By.Axis);
    return true;
  case MutationKind::RetargetDim:
    *End->ShardDim = *End->ShardDim == 0 ? 1 : 0;
    return true;
  case MutationKind::SwapReplicas:
    End->Type = otherReplica(End->Type);
    return true;
  case MutationKind::SwapConversion:
    T.K = T.K == TransferKind::Convert ? TransferKind::Reinterpret
                                       : TransferKind::Convert;
    return true;
  case MutationKind::Average:
    if (T.Reduction != ReductionKind::Sum &&
        T.Reduction != ReductionKind::Average)
      return false;
    T.Reduction = T.Reduction == ReductionKind::Sum ? ReductionKind::Average
                                                    : ReductionKind::Sum;
    return true;
  case MutationKind::NonlinearFirst:
    return moveNonlinearFirst(F, In, By.Fact);
  case MutationKind::Annotation:
    break;
  }
  return false;
}

} // namespace

const char *mutationName(MutationKind K) {
  constexpr const char *Names[] = {
      "dropped",        "doubled",          "on another axis",
      "on another dim", "R for I",          "convert for reinterpret",
      "mean for sum",   "non-linear first", "annotation"};
  return Names[static_cast<int>(K)];
}

std::vector<Mutation> mutationsOf(const Module &M) {
  std::vector<Mutation> Out;
  std::set<std::string> Axes;
  for (const auto &F : M.Functions)
    for (const Slot &S : F->Slots)
      Axes.insert(S.DeclaredAxes.begin(), S.DeclaredAxes.end());
  for (unsigned I = 0; I != M.Functions.size(); ++I)
    if (!M.Functions[I]->Trusted)
      Finder(*M.Functions[I], I, Axes, Out).run();
  return Out;
}

std::optional<Module> mutate(const Module &M, const Mutation &By) {
  Module Out;
  for (const auto &F : M.Functions)
    Out.Functions.push_back(std::make_unique<Function>(*F));
  if (!edit(*Out.Functions[By.Function], By))
    return std::nullopt;
  return Out;
}

} // namespace spmd::oracle
