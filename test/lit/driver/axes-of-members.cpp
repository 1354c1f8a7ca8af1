// Axes of members behind pointers are configured as code names them.
// RUN: not %spmd-tidy '--config={Axes: {"st->tp": tp, "gs.tp": tp}}' %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <nccl.h>

struct State {
  ncclComm_t tp;
};
extern State *st, gs;

void pointer([[spmd::type("tp: P -> tp: R")]] float *y, int n) {
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, st->tp, 0);
}
void twice([[spmd::type("tp: P -> tp: R")]] float *y, int n) {
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, st->tp, 0);
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'tp' takes V or P, but 'y' is R or I
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, st->tp, 0);
}
void ofObject([[spmd::type("tp: P -> tp: R")]] float *y, int n) {
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, gs.tp, 0);
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'tp' takes V or P, but 'y' is R or I
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, gs.tp, 0);
}
