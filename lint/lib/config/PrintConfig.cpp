//===- PrintConfig.cpp - --show-config ------------------------------------===//

#include "spmd/lint/ConfigFile.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace spmd;
using namespace spmd::lint;

static std::string quoted(StringRef Text) {
  return "\"" + yaml::escape(Text, /*EscapePrintable=*/false) + "\"";
}

static void printList(raw_ostream &OS, StringRef Key,
                      ArrayRef<Configured<std::string>> Values) {
  OS << Key << ':' << (Values.empty() ? " []\n" : "\n");
  for (const Configured<std::string> &V : Values)
    OS << "  - " << quoted(V.Value) << "  # " << V.From.str() << '\n';
}

static std::string axesText(ArrayRef<std::string> Axes) {
  return Axes.size() == 1 ? Axes.front() : "(" + join(Axes, ",") + ")";
}

std::string spmd::lint::printConfig(const Config &Cfg) {
  std::string Out;
  raw_string_ostream OS(Out);
  printList(OS, "Checks", Cfg.Checks);
  OS << "Severity:" << (Cfg.Severities.empty() ? " {}\n" : "\n");
  for (const auto &[Check, S] : Cfg.Severities)
    OS << "  " << Check << ": " << quoted(severityName(S.Value)) << "  # "
       << S.From.str() << '\n';
  OS << "CheckOptions:\n";
  for (const std::string &Name : checkOptionNames()) {
    auto It = Cfg.CheckOptions.find(Name);
    OS << "  " << Name << ": " << quoted(Cfg.option(Name)) << "  # "
       << (It == Cfg.CheckOptions.end() ? "default" : It->second.From.str())
       << '\n';
  }
  OS << "Mesh:" << (Cfg.Mesh.empty() ? " {}\n" : "\n");
  for (const auto &[Name, Axis] : Cfg.Mesh) {
    const auto &[Spec, Bandwidth, Latency] = Axis.Value;
    OS << "  " << quoted(Name) << ": ";
    if (!Spec.Of.empty()) {
      OS << quoted("(" + join(Spec.Of, ",") + ")") << "  # " << Axis.From.str()
         << '\n';
      continue;
    }
    OS << "{";
    ListSeparator Comma;
    if (Spec.Size)
      OS << Comma << "size: " << Spec.Size;
    if (Spec.Default)
      OS << Comma << "default: " << quoted(printAtom(*Spec.Default));
    if (Bandwidth)
      OS << Comma << "bandwidth: " << format("%gGB/s", *Bandwidth);
    if (Latency)
      OS << Comma << "latency: " << format("%gus", *Latency);
    OS << "}  # " << Axis.From.str() << '\n';
  }
  if (!Cfg.Device.empty())
    OS << "Device:\n";
  for (const DeviceKey &K : deviceKeys())
    if (auto It = Cfg.Device.find(K.Name.str()); It != Cfg.Device.end())
      OS << "  " << K.Name << ": " << format("%.10g", It->second.Value)
         << K.Unit << "  # " << It->second.From.str() << '\n';
  if (!Cfg.Sizes.empty())
    OS << "Sizes:\n";
  for (const auto &[Name, Size] : Cfg.Sizes)
    OS << "  " << quoted(Name) << ": " << Size.Value << "  # "
       << Size.From.str() << '\n';
  OS << "Strict: " << (Cfg.Strict.Value ? "true" : "false") << "  # "
     << Cfg.Strict.From.str() << '\n';
  OS << "Axes:" << (Cfg.Axes.empty() ? " {}\n" : "\n");
  for (const Configured<AxisBinding> &A : Cfg.Axes)
    OS << "  " << quoted(A.Value.Expression) << ": "
       << quoted(axesText(A.Value.Axes)) << "  # " << A.From.str() << '\n';
  if (!Cfg.Types.empty())
    OS << "Types:\n";
  for (const Configured<DeclaredClass> &T : Cfg.Types) {
    OS << "  " << quoted(T.Value.Class) << ": {is: " << T.Value.Is;
    for (const ClassKind &K : classKinds())
      for (StringRef Role :
           K.Name == T.Value.Is ? K.Roles : std::vector<StringRef>()) {
        SmallVector<std::string, 2> Members;
        for (const auto &[Member, Is] : T.Value.Members)
          if (Is == Role)
            Members.push_back(quoted(Member));
        if (!Members.empty())
          OS << ", " << Role << ": [" << join(Members, ", ") << "]";
      }
    OS << "}  # " << T.From.str() << '\n';
  }
  printList(OS, "Contracts", Cfg.Contracts);
  printList(OS, "ExtraArgs", Cfg.ExtraArgs);
  OS << "HeaderFilter: " << quoted(Cfg.HeaderFilter.Value) << "  # "
     << Cfg.HeaderFilter.From.str() << '\n';
  // Rules are shown by --explain-op; here only where they come from.
  for (const Configured<std::string> &Doc : Cfg.OpDocuments)
    OS << "# Ops: " << Doc.From.str() << '\n';
  for (const Configured<std::string> &Doc : Cfg.ApiDocuments)
    OS << "# Collectives: " << Doc.From.str() << '\n';
  return Out;
}
