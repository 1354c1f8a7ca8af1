//===- BindGlobalArenas.cpp - Parts of what a global holds ----------------===//

#include "BindGlobalArenas.h"

#include "ArenaSetups.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

void bindGlobalArenas(ExprLowering &L) {
  const GlobalArenas &Known = L.module().globalArenas();
  if (Known.empty())
    return;
  ArenaSetups::Pointers Set;
  std::vector<ViewFact> Parts;
  for (const VarDecl *Memory : L.Slots.globalMemories(Known)) {
    Set.insert(Memory);
    for (const VarDecl *Pointer : Known.pointersInto(Memory)) {
      ViewFact Part;
      Part.Dst = L.Slots.variable(Pointer);
      Part.Src.Slot = L.Slots.variable(Memory);
      Part.K = ViewFact::Kind::Region;
      if (!L.Slots.isPartOfMemory(Part.Dst))
        continue;
      Parts.push_back(Part);
      Set.insert(Pointer);
    }
  }
  if (Parts.empty())
    return;
  Function &F = L.ir();
  ArenaSetups(L.module(), L.function(), Set).bindBehind(F, Parts);
  std::vector<Fact> &Entry = F.Blocks.front().Facts;
  Entry.insert(Entry.begin(), Parts.begin(), Parts.end());
}

} // namespace spmd::lint::lower
