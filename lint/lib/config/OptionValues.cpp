//===- OptionValues.cpp - What is wrong with a check's options ------------===//

#include "spmd/lint/OptionValues.h"

#include "spmd/lint/Check.h"
#include "spmd/lint/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;
using namespace spmd::lint;

std::vector<std::string> spmd::lint::optionNames(StringRef Value) {
  std::vector<std::string> Out;
  for (StringRef Part : split(Value, ';'))
    if (!Part.trim().empty())
      Out.push_back(Part.trim().str());
  return Out;
}

std::string spmd::lint::wrongOptionValue(StringRef FullName,
                                         const CheckOption &Of,
                                         StringRef Value) {
  switch (Of.Kind) {
  case OptionKind::Flag:
    if (yaml::parseBool(Value))
      return {};
    return (FullName + " is true or false, not '" + Value + "'").str();
  case OptionKind::Number: {
    unsigned Number = 0;
    if (!Value.getAsInteger(10, Number) && Number >= Of.Least &&
        Number <= Of.Most)
      return {};
    return (FullName + " is a number from " + Twine(Of.Least) + " to " +
            Twine(Of.Most) + ", not '" + Value + "'")
        .str();
  }
  case OptionKind::Names:
    for (const std::string &Name : optionNames(Value))
      if (!is_contained(Of.Of, Name))
        return unknownName("value of " + FullName.str(), Name, Of.Of);
    return {};
  case OptionKind::Globs:
    for (const std::string &Glob : optionNames(Value))
      if (Expected<GlobPattern> Pattern = GlobPattern::create(Glob); !Pattern)
        return "'" + Glob + "' is not a glob: " + toString(Pattern.takeError());
    return {};
  }
  return {};
}

std::string spmd::lint::unknownCheckOption(StringRef FullName) {
  const std::vector<std::string> Names = checkOptionNames();
  return unknownName("check option", FullName,
                     std::vector<StringRef>(Names.begin(), Names.end()));
}
