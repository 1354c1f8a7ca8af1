// Annotations, assert_type, out_partial and local_map leave the generated code
// alone. Clang keeps the payloads of annotated locals as unused strings, so its
// objects are compared by their code; GCC's assembly is the same throughout.
// RUN: clang++-22 -std=c++17 -O2 -w -c -o %t.plain.o %runtime-include -DPLAIN %s
// RUN: clang++-22 -std=c++17 -O2 -w -c -o %t.typed.o %runtime-include %s
// RUN: llvm-objcopy --dump-section .text=%t.plain.text %t.plain.o %t.o
// RUN: llvm-objcopy --dump-section .text=%t.typed.text %t.typed.o %t.o
// RUN: cmp %t.plain.text %t.typed.text
// RUN: g++ -std=c++17 -O2 -w -S -o %t.plain.s %runtime-include -DPLAIN %s
// RUN: g++ -std=c++17 -O2 -w -S -o %t.typed.s %runtime-include %s
// RUN: cmp %t.plain.s %t.typed.s

#include <spmd/spmd.h>

#ifdef PLAIN
#define TYPE(PAYLOAD)
#define ASSERT(X, PAYLOAD) (X)
#define PARTIAL(X, A) (X)
#define LOCAL(FN) (FN)
#else
#define TYPE(PAYLOAD) SPMD_TYPE(PAYLOAD)
#define ASSERT(X, PAYLOAD) spmd::assert_type(X, PAYLOAD)
#define PARTIAL(X, A) spmd::out_partial(X, A)
#define LOCAL(FN) spmd::local_map(FN, {"tp: V"}, {"tp: V"})
#endif

TYPE("tp: P")
float dot(TYPE("tp: V") const float *X, TYPE("tp: V") const float *Y, int N,
          const spmd::Axis &Tp) {
  TYPE("tp: V") float Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += LOCAL([](float A) { return 2 * A; })(X[I]) * Y[I];
  ASSERT(Sum, "tp: V");
  (void)Tp;
  return PARTIAL(ASSERT(Sum, "tp: V"), Tp);
}
