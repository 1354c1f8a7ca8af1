//===- MembersApart.cpp - What objects of one kind lack -------------------===//

#include "spmd/ir/MembersApart.h"

#include "spmd/ops/ScalarRules.h"

namespace spmd::rules {

llvm::StringRef memberOf(const Function &F, SlotId Object, SlotId Field) {
  while (F.slot(Field).Kind == SlotKind::Field && F.slot(Field).Base != Object)
    Field = F.slot(Field).Base;
  const Slot &S = F.slot(Field);
  return S.Kind == SlotKind::Field ? llvm::StringRef(S.Member)
                                   : llvm::StringRef();
}

void leaveOut(Function &F, std::size_t Way, SlotId Field) {
  DefineFact Nothing;
  Nothing.Dst = F.addTemporary();
  Nothing.K = DefineFact::Kind::Undefined;
  OpFact Copy;
  Copy.Rule = &ScalarRules::get().Copy;
  Copy.Operands.push_back({Nothing.Dst, PlaceId::None});
  Copy.FormalOf.push_back(0);
  Copy.Dst = F.addTemporary();
  Copy.WritesTo = Field;
  std::vector<Fact> &Facts = F.Blocks[Way + 1].Facts;
  Facts.insert(std::prev(Facts.end()), {Nothing, Copy});
}

void keepMembersApart(Function &F, SlotId Object,
                      llvm::ArrayRef<llvm::StringSet<>> Lacked) {
  if (!F.IsChoice)
    return;
  for (std::uint32_t S = 0, N = F.Slots.size(); S != N; ++S)
    if (const llvm::StringRef Member = memberOf(F, Object, SlotId(S));
        !Member.empty())
      for (std::size_t Way = 0; Way != Lacked.size(); ++Way)
        if (Lacked[Way].contains(Member))
          leaveOut(F, Way, SlotId(S));
}

} // namespace spmd::rules
