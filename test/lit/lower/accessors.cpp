// A method that returns a reference to a member is a name of that.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

#include <vector>

struct Layer {
  std::vector<float> &weights() { return weights_; }
  [[spmd::type("dp: R")]] std::vector<float> weights_;
  std::vector<float> gradients;
};
class Model {
public:
  Layer &layer() { return layer_; }
  const Layer &layer() const { return layer_; }

private:
  Layer layer_;
};

void own([[spmd::type("dp: V")]] std::vector<float> &x, Model &model) {
  for (std::size_t i = 0; i < x.size(); ++i)
    model.layer().gradients[i] = x[i];
  for (std::size_t i = 0; i < x.size(); ++i)
    // CHECK: [[#@LINE+1]]:5: error: from here on 'model.layer_.weights_' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    model.layer().weights_[i] -= model.layer().gradients[i];
}
void sent([[spmd::axis("dp")]] MPI_Comm comm) {
  Model model;
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    for (float &w : model.layer().weights_)
      w = 0.5f;
  MPI_Bcast(model.layer().weights_.data(), int(model.layer().weights_.size()), MPI_FLOAT, 0, comm);
}
