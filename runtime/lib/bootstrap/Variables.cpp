#include "Variables.h"

#include "spmd/error.h"

#include <algorithm>
#include <cstdint>

namespace spmd::bootstrap {

bool isSet(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value && *Value;
}

std::string text(const char *Name) {
  return isSet(Name) ? std::getenv(Name) : "";
}

std::string is(const char *Name) {
  return std::string(Name) + " is '" + text(Name) + "'";
}

void failOn(const char *Name, const std::string &Expected) {
  detail::fail(
      "spmd::init: " +
      (std::getenv(Name) ? is(Name) : std::string(Name) + " is not set") +
      ", expected " + Expected);
}

static bool isDigit(char Letter) { return Letter >= '0' && Letter <= '9'; }

int number(const char *Name, int Least, int Most, const std::string &Is) {
  const std::string Value = text(Name);
  std::int64_t N = 0;
  for (const char Letter : Value)
    N = isDigit(Letter) && N <= INT_MAX ? N * 10 + (Letter - '0')
                                        : std::int64_t(INT64_MAX) / 16;
  if (Value.empty() || N < Least || N > Most)
    failOn(Name, Is);
  return static_cast<int>(N);
}

std::string firstNode(const char *Name) {
  const std::string List = text(Name);
  std::string Node;
  for (std::size_t At = 0; At < List.size() && List[At] != ','; ++At) {
    if (List[At] != '[') {
      Node += List[At];
      continue;
    }
    // Of each bracket its first number, zeros in front included.
    const std::size_t Close = List.find(']', At);
    const std::size_t First = At + 1;
    At = First;
    while (At < List.size() && isDigit(List[At]))
      ++At;
    if (Close == std::string::npos || At == First ||
        (List[At] != '-' && List[At] != ',' && List[At] != ']'))
      failOn(Name, "a list of nodes, as in 'node[03-07,9],gpu1'");
    Node += List.substr(First, At - First);
    At = Close;
  }
  if (Node.empty() || Node.find(']') != std::string::npos)
    failOn(Name, "a list of nodes, as in 'node[03-07,9],gpu1'");
  return Node;
}

} // namespace spmd::bootstrap
