#include "log.h"

#include <cstdlib>

namespace zero {

Log::Log(const std::string &path) {
  if (path.empty())
    return;
  table_ = std::fopen(path.c_str(), "w");
  if (!table_) {
    std::fprintf(stderr, "zero: cannot write %s\n", path.c_str());
    std::exit(2);
  }
  std::fprintf(table_, "step,loss,gradient\n");
}

Log::~Log() {
  if (table_)
    std::fclose(table_);
}

void Log::add(int step, double loss, double norm) {
  std::printf("step %d: loss %.4f, gradient norm %.4f\n", step, loss, norm);
  if (table_)
    std::fprintf(table_, "%d,%.17g,%.17g\n", step, loss, norm);
}

} // namespace zero
