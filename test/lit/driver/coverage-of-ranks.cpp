// Collectives over ranks that nobody names are counted, as what they are given
// nobody knows: advice says which communicators these are. A number that has an
// axis's name is none, nor is a communicator that is said to be on the axis.
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: %spmd-tidy --summary=coverage %s -- %stubs 2>/dev/null | FileCheck %s
// LINE: {{^}}no findings; 100 % of 10 tensor expressions typed on tp; operands of 1 of 4 collectives typed{{$}}
#include <nccl.h>

struct State {
  ncclComm_t ring;
};
// CHECK: coverage-of-ranks.cpp: 100 % of 10 tensor expressions typed on tp; operands of 1 of 4 collectives typed
// CHECK-NEXT: 'named': operands of 1 of 1 collective typed
// CHECK-NEXT: 'unnamed': operands of 0 of 2 collectives typed
// CHECK-NEXT: 'ofMember': operands of 0 of 1 collective typed
// CHECK-NEXT: 'number': 100 % of 5 tensor expressions typed on tp
// CHECK-NEXT: 'other': 100 % of 5 tensor expressions typed on tp
// CHECK-NEXT: name the axis of parameter 'c' of 'unnamed' (coverage-of-ranks.cpp:[[#@LINE+5]]): 2 collectives hang on it
// CHECK-NEXT: name the axis of member 's.ring' (coverage-of-ranks.cpp:{{[0-9]+}}): 1 collective hangs on it
void named([[spmd::type("tp: P -> tp: R")]] float *y, int n, [[spmd::axis("tp")]] ncclComm_t tp) {
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, tp, 0);
}
void unnamed([[spmd::type("tp: P -> tp: R")]] float *y, int n, ncclComm_t c) {
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, c, 0);
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, c, 0);
}
void ofMember(State &s, [[spmd::type("tp: P -> tp: R")]] float *y, int n) {
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, s.ring, 0);
}
void number([[spmd::type("tp: R")]] float *x, int tp) {
  for (int i = 0; i < tp; i++)
    x[i] = x[i] * 2;
}
void other([[spmd::type("tp: R")]] float *x, int n) {
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 2;
}
