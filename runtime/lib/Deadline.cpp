#include "spmd/deadline.h"

#include "spmd/error.h"

#include <atomic>
#include <cstring>

namespace spmd {
namespace {

using std::chrono::milliseconds;

std::atomic<milliseconds::rep> Chosen{0};

milliseconds fromEnvironment() {
  const char *Text = std::getenv("SPMD_DEADLINE");
  if (!Text || !*Text)
    return std::chrono::minutes(5);
  char *End = nullptr;
  const long long Number = std::strtoll(Text, &End, 10);
  constexpr long long Most = 1000LL * 60 * 60 * 24 * 365;
  long long Unit = 0;
  if (!*End || !std::strcmp(End, "s"))
    Unit = 1000;
  else if (!std::strcmp(End, "ms"))
    Unit = 1;
  else if (!std::strcmp(End, "m"))
    Unit = 60000;
  const bool Digit = *Text >= '0' && *Text <= '9';
  if (!Digit || !Unit || Number < 1 || Number > Most / Unit)
    detail::fail(std::string("spmd: SPMD_DEADLINE is '") + Text +
                 "', expected seconds, as in '90', or '90s', '1500ms', '5m'");
  return milliseconds(Number * Unit);
}

} // namespace

milliseconds deadline() {
  if (const milliseconds::rep Set = Chosen.load(std::memory_order_relaxed))
    return milliseconds(Set);
  static const milliseconds Default = fromEnvironment();
  return Default;
}

void set_deadline(milliseconds Limit) {
  if (Limit.count() < 0)
    detail::fail("spmd::set_deadline: " + std::to_string(Limit.count()) +
                 " ms, expected at least 0");
  Chosen.store(Limit.count());
}

} // namespace spmd
