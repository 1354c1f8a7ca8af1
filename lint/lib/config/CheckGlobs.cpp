//===- CheckGlobs.cpp - Which checks a list of globs names ----------------===//
//
// Not clang-tidy's GlobList, which takes any name: a glob that matches no check
// is an error here, and the front ends do not link clang-tidy.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/CheckGlobs.h"

#include "spmd/lint/Check.h"
#include "spmd/lint/NearestName.h"

#include "llvm/Support/GlobPattern.h"

using namespace llvm;
using namespace spmd::lint;

Expected<std::vector<std::string>> spmd::lint::splitCheckGlobs(StringRef Text) {
  std::vector<std::string> Out;
  SmallVector<StringRef, 8> Parts;
  Text.split(Parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::vector<StringRef> Names;
  for (const CheckInfo &C : allChecks())
    Names.push_back(C.Name);
  for (StringRef Part : Parts) {
    Part = Part.trim();
    StringRef Glob = Part;
    Glob.consume_front("-");
    Expected<GlobPattern> Pattern = GlobPattern::create(Glob);
    if (!Pattern)
      return createStringError(
          "'" + Glob + "' is not a glob: " + toString(Pattern.takeError()));
    if (llvm::none_of(Names, [&](StringRef N) { return Pattern->match(N); }))
      return createStringError(unknownName("check", Glob, Names));
    Out.push_back(Part.str());
  }
  return Out;
}
