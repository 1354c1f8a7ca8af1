// A number that is each rank's own may well be the same on all: where it is
// stored that is no mistake, be it alone or one of several. What a function
// takes or returns is a contract still, and so is what all ranks have.
// RUN: not %spmd-tidy %s -- -std=c11 %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:

#include <spmd/annotations.h>

struct log {
  SPMD_TYPE("dp: V") double loss;
  SPMD_TYPE("dp: V") float each[4];
  SPMD_TYPE("dp: R") double mean;
};
void use(SPMD_TYPE("dp: R") double x);

void stored(struct log *l, SPMD_TYPE("dp: R") double mean) {
  l->each[0] = mean;
  l->loss = mean;
  l->loss += mean * 2;
  SPMD_TYPE("dp: V") double mine = mean;
  mine = mean;
  // What was stored is what it was.
  use(mean);
  l->mean = mean;
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'l->loss' is V
  use(l->loss);
}
void shared(struct log *l, SPMD_TYPE("dp: V") double mine) {
  // CHECK: [[#@LINE+1]]:3: error: the value stored in 'l.mean' must be R on 'dp', but 'mine' is V
  l->mean = mine;
}
SPMD_TYPE("dp: V") double returned(SPMD_TYPE("dp: R") double mean) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'returned' must be V on 'dp', but 'mean' is R
  return mean;
}
