// What is said of a struct that has nothing but numbers is said of these: sizes
// and factors that all ranks have, or each its own.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>

struct Config {
  int dim, layers;
  float scale;
};
struct Sizes {
  int rows, columns;
};

void use([[spmd::type("tp: R")]] const float *x);
void configured([[spmd::type("tp: R")]] const Config &c, float *y);

void same([[spmd::type("tp: R")]] const Config &c,
          [[spmd::type("tp: R")]] const Sizes *sizes,
          [[spmd::type("tp: R")]] const float *w, float *y) {
  const int dim = c.dim;
  for (int i = 0; i < dim; ++i)
    y[i] = w[i] / dim * c.scale / sizes->rows;
  use(y);
  configured(c, y);
}

void own([[spmd::type("tp: V")]] const Config &c,
         [[spmd::type("tp: R")]] const float *w, float *y) {
  for (int i = 0; i < 8; ++i)
    y[i] = w[i] * c.scale;
  // CHECK: :[[#@LINE+1]]:3: error: the argument for 'x' must be R on 'tp', but 'y' is V
  use(y);
  // CHECK: :[[#@LINE+1]]:3: error: the argument for 'c' must be R on 'tp', but 'c' is V
  configured(c, y);
}

// Of which nobody says anything, nothing is known.
void unknown(const Config &c, [[spmd::type("tp: R")]] const float *w,
             float *y) {
  for (int i = 0; i < 8; ++i)
    y[i] = w[i] * c.scale;
  use(y);
  configured(c, y);
}
