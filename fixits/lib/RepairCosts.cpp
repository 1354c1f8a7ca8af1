//===- RepairCosts.cpp - What repairs cost, in words ----------------------===//

#include "RepairCosts.h"

#include "spmd/fixits/Repair.h"

#include "spmd/types/Traffic.h"

using namespace spmd::rules;

namespace spmd::fixits {

int weightOf(OperatorKind Op) {
  const Traffic T = trafficOf(Op);
  return T.Wholes + T.Shards;
}

std::string_view bytesMoved(OperatorKind Op) {
  switch (weightOf(Op)) {
  case 2:
    return "2(N-1)/N";
  case 1:
    return "(N-1)/N";
  default:
    return "0";
  }
}

/// "moves 7*B*H/32 bytes per rank in 2 collectives, peak B*H/4 bytes"
static std::string planned(const Price &P) {
  if (!P.Collectives)
    return "no communication";
  return "moves " + P.Moved + " per rank in " + std::to_string(P.Collectives) +
         (P.Collectives == 1 ? " collective" : " collectives") + ", peak " +
         P.Peak;
}

static std::string costOfOne(const Repair &R, llvm::StringRef Axis) {
  if (R.FromType)
    return (R.Planned->Moved.empty() ? "bytes depend on the sizes of the mesh"
                                     : planned(*R.Planned)) +
           "; backward: the way back";
  std::string Forward, Backward;
  for (const Step &S : R.Steps) {
    if (weightOf(S.Row->Op))
      Forward += (Forward.empty() ? "moves " : ", then ") +
                 std::string(bytesMoved(S.Row->Op)) + " of it over '" +
                 (S.Axis.empty() ? Axis.str() : S.Axis) + "'";
    if (weightOf(S.Row->BackwardOp))
      Backward = std::string(operatorName(S.Row->BackwardOp)) +
                 (Backward.empty() ? "" : ", then ") + Backward;
  }
  if (R.Steps.empty())
    return "";
  if (R.Planned && !R.Planned->Moved.empty())
    Forward = planned(*R.Planned);
  return (Forward.empty() ? "no communication" : Forward) +
         "; backward: " + (Backward.empty() ? "no communication" : Backward);
}

std::string costOf(const Repair &R, llvm::StringRef Axis) {
  const std::string Cost = costOfOne(R, Axis);
  if (R.Also.empty() || Cost.empty())
    return Cost;
  std::string Others;
  for (const Repair &Other : R.Also)
    if (std::string Here = costOfOne(Other, Axis);
        !Here.empty() && Here != Cost)
      Others += "; and " + Here;
  return (Others.empty() ? "each " : "") + Cost + Others;
}

} // namespace spmd::fixits
