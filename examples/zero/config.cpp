#include "config.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace zero {
namespace {

[[noreturn]] void refuse(const std::string &what) {
  std::fprintf(stderr, "zero: %s\n", what.c_str());
  std::exit(2);
}

template <typename Number> bool read(const std::string &text, Number &field) {
  std::istringstream stream(text);
  return stream >> field &&
         stream.peek() == std::istringstream::traits_type::eof();
}

bool read(const std::string &text, Stage &field) {
  if (text.size() != 1 || text[0] < '1' || text[0] > '2')
    return false;
  field = static_cast<Stage>(text[0] - '0');
  return true;
}

/// False for an unknown key; ends the program on a malformed value.
bool assign(Config &config, const std::string &key, const std::string &text) {
  bool good = true;
  if (key == "data")
    config.data = text;
  else if (key == "losses")
    config.losses = text;
  else if (key == "ranks")
    good = read(text, config.ranks);
  else if (key == "sequence")
    good = read(text, config.sequence);
  else if (key == "channels")
    good = read(text, config.channels);
  else if (key == "heads")
    good = read(text, config.heads);
  else if (key == "layers")
    good = read(text, config.layers);
  else if (key == "stage")
    good = read(text, config.stage);
  else if (key == "steps")
    good = read(text, config.steps);
  else if (key == "batch")
    good = read(text, config.batch);
  else if (key == "micro-steps")
    good = read(text, config.micro_steps);
  else if (key == "learning-rate")
    good = read(text, config.learning_rate);
  else if (key == "weight-decay")
    good = read(text, config.weight_decay);
  else if (key == "clip")
    good = read(text, config.clip);
  else if (key == "seed")
    good = read(text, config.seed);
  else
    return false;
  if (!good)
    refuse("--" + key + " cannot be '" + text + "'");
  return true;
}

void require_positive(int value, const std::string &what) {
  if (value < 1)
    refuse(what + " must be at least 1");
}

void require_divides(int part, int whole, const std::string &what) {
  if (whole % part != 0)
    refuse(what + ": " + std::to_string(whole) + " is not a multiple of " +
           std::to_string(part));
}

} // namespace

Config parse_arguments(int argc, const char *const *argv) {
  Config config;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (argument.compare(0, 2, "--") != 0 || equals == std::string::npos)
      refuse("expected --key=value, got " + argument);
    if (!assign(config, argument.substr(2, equals - 2),
                argument.substr(equals + 1)))
      refuse("unknown option " + argument);
  }
  require_positive(config.sequence, "sequence");
  require_positive(config.channels, "channels");
  require_positive(config.heads, "heads");
  require_positive(config.layers, "layers");
  require_positive(config.batch, "batch");
  require_positive(config.ranks, "ranks");
  require_positive(config.micro_steps, "micro-steps");
  require_divides(config.heads, config.channels, "channels over heads");
  return config;
}

} // namespace zero
