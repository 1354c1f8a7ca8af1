// The macros build without warnings where the attributes are unknown, and leave
// what they say in the AST.
// RUN: clang++-22 -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only %runtime-include %s
// RUN: g++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only %runtime-include %s
// RUN: clang++-22 -std=c++17 -fsyntax-only -Xclang -ast-dump %runtime-include %s | FileCheck-22 %s

#include <spmd/annotations.h>

namespace SPMD_MESH("dp=8:V, tp=4") trainer {

struct Layer {
  SPMD_TYPE("tp: V") float *Weight;
};

SPMD_TYPE("tp: R") float *forward(SPMD_TYPE("tp: R") float *X,
                                  SPMD_AXIS("tp") int Comm);

SPMD_OP("m k, k n -> m n") void matmul(const float *A, const float *B, float *C);

inline float step() {
  SPMD_TYPE("dp: P") float Loss = 0;
  SPMD_ALLOW("spmd-loss-type", "measured only") float Other = Loss;
  return Other;
}

} // namespace trainer

// CHECK: AnnotateAttr {{.*}} "spmd::mesh"
// CHECK: FieldDecl {{.*}} Weight
// CHECK: AnnotateAttr {{.*}} "spmd::type"
// CHECK: "tp: V"
// CHECK: ParmVarDecl {{.*}} Comm
// CHECK: AnnotateAttr {{.*}} "spmd::axis"
// CHECK: matmul
// CHECK: AnnotateAttr {{.*}} "spmd::op"
// CHECK: "m k, k n -> m n"
// CHECK: "spmd::allow"
// CHECK: "measured only"
