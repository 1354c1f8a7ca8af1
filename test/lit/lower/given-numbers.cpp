// What a call says of a flag or number, as a literal, an enumerator or a
// default argument, decides the branches of the body that it is called with.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --dump-ir %s -- %stubs 2> /dev/null | FileCheck %s --check-prefix=IR

#include <nccl.h>
#include <string.h>

enum class Mode { Skip, Sum };

void add(float *out, [[spmd::type("dp: V")]] const float *x, int n,
         bool reset) {
  if (reset)
    memset(out, 0, n * sizeof(float));
  for (int i = 0; i < n; ++i)
    out[i] += x[i];
}
void scale(float *out, const float *x, int n, bool reset = true) {
  if (reset)
    memset(out, 0, n * sizeof(float));
  for (int i = 0; i < n; ++i)
    out[i] += x[i];
}
void sum(float *x, int n, Mode mode, int rounds,
         [[spmd::axis("dp")]] ncclComm_t dp) {
  if (mode == Mode::Sum && rounds > 2)
    ncclAllReduce(x, x, n, ncclFloat, ncclSum, dp, 0);
}
void handOn(float *x, int n, Mode mode, [[spmd::axis("dp")]] ncclComm_t dp) {
  sum(x, n, mode, 3, dp);
}
void use([[spmd::type("dp: R")]] const float *x);

// IR: call @{{.*}}(%out.0 {{.*}}, {{.*}} is 1)
void cleared([[spmd::type("dp: V -> dp: R")]] float *out,
             [[spmd::type("dp: R")]] const float *x, int n) {
  scale(out, x, n);
}
void kept([[spmd::type("dp: V")]] float *out,
          [[spmd::type("dp: R")]] const float *x, int n) {
  scale(out, x, n, false);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'out' is V
  use(out);
}
void unknown([[spmd::type("dp: R -> dp: R")]] float *out,
             [[spmd::type("dp: R")]] const float *x, int n, bool reset) {
  scale(out, x, n, reset);
}
void summed([[spmd::type("dp: V")]] float *x, int n,
            [[spmd::axis("dp")]] ncclComm_t dp) {
  handOn(x, n, Mode::Sum, dp);
  use(x);
}
void skipped([[spmd::type("dp: V")]] float *x, int n,
             [[spmd::axis("dp")]] ncclComm_t dp) {
  handOn(x, n, Mode::Skip, dp);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'x' is V
  use(x);
}
void tooFew([[spmd::type("dp: V")]] float *x, int n,
            [[spmd::axis("dp")]] ncclComm_t dp) {
  sum(x, n, Mode::Sum, 2, dp);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'x' is V
  use(x);
}
// What tells a master from other ranks is no number; what weights are called is.
const float *saved();
void update(float *w, const float *g, int n, bool from_master_weights = false) {
  if (from_master_weights)
    memcpy(w, saved(), n * sizeof(float));
  else
    memcpy(w, g, n * sizeof(float));
}
// CHECK: [[#@LINE+1]]:24: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
void step([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *g, int n) {
  update(w, g, n);
}
