//===- Config.cpp - What `.spmd-tidy` says --------------------------------===//

#include "spmd/lint/Config.h"

#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;
using namespace spmd::lint;

std::string Origin::str() const {
  return Line ? Source + ":" + std::to_string(Line) : Source;
}

bool Config::isEnabled(StringRef Check) const {
  bool Enabled = true;
  for (const Configured<std::string> &C : Checks) {
    StringRef Glob = C.Value;
    const bool Add = !Glob.consume_front("-");
    // Validated when the configuration was read.
    Expected<GlobPattern> Pattern = GlobPattern::create(Glob);
    if (!Pattern) {
      consumeError(Pattern.takeError());
      continue;
    }
    if (Pattern->match(Check))
      Enabled = Add;
  }
  return Enabled;
}

Severity Config::severity(const CheckInfo &Check) const {
  if (!isEnabled(Check.Name))
    return Severity::Off;
  auto It = Severities.find(Check.Name.str());
  return It == Severities.end() ? Check.Default : It->second.Value;
}

Severity Config::levelOf(const Diagnostic &D) const {
  if (!isEnabled(D.Check))
    return Severity::Off;
  auto It = Severities.find(D.Check);
  return It == Severities.end() ? D.Level : It->second.Value;
}

StringRef Config::option(StringRef FullName) const {
  auto It = CheckOptions.find(FullName.str());
  if (It != CheckOptions.end())
    return It->second.Value;
  const CheckOption *Declared = findCheckOption(FullName);
  assert(Declared && "an option that no check declares");
  return Declared->Default;
}

bool Config::flag(StringRef FullName) const {
  return yaml::parseBool(option(FullName)).value_or(false);
}

unsigned Config::number(StringRef FullName) const {
  unsigned Number = 0;
  option(FullName).getAsInteger(10, Number);
  return Number;
}

spmd::rules::MeshSpec Config::mesh() const {
  rules::MeshSpec M;
  for (const auto &[Name, Axis] : Mesh) {
    M.Axes.push_back(Axis.Value.Axis);
    M.Axes.back().Offset = M.Axes.size() - 1;
  }
  return M;
}

StringMap<spmd::planner::Link> Config::links() const {
  StringMap<planner::Link> Out;
  for (const auto &[Name, Axis] : Mesh)
    if (const ConfiguredAxis &A = Axis.Value; A.Bandwidth || A.Latency)
      Out[Name] = {A.Latency.value_or(DefaultLatency) * 1e-6,
                   1e-9 / A.Bandwidth.value_or(DefaultBandwidth)};
  return Out;
}
