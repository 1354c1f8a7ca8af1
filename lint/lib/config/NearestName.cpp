//===- NearestName.cpp - "did you mean" -----------------------------------===//

#include "spmd/lint/NearestName.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

/// More than this many names help nobody.
static constexpr std::size_t MostListed = 8;

/// How far \p Name is from \p Meant, both in lower case. A beginning is near,
/// and so is what follows a prefix that all have; a slip seldom hits the first
/// letter: `watch` is not `batch`.
static unsigned distance(StringRef Name, StringRef Meant) {
  constexpr unsigned Far = ~0u;
  if (Name.size() >= 3 && Meant.ends_with(("-" + Name).str()))
    return 2;
  if (Name.empty() || Meant.empty() ||
      (Name.front() != Meant.front() && Name.size() < 8))
    return Far;
  if (Name.size() >= 3 && Meant.starts_with(Name))
    return 1;
  return Name.edit_distance(Meant);
}

StringRef spmd::lint::nearestName(StringRef Name,
                                  ArrayRef<StringRef> Candidates) {
  StringRef Best;
  const std::string Lower = Name.lower();
  // Beyond a third of the letters it is another word.
  unsigned Least =
      std::max<unsigned>(1, static_cast<unsigned>(Name.size()) / 3);
  for (StringRef C : Candidates) {
    const unsigned D = distance(Lower, C.lower());
    // Of two that begin with it, it is rather the shorter.
    const bool Ties = D == Least && (Best.empty() || C.size() < Best.size());
    if (D < Least || Ties) {
      Least = D;
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
  else if (!Candidates.empty() && Candidates.size() <= MostListed)
    Out += "; there " + std::string(Candidates.size() == 1 ? "is " : "are ") +
           join(Candidates, ", ");
  return Out;
}
