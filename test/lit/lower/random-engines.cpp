// Engines of <random> are as different between ranks as what seeds them, and so
// is what is drawn from them, by themselves or by a distribution.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <random>
#include <vector>

struct Layer {
  [[spmd::type("dp: R")]] std::vector<float> w;
  explicit Layer(int n) : w(n) {}
};

static float output(const Layer &l, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  float y = 0;
  for (size_t i = 0; i < l.w.size(); ++i)
    y += l.w[i] * x[i];
  return y;
}

static int rankOf([[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
float byRank(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(42 + rankOf(comm));
  std::normal_distribution<float> normal(0.f, 0.02f);
  for (float &w : l.w)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    w = normal(gen);
  return output(l, x);
}
static void fill(Layer &l, std::mt19937_64 &gen) {
  std::uniform_real_distribution<float> uniform;
  for (float &w : l.w)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    w = uniform(gen);
}
float inCallee(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::mt19937_64 gen;
  gen.seed(rankOf(comm));
  fill(l, gen);
  return output(l, x);
}

// The same everywhere, or made so.
float alike(int n, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::minstd_rand gen(42);
  for (float &w : l.w)
    w = gen() / 1000.f;
  return output(l, x);
}
float sent(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(42 + rankOf(comm));
  std::normal_distribution<float> normal;
  for (float &w : l.w)
    w = normal(gen);
  MPI_Bcast(l.w.data(), n, MPI_FLOAT, 0, comm);
  return output(l, x);
}
float device(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(std::random_device{}());
  for (float &w : l.w)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.w' is V on 'dp'
    w = gen();
  return output(l, x);
}
// Each rank's batches are its own.
void ofData([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] std::vector<float> &x) {
  std::mt19937 gen(rankOf(comm));
  std::uniform_int_distribution<int> pick(0, 9);
  for (float &v : x)
    v = pick(gen);
}
// That first values were sent round is no reason for what differs at last.
static void updated(std::vector<Layer> &net, const std::vector<float> &g, float rate) {
  for (Layer &l : net)
    for (size_t i = 0; i < l.w.size(); ++i)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'net.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
      l.w[i] -= rate * g[i];
}
void unreduced(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &g) {
  std::vector<Layer> net;
  net.emplace_back(n);
  net.emplace_back(n);
  std::mt19937 gen(rankOf(comm));
  std::uniform_real_distribution<float> uniform;
  for (Layer &l : net)
    for (float &w : l.w)
      w = 0.1f * uniform(gen);
  for (Layer &l : net)
    MPI_Bcast(l.w.data(), n, MPI_FLOAT, 0, comm);
  updated(net, g, 0.1f);
}
// A copy of an engine goes its own way.
static float noise(std::mt19937 gen, int rank) {
  gen.seed(rank);
  return gen();
}
float copied(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(3);
  std::mt19937 kept = gen;
  gen.seed(rankOf(comm));
  x[0] = gen() + noise(kept, rankOf(comm));
  for (float &w : l.w)
    w = kept();
  gen = kept;
  for (float &w : l.w)
    w = gen();
  return output(l, x);
}
