// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %spmd-tidy %s -- %stubs -DWRONG 2>&1 | FileCheck %s --implicit-check-not=error:
// A loop that takes each struct of a list once leaves all of them as it leaves
// one: what is summed in one loop is summed again in the next.
#include <mpi.h>
#include <stdlib.h>
#include <vector>
struct Layer {
  [[spmd::type("dp: R")]] float *w;
  float *grad;
  int n;
};
struct Net {
  Layer *layers;
  int count;
};

static Net make() {
  Net net = {(Layer *)malloc(3 * sizeof(Layer)), 3};
  for (int l = 0; l < net.count; ++l) {
    net.layers[l].n = 8;
    net.layers[l].w = (float *)calloc(8, sizeof(float));
    net.layers[l].grad = (float *)calloc(8, sizeof(float));
  }
  return net;
}
static void backward(Net &net, [[spmd::type("dp: V")]] const float *x) {
  for (int l = net.count - 1; l >= 0; --l)
    for (int i = 0; i < net.layers[l].n; ++i)
      net.layers[l].grad[i] += x[i] * net.layers[l].w[i];
}
static void reduce(Net &net, MPI_Comm comm) {
  for (int l = 0; l < net.count; ++l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
}
static void step(Net &net) {
  for (int l = 0; l < net.count; ++l)
    for (int i = 0; i < net.layers[l].n; ++i)
      net.layers[l].w[i] -= 0.1f * net.layers[l].grad[i];
}

void inCallees([[spmd::type("dp: V")]] const float *x,
               [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  reduce(net, comm);
  step(net);
}

void here([[spmd::type("dp: V")]] const float *x,
          [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  for (int l = net.count - 1; l >= 0; --l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
#ifdef WRONG
  for (int l = 0; l < net.count; ++l)
    // CHECK: each-struct-once.cpp:[[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'net.layers[l].grad' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
#endif
  step(net);
}

void ofVector([[spmd::type("dp: V")]] const float *x,
              [[spmd::axis("dp")]] MPI_Comm comm) {
  std::vector<Layer> layers(3);
  for (Layer &l : layers)
    for (int i = 0; i < l.n; ++i)
      l.grad[i] = x[i] * l.w[i];
  for (Layer &l : layers)
    MPI_Allreduce(MPI_IN_PLACE, l.grad, l.n, MPI_FLOAT, MPI_SUM, comm);
#ifdef WRONG
  for (Layer &l : layers)
    // CHECK: each-struct-once.cpp:[[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'l.grad' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
    MPI_Allreduce(MPI_IN_PLACE, l.grad, l.n, MPI_FLOAT, MPI_SUM, comm);
#endif
}

// Not each of them in each loop.
static void reduceSome(Layer *layers, int n, MPI_Comm comm) {
  for (int l = 0; l < n; ++l)
    MPI_Allreduce(MPI_IN_PLACE, layers[l].grad, layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
}
void partByPart(int half, [[spmd::type("dp: V")]] const float *x,
                [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  reduceSome(net.layers, half, comm);
  reduceSome(&net.layers[half], net.count - half, comm);
  step(net);
}
void allButOne([[spmd::type("dp: V")]] const float *x,
               [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  for (int l = net.count - 1; l > 0; --l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, net.layers[0].grad, net.layers[0].n, MPI_FLOAT,
                MPI_SUM, comm);
  step(net);
}
void untilOtherEnd(int half, [[spmd::type("dp: V")]] const float *x,
                   [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  int end = half;
  for (int l = 0; l < end; ++l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  end = net.count;
  for (int l = 0; l < end; ++l)
    if (l >= half)
      MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n,
                    MPI_FLOAT, MPI_SUM, comm);
  step(net);
}
void inTurns([[spmd::type("dp: V")]] const float *x,
             [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  for (int l = 0; l < net.count; l += 2)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  for (int l = 1; l < net.count; l += 2)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  step(net);
}
void inParts(int some, [[spmd::type("dp: V")]] const float *x,
             [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  for (int l = 0; l < some; ++l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  for (int l = some; l < net.count; ++l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  step(net);
}
void untilFull([[spmd::type("dp: V")]] const float *x,
               [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  int last = 0;
  for (int l = 0; l < net.count; ++l) {
    last = l;
    if (net.layers[l].n > 64)
      break;
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  }
  for (int l = last; l < net.count; ++l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  step(net);
}
// Its owner has the sum of each layer's gradients, and sends the others what it
// makes of its weights, in loops of their own.
void byOwners([[spmd::type("dp: V")]] const float *x,
              [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  backward(net, x);
  for (int l = 0; l < net.count; ++l)
    MPI_Reduce(rank == l % size ? MPI_IN_PLACE : net.layers[l].grad,
               net.layers[l].grad, net.layers[l].n, MPI_FLOAT, MPI_SUM,
               l % size, comm);
  for (int l = 0; l < net.count; ++l)
    if (rank == l % size)
      for (int i = 0; i < net.layers[l].n; ++i)
        net.layers[l].w[i] -= 0.1f * net.layers[l].grad[i];
  for (int l = 0; l < net.count; ++l)
    MPI_Bcast(net.layers[l].w, net.layers[l].n, MPI_FLOAT, l % size, comm);
}
// Nor of each but what others have left.
void summed([[spmd::type("dp: V")]] const float *x,
            [[spmd::axis("dp")]] MPI_Comm comm) {
  Net net = make();
  backward(net, x);
  for (int l = 1; l < net.count; ++l)
    for (int i = 0; i < net.layers[l].n; ++i)
      net.layers[l].grad[i] += net.layers[l - 1].grad[i];
  for (int l = 0; l < net.count; ++l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, net.layers[l].n, MPI_FLOAT,
                  MPI_SUM, comm);
  step(net);
}
// Other gradients by the second loop.
void otherBuffers(Net net, [[spmd::type("dp: V")]] const float *x,
                  [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int l = 0; l < net.count; ++l)
    net.layers[l].grad[0] = x[l];
  for (int l = 0; l < net.count; ++l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, 1, MPI_FLOAT, MPI_SUM, comm);
  for (int l = 0; l < net.count; ++l) {
    net.layers[l].grad = (float *)malloc(sizeof(float));
    net.layers[l].grad[0] = x[l];
  }
  for (int l = 0; l < net.count; ++l)
    MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, 1, MPI_FLOAT, MPI_SUM, comm);
}
void byFlat(Net net, float *flat, [[spmd::type("dp: V")]] const float *x,
            [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int l = 0; l < net.count; ++l)
    net.layers[l].grad = flat + 8 * l;
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < 8 * net.count; ++i)
      flat[i] = x[i];
    for (int l = 0; l < net.count; ++l)
      MPI_Allreduce(MPI_IN_PLACE, net.layers[l].grad, 8, MPI_FLOAT, MPI_SUM,
                    comm);
  }
}
void exchanged(std::vector<Layer> &a, std::vector<Layer> &b,
               [[spmd::type("dp: V")]] const float *x,
               [[spmd::axis("dp")]] MPI_Comm comm) {
  for (Layer &l : a)
    l.grad[0] = x[0];
  for (Layer &l : b)
    l.grad[0] = x[0];
  for (Layer &l : a)
    MPI_Allreduce(MPI_IN_PLACE, l.grad, 1, MPI_FLOAT, MPI_SUM, comm);
  a.swap(b);
  for (Layer &l : a)
    MPI_Allreduce(MPI_IN_PLACE, l.grad, 1, MPI_FLOAT, MPI_SUM, comm);
}
// RIGHT: no findings
