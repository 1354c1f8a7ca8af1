// Loops over lists that are no range-for: by iterators, by numbers up and down,
// and by while. What each does to its element is done to all.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

[[spmd::type("dp: V")]] Tensor batch(int i);

struct Trainer {
  [[spmd::axis("dp")]] Group group;
  [[spmd::type("dp: R")]] torch::nn::Linear model{8, 8};
  std::vector<Tensor> params = model->parameters();
  torch::optim::SGD optimizer{model->parameters(), 0.1};

  void sum(Tensor gradient) {
    std::vector<Tensor> one{gradient};
    group->allreduce(one)->wait();
  }
  void byIterator() {
    auto list = model->parameters();
    model->forward(batch(0)).sum().backward();
    for (auto it = list.begin(); it != list.end(); ++it)
      sum(it->grad());
    optimizer.step();
  }
  void fromTheEnd() {
    auto list = model->parameters();
    std::vector<Tensor> last;
    for (auto it = list.rbegin(); it != list.rend(); ++it)
      last.push_back(*it);
    model->forward(batch(0)).sum().backward();
    for (auto &p : last)
      sum(p.grad());
    optimizer.step();
  }
  void byNumber() {
    auto list = model->parameters();
    const size_t n = list.size();
    model->forward(batch(0)).sum().backward();
    for (size_t k = 0; k < n; ++k)
      sum(list[k].grad());
    optimizer.step();
  }
  void downwards() {
    auto list = model->parameters();
    model->forward(batch(0)).sum().backward();
    for (int k = static_cast<int>(list.size()) - 1; k >= 0; --k)
      sum(list[k].grad());
    optimizer.step();
  }
  void whileThereAre() {
    auto list = model->parameters();
    model->forward(batch(0)).sum().backward();
    size_t k = 0;
    while (k < list.size()) {
      sum(list[k].grad());
      ++k;
    }
    optimizer.step();
  }
  // Which ones it comes to is not known: nothing is said.
  void inSteps() {
    auto list = model->parameters();
    model->forward(batch(0)).sum().backward();
    size_t k = 0;
    while (k < list.size())
      sum(list[k++].grad());
    optimizer.step();
  }

  void someByIterator() {
    auto list = model->parameters();
    model->forward(batch(0)).sum().backward();
    for (auto it = list.begin(); it != list.end(); ++it)
      if (it->dim() > 1)
        sum(it->grad());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
  }
  void someByNumber() {
    auto list = model->parameters();
    const size_t n = list.size();
    model->forward(batch(0)).sum().backward();
    for (size_t k = 0; k < n; ++k)
      if (k % 2 == 0)
        sum(list[k].grad());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
  }
};
