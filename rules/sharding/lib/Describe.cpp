//===- Describe.cpp - A suggestion for people -----------------------------===//

#include "spmd/sharding/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace spmd::rules;
using namespace spmd::planner;

namespace spmd::sharding {

namespace {

std::string inUnits(double Value, llvm::ArrayRef<const char *> Units,
                    double Step) {
  std::size_t I = 0;
  while (Value >= Step && I + 1 != Units.size()) {
    Value /= Step;
    ++I;
  }
  std::string Out;
  llvm::raw_string_ostream(Out) << llvm::format(Value < 10    ? "%.2f "
                                                : Value < 100 ? "%.1f "
                                                              : "%.0f ",
                                                Value)
                                << Units[I];
  return Out;
}
std::string duration(double Seconds) {
  return inUnits(Seconds * 1e6, {"us", "ms", "s"}, 1000);
}
std::string amount(double Bytes) {
  return inUnits(Bytes, {"B", "kB", "MB", "GB", "TB"}, 1000);
}

/// "reduce_scatter over tp, then all_gather over dp".
std::string stepsOf(const Plan &P, const DeviceMesh &M) {
  std::string Out;
  for (const Step &S : P.Steps) {
    std::vector<std::string> Names;
    for (AxisIndex A : S.Over)
      Names.push_back(M.All[A].Name);
    Out += (Out.empty() ? "" : ", then ") + std::string(stepName(S.K));
    if (S.communicates())
      Out += " over " + printAxes(Names);
  }
  return Out.empty() ? "nothing" : Out;
}

std::string directionOf(const Plan &P, double Bytes, const DeviceMesh &M) {
  std::string Out = stepsOf(P, M);
  if (P.Collectives)
    Out += ", " + amount(Bytes) + " per rank, " + duration(P.Seconds);
  return Out;
}

void printTimes(llvm::raw_ostream &OS, llvm::StringRef Name, const Times &T) {
  OS << "  " << llvm::left_justify(Name, 10)
     << llvm::right_justify(duration(T.Compute), 12)
     << llvm::right_justify(duration(T.Communication), 16)
     << llvm::right_justify(duration(T.total()), 12) << '\n';
}

} // namespace

std::string describe(const Suggestion &S,
                     llvm::function_ref<std::string(PlaceId)> Where) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  OS << Where(S.Of.F->ResultAt) << ": '" << S.Of.F->DisplayName << "' on";
  for (const DeviceMesh::Axis &A : S.Mesh.All)
    OS << (&A == S.Mesh.All.begin() ? " " : ", ") << A.Name << '=' << A.Size;
  OS << '\n';
  std::size_t Width = 6;
  for (const SuggestedType &T : S.Types)
    Width = std::max(Width, T.Name.size());
  for (const SuggestedType &T : S.Types)
    OS << "  " << llvm::left_justify(T.Name.empty() ? "result" : T.Name, Width)
       << "  " << T.Is << (T.Is == T.Was ? "  (as it is)" : "") << '\n';

  const auto List = [&](bool Gradients, llvm::StringRef Title) {
    bool Any = false;
    for (const Transition &T : S.Transitions) {
      if (T.IsGradient != Gradients)
        continue;
      if (!Any)
        OS << Title << '\n';
      Any = true;
      OS << "  " << Where(T.At) << ": '" << T.Name << "' " << T.From << " -> "
         << T.To << '\n';
      if (!Gradients)
        OS << "    forward: " << directionOf(T.Forward, T.ForwardBytes, S.Mesh)
           << "\n    backward: ";
      else
        OS << "    ";
      OS << directionOf(T.Backward, T.BackwardBytes, S.Mesh) << '\n';
    }
  };
  List(false, "redistributions:");
  List(true, "gradients:");

  OS << "time per rank:\n  " << std::string(10, ' ')
     << llvm::right_justify("compute", 12)
     << llvm::right_justify("communication", 16)
     << llvm::right_justify("total", 12) << '\n';
  printTimes(OS, "forward", S.Time.Forward);
  printTimes(OS, "backward", S.Time.Backward);
  OS << "memory per rank: " << amount(S.MemoryBytes)
     << (S.FitsMemory ? "" : ", which is more than there is") << '\n';
  OS << "data parallel only, "
     << (S.DataParallelAxes.empty()
             ? "with '" + S.Of.BatchName + "' whole on every rank"
             : "'" + S.Of.BatchName + "' on " + S.DataParallelAxes)
     << ": " << duration(S.DataParallel.total()) << " ("
     << duration(S.DataParallel.Forward.Communication +
                 S.DataParallel.Backward.Communication)
     << " of it communication), memory " << amount(S.DataParallelBytes) << '\n';
  OS << "suggested: " << duration(S.Time.total());
  if (S.Time.total() > 0)
    OS << llvm::format(", %.2f times as fast",
                       S.DataParallel.total() / S.Time.total());
  OS << "\nexact: " << (S.IsExact ? "yes" : "no");
  if (!S.IsExact && S.LowerBound && *S.LowerBound > 0)
    OS << llvm::format(" (at most %.1f %% above the best)",
                       (S.Time.total() / *S.LowerBound - 1) * 100);
  if (S.IsCutOff)
    OS << "\nthe search was cut off: one layer of a stack, a mesh with fewer "
          "axes, or annotations that say what some axes do need less";
  OS << '\n';
  for (const Note &N : S.Of.Notes)
    OS << Where(N.At) << ": note: " << N.Message << '\n';
  return Out;
}

static llvm::json::Object toJSON(const Plan &P, double Bytes,
                                 const DeviceMesh &M) {
  llvm::json::Array Steps;
  for (const Step &S : P.Steps) {
    llvm::json::Array Over;
    for (AxisIndex A : S.Over)
      Over.push_back(M.All[A].Name);
    Steps.push_back(llvm::json::Object{{"kind", stepName(S.K)},
                                       {"axes", std::move(Over)},
                                       {"seconds", S.Seconds}});
  }
  return llvm::json::Object{
      {"steps", std::move(Steps)}, {"bytes", Bytes}, {"seconds", P.Seconds}};
}

static llvm::json::Object toJSON(const StepTimes &T) {
  const auto One = [](const Times &X) {
    return llvm::json::Object{{"compute", X.Compute},
                              {"communication", X.Communication}};
  };
  return llvm::json::Object{{"forward", One(T.Forward)},
                            {"backward", One(T.Backward)},
                            {"total", T.total()}};
}

llvm::json::Object
toJSON(const Suggestion &S,
       llvm::function_ref<llvm::json::Object(PlaceId)> Where) {
  llvm::json::Object Mesh;
  for (const DeviceMesh::Axis &A : S.Mesh.All)
    Mesh[A.Name] = A.Size;
  llvm::json::Array Types, Transitions, Notes;
  for (const SuggestedType &T : S.Types) {
    llvm::json::Object O = Where(T.At);
    O["name"] = T.Name.empty() ? "result" : T.Name;
    O["was"] = T.Was;
    O["type"] = T.Is;
    Types.push_back(std::move(O));
  }
  for (const Transition &T : S.Transitions) {
    llvm::json::Object O = Where(T.At);
    O["name"] = T.Name;
    O["kind"] = T.IsGradient ? "gradient" : "redistribution";
    O["from"] = T.From;
    O["to"] = T.To;
    if (!T.IsGradient)
      O["forward"] = toJSON(T.Forward, T.ForwardBytes, S.Mesh);
    O["backward"] = toJSON(T.Backward, T.BackwardBytes, S.Mesh);
    Transitions.push_back(std::move(O));
  }
  for (const Note &N : S.Of.Notes) {
    llvm::json::Object O = Where(N.At);
    O["message"] = N.Message;
    Notes.push_back(std::move(O));
  }
  llvm::json::Object Baseline = toJSON(S.DataParallel);
  Baseline["axes"] = S.DataParallelAxes;
  Baseline["memory"] = S.DataParallelBytes;
  llvm::json::Object Out = Where(S.Of.F->ResultAt);
  Out["function"] = S.Of.F->DisplayName;
  Out["mesh"] = std::move(Mesh);
  Out["types"] = std::move(Types);
  Out["transitions"] = std::move(Transitions);
  Out["time"] = toJSON(S.Time);
  Out["memory"] = S.MemoryBytes;
  Out["dataParallel"] = std::move(Baseline);
  Out["exact"] = S.IsExact;
  Out["cutOff"] = S.IsCutOff;
  Out["notes"] = std::move(Notes);
  return Out;
}

} // namespace spmd::sharding
