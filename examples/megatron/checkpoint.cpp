#include "checkpoint.h"

#include "files.h"
#include "shard.h"

#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace megatron {
namespace {

namespace fs = std::filesystem;

/// What must be the same in the run that goes on, and how far the one was that
/// saved it.
std::string manifest(const Config &config, int64_t steps) {
  std::ostringstream text;
  text << "megatron checkpoint 1\n"
       << "steps " << steps << "\n"
       << "vocabulary " << config.vocabulary << "\n"
       << "sequence " << config.sequence << "\n"
       << "hidden " << config.hidden << "\n"
       << "heads " << config.heads << "\n"
       << "layers " << config.layers << "\n"
       << "dp " << config.dp << "\n"
       << "tp " << config.tp << "\n"
       << "vocabulary-parallel " << config.vocabulary_parallel << "\n"
       << "end\n";
  return text.str();
}

/// The number of steps. Throws at the first line that differs.
int64_t check_manifest(const Config &config, const std::string &path) {
  const std::string text = read_file(path);
  std::istringstream head(text);
  std::string line, word;
  int64_t steps = 0;
  std::getline(head, line);
  if (!(head >> word >> steps) || word != "steps" || steps < 0)
    throw std::runtime_error(path + " is damaged: no number of steps");

  std::istringstream found(text), expected(manifest(config, steps));
  std::string have, want;
  while (std::getline(expected, want))
    if (!std::getline(found, have))
      throw std::runtime_error(path + " is damaged: it ends before '" + want +
                               "'");
    else if (have != want)
      throw std::runtime_error(path + " is of another run: it says '" + have +
                               "', this one has '" + want + "'");
  return steps;
}

std::string shard_name(const Parallel &parallel) {
  return "tp" + std::to_string(parallel.tp.rank()) + ".shard";
}

std::vector<at::Tensor> tensors(const State &state) {
  std::vector<at::Tensor> all = state.parameters.sharded;
  for (const at::Tensor &tensor : state.parameters.replicated)
    all.push_back(tensor);
  for (const at::Tensor &tensor : state.optimizer.moments())
    all.push_back(tensor);
  return all;
}

/// Returns when all ranks have come here.
void meet(const Parallel &parallel) {
  spmd::barrier(parallel.tp);
  spmd::barrier(parallel.dp);
}

} // namespace

void save_checkpoint(const Config &config, const Parallel &parallel,
                     int64_t steps, const State &state) {
  const fs::path folder = config.checkpoint;
  const std::string name = "step-" + std::to_string(steps);
  const fs::path part = folder / (name + ".part");
  if (parallel.is_first()) {
    fs::remove_all(part);
    fs::create_directories(part);
  }
  meet(parallel);
  if (parallel.dp.rank() == 0)
    write_file(part / shard_name(parallel), pack(tensors(state), steps));
  meet(parallel);
  if (!parallel.is_first())
    return;

  write_file(part / "losses.csv", to_csv(state.history));
  write_file(part / "manifest", manifest(config, steps));
  const fs::path latest = folder / "latest";
  const std::string before = fs::exists(latest) ? read_file(latest) : name;
  fs::remove_all(folder / name);
  fs::rename(part, folder / name);
  write_file(latest, name);
  if (before != name && before.compare(0, 5, "step-") == 0)
    fs::remove_all(folder / before);
}

int64_t load_checkpoint(const Config &config, const Parallel &parallel,
                        State &state) {
  const fs::path folder = config.checkpoint;
  if (!fs::exists(folder / "latest"))
    throw std::runtime_error("there is no checkpoint in " + folder.string());
  const fs::path from = folder / read_file(folder / "latest");
  const int64_t steps = check_manifest(config, from / "manifest");
  History history = from_csv(read_file(from / "losses.csv"));
  unpack(from / shard_name(parallel), steps, tensors(state));
  state.history = std::move(history);
  state.optimizer.resume(steps);
  return steps;
}

} // namespace megatron
