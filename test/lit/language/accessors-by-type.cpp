// A class with one buffer, and a method that gives it, is a tensor, whatever the
// method is called. Several methods may give parts of the buffer, and one that
// does more than return it is no name of it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <vector>

class Block {
  std::vector<float> s_;

public:
  float *values() { return s_.data(); }
  void clear();
  [[spmd::op("nonlinear")]] Block act() const;
};
class Parts {
  std::vector<float> s_;

public:
  float *first() { return s_.data(); }
  float *second() { return s_.data() + 8; }
  void clear();
};
class Loader {
  std::vector<float> s_;

public:
  float *next() {
    read();
    return s_.data();
  }
  void read();
};
void use([[spmd::type("dp: R")]] const float *x);

Block wrong([[spmd::type("dp: P")]] Block w) {
  // CHECK: [[#@LINE+1]]:10: error: 'w' is P on 'dp' and enters the non-linear 'act'
  return w.act();
}
void same([[spmd::type("dp: V")]] Block &w) {
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'dp', but 'w' is V
  use(w.values());
}
void parts(Parts &p, Loader &l) {
  use(p.first());
  use(p.second());
  use(l.next());
}
