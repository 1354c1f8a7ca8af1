//===- Published.cpp - The planner beside what another publishes ----------===//

#include "Report.h"

#include "spmd/planner/Plan.h"
#include "spmd/planner/Published.h"
#include "spmd/planner/Specs.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace spmd::planner {

void reportPublished(const ReportOptions &O, raw_ostream &OS) {
  Ratios Theirs, Ours;
  unsigned Worse = 0, TheirCollectives = 0, OurCollectives = 0;
  if (O.Cases)
    OS << "bytes (of the bound) and collectives: published, planned\n";
  for (const PublishedPlan &P : publishedPlans()) {
    const DeviceMesh M = cantFail(meshOf(cantFail(rules::parseMesh(P.Mesh))));
    const rules::TypeSpec A = cantFail(rules::parseTypeSpec(P.From)),
                          B = cantFail(rules::parseTypeSpec(P.To));
    const Layout From = cantFail(layoutOf(A, M)), To = cantFail(layoutOf(B, M));
    const Shape S = cantFail(shapeOf(A));
    const Plan Mine = planRedistribution(From, To, S, M);
    const double Bound = lowerBound(From, To, S, M),
                 Received = static_cast<double>(P.Received);
    Theirs.add(Received, Bound);
    Ours.add(Mine.Received, Bound);
    TheirCollectives += P.Collectives;
    OurCollectives += Mine.Collectives;
    Worse += Mine.Received > Received || Mine.Collectives > P.Collectives ||
             Mine.Peak > P.Peak;
    if (O.Cases)
      OS << format("%6.2f %2u %6.2f %2u  ", Received / Bound, P.Collectives,
                   Mine.Received / Bound, Mine.Collectives)
         << P.From << " -> " << P.To << " on " << P.Mesh << '\n';
  }
  const unsigned Count = Ours.Count;
  OS << "the plans that Shardy publishes, " << Count << " pairs\n"
     << left_justify("", 10) << "bytes mean    worst  collectives\n"
     << "planned   "
     << format("%10.3f %8.2f %12.2f\n", Ours.mean(), Ours.Worst,
               double(OurCollectives) / Count)
     << "Shardy    "
     << format("%10.3f %8.2f %12.2f\n", Theirs.mean(), Theirs.Worst,
               double(TheirCollectives) / Count)
     << "worse than Shardy's in bytes, collectives or peak: " << Worse << " of "
     << Count << '\n';
}

} // namespace spmd::planner
