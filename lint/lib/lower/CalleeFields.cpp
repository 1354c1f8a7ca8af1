//===- CalleeFields.cpp - Fields that only callees mention ----------------===//
//
// What a method does to a field must reach the next method called on the same
// object, also when their caller never names the field: the caller gets a slot
// for it.
//
//===----------------------------------------------------------------------===//

#include "ModuleLowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// Chains through linked structures end here.
constexpr unsigned MaxPasses = 4;
constexpr std::size_t MaxSlots = 4096;

class FieldCopier {
public:
  FieldCopier(Function &Caller, FunctionSource &Source)
      : Caller(Caller), Source(Source) {
    for (std::uint32_t I = 0; I != Caller.Slots.size(); ++I)
      note(SlotId(I));
  }

  /// Gives the caller all fields and globals of \p Callee that it can name.
  bool copy(const CallFact &Call, const Function &Callee,
            const FunctionSource &CalleeSource) {
    const std::size_t Before = Caller.Slots.size();
    for (std::uint32_t I = 0; I != Callee.Slots.size(); ++I)
      resolve(Call, Callee, CalleeSource, SlotId(I));
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

  SlotId resolve(const CallFact &Call, const Function &Callee,
                 const FunctionSource &CalleeSource, SlotId Theirs) {
    const Slot &S = Callee.slot(Theirs);
    switch (S.Kind) {
    case SlotKind::Parameter:
      return index(Theirs) < Call.Arguments.size()
                 ? Call.Arguments[index(Theirs)].Slot
                 : SlotId::None;
    case SlotKind::This:
      return Call.Receiver.Slot;
    case SlotKind::Global:
      return find({index(SlotId::None), S.Name}, S, CalleeSource, SlotId::None);
    case SlotKind::Field: {
      const SlotId Base = resolve(Call, Callee, CalleeSource, S.Base);
      if (Base == SlotId::None)
        return SlotId::None;
      return find({index(Base), S.Member}, S, CalleeSource, Base);
    }
    default:
      return SlotId::None;
    }
  }

  SlotId find(const std::pair<std::uint32_t, std::string> &Key,
              const Slot &Like, const FunctionSource &LikeSource, SlotId Base) {
    if (auto It = Fields.find(Key); It != Fields.end())
      return It->second;
    if (Caller.Slots.size() >= MaxSlots)
      return SlotId::None;
    Slot New = Like;
    New.Base = Base;
    if (Like.DeclaredAt != PlaceId::None) {
      New.DeclaredAt = Caller.addPlace(rules::Place());
      Source.Places.push_back(LikeSource.Places[index(Like.DeclaredAt)]);
    }
    const SlotId Added = Caller.addSlot(std::move(New));
    Fields[Key] = Added;
    return Added;
  }

  Function &Caller;
  FunctionSource &Source;
  std::map<std::pair<std::uint32_t, std::string>, SlotId> Fields;
};

} // namespace

void ModuleLowering::addCalleeFields() {
  llvm::StringMap<const Function *> BySymbol;
  for (const auto &F : Out.M.Functions)
    BySymbol[F->Symbol] = F.get();
  bool Changed = true;
  for (unsigned Pass = 0; Changed && Pass != MaxPasses; ++Pass) {
    Changed = false;
    for (const auto &F : Out.M.Functions) {
      FieldCopier Copier(*F, Out.Sources[F.get()]);
      for (const Block &B : F->Blocks)
        for (const Fact &X : B.Facts)
          if (const auto *Call = std::get_if<CallFact>(&X))
            if (const Function *Callee = BySymbol.lookup(Call->Callee);
                Callee && Callee != F.get() && !Callee->Blocks.empty())
              Changed |= Copier.copy(*Call, *Callee, Out.Sources[Callee]);
    }
  }
}

} // namespace spmd::lint::lower
