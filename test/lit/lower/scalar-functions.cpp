// What a function of numbers does to types is the catalogue's, in each of its
// spellings.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

namespace std {
float floorf(float);
float ceilf(float);
float sqrtf(float);
bool isnan(float);
} // namespace std
extern "C" int __isnanf(float);

// Nothing flows back through a step: it is the same number on all ranks.
[[spmd::type("tp: R")]] float steps([[spmd::type("tp: I")]] float x,
                                    [[spmd::type("tp: R")]] float scale) {
  return scale * std::floorf(x) + scale * std::ceilf(x);
}
[[spmd::type("tp: R")]] float masks([[spmd::type("tp: I")]] float x,
                                    [[spmd::type("tp: R")]] float scale) {
  return __isnanf(x) ? scale : std::isnan(x) * scale;
}
[[spmd::type("tp: R")]] float root([[spmd::type("tp: I")]] float x,
                                   [[spmd::type("tp: R")]] float scale) {
  // CHECK: [[@LINE+1]]:10: error: {{.*}} is I on 'tp' and meets 'scale', which is R, in 'mul'{{.*}}[spmd-invariant-mix]
  return std::sqrtf(x) * scale;
}

// Of a pending sum the step is not known; its parts may be no numbers.
void pending([[spmd::type("tp: P")]] float x, float *out) {
  // CHECK: [[@LINE+1]]:12: error: 'x' is P on 'tp'{{.*}}[spmd-partial-nonlinear]
  out[0] = std::floorf(x);
  out[1] = std::isnan(x);
}
