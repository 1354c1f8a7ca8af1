// What is reduced in a loop, and not made anew, is a sum already in all
// iterations but the first. Other elements, and other places of a buffer, are
// not: how much of one a collective took nobody knows.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>
#include <vector>

struct Layer {
  [[spmd::type("dp: P")]] float *grad;
  int n;
};
struct Node {
  [[spmd::type("dp: P")]] float *grad;
  Node *next;
};
struct Ranks {
  [[spmd::axis("dp")]] ncclComm_t comm;
  [[spmd::size("dp")]] int num;
};

void reduce(Ranks *r, float *g, int n) {
  if (r->num == 1)
    return;
  // CHECK: [[#@LINE+3]]:3: error: all_reduce on 'dp' takes V or P, but 'g' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
  // CHECK: later-iterations.cu:[[#STEPS:]]:{{[0-9]+}}: note: in iterations after the first
  // CHECK: note: with the types of this call in 'eachStep'
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, r->comm, 0);
}
void reduceLayer(Ranks *r, Layer *l) {
  ncclAllReduce(l->grad, l->grad, l->n, ncclFloat, ncclSum, r->comm, 0);
}
void eachStep(Ranks *r, [[spmd::type("dp: P")]] float *g, int n, int steps) {
  for (int i = 0; i < steps; ++i)
    reduce(r, g, n);
}
void plain(Ranks *r, [[spmd::type("dp: P")]] float *g, int n, int steps) {
  while (steps--)
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'g' is R or I
    ncclAllReduce(g, g, n, ncclFloat, ncclSum, r->comm, 0);
}

void makeAnew(Ranks *r, [[spmd::type("dp: V")]] float *g,
              [[spmd::type("dp: V")]] const float *x, int n, int steps) {
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < n; ++j)
      g[j] = x[j] * x[j];
    ncclAllReduce(g, g, n, ncclFloat, ncclSum, r->comm, 0);
  }
}
void oneIteration(Ranks *r, [[spmd::type("dp: P")]] float *g, int n) {
  do {
    ncclAllReduce(g, g, n, ncclFloat, ncclSum, r->comm, 0);
  } while (0);
}
void last(Ranks *r, [[spmd::type("dp: P")]] float *g, int n, int steps) {
  for (int i = 0; i < steps; ++i)
    if (i == steps - 1)
      ncclAllReduce(g, g, n, ncclFloat, ncclSum, r->comm, 0);
}

void structs(Ranks *r, Layer *layers, int count) {
  for (int l = 0; l < count; ++l)
    ncclAllReduce(layers[l].grad, layers[l].grad, layers[l].n, ncclFloat,
                  ncclSum, r->comm, 0);
}
void list(Ranks *r, Node *head, int n) {
  for (Node *at = head; at; at = at->next)
    ncclAllReduce(at->grad, at->grad, n, ncclFloat, ncclSum, r->comm, 0);
}
void containers(Ranks *r, std::vector<Layer> &layers) {
  for (auto &l : layers)
    reduce(r, l.grad, l.n);
  for (auto &l : layers)
    ncclAllReduce(l.grad, l.grad, l.n, ncclFloat, ncclSum, r->comm, 0);
}
void pointers(Ranks *r, [[spmd::type("dp: P")]] float **grads, int count,
              const int *sizes) {
  for (int i = 0; i < count; ++i) {
    float *g = grads[i];
    ncclAllReduce(g, g, sizes[i], ncclFloat, ncclSum, r->comm, 0);
  }
}

void offsets(Ranks *r, [[spmd::type("dp: P")]] float *g, int n) {
  for (int i = 0; i < n; i += 1024)
    ncclAllReduce(g + i, g + i, 1024, ncclFloat, ncclSum, r->comm, 0);
}
void offsetsOfCalls(Ranks *r, [[spmd::type("dp: P")]] float *g, int n) {
  for (int i = 0; i < n; i += 1024)
    reduce(r, g + i, 1024);
}
void moving(Ranks *r, [[spmd::type("dp: P")]] float *g, int n) {
  while (n > 0) {
    ncclAllReduce(g, g, 1024, ncclFloat, ncclSum, r->comm, 0);
    g += 1024;
    n -= 1024;
  }
}
void iterator(Ranks *r, [[spmd::type("dp: P")]] float *g, int n) {
  for (float *p = g, *end = g + n; p < end; p += 1024)
    ncclAllReduce(p, p, 1024, ncclFloat, ncclSum, r->comm, 0);
}
void elements(Ranks *r, Layer *layers, int count) {
  for (int l = 0; l < count; ++l)
    reduceLayer(r, &layers[l]);
}
void iterators(Ranks *r, std::vector<Layer> &layers,
               std::vector<Layer *> &more) {
  for (auto it = layers.begin(); it != layers.end(); ++it)
    ncclAllReduce(it->grad, it->grad, it->n, ncclFloat, ncclSum, r->comm, 0);
  for (auto it = more.begin(); it != more.end(); ++it)
    reduceLayer(r, *it);
}
void halves(Ranks *r, [[spmd::type("dp: P")]] float *g, int n) {
  ncclAllReduce(&g[0], &g[0], n / 2, ncclFloat, ncclSum, r->comm, 0);
  ncclAllReduce(&g[n / 2], &g[n / 2], n - n / 2, ncclFloat, ncclSum, r->comm,
                0);
}
void blocks(Ranks *r, [[spmd::type("dp: P")]] float *g) {
  ncclAllReduce(g, g, 1024, ncclFloat, ncclSum, r->comm, 0);
  g += 1024;
  ncclAllReduce(g, g, 1024, ncclFloat, ncclSum, r->comm, 0);
  reduce(r, g + 1024, 1024);
}
