//===- Dispatch.cpp - Virtual calls as a choice of methods ----------------===//

#include "spmd/ir/Dispatch.h"

#include "spmd/ir/MembersApart.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules {

void callOneOf(Function &F, llvm::ArrayRef<std::string> Methods) {
  const bool Returns =
      llvm::any_of(factsOf<ReturnFact>(F), [](const ReturnFact &R) {
        return R.Value.Slot != SlotId::None;
      });
  F.Blocks.assign(1, Block());
  F.IsChoice = Methods.size() > 1;
  for (const std::string &Method : Methods) {
    CallFact Call;
    Call.Callee = Method;
    Call.Receiver.Slot = F.ThisSlot;
    for (unsigned I = 0; I != F.NumParameters; ++I)
      Call.Arguments.push_back({SlotId(I), PlaceId::None});
    ReturnFact Return;
    if (Returns)
      Return.Value.Slot = Call.Dst = F.addTemporary();
    F.Blocks[0].Successors.push_back(
        BlockId(static_cast<std::uint32_t>(F.Blocks.size())));
    F.Blocks.push_back({{std::move(Call), Return}, {}, {}, {}});
  }
}

namespace {

/// The ways of one choice, and whose objects go which.
class Ways {
public:
  Ways(Function &F, const ClassFamilies &Classes) : F(F), Classes(Classes) {}

  /// False where the class of a method is not known.
  bool find();
  void separate();

private:
  bool derives(llvm::StringRef Class, llvm::StringRef From) const;
  void allow(std::size_t Way, llvm::StringRef Class);
  llvm::StringRef classOf(SlotId Field) const;

  Function &F;
  const ClassFamilies &Classes;
  llvm::SmallVector<llvm::StringRef, 4> MethodOf;  ///< by way: its class
  llvm::SmallVector<llvm::StringSet<>, 4> Allowed; ///< by way
  llvm::StringSet<> Family;
};

} // namespace

bool Ways::derives(llvm::StringRef Class, llvm::StringRef From) const {
  const auto It = Classes.Bases.find(Class);
  return Class == From ||
         (It != Classes.Bases.end() && llvm::is_contained(It->second, From));
}

void Ways::allow(std::size_t Way, llvm::StringRef Class) {
  Allowed[Way].insert(Class);
  Family.insert(Class);
  if (const auto It = Classes.Bases.find(Class); It != Classes.Bases.end())
    for (const std::string &Base : It->second) {
      Allowed[Way].insert(Base);
      Family.insert(Base);
    }
}

bool Ways::find() {
  for (const Block &B : llvm::drop_begin(F.Blocks)) {
    const auto *Call =
        B.Facts.empty() ? nullptr : std::get_if<CallFact>(&B.Facts.front());
    const auto It =
        Call ? Classes.ByMethod.find(Call->Callee) : Classes.ByMethod.end();
    if (It == Classes.ByMethod.end())
      return false;
    MethodOf.push_back(It->second);
  }
  Allowed.resize(MethodOf.size());
  for (std::size_t I = 0; I != MethodOf.size(); ++I)
    allow(I, MethodOf[I]);
  // An object's method is that of the class nearest to its own.
  for (const auto &Entry : Classes.Bases) {
    const llvm::StringRef Class = Entry.getKey();
    for (std::size_t I = 0; I != MethodOf.size(); ++I)
      if (derives(Class, MethodOf[I]) &&
          llvm::none_of(MethodOf, [&](llvm::StringRef Nearer) {
            return Nearer != MethodOf[I] && derives(Class, Nearer) &&
                   derives(Nearer, MethodOf[I]);
          }))
        allow(I, Class);
  }
  return true;
}

/// Of which class the field of the receiver is that \p Field is, or is part of.
llvm::StringRef Ways::classOf(SlotId Field) const {
  const llvm::StringRef Member = memberOf(F, F.ThisSlot, Field);
  const std::size_t End = Member.rfind("::");
  return End != llvm::StringRef::npos ? Member.take_front(End)
                                      : llvm::StringRef();
}

void Ways::separate() {
  for (std::uint32_t S = 0, N = F.Slots.size(); S != N; ++S) {
    const llvm::StringRef Class = classOf(SlotId(S));
    if (!Family.contains(Class))
      continue;
    for (std::size_t Way = 0; Way != MethodOf.size(); ++Way)
      if (!Allowed[Way].contains(Class))
        leaveOut(F, Way, SlotId(S));
  }
}

void keepClassesApart(Module &M, const ClassFamilies &Classes) {
  for (const auto &F : M.Functions)
    if (F->IsChoice && F->ThisSlot != SlotId::None)
      if (Ways Of(*F, Classes); Of.find())
        Of.separate();
}

} // namespace spmd::rules
