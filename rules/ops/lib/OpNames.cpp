//===- OpNames.cpp - "did you mean" for op rules --------------------------===//

#include "OpNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace spmd::rules {

std::vector<std::string> nearestNames(llvm::StringRef Name,
                                      llvm::ArrayRef<llvm::StringRef> Known,
                                      std::size_t Max) {
  std::vector<std::pair<unsigned, llvm::StringRef>> Near;
  for (llvm::StringRef Candidate : Known) {
    const unsigned Distance = Name.edit_distance(Candidate);
    if (Distance < std::max(Name.size(), Candidate.size()))
      Near.emplace_back(Distance, Candidate);
  }
  llvm::sort(Near);
  Near.erase(llvm::unique(Near), Near.end());
  std::vector<std::string> Out;
  for (const auto &[Distance, Candidate] : Near) {
    if (Out.size() == Max)
      break;
    Out.push_back(Candidate.str());
  }
  return Out;
}

std::string unknownName(llvm::StringRef Kind, llvm::StringRef Name,
                        llvm::ArrayRef<llvm::StringRef> Known) {
  std::string Out = ("unknown " + llvm::Twine(Kind) + " '" + Name + "'").str();
  const std::vector<std::string> Near = nearestNames(Name, Known, 1);
  if (!Near.empty())
    Out += "; the nearest is '" + Near.front() + "'";
  return Out;
}

} // namespace spmd::rules
