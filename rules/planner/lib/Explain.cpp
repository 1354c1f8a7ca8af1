//===- Explain.cpp - Plans as text, also of sizes without numbers ---------===//

#include "spmd/planner/Explain.h"

#include "spmd/types/Extent.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace spmd::rules;

namespace spmd::planner {

TensorSizes::TensorSizes(const Shape &S) : Sample(S) {
  for (std::int64_t N : S)
    Written.push_back(std::to_string(N));
}

llvm::Expected<TensorSizes> TensorSizes::of(const TypeSpec &T,
                                            const DeviceMesh &M) {
  TensorSizes Out;
  const double Ranks = M.ranks();
  double Elements = 1;
  for (const DimSpec &D : T.Global ? T.Global->Dims : std::vector<DimSpec>()) {
    double Size = 1;
    llvm::SmallVector<llvm::StringRef, 4> Parts;
    llvm::StringRef(D.Extent).split(Parts, '*');
    for (llvm::StringRef Part : Parts) {
      Part = Part.trim();
      std::int64_t N = 0;
      if (Part == "_")
        return llvm::createStringError("the size of '_' is not known");
      if (!Part.getAsInteger(10, N)) {
        Size *= static_cast<double>(N);
        continue;
      }
      if (!llvm::is_contained(Out.Names, Part))
        Out.Names.push_back(Part.str());
      Out.Factors.push_back(Part.str());
      // Once more the number of ranks, for parts of shards.
      const double Value = Part == Out.Names[0] ? Ranks * Ranks : Ranks;
      Size *= Value;
      Out.OfNames *= static_cast<std::int64_t>(Value);
    }
    // Also as a divisor of what is counted, exactly.
    Elements *= std::max(Size, 1.0);
    if (Elements * Ranks > 1e15)
      return llvm::createStringError(
          Out.Names.empty() ? "the tensor is too large"
                            : "too many ranks for sizes without numbers");
    Out.Sample.push_back(static_cast<std::int64_t>(Size));
    Out.Written.push_back(D.Extent);
  }
  return Out;
}

std::string TensorSizes::bytes(double Elements, int ElementSize) const {
  const auto Count =
      static_cast<std::int64_t>(std::llround(Elements * ElementSize));
  if (Factors.empty() || Count == 0)
    return std::to_string(Count);
  Extent Out = Extent::number(Count) / Extent::number(OfNames);
  for (const std::string &Name : Factors)
    Out = Out * Extent::name(Name);
  return Out.str();
}

int elementSize(llvm::StringRef DType) {
  unsigned Bits = 32;
  const llvm::StringRef Digits = DType.ltrim("abcdefghijklmnopqrstuvwxyz");
  if (Digits.take_while(llvm::isDigit).getAsInteger(10, Bits) || Bits < 8)
    return DType == "bool" ? 1 : 4;
  return static_cast<int>(Bits / 8);
}

std::string explain(const Plan &P, const Layout &From, const TensorSizes &S,
                    const DeviceMesh &M, int ElementSize) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  const auto Bytes = [&](double Elements) {
    return S.bytes(Elements, ElementSize);
  };
  OS << print(From, S.written(), M) << '\n';
  for (const Step &X : P.Steps) {
    OS << "  " << stepName(X.K);
    if (!X.Over.empty()) {
      std::vector<std::string> Names;
      for (AxisIndex A : X.Over)
        Names.push_back(M.All[A].Name);
      OS << " over " << printAxes(Names);
    }
    if (X.communicates())
      OS << ", " << Bytes(X.Received) << " bytes per rank";
    OS << '\n' << print(X.After, S.written(), M) << '\n';
  }
  OS << P.Collectives << " collective" << (P.Collectives == 1 ? "" : "s")
     << ", " << Bytes(P.Received) << " bytes per rank";
  const Layout &To = P.Steps.empty() ? From : P.Steps.back().After;
  if (P.Collectives)
    OS << " (no plan needs less than "
       << Bytes(lowerBound(From, To, S.sample(), M)) << ")";
  OS << ", peak " << Bytes(static_cast<double>(P.Peak)) << " bytes";
  // Only where links were given, and sizes.
  if (P.Collectives && S.names().empty() &&
      llvm::any_of(M.All, [](const DeviceMesh::Axis &A) { return !!A.Own; }))
    OS << llvm::format(", %.1f us", 1e6 * P.Seconds);
  OS << '\n';
  return Out;
}

/// Whether a plan wins at all sizes is seen at both ends: its time, and that of
/// every other, is linear in the size. \p Latency is what the shortest one
/// costs in elements.
static Plan planAtOneEnd(const Layout &From, const Layout &To, const Shape &S,
                         DeviceMesh M, const Link &Everywhere, double Latency) {
  for (DeviceMesh::Axis &A : M.All)
    if (A.Own)
      A.Own = Link{Latency * A.Own->Latency / Everywhere.Latency,
                   A.Own->PerElement / Everywhere.PerElement};
  return planRedistribution(From, To, S, M, {Latency, 1});
}

std::string explainRedistribution(const Layout &From, const Layout &To,
                                  const TensorSizes &S, const DeviceMesh &M,
                                  int ElementSize, const Link &Everywhere) {
  const Shape &Sample = S.sample();
  const auto Text = [&](const Plan &P) {
    return explain(P, From, S, M, ElementSize);
  };
  if (S.names().empty())
    return Text(planRedistribution(From, To, Sample, M, Everywhere));
  double Elements = 1;
  for (std::int64_t N : Sample)
    Elements *= static_cast<double>(N);
  const double Ranks = M.ranks();
  const std::string Small = Text(planAtOneEnd(From, To, Sample, M, Everywhere,
                                              100 * Ranks * Elements)),
                    Large = Text(planAtOneEnd(From, To, Sample, M, Everywhere,
                                              Elements / Ranks / Ranks / 100));
  return (Small == Large ? Small
                         : "small tensors, where latency decides:\n" + Small +
                               "large tensors, where bytes decide:\n" + Large) +
         "if " + llvm::join(S.names(), ", ") +
         (S.names().size() == 1 ? " divides" : " divide") + " evenly\n";
}

} // namespace spmd::planner
