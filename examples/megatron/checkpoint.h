// Training that can be stopped and taken up again.
//
// A checkpoint is a folder step-<n> with a manifest, the losses so far, and the
// shard of each rank of tp: its parameters and their moments, which the ranks
// of dp share. It gets its name when it is whole; then the file `latest` names
// it, and the one before is removed.

#pragma once

#include "adamw.h"
#include "config.h"
#include "history.h"
#include "mesh.h"

namespace megatron {

/// What training goes on from. The tensors are those of the trainer: they are
/// read into in place.
struct State {
  Parameters &parameters;
  AdamW &optimizer;
  History &history;
};

/// Saves the state after \p steps steps to config.checkpoint. All ranks call
/// it.
void save_checkpoint(const Config &config, const Parallel &parallel,
                     int64_t steps, const State &state);

/// Reads the newest checkpoint and returns its number of steps. Throws
/// std::runtime_error that says what is wrong: there is none, it is of another
/// model or mesh, or a file of it is damaged. All ranks call it; of \p state
/// only what is read without error changes.
int64_t load_checkpoint(const Config &config, const Parallel &parallel,
                        State &state);

} // namespace megatron
