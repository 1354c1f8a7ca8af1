// Pointers to parts of one allocation, at offsets that keep their value: what is
// done to one part is not done to the others, and how much is meant calls say.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { In = 64, Out = 8 };
#define N1 (In * Out)

#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: R")]] float *w,          \
      [[spmd::type("dp: R")]] float *b, [[spmd::type("dp: V")]] const float *x
#define SUM(g, n) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp)
#define UPDATE(p, g, n)                                                        \
  for (int i = 0; i < n; i++)                                                  \
    p[i] -= 0.1f * g[i]

static void backward(float *dw, float *db, const float *x) {
  for (int j = 0; j < Out; j++) {
    for (int i = 0; i < In; i++)
      dw[i * Out + j] += x[i] * x[j];
    // CHECK-DAG: [[#@LINE+1]]:5: error: 'db[j]', which a sum over 'dp' has left, is added to 'x[j]' in 'add', and the next sum counts it once per rank
    db[j] += x[j];
  }
}
static void add(float *g, const float *x, int n) {
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: 'g[i]', which a sum over 'dp' has left, is added to 'x[i]' in 'add', and the next sum counts it once per rank
    g[i] += x[i];
}

void biasIsLeftOut(ARGUMENTS) {
  float *grads = calloc(N1 + Out, sizeof(float));
  float *dw = grads, *db = dw + N1;
  backward(dw, db, x);
  SUM(dw, N1);
  UPDATE(w, dw, N1);
  // CHECK-DAG: [[#@LINE+1]]:10: error: the value of 'b' must be R on 'dp', but this value is V
  UPDATE(b, db, Out);
  free(grads);
}
void weightsAreLeftOut(ARGUMENTS) {
  float *grads = calloc(N1 + Out, sizeof(float));
  float *db = grads + N1;
  backward(grads, db, x);
  SUM(db, Out);
  // CHECK-DAG: [[#@LINE+1]]:10: error: the value of 'w' must be R on 'dp', but this value is V
  UPDATE(w, grads, N1);
  UPDATE(b, db, Out);
  free(grads);
}
void theWholeAndAPart(ARGUMENTS) {
  float grads[N1 + Out] = {0};
  float *dw = grads, *db = &grads[N1];
  backward(dw, db, x);
  SUM(grads, N1 + Out);
  // CHECK-DAG: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'db' is R or I
  SUM(db, Out);
  UPDATE(w, dw, N1);
  UPDATE(b, db, Out);
}
void aPartIsNotCleared(ARGUMENTS) {
  float *grads = calloc(N1 + Out, sizeof(float));
  float *dw = grads, *db = dw + N1;
  for (int step = 0; step < 10; step++) {
    memset(dw, 0, N1 * sizeof(float));
    backward(dw, db, x);
    SUM(dw, N1);
    SUM(db, Out);
    UPDATE(w, dw, N1);
    UPDATE(b, db, Out);
  }
  free(grads);
}
void sizesAreGiven(ARGUMENTS, int n, int m) {
  float *grads = malloc((n + m) * sizeof(float));
  float *db = grads + n;
  for (int step = 0; step < 10; step++) {
    memset(grads, 0, n * sizeof(float));
    add(grads, x, n);
    add(db, x, m);
    SUM(grads, n);
    SUM(db, m);
    UPDATE(w, grads, n);
    UPDATE(b, db, m);
  }
  free(grads);
}
void withoutNames(ARGUMENTS, int n, int m) {
  float *grads = calloc(n + m, sizeof(float));
  backward(grads, grads + n, x);
  SUM(grads, n);
  UPDATE(w, grads, n);
  const float *db = grads + n;
  // CHECK-DAG: [[#@LINE+1]]:10: error: the value of 'b' must be R on 'dp', but this value is V
  UPDATE(b, db, m);
  free(grads);
}

//===--- Right ------------------------------------------------------------===//

void allAtOnce(ARGUMENTS) {
  float *grads = calloc(N1 + Out, sizeof(float));
  float *dw = grads, *db = dw + N1;
  for (int step = 0; step < 10; step++) {
    memset(grads, 0, (N1 + Out) * sizeof(float));
    backward(dw, db, x);
    SUM(grads, N1 + Out);
    UPDATE(w, dw, N1);
    UPDATE(b, db, Out);
  }
  free(grads);
}
void oneByOne(ARGUMENTS) {
  float *grads = calloc(N1 + Out, sizeof(float));
  float *dw = grads, *db = dw + N1;
  for (int step = 0; step < 10; step++) {
    memset(dw, 0, N1 * sizeof(float));
    memset(db, 0, Out * sizeof(float));
    backward(dw, db, x);
    SUM(dw, N1);
    SUM(db, Out);
    UPDATE(w, dw, N1);
    UPDATE(b, db, Out);
  }
  free(grads);
}
void firstIsUpdatedBeforeTheSecondIsReduced(ARGUMENTS) {
  float *grads = calloc(N1 + Out, sizeof(float)), *db = grads + N1;
  backward(grads, db, x);
  SUM(grads, N1);
  UPDATE(w, grads, N1);
  SUM(db, Out);
  UPDATE(b, db, Out);
  free(grads);
}
void severalAtOnce(ARGUMENTS, int n, int m, int k) {
  float *grads = calloc(n + m + k, sizeof(float));
  float *first = &grads[0], *second = &grads[n], *third = &grads[n + m];
  add(first, x, n);
  add(second, x, m);
  add(third, x, k);
  SUM(first, n);
  SUM(second, m + k);
  UPDATE(w, first, n);
  UPDATE(b, second, m);
  UPDATE(b, third, k);
  free(grads);
}
void sameForAllThatIsNamed(ARGUMENTS) {
  float *grads = calloc(N1 + Out, sizeof(float));
  float *dw = grads, *db = grads + N1, *bias = grads + In * Out;
  backward(dw, db, x);
  SUM(dw, N1);
  SUM(bias, Out);
  UPDATE(w, dw, N1);
  UPDATE(b, db, Out);
  free(grads);
}
// Nobody knows how much the first sum is of.
void unknownCounts(ARGUMENTS, int n, int all) {
  float *grads = malloc(all * sizeof(float)), *db = grads + n;
  for (int i = 0; i < all; i++)
    grads[i] = x[i];
  SUM(grads, all);
  UPDATE(w, grads, n);
  UPDATE(b, db, Out);
  free(grads);
}
void ofItsOwn(ARGUMENTS, int rank, int n) {
  float *all = malloc(n * 8 * sizeof(float));
  float *mine = all + rank * n;
  for (int i = 0; i < n; i++)
    mine[i] = x[i];
  MPI_Allgather(MPI_IN_PLACE, n, MPI_FLOAT, all, n, MPI_FLOAT, dp);
  UPDATE(w, all, n);
  free(all);
}
void moved(ARGUMENTS, int n, int m) {
  float *grads = calloc(n + m, sizeof(float)), *at = grads;
  add(at, x, n);
  at += n;
  add(at, x, m);
  SUM(grads, n + m);
  UPDATE(w, grads, n);
  at = grads + n;
  UPDATE(b, at, m);
  free(grads);
}
// Cleared together, and reduced one by one.
void clearedTogether(ARGUMENTS, int n, int m, int k) {
  float *grads = malloc((n + m + k) * sizeof(float));
  float *first = grads, *second = first + n, *third = second + m;
  for (int step = 0; step < 10; step++) {
    memset(first, 0, n * sizeof(float));
    memset(second, 0, (m + k) * sizeof(float));
    add(first, x, n);
    add(second, x, m);
    add(third, x, k);
    SUM(first, n);
    SUM(second, m);
    SUM(third, k);
    UPDATE(w, first, n);
    UPDATE(b, second, m);
    UPDATE(b, third, k);
  }
  free(grads);
}
// Of how much the first name is, nobody says.
void wholeByTheFirstName(ARGUMENTS, int n, int m, int all) {
  float *memory = malloc(all * sizeof(float));
  float *all_of_it = memory, *tail = memory + n;
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < all; i++)
      all_of_it[i] = x[i];
    SUM(all_of_it, all);
    UPDATE(b, tail, m);
    UPDATE(w, all_of_it, n);
  }
  free(memory);
}
void sendAndReceive(ARGUMENTS, int n) {
  float *memory = malloc(2 * n * sizeof(float));
  float *send = memory, *recv = memory + n;
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < n; i++)
      send[i] = x[i] * w[i];
    MPI_Allreduce(send, recv, n, MPI_FLOAT, MPI_SUM, dp);
    UPDATE(w, recv, n);
  }
  free(memory);
}
void turns(ARGUMENTS, int n) {
  float *memory = calloc(2 * n, sizeof(float));
  float *now = memory, *next = memory + n;
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < n; i++)
      next[i] = x[i] + 0.9f * now[i];
    SUM(next, n);
    UPDATE(w, next, n);
    float *swapped = now;
    now = next;
    next = swapped;
  }
  free(memory);
}
