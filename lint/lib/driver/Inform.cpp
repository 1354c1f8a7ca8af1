//===- Inform.cpp - Options that print and end ----------------------------===//

#include "Inform.h"

#include "ExplainPlan.h"
#include "OptionText.h"

#include "spmd/lint/NearestName.h"
#include "spmd/ops/OpExplain.h"
#include "spmd/types/Transition.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace spmd;
using namespace spmd::lint;

static std::string absolute(StringRef Path) {
  SmallString<256> Out(Path);
  sys::fs::make_absolute(Out);
  sys::path::remove_dots(Out, /*remove_dot_dot=*/true);
  return Out.str().str();
}

static Error listChecks(ConfigLoader &Configs, raw_ostream &OS) {
  auto Cfg = Configs.loadHere();
  if (!Cfg)
    return Cfg.takeError();
  std::size_t Width = 0;
  for (const CheckInfo &C : allChecks())
    Width = std::max(Width, C.Name.size());
  for (const CheckInfo &C : allChecks())
    OS << left_justify(C.Name, Width) << "  "
       << left_justify(severityName((*Cfg)->severity(C)), 7) << "  "
       << C.Summary << '\n';
  return Error::success();
}

static Error explain(StringRef Check, raw_ostream &OS) {
  if (!findCheck(Check)) {
    std::vector<StringRef> Names;
    for (const CheckInfo &C : allChecks())
      Names.push_back(C.Name);
    return createStringError(unknownName("check", Check, Names));
  }
  OS << checkHelp(Check);
  return Error::success();
}

static Error explainOp(StringRef Name, ConfigLoader &Configs, raw_ostream &OS) {
  auto Cfg = Configs.loadHere();
  if (!Cfg)
    return Cfg.takeError();
  Expected<std::string> Text = rules::explainOp(*(*Cfg)->Ops, Name);
  if (!Text)
    return Text.takeError();
  OS << *Text;
  return Error::success();
}

static Error listRules(ConfigLoader &Configs, raw_ostream &OS) {
  auto Cfg = Configs.loadHere();
  if (!Cfg)
    return Cfg.takeError();
  OS << "# operators between types, with their backward\n";
  for (const rules::Transition &T : rules::Transitions)
    OS << StringRef(rules::operatorName(T.Op)) << '(' << letter(T.Src) << " -> "
       << letter(T.Dst) << ")  backward "
       << StringRef(rules::operatorName(T.BackwardOp)) << '('
       << letter(T.BackwardSrc) << " -> " << letter(T.BackwardDst) << ')'
       << (T.ExpertOnly ? "  expert" : "") << '\n';
  for (const rules::Selection &S : rules::Selections)
    OS << StringRef(rules::operatorName(S.Op)) << '(' << letter(S.Src) << " -> "
       << letter(S.Dst) << ")  backward none\n";
  OS << '\n';
  rules::listRules(*(*Cfg)->Ops, OS);
  rules::listCalls(*(*Cfg)->Apis, OS);
  return Error::success();
}

static Error showConfig(StringRef File, ConfigLoader &Configs,
                        raw_ostream &OS) {
  auto Cfg = Configs.load(absolute(File));
  if (!Cfg)
    return Cfg.takeError();
  OS << printConfig(**Cfg);
  return Error::success();
}

Expected<std::optional<int>>
spmd::lint::inform(const Options &O, ConfigLoader &Configs, raw_ostream &OS) {
  if (O.Help) {
    printHelp(OS);
    return 0;
  }
  if (O.ManPage) {
    printManPage(OS);
    return 0;
  }
  if (!O.Completions.empty()) {
    printCompletions(OS, O.Completions);
    return 0;
  }
  if (O.Version) {
    OS << "spmd-tidy " SPMD_VERSION "\n";
    return 0;
  }
  Error E = Error::success();
  if (O.ListChecks)
    E = listChecks(Configs, OS);
  else if (O.ListRules)
    E = listRules(Configs, OS);
  else if (!O.Explain.empty())
    E = explain(O.Explain, OS);
  else if (!O.ExplainOp.empty())
    E = explainOp(O.ExplainOp, Configs, OS);
  else if (!O.ExplainPlan.empty())
    E = explainPlan(O, Configs, OS);
  else if (!O.ShowConfig.empty())
    E = showConfig(O.ShowConfig, Configs, OS);
  else
    return std::nullopt;
  if (E)
    return std::move(E);
  return 0;
}
