// What an object that a function fills is declared to be when it returns, each
// tensor in it is to be: also where the function calls another to fill it, and
// reduces members of it, or an entry that it copied.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>
#include <string>
#include <unordered_map>

struct Layer {
  float *w, *b;
};
void partial([[spmd::type("-> tp: P")]] Layer *l);
void sum(float *x, int n, ncclComm_t c) {
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, c, 0);
}

// CHECK: :[[#@LINE+1]]:26: error: parameter 'l.w' on exit must be R on 'tp', but 'l.w' is V
void stores([[spmd::type("-> tp: R")]] Layer *l,
            [[spmd::type("tp: V")]] const float *x, int n) {
  for (int i = 0; i < n; ++i) {
    l->w[i] = x[i];
    l->b[i] = 0;
  }
}
void both([[spmd::type("-> tp: R")]] Layer *l, int n,
          [[spmd::axis("tp")]] ncclComm_t c) {
  partial(l);
  sum(l->w, n, c);
  sum(l->b, n, c);
}
// CHECK: :[[#@LINE+1]]:23: error: parameter 'l.b' on exit must be R on 'tp', but 'l.b' is P
void one([[spmd::type("-> tp: R")]] Layer *l, int n,
         [[spmd::axis("tp")]] ncclComm_t c) {
  partial(l);
  sum(l->w, n, c);
}
// CHECK: :[[#@LINE+2]]:24: error: parameter 'l.b' on exit must be R on 'tp', but 'l.b' is P
// CHECK: :[[#@LINE+1]]:24: error: parameter 'l.w' on exit must be R on 'tp', but 'l.w' is P
void none([[spmd::type("-> tp: R")]] Layer *l) { partial(l); }

struct Tensor {
  const void *data;
  template <typename T> T *ptr() const { return (T *)data; }
};
class Tensors {
  std::unordered_map<std::string, Tensor> map;

public:
  Tensor &at(const std::string &key) { return map.at(key); }
};
void fill([[spmd::type("-> tp: P")]] Tensors *out);
void entry([[spmd::type("-> tp: R")]] Tensors *out,
           [[spmd::axis("tp")]] ncclComm_t c, int n) {
  Tensor t = out->at("out");
  fill(out);
  sum(t.ptr<float>(), n, c);
}
// The entries of a map are not told apart, and what it has is not known.
void perhaps([[spmd::type("-> tp: R")]] Tensors *out) { fill(out); }

// Numbers beside the tensors, and what leads to others, have no type.
struct Node {
  float *g;
  int n;
  std::unordered_map<std::string, int> sizes;
  Node *next;
};
void nodes([[spmd::type("tp: P -> tp: R")]] Node *h,
           [[spmd::axis("tp")]] ncclComm_t c) {
  while (h) {
    sum(h->g, h->n + h->sizes["g"], c);
    h = h->next;
  }
}
struct Values {
  float v[8];
  int n;
};
void values([[spmd::type("tp: P -> tp: R")]] Values *a,
            [[spmd::axis("tp")]] ncclComm_t c) {
  ncclAllReduce(a->v, a->v, a->n, ncclFloat, ncclSum, c, 0);
}
