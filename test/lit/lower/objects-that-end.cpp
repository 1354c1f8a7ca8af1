// What objects and lists that a function makes hold at last, also behind loops,
// behind members that refer to them, and where each rank first drew its own
// values: what is sent round before each use may end different on each rank.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <cstdlib>
#include <vector>

struct Linear {
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> dw;
  explicit Linear(int n) : w(n), dw(n) {
    for (auto &x : w)
      x = rand() / (float)RAND_MAX;
  }
};

class Trainer {
public:
  Trainer(std::vector<Linear> &net, [[spmd::axis("dp")]] MPI_Comm comm) : net_(net), comm_(comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    srand(rank);
  }
  void broadcast() {
    for (auto &l : net_)
      MPI_Bcast(l.w.data(), (int)l.w.size(), MPI_FLOAT, 0, comm_);
  }
  void backward([[spmd::type("dp: V")]] const std::vector<float> &x) {
    for (auto &l : net_)
      for (size_t i = 0; i < l.w.size(); ++i)
        l.dw[i] = l.w[i] * x[i];
  }
  void reduce() {
    for (auto &l : net_)
      MPI_Allreduce(MPI_IN_PLACE, l.dw.data(), (int)l.dw.size(), MPI_FLOAT, MPI_SUM, comm_);
  }
  void step() {
    for (auto &l : net_)
      for (size_t i = 0; i < l.w.size(); ++i)
        // CHECK: [[#@LINE+1]]:9: error: from here on 'net.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
        l.w[i] -= 0.1f * l.dw[i];
  }

private:
  std::vector<Linear> &net_;
  [[spmd::axis("dp")]] MPI_Comm comm_;
};

void right(MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x, int steps) {
  std::vector<Linear> net;
  Trainer trainer(net, comm);
  net.emplace_back(32);
  net.emplace_back(16);
  trainer.broadcast();
  for (int i = 0; i < steps; ++i) {
    trainer.backward(x);
    trainer.reduce();
    trainer.step();
  }
}

void forgotten(MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x, int steps) {
  std::vector<Linear> net;
  Trainer trainer(net, comm);
  net.emplace_back(32);
  net.emplace_back(16);
  trainer.broadcast();
  for (int i = 0; i < steps; ++i) {
    trainer.backward(x);
    trainer.step();
  }
}

// Each rank goes on from what one of them has.
void sent_each_time(MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x, int steps) {
  std::vector<Linear> net;
  Trainer trainer(net, comm);
  net.emplace_back(32);
  for (int i = 0; i < steps; ++i) {
    trainer.broadcast();
    trainer.backward(x);
    trainer.step();
  }
}

// A member by value, in an object of its own.
struct Model {
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> dw;
  explicit Model(int n) : w(n), dw(n) {
    for (auto &x : w)
      x = rand() / (float)RAND_MAX;
  }
  float backward([[spmd::type("dp: V")]] const std::vector<float> &x) {
    float loss = 0;
    for (size_t i = 0; i < w.size(); ++i) {
      dw[i] = w[i] * x[i];
      loss += dw[i];
    }
    return loss;
  }
  void step() {
    for (size_t i = 0; i < w.size(); ++i)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'model.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
      w[i] -= 0.1f * dw[i];
  }
};

template <bool Reduces> void train([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  srand(rank + 1);
  Model model(8);
  MPI_Bcast(model.w.data(), 8, MPI_FLOAT, 0, comm);
  for (int i = 0; i < 100; ++i) {
    float loss = model.backward(x), sum = 0;
    if constexpr (Reduces)
      MPI_Allreduce(MPI_IN_PLACE, model.dw.data(), 8, MPI_FLOAT, MPI_SUM, comm);
    model.step();
    if (i % 10 == 0)
      MPI_Reduce(&loss, &sum, 1, MPI_FLOAT, MPI_SUM, 0, comm);
  }
}
template void train<true>(MPI_Comm, const std::vector<float> &);
template void train<false>(MPI_Comm, const std::vector<float> &);

// What a call returns by value has its name where it is put.
struct Layer {
  int n;
  [[spmd::type("dp: R")]] float *w;
};
static Layer make(int n) {
  Layer l{n, nullptr};
  l.w = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; ++i)
    l.w[i] = rand() * 0.1f;
  return l;
}
void returned(int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  srand(rank);
  std::vector<Layer> net;
  net.push_back(make(n));
  net.push_back(make(n));
  for (auto &l : net)
    MPI_Bcast(l.w, l.n, MPI_FLOAT, 0, comm);
}

// Whoever has the list may make it whole.
class Averager {
public:
  explicit Averager(std::vector<Linear> *net);
  void average();
};
void given_away(MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x, int steps) {
  std::vector<Linear> net;
  Averager averager(&net);
  Trainer trainer(net, comm);
  net.emplace_back(32);
  for (int i = 0; i < steps; ++i) {
    trainer.backward(x);
    trainer.step();
    averager.average();
  }
}
