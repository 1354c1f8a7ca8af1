// What some ranks alone draw leaves their engine behind, or ahead of, the others': what all draw then is another number
// on each rank, whoever the first draw was for.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <algorithm>
#include <random>
#include <vector>

struct Layer {
  [[spmd::type("dp: R")]] std::vector<float> w, v;
  explicit Layer(int n) : w(n), v(n) {}
};
static float output(const Layer &l, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  float y = 0;
  for (size_t i = 0; i < l.w.size(); ++i)
    y += l.w[i] * l.v[i] * x[i];
  return y;
}
static int rankOf([[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

//===--- Wrong -------------------------------------------------------------===//

float oneRankDraws(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(42);
  std::normal_distribution<float> normal(0.f, 0.02f);
  if (rankOf(comm) == 0)
    for (float &w : l.w)
      w = normal(gen);
  MPI_Bcast(l.w.data(), n, MPI_FLOAT, 0, comm);
  for (float &v : l.v)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.v' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    v = normal(gen);
  return output(l, x);
}
static void draw(std::vector<float> &to, std::mt19937 &gen) {
  std::uniform_real_distribution<float> uniform;
  for (float &w : to)
    w = uniform(gen);
}
float inCallees(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen;
  if (rankOf(comm) == 0)
    draw(l.w, gen);
  MPI_Bcast(l.w.data(), n, MPI_FLOAT, 0, comm);
  for (float &v : l.v)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.v' is V on 'dp'
    v = gen();
  return output(l, x);
}
float leavesOut(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::mt19937_64 gen(42);
  gen.discard(rankOf(comm) * n);
  for (float &w : l.w)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.w' is V on 'dp'
    w = gen();
  return output(l, x);
}
float otherRounds(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(42);
  const int local = n / 4 + (rankOf(comm) < n % 4);
  for (int i = 0; i < local; ++i)
    x[i] = gen();
  for (float &w : l.w)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.w' is V on 'dp'
    w = gen();
  return output(l, x);
}
// A vector has as many elements as it was made with.
float ownSamples(int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  Layer l(n);
  std::mt19937 gen(42);
  const int local = n / 4 + (rankOf(comm) < n % 4);
  [[spmd::type("dp: V")]] std::vector<float> x(local);
  for (float &v : x)
    v = gen();
  for (float &w : l.w)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.w' is V on 'dp'
    w = gen();
  return output(l, x);
}
float ownSamplesByIndex(int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  Layer l(n);
  std::mt19937 gen(42);
  const int local = n / 4 + (rankOf(comm) < n % 4);
  [[spmd::type("dp: V")]] std::vector<float> x(local, 0.f);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = gen();
  for (float &w : l.w)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'l.w' is V on 'dp'
    w = gen();
  return output(l, x);
}

//===--- Right -------------------------------------------------------------===//

// The others draw as often, or leave out as many.
float inStep(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(42);
  std::normal_distribution<float> normal(0.f, 0.02f);
  if (rankOf(comm) == 0)
    for (float &w : l.w)
      w = normal(gen);
  else
    gen.discard(n);
  MPI_Bcast(l.w.data(), n, MPI_FLOAT, 0, comm);
  for (float &v : l.v)
    v = normal(gen);
  return output(l, x);
}
float drawnAlike(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(42);
  for (int i = 0; i < n; ++i) {
    if (i % 4 == rankOf(comm))
      x[i] = gen();
    else
      gen();
  }
  draw(l.w, gen);
  draw(l.v, gen);
  return output(l, x);
}
// Each rank draws all samples, and keeps its own.
float keepsOwn(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(42);
  for (int i = 0; i < 4 * n; ++i) {
    const float v = gen();
    if (i / n == rankOf(comm))
      x[i % n] = v;
  }
  draw(l.w, gen);
  draw(l.v, gen);
  return output(l, x);
}
// One rank draws for all; what is drawn then is sent, too, or each rank's own.
float sent(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] std::vector<float> &x) {
  Layer l(n);
  std::mt19937 gen(42);
  if (rankOf(comm) == 0) {
    draw(l.w, gen);
    draw(l.v, gen);
  }
  MPI_Bcast(l.w.data(), n, MPI_FLOAT, 0, comm);
  MPI_Bcast(l.v.data(), n, MPI_FLOAT, 0, comm);
  for (float &v : x)
    v = gen();
  return output(l, x);
}
// Another engine, and one that is seeded again.
float apart(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] std::vector<float> &x) {
  Layer l(n);
  std::mt19937 ofWeights(42), ofData(7);
  const int local = n / 4 + (rankOf(comm) < n % 4);
  for (int i = 0; i < local; ++i)
    x[i] = ofData();
  draw(l.w, ofWeights);
  ofData.seed(3);
  draw(l.v, ofData);
  return output(l, x);
}
// All ranks have as many elements, or nobody knows how many.
float alike(int n, [[spmd::axis("dp")]] MPI_Comm comm, std::vector<float> given) {
  Layer l(n);
  std::mt19937 gen(42);
  [[spmd::type("dp: V")]] std::vector<float> x(n / 4);
  std::vector<float> grown(rankOf(comm));
  grown.resize(n);
  for (float &v : x)
    v = gen();
  for (float &v : grown)
    v = gen();
  for (float &v : given)
    v = gen();
  draw(l.w, gen);
  draw(l.v, gen);
  return output(l, x);
}
// What a loop over each rank's own elements adds up is a term of each.
float terms(int n, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  const int local = n / 4 + (rankOf(comm) < n % 4);
  std::vector<float> own(local);
  std::copy_n(x.begin(), local, own.begin());
  float sum = 0, whole = 0;
  int count = 0;
  for (float v : own) {
    sum += v;
    ++count;
  }
  for (size_t i = 0; i < own.size(); ++i)
    sum += own[i];
  MPI_Allreduce(&sum, &whole, 1, MPI_FLOAT, MPI_SUM, comm);
  return whole / n;
}
