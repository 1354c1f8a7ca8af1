// What a constructor fills with values that nobody knows is what its field is
// declared to be, also where it is declared to differ.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <vector>

double load();

class Trainer {
public:
  explicit Trainer(int n) {
    rows_.resize(n);
    weights_.resize(n);
    fill();
  }
  void step() {
    for (int i = 0; i != (int)weights_.size(); ++i)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'trainer.weights_' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
      weights_[i] -= 0.1 * rows_[i];
  }

private:
  void fill() {
    for (double &x : rows_)
      x = load();
    for (double &x : weights_)
      x = load();
  }
  [[spmd::type("dp: V")]] std::vector<double> rows_;
  [[spmd::type("dp: R")]] std::vector<double> weights_;
};

void train() {
  Trainer trainer(3);
  for (int epoch = 0; epoch != 10; ++epoch)
    trainer.step();
}
