//===- Config.cpp - What `.spmd-tidy` says --------------------------------===//

#include "spmd/lint/Config.h"

#include "llvm/Support/GlobPattern.h"

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
