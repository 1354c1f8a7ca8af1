//===- CalleeFields.cpp - Fields that only callees mention ----------------===//
//
// What a method does to a field must reach the next method called on the same
// object, also when their caller never names the field: the caller gets a slot
// for it.
//
//===----------------------------------------------------------------------===//

#include "spmd/rules/Link.h"

#include <map>

namespace spmd::rules {

namespace {

/// Chains through linked structures end here.
constexpr unsigned MaxPasses = 8;
constexpr std::size_t MaxSlots = 4096;

using OnCopyFn =
    llvm::function_ref<void(Function &, const Function &, PlaceId)>;

class FieldCopier {
public:
  FieldCopier(Function &Caller, OnCopyFn OnCopy)
      : Caller(Caller), OnCopy(OnCopy) {
    for (std::uint32_t I = 0; I != Caller.Slots.size(); ++I)
      note(SlotId(I));
  }

  /// Gives the caller all fields and globals of \p Callee that it can name.
  bool copy(const CallFact &Call, const Function &Callee) {
    const std::size_t Before = Caller.Slots.size();
    for (std::uint32_t I = 0; I != Callee.Slots.size(); ++I)
      resolve(Call, Callee, SlotId(I));
    return Caller.Slots.size() != Before;
  }

  /// A struct that was just made, or is returned, brings its fields along.
  bool copy(const BindFact &Bind) {
    const std::size_t Before = Caller.Slots.size();
    const SlotId From = Bind.Src.Slot;
    if (From == SlotId::None ||
        (Caller.slot(From).Kind != SlotKind::Temporary &&
         Caller.slot(Bind.Dst).Kind != SlotKind::Result))
      return false;
    for (std::uint32_t I = 0; I != Before; ++I)
      if (Caller.Slots[I].Kind == SlotKind::Field &&
          Caller.Slots[I].Base == From)
        find({index(Bind.Dst), Caller.Slots[I].Member}, Caller.Slots[I], Caller,
             Bind.Dst);
    return Caller.Slots.size() != Before;
  }

private:
  void note(SlotId S) {
    const Slot &X = Caller.slot(S);
    if (X.Kind == SlotKind::Field)
      Fields.try_emplace({index(X.Base), X.Member}, S);
    else if (X.Kind == SlotKind::Global)
      Fields.try_emplace({index(SlotId::None), X.Name}, S);
  }

  SlotId resolve(const CallFact &Call, const Function &Callee, SlotId Theirs) {
    const Slot &S = Callee.slot(Theirs);
    switch (S.Kind) {
    case SlotKind::Parameter:
      return index(Theirs) < Call.Arguments.size()
                 ? Call.Arguments[index(Theirs)].Slot
                 : SlotId::None;
    case SlotKind::This:
      return Call.Receiver.Slot;
    case SlotKind::Result:
      return Call.Dst;
    case SlotKind::Global:
      return find({index(SlotId::None), S.Name}, S, Callee, SlotId::None);
    case SlotKind::Field: {
      const SlotId Base = resolve(Call, Callee, S.Base);
      if (Base == SlotId::None)
        return SlotId::None;
      return find({index(Base), S.Member}, S, Callee, Base);
    }
    default:
      return SlotId::None;
    }
  }

  SlotId find(const std::pair<std::uint32_t, std::string> &Key,
              const Slot &Like, const Function &Callee, SlotId Base) {
    if (auto It = Fields.find(Key); It != Fields.end())
      return It->second;
    if (Caller.Slots.size() >= MaxSlots)
      return SlotId::None;
    Slot New = Like;
    New.Base = Base;
    if (Like.DeclaredAt != PlaceId::None) {
      New.DeclaredAt = Caller.addPlace(Place());
      OnCopy(Caller, Callee, Like.DeclaredAt);
    }
    const SlotId Added = Caller.addSlot(std::move(New));
    Fields[Key] = Added;
    return Added;
  }

  Function &Caller;
  OnCopyFn OnCopy;
  std::map<std::pair<std::uint32_t, std::string>, SlotId> Fields;
};

} // namespace

void addCalleeFields(Module &M, OnCopyFn OnCopy) {
  llvm::StringMap<const Function *> BySymbol;
  for (const auto &F : M.Functions)
    BySymbol[F->Symbol] = F.get();
  bool Changed = true;
  for (unsigned Pass = 0; Changed && Pass != MaxPasses; ++Pass) {
    Changed = false;
    for (const auto &F : M.Functions) {
      FieldCopier Copier(*F, OnCopy);
      for (const Block &B : F->Blocks)
        for (const Fact &X : B.Facts)
          if (const auto *Bind = std::get_if<BindFact>(&X))
            Changed |= Copier.copy(*Bind);
          else if (const auto *Call = std::get_if<CallFact>(&X))
            if (const Function *Callee = BySymbol.lookup(Call->Callee);
                Callee && Callee != F.get() && !Callee->Blocks.empty())
              Changed |= Copier.copy(*Call, *Callee);
    }
  }
}

} // namespace spmd::rules
