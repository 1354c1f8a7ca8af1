//===- NearestName.cpp - "did you mean" -----------------------------------===//

#include "spmd/lint/NearestName.h"

using namespace llvm;

StringRef spmd::lint::nearestName(StringRef Name,
                                  ArrayRef<StringRef> Candidates) {
  StringRef Best;
  unsigned BestDistance = ~0u;
  const std::string Lower = Name.lower();
  for (StringRef C : Candidates) {
    const unsigned Distance = StringRef(Lower).edit_distance(C.lower());
    if (Distance < BestDistance) {
      BestDistance = Distance;
      Best = C;
    }
  }
  return Best;
}

std::string spmd::lint::unknownName(StringRef Kind, StringRef Name,
                                    ArrayRef<StringRef> Candidates) {
  std::string Out = ("unknown " + Kind + " '" + Name + "'").str();
  if (StringRef Near = nearestName(Name, Candidates); !Near.empty())
    Out += ("; the nearest is '" + Near + "'").str();
  return Out;
}
