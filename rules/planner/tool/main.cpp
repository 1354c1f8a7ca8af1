//===- main.cpp - The planner beside others and the bound -----------------===//
//
//   spmd-planner report [--pairs=N] [--times] [--cases]
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/ADT/StringRef.h"

using namespace llvm;
using namespace spmd::planner;

int main(int Argc, char **Argv) {
  ReportOptions O;
  bool Bad = Argc < 2 || StringRef(Argv[1]) != "report";
  for (int I = 2; I < Argc; ++I) {
    StringRef Option = Argv[I];
    if (Option == "--times")
      O.Times = true;
    else if (Option == "--cases")
      O.Cases = true;
    else
      Bad |= !Option.consume_front("--pairs=") ||
             Option.getAsInteger(10, O.RandomPairs);
  }
  if (Bad) {
    errs() << "usage: spmd-planner report [--pairs=N] [--times] [--cases]\n";
    return 2;
  }
  reportGreedy(O, outs());
  reportPublished(O, outs());
  return 0;
}
