// A function that returns a pointer to an object makes, or hands on, what the
// object's members name: two objects may have one buffer.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstdlib>

struct Activation {
  int n;
  float *value;
  float *delta;
};
struct Model {
  Activation *out;
  Activation *flat;
};

void use([[spmd::type("tp: R")]] float *x);

Activation *create(int n) {
  auto *self = static_cast<Activation *>(malloc(sizeof(Activation)));
  self->n = n;
  self->value = static_cast<float *>(calloc(n, sizeof(float)));
  return self;
}

Activation *view(Activation *other) {
  auto *self = static_cast<Activation *>(malloc(sizeof(Activation)));
  self->n = other->n;
  self->value = other->value;
  self->delta = other->delta;
  return self;
}

void viewed(Activation *out, [[spmd::type("tp: V")]] float *x) {
  Activation *flat = view(out);
  for (int i = 0; i < out->n; ++i)
    flat->value[i] = x[i];
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'tp', but 'out.value' is V
  use(out->value);
}

Model *model() {
  Activation *out = create(4);
  Activation *flat = view(out);
  auto *self = static_cast<Model *>(malloc(sizeof(Model)));
  self->out = out;
  self->flat = flat;
  return self;
}

void fill(Activation *into, float *x) {
  for (int i = 0; i < into->n; ++i)
    into->value[i] = x[i];
}

// Both members are made in the callee, and are one buffer.
void made([[spmd::type("tp: V")]] float *x) {
  Model *m = model();
  fill(m->flat, x);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be R on 'tp', but 'm.out.value' is V
  use(m->out->value);
}

Activation *copy(Activation *other) {
  Activation *self = create(other->n);
  for (int i = 0; i < other->n; ++i)
    self->value[i] = other->value[i];
  return self;
}

// A buffer of its own.
void copied(Activation *out, [[spmd::type("tp: V")]] float *x) {
  for (int i = 0; i < out->n; ++i)
    out->value[i] = 1;
  Activation *other = copy(out);
  fill(other, x);
  use(out->value);
}

// What is returned on one of two ways only is not known.
Activation *either(Activation *a, Activation *b, bool first) {
  if (first)
    return a;
  return b;
}
void one(Activation *a, Activation *b, bool first,
         [[spmd::type("tp: V")]] float *x) {
  fill(a, x);
  Activation *some = either(a, b, first);
  use(some->value);
}
