#include "config.h"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

namespace megatron {
namespace {

using Setter = std::function<void(const std::string &)>;

/// A number that is all of the text.
template <class Number>
Setter whole(Number &field,
             Number (*read)(const std::string &, std::size_t *)) {
  return [&field, read](const std::string &text) {
    std::size_t end = 0;
    field = read(text, &end);
    if (end != text.size())
      throw std::invalid_argument(text);
  };
}
Setter into(int64_t &field) {
  return whole<int64_t>(field, [](const std::string &text, std::size_t *end) {
    return int64_t(std::stoll(text, end));
  });
}
Setter into(uint64_t &field) {
  return whole<uint64_t>(field, [](const std::string &text, std::size_t *end) {
    return uint64_t(std::stoull(text, end));
  });
}
Setter into(double &field) {
  return whole<double>(field, [](const std::string &text, std::size_t *end) {
    return std::stod(text, end);
  });
}
Setter into(bool &field) {
  return [&field](const std::string &text) { field = std::stoi(text) != 0; };
}
Setter into(std::string &field) {
  return [&field](const std::string &text) { field = text; };
}
Setter into(Backend &field) {
  return [&field](const std::string &text) {
    static const std::map<std::string, Backend> names = {
        {"local", Backend::Local},
        {"mpi", Backend::Mpi},
        {"c10d", Backend::C10d},
    };
    field = names.at(text);
  };
}

void require_at_least(int64_t least, int64_t value, const std::string &what) {
  if (value < least)
    throw std::invalid_argument(what + " must be at least " +
                                std::to_string(least));
}

void require_divides(int64_t part, int64_t whole, const std::string &what) {
  if (part < 1 || whole % part != 0)
    throw std::invalid_argument(what + ": " + std::to_string(whole) +
                                " is not a multiple of " +
                                std::to_string(part));
}

} // namespace

Config parse_arguments(int argc, const char *const *argv) {
  Config config;
  const std::map<std::string, Setter> setters = {
      {"sequence", into(config.sequence)},
      {"hidden", into(config.hidden)},
      {"heads", into(config.heads)},
      {"layers", into(config.layers)},
      {"dp", into(config.dp)},
      {"tp", into(config.tp)},
      {"sequence-parallel", into(config.sequence_parallel)},
      {"vocabulary-parallel", into(config.vocabulary_parallel)},
      {"backend", into(config.backend)},
      {"steps", into(config.steps)},
      {"batch", into(config.batch)},
      {"learning-rate", into(config.learning_rate)},
      {"weight-decay", into(config.weight_decay)},
      {"clip", into(config.clip)},
      {"centering", into(config.centering)},
      {"seed", into(config.seed)},
      {"data", into(config.data)},
      {"losses", into(config.losses)},
      {"plot", into(config.plot)},
      {"checkpoint", into(config.checkpoint)},
      {"checkpoint-every", into(config.checkpoint_every)},
      {"resume", into(config.resume)},
  };

  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.compare(0, 2, "--") != 0)
      throw std::invalid_argument("expected --key=value, got " + argument);
    const size_t equals = std::min(argument.find('='), argument.size());
    const auto setter = setters.find(argument.substr(2, equals - 2));
    if (setter == setters.end()) {
      std::string known;
      for (const auto &[name, ignored] : setters)
        known += (known.empty() ? "--" : ", --") + name;
      throw std::invalid_argument("unknown option " + argument +
                                  ", the options are " + known);
    }
    try {
      setter->second(equals < argument.size() ? argument.substr(equals + 1)
                                              : "1");
    } catch (const std::logic_error &) {
      throw std::invalid_argument("not a value of that option: " + argument);
    }
  }

  require_at_least(1, config.sequence, "sequence");
  require_at_least(1, config.hidden, "hidden");
  require_at_least(1, config.layers, "layers");
  require_at_least(1, config.batch, "batch");
  require_at_least(0, config.steps, "steps");
  require_divides(config.heads, config.hidden, "hidden size over heads");
  require_divides(config.tp, config.heads, "heads over tp");
  require_divides(config.dp, config.batch, "batch over dp");
  if (config.sequence_parallel)
    require_divides(config.tp, config.sequence, "sequence over tp");
  if (config.vocabulary_parallel)
    require_divides(config.tp, config.vocabulary, "vocabulary over tp");
  require_at_least(1, config.checkpoint_every, "checkpoint-every");
  if (config.resume && config.checkpoint.empty())
    throw std::invalid_argument("--resume needs --checkpoint=FOLDER");
  return config;
}

} // namespace megatron
