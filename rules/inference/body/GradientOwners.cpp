//===- GradientOwners.cpp - Whose gradients may be those of others --------===//

#include "Gradients.h"

#include "spmd/ir/Members.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace spmd::rules::inference {

/// The objects of which \p Primal lists all parameters: that of an optimizer is
/// its model's.
llvm::SmallVector<SlotId, 2> Gradients::listedObjects(CellId Primal) const {
  llvm::SmallVector<SlotId, 2> Out;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Member == ParametersMember &&
        (I == Primal || Point.Now->cellOf(I) == Primal))
      Out.push_back(F.Slots[I].Base);
  return Out;
}

/// Tensors that may be, or may hold, some of those in \p Primal.
llvm::SmallVector<CellId, 4> Gradients::mayShareTensors(CellId Primal) const {
  llvm::SmallVector<CellId, 4> Out = Alias.heldBy(Primal);
  // Two lists share what both were given.
  for (CellId Held : Alias.heldBy(Primal))
    llvm::append_range(Out, Alias.mayBe(Held));
  // One of a list is one of those that it was given.
  for (CellId List : Store.wholesOf(Primal))
    if (List != Primal)
      llvm::append_range(Out, Alias.heldBy(List));
  // Of lists that were made elsewhere, nobody knows what they have in common:
  // those of all parameters of objects, and one of these with a member of
  // another object.
  const llvm::SmallVector<SlotId, 2> Objects = listedObjects(Primal);
  const auto IsOther = [&](std::uint32_t Member, SlotId Object) {
    return F.Slots[Member].Kind == SlotKind::Field &&
           F.Slots[Member].IsTensor && !isWithin(F, SlotId(Member), Object);
  };
  // A variable names one tensor, whatever optimizer has it alone.
  const auto IsVariable = [&](CellId Id) {
    return Id < F.Slots.size() && (F.Slots[Id].Kind == SlotKind::Local ||
                                   F.Slots[Id].Kind == SlotKind::Parameter);
  };
  const auto MayShare = [&](std::uint32_t I) {
    if (F.Slots[I].Member == ParametersMember)
      return (!Objects.empty() &&
              !(IsVariable(Primal) && IsVariable(Point.Now->cellOf(I)))) ||
             (Primal < F.Slots.size() && IsOther(Primal, F.Slots[I].Base));
    return llvm::any_of(Objects, [&](SlotId Of) { return IsOther(I, Of); });
  };
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (MayShare(I))
      Out.push_back(Point.Now->cellOf(I));
  llvm::sort(Out);
  Out.erase(llvm::unique(Out), Out.end());
  llvm::erase(Out, Primal);
  for (CellId Whole : wholesOf(Primal))
    llvm::erase(Out, Whole);
  return Out;
}

/// Whether somebody asked for the gradients of a member of another object than
/// the one that \p IsWithin is about.
static bool sharesWithMembers(const Function &F, const State &Now,
                              llvm::function_ref<bool(SlotId)> IsWithin) {
  llvm::SmallDenseSet<CellId, 8> Own;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (IsWithin(SlotId(I)))
      Own.insert(Now.cellOf(I));
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    const CellId Id = Now.cellOf(I);
    if (S.Kind == SlotKind::Field && S.IsTensor &&
        S.Member != ParametersMember && !Own.contains(Id) &&
        Gradients::gradientOf(Now, Id))
      return true;
  }
  return false;
}

/// What \p Primal was in the last backward pass, of what it \p Is: declared to
/// be one value, it may have been summed and divided since, for a mean.
void Gradients::takeDeclared(CellId Primal, AbstractValue &Is) const {
  const TypeSet OfMean = LocalType::R | LocalType::I | LocalType::P;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    if (!F.Slots[I].Declared || Point.Now->cellOf(I) != Primal)
      continue;
    const AbstractValue Said = Store.initialValue(F.Slots[I]);
    for (AxisId A = 0; A != Is.Axes.size(); ++A)
      if (const TypeSet Was = Said.Axes[A].Set & Is.Axes[A].Set;
          !Was.empty() && Was.subsetOf(LocalType::R | LocalType::I) &&
          Is.Axes[A].Set.subsetOf(OfMean))
        Is.Axes[A].Set = Was;
  }
}

/// Whether \p Primal, the list of all parameters of \p Object, has some whose
/// gradients nobody asked for, while \p Known, those that somebody did, are its
/// own.
bool Gradients::hasOthers(CellId Primal, SlotId Object,
                          llvm::ArrayRef<CellId> Known) const {
  const State &Now = *Point.Now;
  llvm::SmallDenseSet<CellId, 8> Own;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Kind == SlotKind::Field &&
        isWithin(F, F.Slots[I].Base, Object))
      Own.insert(Now.cellOf(I));
  if (!llvm::all_of(Known, [&](CellId Id) { return Own.contains(Id); }))
    return false;
  const auto IsWithin = [&](SlotId S) { return isWithin(F, S, Object); };
  if (sharesWithMembers(F, Now, IsWithin))
    return false;
  llvm::SmallDenseSet<CellId, 8> Asked; ///< lists of its parts
  llvm::SmallDenseSet<SlotId, 8> Parts;
  for (const bool Within : {true, false})
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
      const Slot &S = F.Slots[I];
      const CellId Id = Now.cellOf(I);
      if (S.Member != ParametersMember || Id == Primal ||
          IsWithin(S.Base) != Within || !gradientOf(Now, Id))
        continue;
      if (!Within && !Asked.contains(Id))
        return false;
      Asked.insert(Id);
      Parts.insert(S.Base);
    }
  const auto IsAskedWithin = [&](SlotId Part) {
    return llvm::any_of(
        llvm::seq<std::uint32_t>(F.Slots.size()), [&](std::uint32_t I) {
          return isWithin(F, SlotId(I), Part) && gradientOf(Now, Now.cellOf(I));
        });
  };
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    const CellId Id = Now.cellOf(I);
    if (S.Kind != SlotKind::Field || !IsWithin(S.Base) || Id == Primal ||
        gradientOf(Now, Id))
      continue;
    const bool IsPartsList = S.Member == ParametersMember && S.Base != Object &&
                             !IsAskedWithin(S.Base);
    if (S.Member != "weight" && S.Member != "bias" && !IsPartsList)
      continue;
    SlotId In = S.Base;
    while (In != Object && !Parts.contains(In))
      In = F.slot(In).Base;
    if (In == Object)
      return true;
  }
  return false;
}

bool Gradients::hasOthers(CellId Primal, llvm::ArrayRef<CellId> Known) const {
  return llvm::any_of(listedObjects(Primal), [&](SlotId Object) {
    return hasOthers(Primal, Object, Known);
  });
}

/// What a callee has made of the gradients of the list \p Of it has made of
/// those of what is in it.
void Gradients::handDown(CellId Of, CellId Gradient) {
  const AbstractValue Made = *Store.contents(Gradient);
  if (isAsAsked(*Store.contents(Of), Made))
    return;
  unsigned Number = Gradient;
  for (const CellId Held :
       llvm::SmallVector<CellId, 2>(Store.contents(Of)->Holds)) {
    if (!Store.contents(Held))
      continue;
    AbstractValue Primal = *Store.contents(Held);
    const AbstractValue *Known = gradientOf(*Point.Now, Held);
    AbstractValue Now =
        Known ? inference::join(*Known, Made) : Decls.unknownValue();
    Now.IsGradient = true;
    if (Known)
      keepPlace(Now, *Known);
    else
      Primal.Gradient = Numbers.gradientAt(Point.Cell, ++Number);
    Store.put(Primal.Gradient, std::move(Now));
    Store.put(Held, std::move(Primal));
  }
}

/// Whether nobody knows the gradients of some of the tensors in \p Primal: of
/// those that a list was given, or of those that an object has.
bool Gradients::haveEscaped(CellId Primal) const {
  const State &Now = *Point.Now;
  const auto Escapes = [&](CellId Id) {
    const AbstractValue *Is = Now.contents(Id);
    return Is && Is->GradientEscapes;
  };
  const auto HasSome = [&](SlotId Object) {
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (F.Slots[I].Kind == SlotKind::Field && F.Slots[I].IsTensor &&
          isWithin(F, SlotId(I), Object) && Escapes(Now.cellOf(I)))
        return true;
    return false;
  };
  return llvm::any_of(Alias.heldBy(Primal), Escapes) ||
         llvm::any_of(listedObjects(Primal), HasSome);
}

/// Whether \p Primal and \p Other list all parameters of objects that nobody
/// says are one.
bool Gradients::listsOther(CellId Primal, CellId Other) const {
  const llvm::SmallVector<SlotId, 2> Of = listedObjects(Other);
  const auto IsWithin = [&](SlotId Object) {
    return llvm::any_of(Of, [&](SlotId X) {
      return isWithin(F, X, Object) || isWithin(F, Object, X);
    });
  };
  const llvm::SmallVector<SlotId, 2> Objects = listedObjects(Primal);
  return !Of.empty() && !Objects.empty() && llvm::none_of(Objects, IsWithin);
}

/// Whether \p A and \p B are, or are in, two members of one module, which it
/// lists the parameters of one after the other.
static bool areInTwoMembers(const Function &F, const ObjectNames &Objects,
                            SlotId A, SlotId B) {
  const auto IsModule = [&](SlotId Object) {
    return llvm::any_of(Objects.fieldsOf(Object), [&](SlotId Field) {
      return F.slot(Field).Member == ParametersMember;
    });
  };
  for (SlotId X = A; X != SlotId::None; X = F.slot(X).Base)
    for (SlotId Y = B; Y != SlotId::None; Y = F.slot(Y).Base)
      if (const SlotId In = F.slot(X).Base;
          X != Y && In != SlotId::None && In == F.slot(Y).Base)
        return IsModule(In);
  return false;
}

/// Whether the objects that they list all parameters of have nothing in common.
bool Gradients::areApart(CellId Primal, CellId Other) {
  if (!Own)
    Own.emplace(F, Facts.Objects);
  const llvm::SmallVector<SlotId, 2> Of = listedObjects(Other);
  return llvm::any_of(listedObjects(Primal), [&](SlotId A) {
    return llvm::any_of(Of, [&](SlotId B) {
      return Own->areApart(A, B) || areInTwoMembers(F, Facts.Objects, A, B);
    });
  });
}

/// The tensors, named one by one, of the object that \p Primal lists all
/// parameters of.
llvm::SmallVector<CellId, 4> Gradients::partsOf(CellId Primal) const {
  llvm::SmallVector<CellId, 4> Out;
  for (const SlotId Object : listedObjects(Primal))
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (F.Slots[I].Kind == SlotKind::Field && F.Slots[I].IsTensor &&
          F.Slots[I].Member != ParametersMember &&
          isWithin(F, F.Slots[I].Base, Object))
        Out.push_back(Point.Now->cellOf(I));
  return Out;
}

/// The lists of all parameters of the objects that \p Primal is in.
llvm::SmallVector<CellId, 4> Gradients::wholesOf(CellId Primal) const {
  llvm::SmallVector<CellId, 4> Out;
  if (Primal >= F.Slots.size() || F.Slots[Primal].Kind != SlotKind::Field)
    return Out;
  const bool IsList = F.Slots[Primal].Member == ParametersMember;
  SlotId Object = F.Slots[Primal].Base;
  if (IsList && Object != SlotId::None)
    Object = F.slot(Object).Base;
  for (; Object != SlotId::None; Object = F.slot(Object).Base)
    for (SlotId Field : Facts.Objects.fieldsOf(Object))
      if (F.slot(Field).Member == ParametersMember)
        if (const CellId Id = Point.Now->cellOf(index(Field)); Id != Primal)
          Out.push_back(Id);
  return Out;
}

} // namespace spmd::rules::inference
