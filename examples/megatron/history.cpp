#include "history.h"

#include "files.h"

#include <cinttypes>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace megatron {
namespace {

constexpr const char *head = "step,loss,gradient";

std::string line(const char *format, const Entry &entry) {
  char text[160];
  std::snprintf(text, sizeof text, format, entry.step, entry.loss,
                entry.gradient);
  return text;
}

} // namespace

std::string to_csv(const History &history) {
  std::string text = std::string(head) + "\n";
  for (const Entry &entry : history)
    text += line("%" PRId64 ",%.17g,%.17g\n", entry);
  return text;
}

History from_csv(const std::string &text) {
  History history;
  std::istringstream lines(text);
  std::string row;
  std::getline(lines, row);
  bool good = row == head;
  while (good && std::getline(lines, row)) {
    Entry entry = {};
    good = std::sscanf(row.c_str(), "%" SCNd64 ",%lf,%lf", &entry.step,
                       &entry.loss, &entry.gradient) == 3;
    history.push_back(entry);
  }
  if (!good)
    throw std::runtime_error("not a table of losses: " + row);
  return history;
}

std::string to_json(const History &history) {
  std::string text;
  for (const Entry &entry : history)
    text += (text.empty() ? "[\n" : ",\n") +
            line(R"(  {"step": %)" PRId64 R"(, "loss": %.17g, "gradient": )"
                 R"(%.17g})",
                 entry);
  return text.empty() ? "[]\n" : text + "\n]\n";
}

void write_history(const std::string &path, const History &history) {
  const std::string ending = ".json";
  const bool json =
      path.size() >= ending.size() &&
      path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
  write_file(path, json ? to_json(history) : to_csv(history));
}

} // namespace megatron
