// What ranks that go different ways return differs, though each value that is
// returned is the same on all ranks; elements of a container are numbers, too.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <ATen/ATen.h>
#include <spmd/torch.h>
#include <vector>

#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]

R float nothing(R float x, V int rows) {
  if (rows == 0)
    return 0;
  return x;
  // CHECK: [[#@LINE-3]]:7: error: the value returned from 'nothing' must be R on 'dp', but 'nothing' is V: the ranks hold different values, which are taken for one [spmd-contract]
  // CHECK: [[#@LINE-4]]:7: note: 'nothing' is V on 'dp': on one way it is R, and the ranks go different ways here
}
R int twice(R int x, V int rows) {
  if (rows > 2)
    return x;
  return 2 * x;
  // CHECK: [[#@LINE-3]]:7: error: the value returned from 'twice' must be R on 'dp'
}
R at::Tensor negated(R at::Tensor x, V bool flip) {
  if (flip)
    return -x;
  return x;
  // CHECK: [[#@LINE-3]]:7: error: the value returned from 'negated' must be R on 'dp'
}
void masked(V const std::vector<char> &go, R float *x, int n) {
  for (int i = 0; i < n; i++)
    if (go[i])
      x[i] = 0;
  // CHECK: [[#@LINE-2]]:9: error: parameter 'x' on exit must be R on 'dp', but 'x' is V
}
void largest(V const std::vector<float> &loss, R float *x) {
  if (loss[0] > 1)
    x[0] = 0;
  // CHECK: [[#@LINE-2]]:7: error: parameter 'x' on exit must be R on 'dp', but 'x' is V
}
void named(V const char *name, R float *x) {
  if (name[0] == 'a')
    x[0] = 0;
  // CHECK: [[#@LINE-2]]:7: error: parameter 'x' on exit must be R on 'dp', but 'x' is V
}

//===--- Right ------------------------------------------------------------===//

R float onAll(R float x, R int rows) {
  if (rows == 0)
    return 0;
  return x;
}
V float own(V float x, V int rows) {
  if (rows == 0)
    return 2 * x;
  return x;
}
R float same(R float x, V int rows) {
  if (rows == 0)
    return x;
  return x;
}
R float wrongOnce(V float x, R int rows) {
  if (rows == 0)
    return 0;
  return x;
  // CHECK: [[#@LINE-1]]:3: error: the value returned from 'wrongOnce' must be R on 'dp', but 'x' is V
}
void marked(R const std::vector<char> &go, R float *x, int n) {
  for (int i = 0; i < n; i++)
    if (go[i])
      x[i] = 0;
}
struct Rows {
  int Count = 0;
  bool operator==(const Rows &Other) const;
};
void compared(V const Rows *a, V const Rows *b, R float *x) {
  if (a == b)
    x[0] = 0;
}
