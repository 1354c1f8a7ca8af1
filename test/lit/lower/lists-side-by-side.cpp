// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %spmd-tidy %s -- %stubs -DTWICE 2>&1 | FileCheck %s --check-prefix=TWICE --implicit-check-not=error:
// RUN: not %spmd-tidy %s -- %stubs -DDROPPED 2>&1 | FileCheck %s --check-prefix=DROPPED --implicit-check-not=error:
// A list of structs whose members name the tensors of another list, each that
// of its number: gradients that are reduced by the one are so by the other.
#include <mpi.h>
#include <stdlib.h>
struct Tensor {
  [[spmd::type("dp: R")]] float *data;
  float *grad;
  int n;
};
struct Entry {
  Tensor *tensor;
  int offset, length;
};
struct Table {
  Entry *entries;
  int count, total;
};

static Tensor **make(int count) {
  Tensor **params = (Tensor **)malloc(count * sizeof(Tensor *));
  for (int p = 0; p < count; ++p) {
    params[p] = (Tensor *)malloc(sizeof(Tensor));
    params[p]->n = 16;
    params[p]->data = (float *)calloc(16, sizeof(float));
    params[p]->grad = (float *)calloc(16, sizeof(float));
  }
  return params;
}
static void backward(Tensor **params, int count, float x) {
  for (int p = 0; p < count; ++p)
    for (int i = 0; i < params[p]->n; ++i)
      params[p]->grad[i] += x * params[p]->data[i];
}
static void step(Tensor **params, int count) {
  for (int p = 0; p < count; ++p) {
    Tensor *w = params[p];
    for (int i = 0; i < w->n; ++i)
      w->data[i] -= 0.1f * w->grad[i];
  }
}

void here(int count, [[spmd::type("dp: V")]] float x,
          [[spmd::axis("dp")]] MPI_Comm comm) {
  Tensor **params = make(count);
  Entry *entries = (Entry *)malloc(count * sizeof(Entry));
  int total = 0;
  for (int i = 0; i < count; ++i) {
    entries[i].tensor = params[i];
    entries[i].offset = total;
    entries[i].length = params[i]->n;
    total += params[i]->n;
  }
  backward(params, count, x);
#ifndef DROPPED
  for (int i = 0; i < count; ++i)
    MPI_Allreduce(MPI_IN_PLACE, entries[i].tensor->grad, entries[i].length,
                  MPI_FLOAT, MPI_SUM, comm);
#endif
  step(params, count);
}

static void fill(Table *t, Tensor **params, int count) {
  t->entries = (Entry *)malloc(count * sizeof(Entry));
  t->count = count;
  t->total = 0;
  for (int i = 0; i < count; ++i) {
    Entry *e = &t->entries[i];
    e->tensor = params[i];
    e->offset = t->total;
    e->length = params[i]->n;
    t->total += params[i]->n;
  }
}
static void reduce(Table *t, float *flat, MPI_Comm comm) {
  for (int i = 0; i < t->count; ++i)
    for (int j = 0; j < t->entries[i].length; ++j)
      flat[t->entries[i].offset + j] = t->entries[i].tensor->grad[j];
  MPI_Allreduce(MPI_IN_PLACE, flat, t->total, MPI_FLOAT, MPI_SUM, comm);
#ifdef TWICE
  MPI_Allreduce(MPI_IN_PLACE, flat, t->total, MPI_FLOAT, MPI_SUM, comm);
#endif
  for (int i = 0; i < t->count; ++i)
    for (int j = 0; j < t->entries[i].length; ++j)
      t->entries[i].tensor->grad[j] = flat[t->entries[i].offset + j];
}
void elsewhere(int count, [[spmd::type("dp: V")]] float x,
               [[spmd::axis("dp")]] MPI_Comm comm) {
  Tensor **params = make(count);
  Table table;
  fill(&table, params, count);
  float *flat = (float *)malloc(table.total * sizeof(float));
  backward(params, count, x);
  reduce(&table, flat, comm);
  step(params, count);
}

// Of two lists it is not known which has what.
void ofTwo(int m, int n, [[spmd::type("dp: V")]] float x,
           [[spmd::axis("dp")]] MPI_Comm comm) {
  Tensor **weights = make(m), **biases = make(n);
  Entry *entries = (Entry *)malloc((m + n) * sizeof(Entry));
  for (int i = 0; i < m; ++i)
    entries[i].tensor = weights[i];
  for (int i = 0; i < n; ++i)
    entries[m + i].tensor = biases[i];
  backward(weights, m, x);
  backward(biases, n, x);
  for (int i = 0; i < m + n; ++i)
    MPI_Allreduce(MPI_IN_PLACE, entries[i].tensor->grad, entries[i].tensor->n,
                  MPI_FLOAT, MPI_SUM, comm);
  step(weights, m);
  step(biases, n);
}
void ofOneOrTheOther(int n, bool bias, [[spmd::type("dp: V")]] float x,
                     [[spmd::axis("dp")]] MPI_Comm comm) {
  Tensor **weights = make(n), **biases = make(n);
  Entry *entries = (Entry *)malloc(n * sizeof(Entry));
  for (int i = 0; i < n; ++i) {
    if (bias)
      entries[i].tensor = biases[i];
    else
      entries[i].tensor = weights[i];
  }
  Tensor **trained = bias ? biases : weights;
  backward(trained, n, x);
  for (int i = 0; i < n; ++i)
    MPI_Allreduce(MPI_IN_PLACE, entries[i].tensor->grad, entries[i].tensor->n,
                  MPI_FLOAT, MPI_SUM, comm);
  step(trained, n);
}
// RIGHT: no findings
// TWICE: lists-side-by-side.cpp:83:3: error: all_reduce on 'dp' takes V or P, but 'flat' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
// DROPPED: lists-side-by-side.cpp:41:7: error: the value stored in 'w.data' must be R on 'dp', but 'w->data[i] -= 0.1f * w->grad[i]' is V: the ranks hold different values, which are taken for one [spmd-contract]
