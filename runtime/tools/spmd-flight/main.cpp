// spmd-flight diff rank0.flight rank1.flight …

#include "Diff.h"

#include <fstream>
#include <iostream>

static void usage(std::ostream &Out) {
  Out << "usage: spmd-flight diff <rank0.flight> <rank1.flight> ...\n"
         "lines up what the ranks called, as they left it in\n"
         "SPMD_FLIGHT_DIR, and names the first call on which they\n"
         "disagree, or wait for one that left nothing. Exit code 0: they\n"
         "agree, 1: they do not, 2: a file cannot be read\n";
}

int main(int Argc, char **Argv) {
  if (Argc == 2 && std::string(Argv[1]) == "--help") {
    usage(std::cout);
    return 0;
  }
  if (Argc < 3 || std::string(Argv[1]) != "diff") {
    usage(std::cerr);
    return 2;
  }
  std::vector<spmd::flight::Record> Records;
  for (int I = 2; I < Argc; ++I) {
    std::ifstream File(Argv[I]);
    if (!File) {
      std::cerr << "spmd-flight: cannot open " << Argv[I] << '\n';
      return 2;
    }
    Records.push_back({Argv[I], {}});
    std::string Error;
    if (!read(File, Records.back(), Error)) {
      std::cerr << "spmd-flight: " << Argv[I] << ": " << Error << '\n';
      return 2;
    }
  }
  return diff(Records, std::cout) ? 0 : 1;
}
