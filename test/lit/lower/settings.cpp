// A member that is set once, and of whose class a program has one object,
// decides alike in all functions, by whatever name they have the object; what it
// is compared with may be a parameter that all calls give one number.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

struct Config {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::size("dp")]] int size;
  [[spmd::type("dp: V")]] int rank;
  int stage, kind;
};
struct Part {
  int offset, size;
};
static Config config;

static Part partOf(int n, const Config *c, int from) {
  if (c->stage >= from)
    return {c->rank * (n / c->size), n / c->size};
  return {0, n};
}
static void gradients(float *g, const float *x, int n) {
  for (int i = 0; i < n; ++i)
    g[i] = x[i];
}
static void reduce(float *g, int n, Config *which) {
  if (which->stage == 0)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, which->comm);
  else
    MPI_Reduce_scatter_block(MPI_IN_PLACE, g + partOf(n, which, 1).offset,
                             n / which->size, MPI_FLOAT, MPI_SUM, which->comm);
}
static void update(float *w, const float *g, int n) {
  const Part part = partOf(n, &config, 1);
  float *mine = w + part.offset;
  for (int i = 0; i < part.size; ++i)
    mine[i] -= g[part.offset + i];
  if (config.stage >= 1)
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, w, part.size, MPI_FLOAT,
                  config.comm);
}
void right([[spmd::type("dp: R")]] float *w,
           [[spmd::type("dp: V")]] const float *x, float *g, int n) {
  gradients(g, x, n);
  reduce(g, n, &config);
  update(w, g, n);
}
// CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
void forgotten([[spmd::type("dp: R")]] float *w,
               [[spmd::type("dp: V")]] const float *x, float *g, int n) {
  gradients(g, x, n);
  // CHECK: note: on the way where 'Config::stage' is at most 0
  update(w, g, n);
}

// Several objects, or set between two questions: each is a fact of its own.
struct Layer {
  int sharded;
};
static void reduceLayer(float *g, int n, const Layer *l) {
  if (!l->sharded)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, config.comm);
}
static void updateLayer(float *w, const float *g, int n, const Layer *all,
                        int i) {
  if (!all[i].sharded)
    for (int k = 0; k < n; ++k)
      w[k] -= g[k];
}
void layer([[spmd::type("dp: R")]] float *w,
           [[spmd::type("dp: V")]] const float *x, float *g, int n, Layer *all,
           int i) {
  gradients(g, x, n);
  reduceLayer(g, n, &all[i]);
  updateLayer(w, g, n, all, i);
}
static void reduceKind(float *g, int n, Config *which) {
  if (which->kind == 2)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, which->comm);
}
void later([[spmd::type("dp: R")]] float *w,
           [[spmd::type("dp: V")]] const float *x, float *g, int n) {
  gradients(g, x, n);
  config.kind = 2;
  reduceKind(g, n, &config);
  config.kind = 3;
  if (config.kind == 3)
    for (int i = 0; i < n; ++i)
      w[i] -= g[i];
}
