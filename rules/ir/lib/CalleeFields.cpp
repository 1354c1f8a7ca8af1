//===- CalleeFields.cpp - Fields that only callees mention ----------------===//
//
// What a method does to a field must reach the next method called on the same
// object, also when their caller never names the field: the caller gets a slot
// for it. So does each name of an object that has several.
//
//===----------------------------------------------------------------------===//

#include "ObjectClasses.h"
#include "spmd/ir/CallerSlot.h"

#include "spmd/ir/Link.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace spmd::rules {

namespace {

/// Chains through linked structures end here.
constexpr unsigned MaxPasses = 8;
constexpr std::size_t MaxSlots = 4096;
/// Structs in structs in the elements of a list.
constexpr unsigned MaxNested = 3;

using OnCopyFn =
    llvm::function_ref<void(Function &, const Function &, PlaceId)>;

/// The fields that are numbers of the host's: what is said of an object is
/// about its tensors.
class NumberFields {
public:
  bool contains(const Function &F, const Slot &S) {
    if (&S < F.Slots.data() || &S >= F.Slots.data() + F.Slots.size())
      return false;
    return in(F).contains(static_cast<std::uint32_t>(&S - F.Slots.data()));
  }
  void add(const Function &F, SlotId S) { in(F).insert(index(S)); }

private:
  llvm::DenseSet<std::uint32_t> &in(const Function &F) {
    const auto [It, New] = Of.try_emplace(&F);
    if (New)
      for (const OpFact &O : factsOf<OpFact>(F))
        for (const Operand &X : O.Operands)
          if (X.Scalar && X.Slot != SlotId::None)
            It->second.insert(index(X.Slot));
    return It->second;
  }
  llvm::DenseMap<const Function *, llvm::DenseSet<std::uint32_t>> Of;
};

class FieldCopier {
public:
  FieldCopier(Function &Caller, NumberFields &Numbers, OnCopyFn OnCopy)
      : Caller(Caller), Numbers(Numbers), OnCopy(OnCopy), Objects(Caller) {
    for (std::uint32_t I = 0; I != Caller.Slots.size(); ++I)
      note(SlotId(I));
    for (const ViewFact &View : factsOf<ViewFact>(Caller)) {
      if (View.Dst == View.Src.Slot)
        Iterators.insert(index(View.Dst));
      else if (View.Src.Slot != SlotId::None)
        ListOf[index(View.Dst)] = View.Src.Slot;
    }
  }

  /// Gives the caller all fields and globals of \p Callee that it can name.
  bool copy(const CallFact &Call, const Function &Callee) {
    const std::size_t Before = Caller.Slots.size();
    bool Joined = false;
    llvm::DenseMap<SlotId, SlotId> Mine; ///< by class in the callee
    for (std::uint32_t I = 0; I != Callee.Slots.size(); ++I) {
      const SlotId S = resolve(Call, Callee, SlotId(I));
      if (S == SlotId::None || Callee.ObjectOf.empty())
        continue;
      const auto [It, First] = Mine.try_emplace(Callee.ObjectOf[I], S);
      if (!First)
        Joined |= Objects.join(It->second, S);
    }
    return Joined || Caller.Slots.size() != Before;
  }

  /// A struct that was just made, or is returned, brings its fields along.
  bool copy(const BindFact &Bind) {
    const std::size_t Before = Caller.Slots.size();
    const SlotId From = Bind.Src.Slot;
    if (From == SlotId::None)
      return false;
    if (Bind.Joins) {
      // One of several structs: what it has, they all have.
      if (!Caller.slot(Bind.Dst).IsTensor)
        addFields(Bind.Dst, From);
      return Caller.Slots.size() != Before;
    }
    if (const SlotId All = inAllElements(Bind.Dst); All != SlotId::None)
      addFields(From, All, MaxNested);
    const bool Returned = Caller.slot(Bind.Dst).Kind == SlotKind::Result;
    const bool Made = Caller.slot(From).Kind == SlotKind::Temporary &&
                      (HasFields.contains(index(From)) ||
                       HasFields.contains(index(Bind.Dst)));
    if (Bind.Refers || (Made && !Returned))
      return Objects.join(Bind.Dst, From);
    if (Returned)
      addFields(Bind.Dst, From);
    else if (HasFields.contains(index(Bind.Dst)) &&
             !Caller.slot(Bind.Dst).Declared &&
             (Caller.slot(From).InPlace || Iterators.contains(index(Bind.Dst))))
      // What a copy has is that of the original; an iterator is at an element.
      addFields(From, Bind.Dst);
    return Caller.Slots.size() != Before;
  }

  /// What one of several structs has, they all have.
  bool copy(const ViewFact &View) {
    const std::size_t Before = Caller.Slots.size();
    const bool OfElement =
        View.K == ViewFact::Kind::Element || View.K == ViewFact::Kind::Handle;
    if (OfElement && View.Src.Slot != SlotId::None &&
        HasFields.contains(index(View.Dst)))
      addFields(View.Src.Slot, View.Dst, MaxNested);
    return Caller.Slots.size() != Before;
  }

  /// All names of one object have the same fields.
  bool share() {
    const std::size_t Before = Caller.Slots.size();
    if (Objects.empty())
      return false;
    bool Changed = Objects.close();
    llvm::DenseMap<std::uint32_t, llvm::SmallVector<SlotId, 4>> FieldsOf;
    for (std::uint32_t I = 0; I != Before; ++I)
      if (Caller.Slots[I].Kind == SlotKind::Field)
        FieldsOf[index(Caller.Slots[I].Base)].push_back(SlotId(I));
    for (const auto &Names : Objects.classes())
      for (SlotId Of : Names)
        for (SlotId Field : FieldsOf.lookup(index(Of)))
          for (SlotId Name : Names)
            if (Name != Of && !Objects.isWithinItself(Name))
              find({index(Name), Caller.slot(Field).Member}, Caller.slot(Field),
                   Caller, Name);
    Objects.close();
    Objects.store();
    return Changed || Caller.Slots.size() != Before;
  }

private:
  /// Gives \p To each field that \p Of has; and \p Deep, those that these have.
  void addFields(SlotId To, SlotId Of, unsigned Deep = 0) {
    for (std::uint32_t I = 0, N = Caller.Slots.size(); I != N; ++I) {
      if (Caller.Slots[I].Kind != SlotKind::Field || Caller.Slots[I].Base != Of)
        continue;
      Slot Like = Caller.Slots[I]; // they move when one is added
      if (std::exchange(Like.Inherited, false))
        Like.Declared = nullptr;
      const SlotId Has = find({index(To), Like.Member}, Like, Caller, To);
      if (Deep && Has != SlotId::None && HasFields.contains(I))
        addFields(Has, SlotId(I), Deep - 1);
    }
  }

  /// What \p Member of an element is in all elements of its list; None if
  /// nothing is.
  SlotId inAllElements(SlotId Member) const {
    if (Caller.slot(Member).Kind != SlotKind::Field)
      return SlotId::None;
    const auto List = ListOf.find(index(Caller.slot(Member).Base));
    if (List == ListOf.end())
      return SlotId::None;
    const auto It =
        Fields.find({index(List->second), Caller.slot(Member).Member});
    return It == Fields.end() ? SlotId::None : It->second;
  }

  static std::string globalKey(const Slot &S) {
    return S.Name + '\0' + S.Member;
  }

  void note(SlotId S) {
    const Slot &X = Caller.slot(S);
    if (X.Kind == SlotKind::Field) {
      Fields.try_emplace({index(X.Base), X.Member}, S);
      HasFields.insert(index(X.Base));
    } else if (X.Kind == SlotKind::Global) {
      Fields.try_emplace({index(SlotId::None), globalKey(X)}, S);
    }
  }

  SlotId resolve(const CallFact &Call, const Function &Callee, SlotId Theirs) {
    return callerSlot(
        Call, Callee, Theirs,
        [&](SlotId Base, const Slot &S) {
          return find({index(Base), S.Member}, S, Callee, Base);
        },
        [&](const Slot &S) {
          return find({index(SlotId::None), globalKey(S)}, S, Callee,
                      SlotId::None);
        });
  }

  /// As code that names the field by this name of its object would write it.
  std::string nameOf(SlotId Base, llvm::StringRef Member) const {
    if (const llvm::StringRef Bare = Member.rsplit("::").second; !Bare.empty())
      Member = Bare;
    const Slot &Of = Caller.slot(Base);
    if (Of.Kind == SlotKind::This)
      return Member.str();
    if (Of.Name.empty())
      return {};
    return Of.Name + (Member.starts_with("[") ? "" : ".") + Member.str();
  }

  SlotId find(const std::pair<std::uint32_t, std::string> &Key,
              const Slot &Like, const Function &Callee, SlotId Base) {
    if (auto It = Fields.find(Key); It != Fields.end())
      return It->second;
    if (Caller.Slots.size() >= MaxSlots)
      return SlotId::None;
    Slot New = Like; // a copy: the slots move when one is added
    New.Apart = false;
    const bool Number = New.Kind == SlotKind::Field && !New.IsTensor &&
                        !New.Declared && Numbers.contains(Callee, Like);
    if (!New.Mesh && Callee.Mesh &&
        (!Caller.Mesh || *Callee.Mesh != *Caller.Mesh))
      New.Mesh = Callee.Mesh;
    New.Base = Base;
    if (New.Kind == SlotKind::Field &&
        Caller.slot(Base).Kind != SlotKind::Result)
      New.Name = nameOf(Base, Like.Member);
    if (Base != SlotId::None)
      HasFields.insert(index(Base));
    // What a callee's annotation says of its parameter is its contract, not
    // what the caller knows.
    // Nor is what is said of one struct said of another one, of which more is.
    if (New.Inherited &&
        (&Callee != &Caller || (Base != SlotId::None && Base != Like.Base &&
                                Caller.slot(Base).Declared))) {
      New.Declared = nullptr;
      New.Inherited = false;
    }
    if (Like.DeclaredAt != PlaceId::None) {
      New.DeclaredAt = Caller.addPlace(Place());
      OnCopy(Caller, Callee, Like.DeclaredAt);
    }
    if (Base != SlotId::None && !Number)
      inheritAnnotation(New, Caller.slot(Base));
    // An axis of a struct is that of the communicator in it.
    if (New.Kind == SlotKind::Field && !New.IsTensor &&
        New.DeclaredAxes.empty())
      New.DeclaredAxes = Caller.slot(Base).DeclaredAxes;
    const SlotId Added = Caller.addSlot(std::move(New));
    if (Number)
      Numbers.add(Caller, Added);
    Fields[Key] = Added;
    return Added;
  }

  Function &Caller;
  NumberFields &Numbers;
  OnCopyFn OnCopy;
  ObjectClasses Objects;
  llvm::DenseSet<std::uint32_t> HasFields;
  /// Slots that go from one element of what they were bound to to another.
  llvm::DenseSet<std::uint32_t> Iterators;
  llvm::DenseMap<std::uint32_t, SlotId> ListOf; ///< by element
  std::map<std::pair<std::uint32_t, std::string>, SlotId> Fields;
};

} // namespace

void addCalleeFields(Module &M, OnCopyFn OnCopy) {
  llvm::StringMap<const Function *> BySymbol;
  for (const auto &F : M.Functions)
    BySymbol[F->Symbol] = F.get();
  NumberFields Numbers;
  bool Changed = true;
  for (unsigned Pass = 0; Changed && Pass != MaxPasses; ++Pass) {
    Changed = false;
    for (const auto &F : M.Functions) {
      FieldCopier Copier(*F, Numbers, OnCopy);
      for (const Block &B : F->Blocks)
        for (const Fact &X : B.Facts)
          if (const auto *Bind = std::get_if<BindFact>(&X))
            Changed |= Copier.copy(*Bind);
          else if (const auto *View = std::get_if<ViewFact>(&X))
            Changed |= Copier.copy(*View);
          else if (const auto *Call = std::get_if<CallFact>(&X))
            if (const Function *Callee = BySymbol.lookup(Call->Callee);
                Callee && Callee != F.get())
              Changed |= Copier.copy(*Call, *Callee);
      Changed |= Copier.share();
    }
  }
}

} // namespace spmd::rules
